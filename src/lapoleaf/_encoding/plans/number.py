"""Numbers: standardised, with missing values replaced by the median and marked if frequent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.blocks import are_frequent
from lapoleaf._encoding.cells import BooleanCells, Cells, DateCells, NumberCells
from lapoleaf._encoding.number_forms import number_in
from lapoleaf._encoding.plans.base import ColumnPlan
from lapoleaf._encoding.reading import read_cells
from lapoleaf._messages import shown
from lapoleaf._numbers import units_of
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Number(ColumnPlan):
    """A column of numbers.

    Attributes
    ----------
    form : str
        Notation of numbers in strings.
    duration : bool
        Whether the numbers are durations, in seconds.
    unit : float
        A power of two by which numbers are divided first, so that nothing overflows.
    mean, std : float
        Mean and standard deviation of the numbers at the fit, in that unit.
    median : float
        The median, which replaces missing values.
    mark : float
        Value of the column that marks missing values; 0 if there is none.
    """

    form: str
    duration: bool
    unit: float
    mean: float
    std: float
    median: float
    mark: float

    def encode(self, column: Any) -> FloatArray:
        cells = read_cells(column, self.name)
        values = numbers_of(cells, self.form, self.name)
        if isinstance(cells, NumberCells) and cells.duration != self.duration and len(values):
            self._refuse_other_unit(cells)
        missing = np.isnan(values)
        filled = np.where(missing, self.median, values)
        with np.errstate(all="ignore"):
            scaled = (filled / self.unit - self.mean) / self.std
        block = np.column_stack((scaled, missing * self.mark)[: self.width])
        if not np.isfinite(block).all():
            row = int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            raise ValueError(
                f"Column {shown(self.name)} holds {shown(values[row])} in row {row}, which is too "
                f"far from the numbers of the fit to be scaled."
            )
        return block

    def _refuse_other_unit(self, cells: NumberCells) -> None:
        if not cells.missing.all():
            now, then = ("durations", "numbers") if cells.duration else ("numbers", "durations")
            raise ValueError(f"Column {shown(self.name)} holds {now}, but {then} at the fit.")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The name, and one for the column that marks holes."""
        return (self.name, f"{self.name}_missing") if self.mark else (self.name,)

    @property
    def description(self) -> str:
        """What the column was taken for."""
        what = "duration" if self.duration else "number"
        written = "" if self.form == "plain" else f" ({self.form})"
        filled = f", holes filled with {self.median:.6g}" if self.n_missing else ""
        return f"{what}{written}{filled}{' and marked' if self.mark else ''}"


def learn_number(name: str, cells: NumberCells, form: str = "plain") -> Number:
    """Return the plan of a column of numbers with at least two distinct ones."""
    missing = cells.missing
    held = cells.values[~missing]
    unit = float(units_of(held[:, None])[0])
    scaled = held / unit
    mean = float(scaled.mean())
    std = float(np.sqrt(np.mean((scaled - mean) ** 2)))
    if not std > 0:
        # Numbers may differ by less than the rounding error of their mean.
        std = float(np.ptp(scaled))
    share = missing.mean()
    mark = float(1.0 / np.sqrt(share * (1 - share))) if are_frequent(missing) else 0.0
    median = float(np.median(scaled)) * unit
    return Number(name, int(missing.sum()), form, cells.duration, unit, mean, std, median, mark)


def numbers_of(cells: Cells, form: str, name: str) -> FloatArray:
    """Return cells as numbers, NaN for empty ones; raise for anything else."""
    if isinstance(cells, NumberCells | BooleanCells):
        return cells.values
    if isinstance(cells, DateCells):
        if cells.missing.all():
            return np.full(len(cells.ticks), np.nan)
        raise ValueError(f"Column {shown(name)} holds dates, but numbers at the fit.")
    numbers = [number_in(text, form) for text in cells.strings]
    for place, number in enumerate(numbers):
        if number is None or not np.isfinite(number):
            raise ValueError(
                f"Column {shown(name)} holds {shown(cells.strings[place])} in row "
                f"{cells.first_row(place)}, which is not a number: correct it, leave the cell "
                f"empty, or encode the column in another way with "
                f"kinds={{{shown(name)}: 'category'}}."
            )
    return cells.spread(np.array(numbers, dtype=np.float64), np.nan)
