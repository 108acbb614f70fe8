"""Strings and texts: vectors of equal length, with a total variance of 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from lapoleaf._encoding.blocks import block_scale
from lapoleaf._encoding.cells import StringCells
from lapoleaf._encoding.plans.base import ColumnPlan
from lapoleaf._encoding.reading import read_cells
from lapoleaf._encoding.text import TextVectors
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class _Vectors(ColumnPlan):
    """A column whose strings are encoded as vectors, and empty cells as zeros.

    Attributes
    ----------
    vectors : TextVectors
        Returns the vectors of strings.
    scale : float
        Their length.
    """

    vectors: TextVectors
    scale: float

    def encode(self, column: Any) -> FloatArray:
        return self.encode_cells(read_cells(column, self.name).as_strings())

    def encode_cells(self, cells: StringCells) -> FloatArray:
        """Return the numbers of cells."""
        found = self.vectors.encode(cells.strings) * self.scale
        return cells.spread(found.reshape(len(cells.strings), self.vectors.width), 0.0)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """A numbered name for every number of a vector."""
        return tuple(f"{self.name}_{k}" for k in range(self.vectors.width))


class Strings(_Vectors):
    """A column of many different short strings."""

    @property
    def description(self) -> str:
        """What the column was taken for."""
        return f"string as {self.vectors.description}"


class Text(_Vectors):
    """A column of texts."""

    @property
    def description(self) -> str:
        """What the column was taken for."""
        return f"text as {self.vectors.description}"


_Plan = TypeVar("_Plan", Strings, Text)


def learn_vectors(kind: type[_Plan], name: str, cells: StringCells, vectors: TextVectors) -> _Plan:
    """Return the plan of a column of strings with at least two distinct ones."""
    n_missing = int(cells.missing.sum())
    block = kind(name, n_missing, vectors, 1.0).encode_cells(cells)
    return kind(name, n_missing, vectors, block_scale(block))
