"""Labels from another table: its rows are found by their names, or by what is in them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.cli.given import Given, given_labels

if TYPE_CHECKING:
    import pandas as pd

    from lapoleaf.inputs import Dataset

_USUAL = "label"
_FILE, _OBJECT = "file", "object"
_Key = tuple[Any, ...]


@dataclass(frozen=True)
class Merged:
    """Labels of both tables.

    Attributes
    ----------
    given : Given
        Labels of all rows.
    n_taken, n_replaced, n_lost : int
        Labels that the other table has for rows of the data set, those of them that replace
        another label, and those whose row is not there.
    by : tuple of str
        The columns by which rows were found.
    """

    given: Given
    n_taken: int
    n_replaced: int
    n_lost: int
    by: tuple[str, ...]


def merged_labels(data: Dataset, name: str, label: str | None) -> Merged:
    """Return the labels of a data set with those of another table, which win.

    Parameters
    ----------
    data : Dataset
        The rows.
    name : str
        The file of the other table.
    label : str or None
        Column of labels, as asked for.
    """
    from lapoleaf.inputs import read

    other = read(name)
    if other.table is None:
        raise ValueError(f"--labels {shown(name)} must be a table with a column of labels.")
    theirs, ours = other.table.frame, frame_with_names(data)
    column = _column_of_labels(name, theirs, ours, label)
    further = given_labels(read(theirs, label=column))
    by = _columns_of_both(name, theirs, ours, column, data)
    wanted: dict[_Key, int] = {}
    for row, key in enumerate(_keys(theirs, by)):
        text = further.texts[row]
        if text is None:
            continue
        known = wanted.setdefault(key, row)
        if further.texts[known] != text:
            raise ValueError(
                f"--labels {shown(name)} has two labels for the same row, "
                f"{shown(further.texts[known])} and {shown(text)} "
                f"({', '.join(map(str, key))}): keep one of them."
            )
    return _merged(data, further, wanted, by, _keys(ours, by))


def _merged(
    data: Dataset, further: Given, wanted: dict[_Key, int], by: tuple[str, ...], keys: list[_Key]
) -> Merged:
    given = given_labels(data)
    texts = list(given.texts)
    both = given.numbers is not None and further.numbers is not None
    numbers = np.array(given.numbers) if both else None
    taken, replaced = set(), 0
    for row, key in enumerate(keys):
        place = wanted.get(key)
        if place is None:
            continue
        taken.add(key)
        replaced += texts[row] is not None and texts[row] != further.texts[place]
        texts[row] = further.texts[place]
        if numbers is not None and further.numbers is not None:
            numbers[row] = further.numbers[place]
    return Merged(Given(texts, numbers), len(taken), replaced, len(wanted) - len(taken), by)


def frame_with_names(data: Dataset) -> pd.DataFrame:
    """Return the whole table; of pictures the names of their files, of arrays their columns."""
    if data.table is not None:
        return data.table.frame
    if data.kind == "images":
        found = data.frame.rename(columns={"image": _FILE})
        return found if data.others is None else found.assign(object=data.others["object"])
    return data.frame


def _column_of_labels(
    name: str, theirs: pd.DataFrame, ours: pd.DataFrame, label: str | None
) -> str:
    names = [str(column) for column in theirs.columns]
    for wanted in (label, _USUAL):
        if wanted is not None and wanted in names:
            return wanted
    new = [column for column in names if column not in ours and column[:9] != "lapoleaf_"]
    if len(new) != 1:
        raise ValueError(
            f"--labels {shown(name)} has no column {shown(label or _USUAL)}, but "
            f"{', '.join(map(shown, names[:12]))}: name the column of labels with --label."
        )
    return new[0]


def _columns_of_both(
    name: str, theirs: pd.DataFrame, ours: pd.DataFrame, column: str, data: Dataset
) -> tuple[str, ...]:
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
            f"--labels {shown(name)} has no column of {data.source} to find rows by: it needs "
            f"{wanted}, or columns that both have."
        )
    return tuple(shared)


def _keys(frame: pd.DataFrame, by: tuple[str, ...]) -> list[_Key]:
    columns = [[key_of(cell) for cell in frame[name].tolist()] for name in by]
    return list(zip(*columns, strict=True))


def key_of(cell: Any) -> Any:
    """Return what is equal for cells that a person takes for equal.

    Numbers are equal however they are written, and so are dates with and without a time of 0:00,
    as files from spreadsheet programs have them.

    Examples
    --------
    >>> from lapoleaf.cli.further_labels import key_of
    >>> key_of("39.10") == key_of(39.1), key_of(" a ") == key_of("a"), key_of("007") == key_of(7)
    (True, True, False)
    """
    if cell is None or cell != cell:
        return None
    if isinstance(cell, datetime.date):
        text = str(cell)
        return text.removesuffix(" 00:00:00")
    if isinstance(cell, str):
        text = cell.strip().removesuffix(" 00:00:00")
        try:
            number = float(text)
        except ValueError:
            return text
        digits = text.lstrip("+-")
        coded = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
        return text if coded or not np.isfinite(number) else number
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell)).lower()
    return float(cell)
