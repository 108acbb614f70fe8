"""Nearest points of new rows, preselected by matrix products in float32.

Products of float32 numbers are several times as fast as differences. Every square has a bound on
its error, and all points that may be among the nearest within that bound are measured by
differences, so that the result is identical to that of a full search.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._points import cell_kernels, scaling
from lapoleaf._points import product_kernels as kernels
from lapoleaf._points.base import Points
from lapoleaf._points.dense import DensePoints, is_searchable
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# With fewer rows, preparing the points takes longer than measuring them; with fewer columns,
# selecting the nearest takes longer.
_MIN_ROWS, _MIN_COLUMNS, _MAX_COLUMNS = 16, 48, 2**16
# Maximum number of points and of numbers in a stripe, and rows for estimating the centre.
_STRIPE, _LARGEST_STRIPE_SIZE, _ROWS_OF_CENTRE = 512, 2**20, 500
_ROUNDING = 2.0**-24
# Units of length in which squares are far from overflow and underflow, in float64.
_SMALLEST_UNIT, _LARGEST_UNIT = 2.0**-400, 2.0**400
# Rows farther away than this, in units, are measured by differences.
_LARGEST_COORDINATE = 2.0**20
# Number of points listed for k nearest ones; if more candidates exist, all are measured.
_LISTED_FOR_EACH, _LISTED_MORE = 4, 24


class Shortlist(NamedTuple):
    """Points that can be among the nearest of some rows.

    Attributes
    ----------
    points : ndarray of shape (m, w)
        The points, ascending; -1 behind the last.
    distances : ndarray of shape (m, w)
        Their distances by differences, infinite behind the last.
    is_complete : ndarray of shape (m,), bool
        Whether all points that can be among the nearest are listed.
    """

    points: IntArray
    distances: FloatArray
    is_complete: BoolArray


class RowProducts:
    """Points in matrix-product form, for new rows.

    Parameters
    ----------
    points : DensePoints
        Points under a metric that follows from squared Euclidean distances.

    Attributes
    ----------
    work : float
        Approximate cost of a product relative to differences.
    """

    def __init__(self, points: DensePoints) -> None:
        self.points = points
        columns = points.scaled_columns
        d, n = columns.shape
        self.work = d / 8.0
        # Medians are robust to a few distant rows; any centre is valid.
        some = columns[:, :: max(1, n // _ROWS_OF_CENTRE)].astype(np.float64)
        self._centre = np.median(some, axis=1)
        width = max(1, min(_STRIPE, _LARGEST_STRIPE_SIZE // d))
        self._stripes = list(gen_batches(n, width))
        low, high = columns.min(axis=1), columns.max(axis=1)
        with np.errstate(over="ignore"):
            extent = np.maximum(high - self._centre, self._centre - low).max()
        # A power of two, which is exact: float32 numbers up to 1.
        self._unit = 2.0 ** np.ceil(np.log2(extent)) if 0.0 < extent < np.inf else 0.0

    @classmethod
    def of(cls, points: Points, n_rows: int) -> Self | None:
        """Return the products of points with new rows, or None if they are not applicable."""
        if n_rows < _MIN_ROWS or not is_searchable(points):
            return None
        if not _MIN_COLUMNS <= len(points.columns) <= _MAX_COLUMNS or points.n <= _STRIPE:
            return None
        if points.empty is not None and points.empty.any():
            return None
        found = cls(points)
        return found if _SMALLEST_UNIT <= found._unit <= _LARGEST_UNIT else None

    def shortlist(self, queries: FloatArray, k: int) -> Shortlist:
        """Return the points that can be among the k nearest of some rows, or at distance 0.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
            The rows, in the form that ``points.measure`` takes.
        k : int
            How many points are wanted, at most as many as there are.
        """
        points = self.points
        d, n = points.scaled_columns.shape
        usual = points.exponents_with(queries) == points.exponent
        rows = scaling.scaled(queries, points.exponent)
        with np.errstate(over="ignore"):
            framed = (rows - self._centre) / self._unit
        usual &= np.abs(framed).max(axis=1) <= _LARGEST_COORDINATE
        empty = points.kind.empty(queries, axis=1)
        if empty is not None:
            usual &= ~empty
        framed[~usual] = 0.0
        products, norms = self._multiplied(framed.astype(np.float32))
        # In units of 2**-24 times the sum of both norms: one for each term of the product, 4 for
        # rounding coordinates, and 12 for all that is done in float64. What underflows in float32
        # is less than 2**-126 a term, times coordinates.
        slack = (d + 16) * _ROUNDING / (1.0 - d * _ROUNDING)
        least = d * _LARGEST_COORDINATE * 2.0**-120
        zero = points.kind.value_of(points.zero or 0.0, points.scale) / self._unit**2
        listed = np.full((len(rows), min(n, _LISTED_FOR_EACH * k + _LISTED_MORE)), np.int64(-1))
        own = np.einsum("ij,ij->i", framed, framed)
        complete = kernels.shortlist(products, own, norms, k, slack, least, zero, listed)
        return Shortlist(listed, self._distances(rows, listed), complete & usual)

    def _multiplied(self, framed: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the products of framed rows with all points, and the points' squared lengths."""
        columns = self.points.scaled_columns
        n = columns.shape[1]
        products, norms = np.empty((len(framed), n), dtype=np.float32), np.empty(n)
        centre = self._centre[:, None]
        for stripe in self._stripes:
            part = (columns[:, stripe] - centre) / self._unit
            norms[stripe] = np.einsum("ij,ij->j", part, part)
            np.matmul(framed, part.astype(np.float32), out=products[:, stripe])
        return products, norms

    def _distances(self, rows: FloatArray, listed: IntArray) -> FloatArray:
        """Return the distances of scaled rows to the points listed for each, by differences."""
        points = self.points
        some, place = np.unique(listed, return_inverse=True)
        place = place.reshape(listed.shape)
        if some[0] < 0:
            some, place = some[1:], place - 1
        out = np.empty(listed.shape)
        if len(some) == 0:
            out[:] = np.inf
            return out
        data = np.ascontiguousarray(points.scaled_columns[:, some].T)
        cell_kernels.listed_squares(rows, data, place, out)
        # Rows of zeros are neither listed nor have listed points.
        empty = None if points.empty is None else np.zeros(out.size, dtype=bool)
        points.kind.finish_pairs(out.reshape(-1), points.scale, empty, empty)
        return out
