"""Scaling of columns: standardisation or ranks.

Scalings do not depend on the order of rows. Columns that differ by a factor of a power of two, also
of extreme magnitude, are scaled to the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._numbers import units_of
from lapoleaf._typing import FloatArray, IntArray

# Maximum number of values per column whose ranks are stored.
_MAX_KNOTS = 1000
# Centres and scales are rounded to this number of bits, so that a row of weight 2 and the same row
# twice give identical scaled numbers in spite of rounding errors.
_BITS = 20
# Maximum magnitude of scaled numbers, so that their squares do not overflow.
_LARGEST = 1e150
# Relative precision, in digits, of numbers that are scaled back.
_DIGITS = 13


class Scaling(Protocol):
    """A fitted scaling of columns."""

    name: ClassVar[str]

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    def apply(self, X: Any) -> FloatArray:
        """Return rows (m, n_columns) with scaled columns; NaN stay NaN."""

    def undo(self, row: FloatArray) -> FloatArray:
        """Return a scaled row (n_columns,) in its original units, up to rounding."""


@dataclass(frozen=True, eq=False)
class StandardScaling(Value):
    """Columns centred and divided by their standard deviations.

    Attributes
    ----------
    unit : ndarray of shape (n_columns,)
        Powers of two by which columns are divided first, to prevent overflow.
    centre : ndarray of shape (n_columns,)
        Means of the columns, in that unit.
    scale : ndarray of shape (n_columns,)
        Their standard deviations, in that unit; 1 for columns of one value.
    """

    name: ClassVar[str] = "standard"
    unit: FloatArray
    centre: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: Any, weight: FloatArray) -> StandardScaling:
        """Fit the scaling to the columns of X.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            The rows; NaN are ignored.
        weight : ndarray of shape (n_rows,)
            Their weights; rows of weight 0 are ignored.
        """
        unit = units_of(_counted(X, weight))
        learnt = [_mean_and_std(*_sorted(X[:, k], weight, unit[k])) for k in range(X.shape[1])]
        mean, std = np.array(learnt).T
        _, exponent = np.frexp(std)
        step = np.ldexp(1.0, exponent - _BITS)
        return cls(unit, np.round(mean / step) * step, np.round(std / step) * step)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.unit)

    def apply(self, X: Any) -> FloatArray:
        """Return rows (m, n_columns) with scaled columns; NaN stay NaN."""
        with np.errstate(over="ignore", under="ignore"):
            rows: FloatArray = np.divide(X, self.unit, dtype=np.float64)
            rows -= self.centre
            rows /= self.scale
        np.clip(rows, -_LARGEST, _LARGEST, out=rows)
        return rows

    def undo(self, row: FloatArray) -> FloatArray:
        """Return a scaled row (n_columns,) in its original units, up to rounding."""
        with np.errstate(over="ignore", under="ignore"):
            return _in_units(row * self.scale + self.centre, self.unit)


@dataclass(frozen=True, eq=False)
class RankScaling(Value):
    """Columns replaced by ranks, with mean 0 and standard deviation 1.

    Ranks of other numbers are interpolated linearly, and extrapolated by the mean slope of the
    column.

    Attributes
    ----------
    unit : ndarray of shape (n_columns,)
        Powers of two by which columns are divided first, so that nothing overflows.
    start : ndarray of shape (n_columns + 1,)
        Numbers of column k are those from ``start[k]`` to ``start[k + 1]``.
    knots : ndarray of shape (n_knots,)
        Numbers of every column with a stored rank, ascending, in its unit.
    ranks : ndarray of shape (n_knots,)
        Their scaled ranks.
    """

    name: ClassVar[str] = "ranks"
    unit: FloatArray
    start: IntArray
    knots: FloatArray
    ranks: FloatArray

    @classmethod
    def of(cls, X: Any, weight: FloatArray) -> RankScaling:
        """Fit the scaling to the columns of X: see :meth:`StandardScaling.of`."""
        unit = units_of(_counted(X, weight))
        learnt = [_ranks(*_sorted(X[:, k], weight, unit[k])) for k in range(X.shape[1])]
        start = np.cumsum([0, *(len(knots) for knots, _ in learnt)])
        knots, ranks = (np.concatenate(parts) for parts in zip(*learnt, strict=True))
        return cls(unit, start, knots, ranks)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.unit)

    def apply(self, X: Any) -> FloatArray:
        """Return rows (m, n_columns) with scaled columns; NaN stay NaN."""
        with np.errstate(over="ignore", under="ignore"):
            rows: FloatArray = np.divide(X, self.unit, dtype=np.float64)
            for column, (knots, ranks) in zip(rows.T, self._columns(), strict=True):
                column[:] = _interpolated(column, knots, ranks)
        np.clip(rows, -_LARGEST, _LARGEST, out=rows)
        return rows

    def undo(self, row: FloatArray) -> FloatArray:
        """Return a scaled row (n_columns,) in its original units, up to rounding."""
        with np.errstate(over="ignore", under="ignore"):
            pairs = zip(row[:, None], self._columns(), strict=True)
            found = [_interpolated(rank, ranks, knots)[0] for rank, (knots, ranks) in pairs]
            return _in_units(np.array(found), self.unit)

    def _columns(self) -> list[tuple[FloatArray, FloatArray]]:
        cuts = self.start[1:-1]
        return list(zip(np.split(self.knots, cuts), np.split(self.ranks, cuts), strict=True))


SCALINGS: dict[str, type[StandardScaling] | type[RankScaling]] = {
    kind.name: kind for kind in (StandardScaling, RankScaling)
}


def _counted(X: Any, weight: FloatArray) -> FloatArray:
    """Return the rows of positive weight."""
    return np.asarray(X if weight.all() else X[weight > 0], dtype=np.float64)


def _sorted(column: Any, weight: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of a column, without NaN, ascending, in its unit, and their weights."""
    counts = (weight > 0) & ~np.isnan(column)
    values, weight = column[counts].astype(np.float64) / unit, weight[counts]
    # Zeros of both signs are equal.
    values += 0.0
    if len(weight) == 0 or (weight == weight[0]).all():
        return np.sort(values), weight
    order = np.lexsort((weight, values))
    return values[order], weight[order]


