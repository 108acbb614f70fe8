"""Matrix products of dense rows, which are centred to reduce rounding errors."""

from __future__ import annotations

from typing import Self

import numpy as np

from lapoleaf._points import products
from lapoleaf._points.metrics import FastMetric
from lapoleaf._points.products import LARGEST_SPREAD, Products, Space
from lapoleaf._typing import AnyArray, FloatArray

_FEWEST_ROWS_OF_TILE = 32
_ROWS_OF_CENTRE = 500
# Maximum size of the rows of a tile, which bounds memory for many columns.
_LARGEST_TILE_SIZE = 2**21


class DenseProducts(Products):
    """Dense rows in matrix-product form.

    Parameters
    ----------
    columns : ndarray of shape (d, n), float32 or float64
        The points, column by column, in units of ``scale``.
    metric : FastMetric
        A metric whose distances follow from squared Euclidean ones.
    scale : float
        The unit of the rows, a power of two.
    """

    def __init__(self, columns: FloatArray, metric: FastMetric, scale: float = 1.0) -> None:
        self._rows: FloatArray = np.ascontiguousarray(columns.T)
        self.rows = (self._rows,)
        self.metric = metric
        self.scale = scale
        self.finish = metric.finish(scale)
        self.n, d = self._rows.shape
        self.work = float(d)
        self.tile = max(
            min(products.TILE, _LARGEST_TILE_SIZE // d), min(products.TILE, _FEWEST_ROWS_OF_TILE)
        )
        # Medians are robust to a few distant rows; a sample suffices, since any centre is valid. A
        # constant column becomes 0.
        some = self._rows[:: max(1, self.n // _ROWS_OF_CENTRE)]
        self._centre = np.median(some.astype(np.float64), axis=0)
        self.norms = np.empty(self.n)
        for stripe in self.stripes:
            part = self.centred(stripe)
            self.norms[stripe] = np.einsum("ij,ij->i", part, part)
        if metric.unit_rows:
            # A row of zeros is at distance 1 from all others, as if it had its own column.
            self.norms[~self._rows.any(axis=1)] += 1.0
        self._set_doubt(d)

    @classmethod
    def of(cls, columns: FloatArray, metric: FastMetric, scale: float = 1.0) -> Self | None:
        """Return the products of points stored as (d, n); None if not applicable."""
        if not metric.of_squares or columns.shape[1] < 2:
            return None
        if not (metric.rooted or metric.unit_rows):
            # Squares of differences underflow or overflow there, which products would not
            # reproduce.
            low, high = columns.min(axis=1).astype(np.float64), columns.max(axis=1)
            with np.errstate(over="ignore"):
                spread = float((high - low).max())
            if not 1.0 / LARGEST_SPREAD <= spread <= LARGEST_SPREAD:
                return None
        return cls(columns, metric, scale)

    def centred(self, points: slice | AnyArray, out: FloatArray | None = None) -> FloatArray:
        """Return rows relative to the centre."""
        part: FloatArray = np.subtract(self._rows[points], self._centre, out=out)
        return part

    def with_all(self, points: AnyArray) -> FloatArray:
        left = self.centred(points)
        out = np.empty((len(points), self.n))
        for stripe in self.stripes:
            np.matmul(left, self.centred(stripe).T, out=out[:, stripe])
        return out

    def _space(self, size: int) -> Space:
        d = self._rows.shape[1]
        return tuple(np.empty((size, k)) for k in (d, d, size))

    def _multiply(self, first: slice, second: slice, space: Space) -> FloatArray:
        n, m = first.stop - first.start, second.stop - second.start
        left = self.centred(first, space[0][:n])
        right = left if first == second else self.centred(second, space[1][:m])
        out = space[2].reshape(-1)[: n * m].reshape(n, m)
        return np.matmul(left, right.T, out=out)
