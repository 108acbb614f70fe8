"""Categories and booleans: one column per value, with a total variance of 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.blocks import block_scale
from lapoleaf._encoding.cells import TRUTHS, BooleanCells, Cells, NumberCells, StringCells
from lapoleaf._encoding.plans.base import ColumnPlan, counted
from lapoleaf._encoding.reading import read_cells
from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, FloatArray


@dataclass(frozen=True, eq=False)
class Category(ColumnPlan):
    """A column of categories; unknown categories are encoded as zeros.

    Attributes
    ----------
    categories : ndarray of str objects
        The categories, ascending. Empty cells are a further one if the fit had some.
    scale : float
        Value in the column of a row's category, instead of 1.
    """

    categories: AnyArray
    scale: float

    def encode(self, column: Any) -> FloatArray:
        return self.encode_cells(read_cells(column, self.name).as_strings())

    def encode_cells(self, cells: StringCells) -> FloatArray:
        """Return the numbers of cells."""
        place_of = {text: place for place, text in enumerate(self.categories.tolist())}
        places = np.array([place_of.get(text, -1) for text in cells.strings], dtype=np.int64)
        empty = len(self.categories) if self.n_missing else -1
        row_places = cells.spread(places, empty)
        block = np.zeros((len(row_places), self.width))
        known = np.flatnonzero(row_places >= 0)
        block[known, row_places[known]] = self.scale
        return block

    @property
    def feature_names(self) -> tuple[str, ...]:
        """A name for every category."""
        named = tuple(f"{self.name}_{text}" for text in self.categories.tolist())
        return (*named, f"{self.name}_missing") if self.n_missing else named

    @property
    def description(self) -> str:
        """What the column was taken for."""
        found = counted(len(self.categories), "value")
        return f"category of {found}{', and one for holes' if self.n_missing else ''}"


def learn_category(name: str, cells: StringCells) -> Category:
    """Return the plan of a column of categories."""
    categories = np.empty(len(cells.strings), dtype=object)
    categories[:] = sorted(cells.strings)
    plan = Category(name, int(cells.missing.sum()), categories, 1.0)
    # The variances of columns of zeros and ones follow from the counts.
    counts = np.bincount(np.where(cells.codes < 0, len(categories), cells.codes))
    shares = counts / len(cells.codes)
    total = float((shares * (1 - shares)).sum())
    scale = 1.0 / np.sqrt(total) if total > 0 else 1.0
    return Category(name, plan.n_missing, categories, float(scale))


@dataclass(frozen=True, eq=False)
class Boolean(ColumnPlan):
    """A boolean column, with a second column for missing values if the fit had some.

    Attributes
    ----------
    mean : float
        Share of true cells at the fit, the value of empty ones.
    scale : float
        Factor of both columns.
    """

    mean: float
    scale: float

    def encode(self, column: Any) -> FloatArray:
        values = truths_of(read_cells(column, self.name), self.name)
        missing = np.isnan(values)
        true = np.where(missing, 0.0, values - self.mean)
        return np.asarray(np.column_stack((true, missing)[: self.width]) * self.scale)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The name, and one for holes."""
        return (self.name, f"{self.name}_missing") if self.n_missing else (self.name,)

    @property
    def description(self) -> str:
        """What the column was taken for."""
        return f"boolean{', holes marked' if self.n_missing else ''}"


def learn_boolean(name: str, cells: BooleanCells) -> Boolean:
    """Return the plan of a boolean column."""
    missing = cells.missing
    mean = float(cells.values[~missing].mean())
    true = np.where(missing, 0.0, cells.values - mean)
    columns = (true, missing) if missing.any() else (true,)
    return Boolean(name, int(missing.sum()), mean, block_scale(np.column_stack(columns) * 1.0))


def truths_of(cells: Cells, name: str) -> FloatArray:
    """Return cells as ones and zeros, NaN for empty ones, or raise for anything else."""
    if isinstance(cells, BooleanCells):
        return cells.values
    if isinstance(cells, NumberCells):
        bad = ~np.isin(cells.values, (0.0, 1.0)) & ~cells.missing
        if cells.duration or bad.any():
            _refuse(cells.values[np.argmax(bad)], int(np.argmax(bad)), name)
        return cells.values
    texts = cells.as_strings()
    for place, text in enumerate(texts.strings):
        if text.strip() not in TRUTHS:
            _refuse(text, texts.first_row(place), name)
    truths = [TRUTHS[text.strip()] for text in texts.strings]
    return texts.spread(np.array(truths, dtype=np.float64), np.nan)


def _refuse(value: Any, row: int, name: str) -> None:
    raise ValueError(
        f"Column {shown(name)} holds {shown(value)} in row {row}, which is neither true nor false: "
        f"correct it, leave the cell empty, or encode the column in another way with "
        f"kinds={{{shown(name)}: 'category'}}."
    )
