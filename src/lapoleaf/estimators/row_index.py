"""The index of the frames that rows came in, as plain arrays.

pandas is not imported: frames are read by their own methods, and arrays have no index.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._typing import AnyArray, IntArray
from lapoleaf.estimators.cells import Cells
from lapoleaf.estimators.frame_columns import FrameColumn

# The part of a row is stored in one byte.
MAX_PARTS = 255


@dataclass(frozen=True, eq=False)
class IndexPart(Value):
    """Entries of an index that have the same types.

    Attributes
    ----------
    columns : tuple of FrameColumn
        One for every level.
    is_multi : bool
        Whether it is a MultiIndex, which may have one level only.
    """

    columns: tuple[FrameColumn, ...]
    is_multi: bool = False

    @classmethod
    def of(cls, index: Any) -> Self:
        """Return the entries of a pandas index."""
        if not hasattr(index, "levels"):
            return cls((FrameColumn.of(index),))
        # Selected by position, since names of levels may be numbers.
        nameless = index.set_names([None] * index.nlevels)
        levels = (nameless.get_level_values(level) for level in range(index.nlevels))
        return cls(tuple(map(FrameColumn.of, levels)), True)

    @classmethod
    def of_ids(cls, ids: IntArray) -> Self:
        """Return the ids of rows that came without an index."""
        return cls((FrameColumn("int64", np.asarray(ids, dtype=np.int64)),))

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @property
    def types(self) -> tuple[Any, ...]:
        """The types that the entries of a part share."""
        return (self.is_multi, *(column.dtype for column in self.columns))

    def joined(self, other: Self) -> Self:
        """Return the part with more entries appended."""
        pairs = zip(self.columns, other.columns, strict=True)
        return type(self)(tuple(one.joined(more) for one, more in pairs), self.is_multi)

    def at(self, places: AnyArray) -> Self:
        """Return the entries at some places, or where a mask is true."""
        return type(self)(tuple(column.at(places) for column in self.columns), self.is_multi)


@dataclass(frozen=True, eq=False)
class RowIndex(Value):
    """The names of rows in their frames.

    Attributes
    ----------
    container : {"pandas", "polars"}
        The library of the first frame. Rows of polars frames have no index and are named by their
        ids.
    names : tuple
        Names of the levels, as in the first frame.
    parts : tuple of IndexPart
        Entries by their types; none for polars.
    part_of : ndarray of uint8 of shape (n_rows,), or None
        The part of every row; entries of a part are in the order of rows. None if there is one
        part.
    cells : Cells or None
        The original cells of all rows, if columns were encoded.
    """

    container: str
    names: tuple[Any, ...] = ()
    parts: tuple[IndexPart, ...] = ()
    part_of: AnyArray | None = None
    cells: Cells | None = None

    @classmethod
    def of_rows(cls, X: Any, cells: Cells | None = None) -> RowIndex | None:
        """Return the index of a frame, with its cells; None for arrays."""
        if _is_frame("polars", X):
            return cls("polars", cells=cells)
        if not _is_frame("pandas", X):
            return None
        return cls("pandas", tuple(X.index.names), (IndexPart.of(X.index),), cells=cells)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def with_part(self, part: IndexPart) -> RowIndex:
        """Return the index with more entries appended."""
        types = [known.types for known in self.parts]
        parts = list(self.parts)
        if part.types in types:
            which = types.index(part.types)
            parts[which] = parts[which].joined(part)
        elif len(parts) < MAX_PARTS:
            which = len(parts)
            parts.append(part)
        else:
            raise ValueError(f"X has an index of another type than {MAX_PARTS} frames before it.")
        part_of = None
        if len(parts) > 1:
            before = np.zeros(len(self), dtype=np.uint8) if self.part_of is None else self.part_of
            part_of = np.append(before, np.full(len(part), which, dtype=np.uint8))
        return replace(self, parts=tuple(parts), part_of=part_of)

    def without(self, places: IntArray) -> RowIndex:
        """Return the index without some rows."""
        cells = None if self.cells is None else self.cells.without(places)
        if not self.parts:
            return replace(self, cells=cells)
        kept = np.ones(len(self), dtype=bool)
        kept[places] = False
        if self.part_of is None:
            return replace(self, parts=(self.parts[0].at(kept),), cells=cells)
        parts = [part.at(kept[self.part_of == k]) for k, part in enumerate(self.parts)]
        filled = tuple(part for part in parts if len(part))
        _, part_of = np.unique(self.part_of[kept], return_inverse=True)
        several = part_of.astype(np.uint8) if len(filled) > 1 else None
        return replace(self, parts=filled, part_of=several, cells=cells)


def joined_index(
    index: RowIndex | None, ids: IntArray, X: Any, new_ids: IntArray, cells: Cells | None = None
) -> RowIndex | None:
    """Return the index of existing and added rows.

    Parameters
    ----------
    index : RowIndex or None
        The index of the rows so far; None where none of them came in a frame.
    ids : ndarray
        Their ids, which are used if there is no index.
    X : frame or array
        The added rows.
    new_ids : ndarray
        Their ids.
    cells : Cells or None
        Their cells, where columns are encoded.
    """
    more = RowIndex.of_rows(X)
    if index is None:
        if more is None or not more.parts:
            return None
        index = RowIndex("pandas", more.names, (IndexPart.of_ids(ids),))
    if index.cells is not None and cells is not None:
        index = replace(index, cells=index.cells.joined(cells))
    if index.container == "polars":
        return index
    part = more.parts[0] if more is not None and more.parts else IndexPart.of_ids(new_ids)
    return index.with_part(part)


def _is_frame(library: str, X: Any) -> bool:
    """Whether X is a frame of a library, checked without importing it."""
    module = sys.modules.get(library)
    return module is not None and isinstance(X, module.DataFrame)
