"""Points that more can be added to, and taken from, without measuring the others again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import kernels
from lapoleaf._points.base import Points
from lapoleaf._points.difference import OPERATION, DensePoints, SparsePoints
from lapoleaf._points.precomputed import GraphPoints, MatrixPoints
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, Metric

# Under these metrics the way over a third point is never shorter.
_TRIANGLE = ("euclidean", "manhattan", "chebyshev")


class GrowingPoints(ABC):
    """Points of a growing tree. Adding and taking away give other points; these stay as they are.

    Attributes
    ----------
    n : int
        Number of points.
    zero : float
        Distances up to this are 0.
    triangle : bool
        Whether the way over a third point is never shorter.
    n_columns : int
        Number of columns of a row.
    metric : str or callable
        The metric.
    is_sparse : bool
        Whether rows are those of a CSR matrix.
    """

    n: int
    zero: float
    triangle: bool
    n_columns: int
    metric: Metric
    is_sparse: bool = False

    @abstractmethod
    def prepare(self, row: Any) -> Any:
        """Give a new row, (1, d), in the form of a point."""

    @abstractmethod
    def distances(self, point: Any) -> FloatArray:
        """Give the distances (n,) of a point to all points."""

    @abstractmethod
    def at(self, node: int) -> Any:
        """Give one of the points."""

    @abstractmethod
    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        """Give the distance of ``first[k]`` to ``second[k]`` for every k."""

    @abstractmethod
    def with_point(self, point: Any, place: int) -> Self:
        """Give the points with one more at ``place``."""

    @abstractmethod
    def without(self, place: int) -> Self:
        """Give the points without that at ``place``."""

    @abstractmethod
    def frozen(self) -> Points:
        """Give the points in the form that trees are built from."""

    def rows(self, nodes: AnyArray) -> FloatArray:
        """Give the distances (m, n) of some of the points to all."""
        out = np.empty((len(nodes), self.n))
        for row, node in enumerate(nodes):
            out[row] = self.distances(self.at(int(node)))
        return out


def growing_points(points: Points) -> GrowingPoints:
    """Give points that can grow, or say why they cannot."""
    if isinstance(points, MatrixPoints | GraphPoints):
        raise ValueError(
            "metric='precomputed' has no rows to measure new ones against: fit again with all "
            "distances."
        )
    if isinstance(points, DensePoints) and points.metric in OPERATION:
        return GrowingColumns(points.columns, points.n, points.metric)
    return GrowingRows(points)


class _Buffer:
    """Columns with room to spare, and how many of them are taken."""

    def __init__(self, columns: FloatArray, used: int) -> None:
        self.columns = columns
        self.used = used


class GrowingColumns(GrowingPoints):
    """Dense rows under a metric made of differences, in arrays with room for half as many more.

    Parameters
    ----------
    columns : ndarray of shape (d, m)
        The points, column by column; there may be room for more.
    n : int
        How many there are.
    metric : str
        The metric.
    """

    def __init__(self, columns: FloatArray, n: int, metric: str) -> None:
        self._set(_Buffer(columns, n), n, metric)

    metric: str

    def _set(self, buffer: _Buffer, n: int, metric: str) -> None:
        self._buffer = buffer
        self.n = n
        self.metric = metric
        self.zero = 1e-12 if metric == "cosine" else 0.0
        self.triangle = metric in _TRIANGLE
        self.n_columns = len(buffer.columns)

    def _like(self, buffer: _Buffer, n: int) -> Self:
        other = object.__new__(type(self))
        other._set(buffer, n, self.metric)
        return other

    def prepare(self, row: FloatArray) -> FloatArray:
        # Adding 0 turns -0.0 into 0.0, so that equal rows have equal bits.
        point: FloatArray = np.array(row[0], dtype=np.float64) + 0.0
        if self.metric == "cosine":
            kernels.unit_row(point)
        return point

    def distances(self, point: FloatArray) -> FloatArray:
        columns, out = self._buffer.columns, np.empty(self.n)
        kernels.difference_row(point, columns, OPERATION[self.metric], out)
        if self.metric == "euclidean":
            kernels.root_block(point[None], columns, out[None])
        elif self.metric == "cosine":
            self._finish_cosine(out, not point.any(), self._zero_points())
        return out

    def _zero_points(self) -> BoolArray:
        zero: BoolArray = (self._buffer.columns[:, : self.n] == 0).all(axis=0)
        return zero

    @staticmethod
    def _finish_cosine(out: FloatArray, first_zero: Any, second_zero: Any) -> None:
        """Turn squared differences of unit rows into distances; a zero row is at 1 from all."""
        out *= 0.5
        out[first_zero | second_zero] = 1.0
        out[first_zero & second_zero] = 0.0

    def at(self, node: int) -> FloatArray:
        return self._buffer.columns[:, node].astype(np.float64)

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        columns, out = self._buffer.columns, np.empty(len(first))
        kernels.difference_pairs(columns, first, second, OPERATION[self.metric], out)
        if self.metric == "cosine":
            zero = self._zero_points()
            self._finish_cosine(out, zero[first], zero[second])
        elif self.metric == "euclidean":
            extreme = np.flatnonzero(~((out > kernels.SMALL) & (out < kernels.LARGE)))
            out = np.sqrt(out)
            for k in extreme:
                out[k] = self.distances(self.at(int(first[k])))[second[k]]
        return out

    def with_point(self, point: FloatArray, place: int) -> Self:
        buffer, n = self._buffer, self.n
        columns = buffer.columns
        fits = columns.dtype == np.float64 or (point == point.astype(columns.dtype)).all()
        room = n < columns.shape[1] and buffer.used == n
        if place < n or not fits or not room:
            wide = n + 1 + n // 2
            kind = columns.dtype if fits else np.float64
            columns = np.empty((len(columns), wide), dtype=kind)
            columns[:, :place] = buffer.columns[:, :place]
            columns[:, place + 1 : n + 1] = buffer.columns[:, place:n]
            buffer = _Buffer(columns, n)
        columns[:, place] = point
        buffer.used = n + 1
        return self._like(buffer, n + 1)

    def without(self, place: int) -> Self:
        old, n = self._buffer.columns, self.n
        columns = np.empty_like(old)
        columns[:, :place] = old[:, :place]
        columns[:, place : n - 1] = old[:, place + 1 : n]
        return self._like(_Buffer(columns, n - 1), n - 1)

    def frozen(self) -> DensePoints:
        return DensePoints.of_columns(self._buffer.columns[:, : self.n].copy(), self.metric)


class GrowingRows(GrowingPoints):
    """Points of any other kind, which are copied with every change.

    Parameters
    ----------
    points : Points
        The points, which have rows.
    """

    def __init__(self, points: Points) -> None:
        self._points = points
        self.n = points.n
        self.zero = points.zero or 0.0
        self.triangle = False
        self.metric = getattr(points, "metric", "precomputed")
        self.n_columns = int(self.at(0).shape[1])
        self.is_sparse = isinstance(points, SparsePoints)

    def prepare(self, row: Any) -> Any:
        prepared = self._points.prepare(row)
        return prepared if sp.issparse(prepared) else prepared + prepared.dtype.type(0)

    def distances(self, point: Any) -> FloatArray:
        distances: FloatArray = self._points.measure(point)[0]
        return distances

    def at(self, node: int) -> Any:
        return self._points.at(np.array([node]))

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        return self._points.pairs(first, second)

    def with_point(self, point: Any, place: int) -> Self:
        n = self.n
        order = np.concatenate([np.arange(place), [n], np.arange(place, n)])
        return type(self)(self._points.joined(point).take(order))

    def without(self, place: int) -> Self:
        return type(self)(self._points.take(np.delete(np.arange(self.n), place)))

    def frozen(self) -> Points:
        return self._points
