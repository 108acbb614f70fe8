"""Read files, folders and frames."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding import library_of
from lapoleaf._encoding.cells import StringCells
from lapoleaf._encoding.guessing import kind_of
from lapoleaf._encoding.reading import read_cells
from lapoleaf._messages import shown
from lapoleaf.inputs.arrays import dataset_of_array, dataset_of_arrays
from lapoleaf.inputs.columns import Columns, checked_columns
from lapoleaf.inputs.dataset import Dataset
from lapoleaf.inputs.labels import check_labels, labels_of
from lapoleaf.inputs.pictures import find_pictures, frame_of_files, labels_of_folders, note_of
from lapoleaf.inputs.sources import format_of, source_of
from lapoleaf.inputs.tables import Missing, Table, table_of_file, table_of_frame

if TYPE_CHECKING:
    import pandas as pd


def read(
    source: Any,
    *,
    label: str | None = None,
    ignore: str | Collection[str] = (),
    text: str | Collection[str] = (),
    id: str | None = None,
    missing: Collection[Any] | Mapping[str, Any] = (),
    kinds: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
    verbose: int = 0,
) -> Dataset:
    r"""Read rows and their labels from a file, a folder of pictures or a frame.

    Text files may have commas, semicolons, tabs or bars between cells, decimal commas where cells
    are not separated by commas, quotes, any common encoding, a title above the header, or no
    header. Columns whose names begin with ``lapoleaf_`` were written by the command and are left
    out, unless a parameter names them. A column becomes numbers only if every cell is a number and
    none would change: ``007`` and whole numbers of more than 19 digits stay strings.

    Parameters
    ----------
    source : path-like, frame or array
        A file: CSV, TSV, JSON lines, Parquet, all of them also compressed by gzip, Excel
        (``.xlsx``), or ``.npz`` with arrays ``X`` and perhaps ``y`` and ``class_names``; ``"-"``
        for standard input. A folder of pictures, whose classes are the folders in it; those in
        ``unlabelled`` have none. A frame of pandas or polars, or an array.
    label : str, default=None
        Name of the column of labels; the column ``label`` if None and there is one.
    ignore : str or collection of str, default=()
        Columns that are not used to compare rows.
    text : str or collection of str, default=()
        Columns of texts that are not recognised as such.
    id : str, default=None
        Column of unique names of rows.
    missing : collection or mapping, default=()
        Markers of missing cells, besides empty cells, NA, N/A, NaN, null, #N/A and ``?``. A mapping
        sets the markers of single columns by name, *instead* of the usual ones.
    kinds : mapping of str to str, default=None
        Kinds of columns for which the guess is wrong; see :class:`~lapoleaf.TableEncoder`.
    sheet : str or int, default=None
        Name of a sheet of an Excel file, or its number from 0; the first if None.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Returns
    -------
    Dataset
        Rows, labels, names, numbers, and contents for display.

    Raises
    ------
    ValueError
        If the source cannot be parsed. The message is one sentence, with the line in the file if
        there is one. Rows with more or fewer cells than the header are never truncated or padded.

    Warns
    -----
    UserWarning
        If labels differ only by case or blanks, if some look like a mark of a missing one, or if
        one class has 95 % of them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lapoleaf.inputs import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.csv")
    ...     _ = path.write_text(
    ...         "ring;weight;seen;kind\n"
    ...         "007;39,1;2024-05-01;tit\n"
    ...         "011;40,5;2024-05-02;\n"
    ...         "012;;2024-05-02;finch\n"
    ...     )
    ...     data = read(path, label="kind", id="ring")
    >>> data.names
    ['007', '011', '012']
    >>> data.labels
    array(['tit', None, 'finch'], dtype=object)
    >>> data.show(0)
    {'cells': {'weight': 39.1, 'seen': '2024-05-01', 'ring': '007'}}
    """
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    texts = (text,) if isinstance(text, str) else tuple(text)
    marks = (missing,) if isinstance(missing, str) else missing
    asked = {"label": label, "ignore": ignored, "text": texts, "id": id, "missing": marks}
    asked["kinds"] = kinds
    if library_of(source) is not None:
        table = table_of_frame(source, marks)
    elif isinstance(source, np.ndarray):
        _refuse({**asked, "sheet": sheet}, "an array")
        return dataset_of_array(source, verbose)
    elif not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"source={shown(source)} must be the name of a file or folder, a frame of pandas or "
            f"polars, or an array."
        )
    elif os.path.isdir(source):
        _refuse({**asked, "sheet": sheet}, "a folder of pictures")
        return _dataset_of_folder(Path(source), verbose)
    else:
        file = source_of(source)
        kind = format_of(file)
        if sheet is not None and kind != "excel":
            raise ValueError(f"sheet={shown(sheet)} is for Excel files: {file.name} is none.")
        if kind == "arrays":
            _refuse(asked, f"the arrays in {file.name}")
            return dataset_of_arrays(file, verbose)
        table = table_of_file(file, kind, label, marks, sheet, verbose)
    columns = checked_columns(table, asked)
    return _dataset_of_table(table, columns, marks, verbose)


def _refuse(asked: Mapping[str, Any], what: str) -> None:
    """Raise for parameters that do not apply to sources without columns."""
    for name, value in asked.items():
        if value is not None and value != () and value != {}:
            raise ValueError(f"{name}={shown(value)} is for tables, but the source is {what}.")


def _dataset_of_table(table: Table, columns: Columns, missing: Missing, verbose: int) -> Dataset:
    frame, label = table.frame, columns.label
    apart = [name for name in (columns.id, *columns.ignored) if name is not None]
    apart = list(dict.fromkeys(apart))
    features = frame.drop(columns=[*apart, *columns.own, *([label] if label is not None else [])])
    if not features.shape[1]:
        besides = f" besides {shown(label)}" if label is not None else ""
        raise ValueError(f"{table.name} has no column{besides} to compare rows by.")
    if not len(frame):
        raise ValueError(f"{table.name} has no rows.")
    labels = None
    if label is not None:
        labels = labels_of(frame[label])
        check_labels(labels, label)
    names = frame.index.tolist()
    if columns.id is not None:
        names = _row_names(table, columns.id)
        features = features.set_axis(names, axis="index").rename_axis(columns.id)
    return Dataset(
        frame=features,
        labels=labels,
        names=names,
        kind="texts" if _is_texts(features, columns.kinds) else "table",
        source=table.name,
        label=label,
        id=columns.id,
        notes=(*table.notes, *_note_of_own(columns.own)),
        others=frame[apart] if apart else None,
        kinds=columns.kinds,
        table=table,
        missing=missing,
        verbose=verbose,
    )


def _note_of_own(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        return ()
    return (f"columns of an earlier run left out: {', '.join(names)}",)


def _row_names(table: Table, name: str) -> list[Any]:
    """Return names of rows from a column; raise unless they are complete and unique."""
    column = table.frame[name]
    bad = np.flatnonzero((column.isna() | column.duplicated()).to_numpy())
    if len(bad):
        cell = column.iloc[bad[0]]
        what = "no value" if column.isna().iloc[bad[0]] else f"{shown(cell)} a second time"
        raise ValueError(
            f"id={shown(name)}: row {bad[0]} of {table.name} (from 0) has {what}, but names of "
            f"rows must all be different."
        )
    names: list[Any] = column.tolist()
    return names


def _is_texts(features: pd.DataFrame, kinds: Mapping[str, str]) -> bool:
    """Whether rows are texts: their only column holds texts."""
    if features.shape[1] != 1:
        return False
    name = str(features.columns[0])
    if name in kinds:
        return kinds[name] == "text"
    cells = read_cells(features[name], name)
    return isinstance(cells, StringCells) and bool(cells.strings) and kind_of(cells) == "text"


def _dataset_of_folder(folder: Path, verbose: int) -> Dataset:
    files, others = find_pictures(folder, verbose)
    labels = labels_of_folders(files)
    has_labels = any(label is not None for label in labels)
    if has_labels:
        check_labels(labels, "folder")
    return Dataset(
        frame=frame_of_files(files),
        labels=labels if has_labels else None,
        names=files,
        kind="images",
        source=shown(folder),
        label="folder" if has_labels else None,
        notes=note_of(others),
        folder=folder,
        verbose=verbose,
    )
