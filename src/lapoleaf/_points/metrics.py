"""The fast metrics, whose distances are accumulated from differences of columns.

A metric is an object of the table ``METRICS``, where all of its properties are defined. A new one
is a line in the table and, if differences are accumulated in a new way, an operation in
``kernels.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._points import kernels
from lapoleaf._points.kernels import Finish
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, Metric

# Parallel rows are about 1e-32 apart by rounding; a metric of scale 1 needs no relative bound.
_PARALLEL = 1e-12
# Metrics of scikit-learn that are Euclidean distances, of columns that are transformed.
_EUCLIDEAN_OF_OTHER_COLUMNS = ("seuclidean", "mahalanobis")
_ALIASES = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}


@dataclass(frozen=True)
class FastMetric:
    """A metric whose distances are accumulated column by column.

    A distance is ``factor * value``, or ``factor * sqrt(value)`` if ``rooted``, of the value that
    the differences of two rows accumulate.

    Attributes
    ----------
    name : str
        Its name for users.
    operation : int
        The operation of ``kernels.py`` that accumulates differences.
    rooted : bool
        Whether distances are square roots. Rows are then scaled to prevent overflow and underflow
        of values; for other metrics the distances themselves would overflow.
    factor : float
        Factor of values, or of their roots.
    unit_rows : bool
        Whether rows are divided by their length first. A row of zeros is then at distance 1 from
        all others.
    zero : float or None
        Distances up to this count as 0. None where different rows are never at distance 0.
    triangle : bool
        Whether the triangle inequality holds.
    allows_nan : bool
        Whether values may be missing.
    """

    name: str
    operation: int
    rooted: bool = False
    factor: float = 1.0
    unit_rows: bool = False
    zero: float | None = None
    triangle: bool = False
    allows_nan: bool = False

    @property
    def of_squares(self) -> bool:
        """Whether distances are functions of squared Euclidean ones (for products and cells)."""
        return self.operation == kernels.SQUARES

    @property
    def is_euclidean(self) -> bool:
        """Whether distances are Euclidean distances of unscaled rows."""
        return self.of_squares and self.rooted and not self.unit_rows

    @property
    def takes_sparse(self) -> bool:
        """Whether rows may be sparse."""
        return not self.allows_nan

    def prepare(self, rows: FloatArray) -> FloatArray:
        """Return rows (m, d) prepared for distances; unit rows are float64."""
        if not (self.unit_rows or self.allows_nan):
            return rows
        prepared: FloatArray = rows.copy()
        if self.allows_nan:
            # All NaN get the same bits, so that equal rows have equal bits.
            prepared[np.isnan(prepared)] = np.nan
        if self.unit_rows:
            kernels.unit_rows(prepared)
        return prepared

    def empty(self, table: AnyArray, axis: int) -> BoolArray | None:
        """Return the mask of rows that are 0 along ``axis``; None if it does not matter."""
        if not self.unit_rows:
            return None
        empty: BoolArray = (table == 0).all(axis=axis)
        return empty

    def finish(self, scale: float = 1.0) -> Finish:
        """Return the conversion of values to distances for rows in units of ``scale``."""
        return Finish(self.rooted, self.factor * scale, self.unit_rows)

    def finish_block(
        self,
        values: FloatArray,
        scale: float,
        first_empty: BoolArray | None,
        second_empty: BoolArray | None,
    ) -> None:
        """Turn the values (m, n) of m rows and n rows into distances, in place.

        ``scale`` is the unit of the rows; ``first_empty`` and ``second_empty`` are what
        :meth:`empty` returns for them.
        """
        if first_empty is None or second_empty is None:
            self._finish_values(values.reshape(-1), scale)
        else:
            kernels.finish_block(values, self.finish(scale), first_empty, second_empty)

    def finish_pairs(
        self,
        values: FloatArray,
        scale: float,
        first_empty: BoolArray | None,
        second_empty: BoolArray | None,
    ) -> None:
        """Turn the values (k,) of pairs of rows into distances, in place."""
        if first_empty is None or second_empty is None:
            self._finish_values(values, scale)
        else:
            kernels.finish_pairs(values, self.finish(scale), first_empty, second_empty)

    def _finish_values(self, values: FloatArray, scale: float) -> None:
        if self.allows_nan:
            self._refuse_nothing_in_common(values)
        if self.rooted or self.factor != 1.0:
            kernels.finish_values(values, self.finish(scale))

    def _refuse_nothing_in_common(self, values: FloatArray) -> None:
        if np.isnan(values).any():
            raise ValueError(
                f"metric={shown(self.name)} cannot measure two rows of X that have no column in "
                f"common, because values are missing: fill some in, or drop such rows."
            )

    def value_of(self, distance: float, scale: float = 1.0) -> float:
        """Return the accumulated value of two rows at a distance, in units of ``scale``."""
        # A plain float, whose square overflows to infinity without a warning.
        value = float(distance / (self.factor * scale))
        return value * value if self.rooted else value


def without_aliases(metric: Metric, params: dict[str, Any]) -> tuple[Metric, dict[str, Any]]:
    """Return the name of a metric in ``METRICS``, if it is there, and its parameters."""
    if metric == "minkowski" and params.keys() <= {"p"} and params.get("p", 2) in (1, 2):
        return ("manhattan" if params.get("p", 2) == 1 else "euclidean"), {}
    return (_ALIASES.get(metric, str(metric)) if isinstance(metric, str) else metric), params


def is_squared_in_kernels(metric: Any) -> bool:
    """Whether ``exp(-d**2)`` is a positive definite kernel, as for Euclidean distances.

    For most other metrics, such as ``"manhattan"`` and ``"cosine"``, ``exp(-d)`` is.
    """
    if not isinstance(metric, str):
        return False
    fast = METRICS.get(metric)
    return metric in _EUCLIDEAN_OF_OTHER_COLUMNS or (fast is not None and fast.rooted)


def allows_nan(metric: Any) -> bool:
    """Whether rows under a metric may have missing values."""
    return isinstance(metric, str) and metric in METRICS and METRICS[metric].allows_nan


def searchable_metrics() -> tuple[str, ...]:
    """Return the names of the metrics whose neighbours can be searched through cells."""
    return tuple(sorted(name for name, metric in METRICS.items() if metric.of_squares))


def sparse_metrics() -> list[str]:
    """Return the names of the metrics that support sparse rows."""
    return sorted(name for name, metric in METRICS.items() if metric.takes_sparse)


_ALL = (
    FastMetric("euclidean", kernels.SQUARES, rooted=True, triangle=True),
    # Squares of tiny differences underflow.
    FastMetric("sqeuclidean", kernels.SQUARES, zero=0.0),
    # Half the squared difference of rows of unit length.
    FastMetric("cosine", kernels.SQUARES, factor=0.5, unit_rows=True, zero=_PARALLEL),
    FastMetric("manhattan", kernels.ABSOLUTES, triangle=True),
    FastMetric("chebyshev", kernels.LARGEST, triangle=True),
    # A missing value is at distance 0 from any other.
    FastMetric("nan_euclidean", kernels.PRESENT_SQUARES, rooted=True, zero=0.0, allows_nan=True),
)
METRICS: dict[str, FastMetric] = {metric.name: metric for metric in _ALL}
