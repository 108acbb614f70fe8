"""Data sets: rows as read, their labels, and their numbers."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding import TableEncoder, library_of
from lapoleaf._encoding.extras import imported
from lapoleaf._lazy import computed_once
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.inputs.images.encoder import ImageEncoder
from lapoleaf.inputs.pictures import files_of
from lapoleaf.inputs.showing import shown_cells
from lapoleaf.inputs.sources import format_of, source_of
from lapoleaf.inputs.summaries import summary_of
from lapoleaf.inputs.tables import Missing, Table, table_of_file, table_of_frame

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data set of rows with labels, names and numbers, as returned by :func:`read`.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns that rows are compared by, as they were read. Of a folder of pictures one
        column, ``image``: the names of the files, as seen from the folder.
    labels : ndarray of shape (n_rows,) or None
        Labels. Numbers stay numbers, missing ones are NaN; else missing ones are None. None if
        there is no column of labels.
    names : list
        Names of the rows: from the column of ids, names of files, the index of a frame, else
        numbers from 0.
    kind : {"table", "texts", "images", "array"}
        What the rows are.
    encoder : TableEncoder, ImageEncoder or None
        Converts rows to numbers; None for an array, whose numbers are used as they are.
    X : ndarray of shape (n_rows, n_features)
        Rows as numbers, computed on first use.
    source : str
        Name of the source, for messages.
    label : str or None
        Name of the column of labels.
    id : str or None
        Name of the column with the names of rows.
    notes : tuple of str
        Notes on how the rows were read.
    others : pandas.DataFrame or None
        Columns that rows are not compared by: ids and ignored ones.
    kinds : mapping
        Kinds of columns set by the user.
    folder : Path or None
        The folder of pictures.
    table : Table or None
        The whole table as read.
    missing : collection or mapping
        Markers of missing cells set by the user.
    array : ndarray or None
        Numbers that are used as they are.
    verbose : int
        Whether progress is reported.

    See Also
    --------
    read : Read a file, a folder or a frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from lapoleaf.inputs import read
    >>> data = read(
    ...     pd.DataFrame({
    ...         "size": [1.0, 2.0, None, 9.0],
    ...         "colour": ["red", "blue", "red", "blue"],
    ...         "kind": ["a", None, None, "b"],
    ...     }),
    ...     label="kind",
    ... )
    >>> data.labels
    array(['a', None, None, 'b'], dtype=object)
    >>> data.X.shape
    (4, 3)
    >>> data.show(2)
    {'cells': {'size': None, 'colour': 'red'}}
    >>> data.encode({"size": 9.0, "colour": "blue"}).round(2)
    array([[1.4 , 1.41, 0.  ]])
    """

    frame: pd.DataFrame
    labels: AnyArray | None
    names: list[Any]
    kind: str
    source: str
    label: str | None = None
    id: str | None = None
    notes: tuple[str, ...] = ()
    others: pd.DataFrame | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    table: Table | None = None
    missing: Missing = ()
    array: AnyArray | None = None
    verbose: int = 0

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        given = "no labels" if self.labels is None else f"labels in {shown(self.label)}"
        return f"Dataset({len(self)} rows of {self.source}, kind={shown(self.kind)}, {given})"

    @computed_once
    def encoder(self) -> TableEncoder | ImageEncoder | None:
        """The encoder that converts rows to numbers."""
        if self.kind == "array":
            return None
        if self.kind == "images":
            return ImageEncoder(self.folder or Path())
        encoder: TableEncoder = TableEncoder(kinds=self.kinds or None, verbose=self.verbose)
        return encoder.fit(self.frame)

    @computed_once
    def X(self) -> FloatArray:
        """Rows as numbers."""
        if self.array is not None:
            return np.asarray(self.array, dtype=np.float64)
        if isinstance(self.encoder, ImageEncoder):
            return self.encoder.encode(self.frame["image"].tolist(), self.verbose)
        found: FloatArray = self.encoder.transform(self.frame)  # type: ignore[union-attr]
        return found

    @property
    def rows(self) -> pd.DataFrame:
        """The rows to fit estimators on, which keep the names of rows.

        The frame for a table or texts; for images and arrays their numbers, with names as index.
        """
        if self.kind in ("table", "texts"):
            return self.frame
        return importlib.import_module("pandas").DataFrame(self.X, index=self.names)

    def encode(self, new: Any) -> FloatArray:
        """Return new rows as numbers.

        Parameters
        ----------
        new : path-like, frame, mapping, or sequence
            Rows in the same form: a file or a frame with the same columns (those of labels, ids
            and ignored ones may be missing), one row as a mapping of columns to cells, several of
            them, or texts; for pictures a folder or names of files; for arrays an array.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            Their numbers.
        """
        if isinstance(self.encoder, ImageEncoder):
            return self.encoder.encode(files_of(new, self.encoder.folder), self.verbose)
        if self.encoder is None:
            return self._encoded_array(new)
        frame = self._framed(new)
        known = {*(self.others.columns if self.others is not None else ()), self.label}
        further = [name for name in frame.columns if name in known and name not in self.frame]
        frame = frame.drop(columns=further)
        if set(frame.columns) == set(self.frame.columns):
            frame = frame[list(self.frame.columns)]
        found: FloatArray = self.encoder.transform(frame)
        return found

    def _encoded_array(self, new: Any) -> FloatArray:
        rows = np.atleast_2d(np.asarray(new, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != self.frame.shape[1]:
            raise ValueError(
                f"new={shown(new)} must have {self.frame.shape[1]} columns, as {self.source} has."
            )
        return rows

    def _framed(self, new: Any) -> pd.DataFrame:
        """Return new rows as a frame of plain columns."""
        pandas = imported("pandas")
        if isinstance(new, str) and self.kind == "texts" and not os.path.exists(new):
            new = [new]
        if isinstance(new, str | os.PathLike):
            source = source_of(new)
            first = str(self.frame.columns[0])
            table = table_of_file(source, format_of(source), first, self.missing)
            return table.frame
        if library_of(new) is None:
            if isinstance(new, Mapping):
                new = [new]
            if self.kind == "texts" and all(isinstance(row, str) for row in new):
                new = [{self.frame.columns[0]: text} for text in new]
            new = pandas.DataFrame.from_records(new)
        return table_of_frame(new, self.missing).frame

    def show(self, row: int) -> dict[str, Any]:
        """Return the contents of a row for display.

        Parameters
        ----------
        row : int
            Number of the row, from 0.

        Returns
        -------
        dict
            For a table or an array ``"cells"``, a dict of columns to cells, ignored ones too; for
            texts ``"text"``, and ``"cells"`` if there are other columns; for pictures
            ``"picture"``, the path of the file.
        """
        if not is_whole(row) or not -len(self) <= row < len(self):
            raise IndexError(f"row={shown(row)} must be a number from 0 to {len(self) - 1}.")
        if self.kind == "images":
            return {"picture": (self.folder or Path()) / str(self.frame["image"].iloc[row])}
        cells = shown_cells(self.frame, row)
        further = {} if self.others is None else shown_cells(self.others, row)
        if self.kind != "texts":
            return {"cells": {**cells, **further}}
        text = next(iter(cells.values()))
        return {"text": text or "", "cells": further} if further else {"text": text or ""}

    def with_labels(self, path: str | os.PathLike[str]) -> Dataset:
        """Return the data set with the labels of a project of the studio.

        Rows without a label in the project keep their own.

        Parameters
        ----------
        path : path-like
            A project, as ``lapoleaf studio`` keeps it; it may be open there.

        Returns
        -------
        Dataset
            The same rows; ``labels`` are names of classes, None where there is none.

        Warns
        -----
        UserWarning
            If the project has labels of rows that are not in the data set.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import pandas as pd
        >>> from lapoleaf.inputs import read
        >>> from lapoleaf.studio import serve
        >>> data = read(pd.DataFrame({"size": [1.0, 2.0, 9.0], "label": ["a", None, "b"]}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     project = Path(folder, "sizes.lapoleaf")
        ...     with serve(data, project=project, browser=False, block=False):
        ...         pass  # a person labels rows in the page
        ...     data.with_labels(project).labels
        array(['a', None, 'b'], dtype=object)
        """
        from lapoleaf.inputs.projects import with_labels

        return with_labels(self, path)

    def summary(self) -> str:
        """Return one line per column, and one about the labels.

        Returns
        -------
        str
            Every line has the name of a column, its number of missing cells, its kind and encoding,
            or the reason why it is left out. The first line has the numbers of rows and columns.
        """
        return summary_of(self)
