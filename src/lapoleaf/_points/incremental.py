"""Points to which others can be added, and from which points can be removed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import kernels, scaling
from lapoleaf._points.base import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.metrics import METRICS, FastMetric
from lapoleaf._points.precomputed import GraphPoints, MatrixPoints
from lapoleaf._points.scaling import Extent
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, Metric


class GrowingPoints(ABC):
    """Immutable points of a growing tree; adding and removing return new ones.

    Attributes
    ----------
    n : int
        Number of points.
    zero : float
        Distances up to this are 0.
    triangle : bool
        Whether the triangle inequality holds.
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
        """Return a new row, (1, d), in the format of a point."""

    @abstractmethod
    def distances(self, point: Any) -> FloatArray:
        """Return the distances (n,) of a point to all points."""

    @abstractmethod
    def at(self, node: int) -> Any:
        """Return one of the points."""

    @abstractmethod
    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        """Return the distance of ``first[k]`` to ``second[k]`` for every k."""

    @abstractmethod
    def with_point(self, point: Any, place: int) -> Self:
        """Return the points with another one at ``place``."""

    @abstractmethod
    def without(self, place: int) -> Self:
        """Return the points without that at ``place``."""

    @abstractmethod
    def frozen(self) -> Points:
        """Return the points in the form used by tree builds."""

    def rows(self, nodes: AnyArray) -> FloatArray:
        """Return the distances (m, n) of some of the points to all."""
        out = np.empty((len(nodes), self.n))
        for row, node in enumerate(nodes):
            out[row] = self.distances(self.at(int(node)))
        return out


def growing_points(points: Points) -> GrowingPoints:
    """Return the points in growing form; raise if that is not possible."""
    if isinstance(points, MatrixPoints | GraphPoints):
        raise ValueError(
            "metric='precomputed' has no rows to measure new ones against: fit again with all "
            "distances."
        )
    if isinstance(points, DensePoints):
        return GrowingColumns(points.columns, points.n, points.metric, points.extent)
    return GrowingRows(points)


class _Buffer:
    """Columns with spare capacity, and the number in use."""

    def __init__(self, columns: FloatArray, used: int) -> None:
        self.columns = columns
        self.used = used


class GrowingColumns(GrowingPoints):
    """Dense rows under a fast metric, in arrays with spare capacity of one half.

    Parameters
    ----------
    columns : ndarray of shape (d, m)
        The points, column by column, in users' units; possibly with spare capacity.
    n : int
        Number of points.
    metric : str
        Name of the metric.
    extent : Extent
        The range of their magnitudes.
    """

    metric: str

    def __init__(self, columns: FloatArray, n: int, metric: str, extent: Extent) -> None:
        self._set(_Buffer(columns, n), n, metric, extent)

    def _set(self, buffer: _Buffer, n: int, metric: str, extent: Extent) -> None:
        kind = METRICS[metric]
        self._buffer = buffer
        self._extent = extent
        self._exponent = extent.exponent if kind.rooted else 0
        self.n = n
        self.metric = metric
        self.zero = kind.zero or 0.0
        self.triangle = kind.triangle
        self.n_columns = len(buffer.columns)

    @property
    def kind(self) -> FastMetric:
        """The metric."""
        return METRICS[self.metric]

    def prepare(self, row: FloatArray) -> FloatArray:
        # Adding 0 turns -0.0 into 0.0, so that equal rows have equal bits.
        rows: FloatArray = np.array(row, dtype=np.float64) + 0.0
        point: FloatArray = self.kind.prepare(rows)[0]
        return point

    def distances(self, point: FloatArray) -> FloatArray:
        kind, out = self.kind, np.empty(self.n)
        exponent = self._exponent_with(point)
        row, columns = scaling.scaled(point, exponent), self._columns(exponent)
        kernels.difference_row(row, columns, kind.operation, out)
        empty, others = kind.empty(point[None], axis=1), self._empty()
        kind.finish_block(out[None], 2.0**exponent, empty, others)
        return out

    def _columns(self, exponent: int) -> FloatArray:
        """Return the points, possibly with spare capacity, in units of ``2.0**exponent``."""
        columns = self._buffer.columns
        return scaling.scaled(columns[:, : self.n], exponent) if exponent else columns

    def _exponent_with(self, point: FloatArray) -> int:
        """Return the exponent of the unit of all points and one more."""
        if not self.kind.rooted or (self._exponent == 0 and scaling.is_usual(point[None])):
            return self._exponent
        return self._extent.joined(Extent.of(point)).exponent

    def _empty(self) -> BoolArray | None:
        return self.kind.empty(self._buffer.columns[:, : self.n], axis=0)

    def at(self, node: int) -> FloatArray:
        return self._buffer.columns[:, node].astype(np.float64)

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        kind, out, empty = self.kind, np.empty(len(first)), self._empty()
        columns = self._columns(self._exponent)
        kernels.difference_pairs(columns, first, second, kind.operation, out)
        both = (None, None) if empty is None else (empty[first], empty[second])
        kind.finish_pairs(out, 2.0**self._exponent, *both)
        return out

    def with_point(self, point: FloatArray, place: int) -> Self:
        extent = self._extent_with(point)
        buffer, n = self._buffer, self.n
        columns = buffer.columns
        with np.errstate(over="ignore"):
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
        return self._like(buffer, n + 1, extent)

    def _extent_with(self, point: FloatArray) -> Extent:
        """Return the range of magnitudes of all points and a new one; raise if it is too wide."""
        if not self.kind.rooted:
            return self._extent
        joined = self._extent.joined(Extent.of(point))
        if joined.exponent > self._exponent and self._extent.smallest < joined.smallest_kept:
            raise ValueError(
                f"X holds numbers so large ({joined.largest:g}) that the squares of distances "
                f"overflow, or those of the rows so far ({self._extent.smallest:g}) count for "
                f"nothing: divide it by a constant, or leave such rows out."
            )
        return joined

    def without(self, place: int) -> Self:
        old, n = self._buffer.columns, self.n
        columns = np.empty_like(old)
        columns[:, :place] = old[:, :place]
        columns[:, place : n - 1] = old[:, place + 1 : n]
        return self._like(_Buffer(columns, n - 1), n - 1, self._extent)

    def _like(self, buffer: _Buffer, n: int, extent: Extent) -> Self:
        other = object.__new__(type(self))
        other._set(buffer, n, self.metric, extent)
        return other

    def frozen(self) -> DensePoints:
        columns = self._buffer.columns[:, : self.n].copy()
        return DensePoints.of_columns(columns, self.metric, self._extent)


class GrowingRows(GrowingPoints):
    """Points of any other kind, which are copied on every change.

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