def _mean_and_std(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of ascending numbers; 1 in place of 0."""
    if not len(values):
        return 0.0, 1.0
    if values[0] == values[-1]:
        return float(values[0]), 1.0
    share = weight / weight.sum()
    mean = float((share * values).sum())
    std = float(np.sqrt((share * (values - mean) ** 2).sum()))
    # Numbers may differ by less than the rounding error of their mean.
    return mean, std if std > 0 else float(values[-1] - values[0])


def _ranks(values: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return distinct numbers, ascending and not too many, and their scaled ranks."""
    if not len(values):
        return np.zeros(1), np.zeros(1)
    first = np.flatnonzero(np.append(True, np.diff(values) > 0))
    mass = np.add.reduceat(weight, first)
    share = mass / mass.sum()
    middle = np.cumsum(share) - share / 2 - 0.5
    spread = np.sqrt((share * middle**2).sum())
    ranks = middle / spread if len(first) > 1 else np.zeros(1)
    knots = values[first]
    if len(knots) > _MAX_KNOTS:
        wanted = np.linspace(ranks[0], ranks[-1], _MAX_KNOTS)
        kept = np.unique(np.searchsorted(ranks, wanted).clip(0, len(ranks) - 1))
        knots, ranks = knots[kept], ranks[kept]
    # Ranks are strictly increasing even for rows of tiny weight.
    larger = np.append(True, ranks[1:] > np.maximum.accumulate(ranks)[:-1])
    return knots[larger], ranks[larger]


def _interpolated(values: FloatArray, known: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return numbers mapped by piecewise linear interpolation, extrapolated beyond the ends."""
    if len(known) == 1:
        shifted: FloatArray = values - known[0] + wanted[0]
        return shifted
    place = np.searchsorted(known, values, side="right").clip(1, len(known) - 1) - 1
    share = (values - known[place]) / (known[place + 1] - known[place])
    inside = wanted[place] + share.clip(0.0, 1.0) * (wanted[place + 1] - wanted[place])
    slope = (wanted[-1] - wanted[0]) / (known[-1] - known[0])
    outside = np.minimum(values - known[0], 0.0) + np.maximum(values - known[-1], 0.0)
    found: FloatArray = inside + slope * outside
    return found


def _in_units(row: FloatArray, unit: FloatArray) -> FloatArray:
    """Return numbers in the units of their columns, rounded to significant digits."""
    numbers = (row * unit).tolist()
    places = _DIGITS - np.floor(np.log10(unit)).astype(np.int64)
    pairs = zip(numbers, places.tolist(), strict=True)
    return np.array([round(value, n) if np.isfinite(value) else value for value, n in pairs])
