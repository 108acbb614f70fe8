"""Cells of the frames that rows came in, for explanations."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._typing import IntArray
from lapoleaf.estimators.frame_columns import OBJECTS, FrameColumn, as_pandas

# Longest printed form of a row and of one of its cells, in characters.
_MAX_ROW_LENGTH, _MAX_CELL_LENGTH = 96, 32


@dataclass(frozen=True, eq=False)
class Cells(Value):
    """The cells of rows as they were before they were encoded.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    columns : tuple of FrameColumn
        The columns, all of one length.
    """

    names: tuple[str, ...]
    columns: tuple[FrameColumn, ...]

    @classmethod
    def of(cls, frame: Any) -> Self:
        """Return the cells of a pandas frame."""
        columns = tuple(_column(frame.iloc[:, place]) for place in range(frame.shape[1]))
        return cls(tuple(map(str, frame.columns)), columns)

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def joined(self, other: Cells) -> Cells:
        """Return the cells with those of more rows; columns of mixed types hold objects."""
        pairs = zip(self.columns, other.columns, strict=True)
        return Cells(self.names, tuple(_joined(one, more) for one, more in pairs))

    def without(self, places: IntArray) -> Cells:
        """Return the cells without those of some rows."""
        kept = np.ones(len(self), dtype=bool)
        kept[places] = False
        return Cells(self.names, tuple(column.at(kept) for column in self.columns))

    def row(self, place: int) -> dict[str, Any]:
        """Return the cells of a row by the names of their columns, without those that are empty."""
        found = {}
        for name, column in zip(self.names, self.columns, strict=True):
            value = as_pandas(column.at(slice(place, place + 1)))[0]
            value = value.item() if isinstance(value, np.generic) else value
            if value is not None and value == value:
                found[name] = value
        return found


def _column(column: Any) -> FrameColumn:
    """Return a column of a frame, in which equal strings share one object."""
    pandas = importlib.import_module("pandas")
    found = FrameColumn.of(pandas.Index(column))
    if found.dtype not in OBJECTS:
        return found
    values = found.values
    if not all(type(value) in _PLAIN for value in values):
        values = np.array([v if type(v) in _PLAIN else str(v) for v in values], dtype=object)
    codes, distinct = pandas.factorize(values, use_na_sentinel=False)
    return FrameColumn(found.dtype, np.asarray(distinct, dtype=object)[codes])


_PLAIN = frozenset({str, int, float, bool, type(None)})


def _joined(one: FrameColumn, more: FrameColumn) -> FrameColumn:
    if one.dtype == more.dtype:
        return one.joined(more)
    values = [np.asarray(as_pandas(column).astype(object)) for column in (one, more)]
    return _column(np.concatenate(values))


def in_line(cells: Mapping[str, Any]) -> str:
    """Return the cells of a row as one line, truncated if long.

    Examples
    --------
    >>> from lapoleaf.estimators.cells import in_line
    >>> in_line({"island": "Torgersen", "mass": 3750.0, "tagged": True})
    'island Torgersen, mass 3750, tagged True'
    """
    parts: list[str] = []
    room, longest = _MAX_ROW_LENGTH, max(_MAX_CELL_LENGTH, _MAX_ROW_LENGTH // max(len(cells), 1))
    for name, value in cells.items():
        part = f"{name} {_in_words(value, longest)}"
        if parts and len(part) > room:
            parts.append(f"and {len(cells) - len(parts)} more")
            break
        parts.append(part)
        room -= len(part) + 2
    return ", ".join(parts)


def _in_words(value: Any, longest: int) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."
