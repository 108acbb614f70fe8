"""Matching of rows between tables, by their names or by their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.inputs.row_keys import canonical

if TYPE_CHECKING:
    import pandas as pd

    from lapoleaf.inputs.dataset import Dataset

_USUAL = "label"
_FILE, _OBJECT = "file", "object"
CellKey = tuple[Any, ...]


def frame_with_names(data: Dataset) -> pd.DataFrame:
    """Return the whole table; for images the names of their files, for arrays their columns."""
    if data.table is not None:
        return data.table.frame
    if data.kind == "images":
        found = data.frame.rename(columns={"image": _FILE})
        return found if data.others is None else found.assign(object=data.others["object"])
    return data.frame


def column_of_labels(what: str, theirs: pd.DataFrame, ours: pd.DataFrame, label: str | None) -> str:
    """Return the column of labels of another table.

    Parameters
    ----------
    what : str
        Name of the other table, for messages.
    theirs, ours : pandas.DataFrame
        The other table, and that of the data set.
    label : str or None
        The column set by the user.
    """
    names = [str(column) for column in theirs.columns]
    for wanted in (label, _USUAL):
        if wanted is not None and wanted in names:
            return wanted
    new = [column for column in names if column not in ours and column[:9] != "lapoleaf_"]
    if len(new) != 1:
        raise ValueError(
            f"{what} has no column {shown(label or _USUAL)}; its columns are "
            f"{', '.join(map(shown, names[:12]))}: name the column of labels with --label."
        )
    return new[0]


def columns_of_both(
    what: str, theirs: pd.DataFrame, ours: pd.DataFrame, column: str, data: Dataset
) -> tuple[str, ...]:
    """Return the columns by which rows of another table are found.

    Parameters
    ----------
    what : str
        Name of the other table, for messages.
    theirs, ours : pandas.DataFrame
        The other table, and that of the data set.
    column : str
        Its column of labels.
    data : Dataset
        The rows.
    """
    if data.id is not None and data.id in theirs:
        return (data.id,)
    if data.kind == "images" and _FILE in theirs:
        return tuple(name for name in (_FILE, _OBJECT) if name in theirs and name in ours)
    left_out = {column, data.label}
    shared = [str(c) for c in theirs.columns if c in ours and c not in left_out]
    shared = [c for c in shared if not c.startswith("lapoleaf_")]
    if not shared:
        wanted = shown(_FILE) if data.kind == "images" else "its names (see --id)"
        raise ValueError(
            f"{what} has no column of {data.source} to find rows by: it needs "
            f"{wanted}, or columns that both have."
        )
    return tuple(shared)


def cells_of(frame: pd.DataFrame, by: tuple[str, ...]) -> list[CellKey]:
    """Return canonical cells of some columns for every row."""
    columns = [[canonical(cell) for cell in frame[name].tolist()] for name in by]
    return list(zip(*columns, strict=True))
