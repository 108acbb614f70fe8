"""Dense rows under a fast metric."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, TypeGuard

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block
from lapoleaf._points import kernels, scaling
from lapoleaf._points.base import Points, first_of_each
from lapoleaf._points.dense_products import DenseProducts
from lapoleaf._points.metrics import METRICS, FastMetric
from lapoleaf._points.products import Products
from lapoleaf._points.scaling import Extent
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

_ROWS_AT_A_TIME = 2048


class DensePoints(Points):
    """Rows of numbers under a fast metric.

    Parameters
    ----------
    X : ndarray of shape (n, d), float32 or float64
        The rows. float32 is not converted; its differences are exact in float64.
    metric : str
        A name in ``METRICS``.
    threads : int
        Number of threads that copy the rows.

    Attributes
    ----------
    columns : ndarray of shape (d, n)
        The rows, column by column, in users' units.
    metric : str
        Name of the metric.
    kind : FastMetric
        The metric.
    exponent : int
        Rows are measured in units of ``2.0**exponent``; 0 unless they are of extreme magnitude.
    scale : float
        ``2.0**exponent``.
    """

    def __init__(self, X: FloatArray, metric: str, threads: int = 1) -> None:
        n, d = X.shape
        kind = METRICS[metric]
        columns = np.empty((d, n), dtype=np.float64 if kind.unit_rows else X.dtype)

        # In blocks, since a full transposition has poor memory locality.
        def copy(some: slice) -> None:
            # Adding 0 turns -0.0 into 0.0, so that equal rows have equal bits.
            rows = np.ascontiguousarray(X[some] + X.dtype.type(0.0), dtype=columns.dtype)
            columns[:, some] = kind.prepare(rows).T

        batches = list(gen_batches(n, _ROWS_AT_A_TIME))
        for_each_block(copy, batches, threads)
        self._set(columns, metric, None)

    def _set(self, columns: FloatArray, metric: str, extent: Extent | None) -> None:
        self.columns = columns
        self.metric = metric
        self.n = columns.shape[1]
        self.work = float(columns.shape[0])
        self.zero = self.kind.zero
        if extent is not None:
            self.__dict__["extent"] = extent

    @classmethod
    def of_columns(cls, columns: FloatArray, metric: str, extent: Extent | None = None) -> Self:
        """Return points of columns (d, n) in the form that the metric takes.

        Parameters
        ----------
        columns : ndarray of shape (d, n), C-contiguous
            The points, in users' units.
        metric : str
            Name of the metric.
        extent : Extent, default=None
            The range of their magnitudes, or a wider one; computed on first use if None.
        """
        points = object.__new__(cls)
        points._set(columns, metric, extent)
        return points

    def __getstate__(self) -> dict[str, Any]:
        # Without cached values.
        return {name: self.__dict__[name] for name in ("columns", "metric", "n", "work", "zero")}

    @property
    def kind(self) -> FastMetric:
        """The metric."""
        return METRICS[self.metric]

    @cached_property
    def extent(self) -> Extent:
        """The range of magnitudes of the rows."""
        return Extent.of(self.columns)

    @cached_property
    def exponent(self) -> int:
        """Exponent of the unit in which rows are measured."""
        return self.extent.exponent if self.kind.rooted else 0

    @property
    def scale(self) -> float:
        """The unit in which rows are measured, a power of two."""
        return 2.0**self.exponent

    @cached_property
    def scaled_columns(self) -> FloatArray:
        """The columns in units of ``scale``, from which distances are computed."""
        return scaling.scaled(self.columns, self.exponent)

    @cached_property
    def empty(self) -> BoolArray | None:
        """Mask of the rows that are 0 in every column; None if it does not matter."""
        return self.kind.empty(self.columns, axis=0)

    def empty_at(self, nodes: AnyArray) -> BoolArray | None:
        """Return the mask of the points, of any shape, that are 0 in every column."""
        return None if self.empty is None else self.empty[nodes].ravel()

    def _known_extent(self) -> Extent | None:
        return self.__dict__.get("extent")

    def take(self, nodes: AnyArray) -> Self:
        columns = np.ascontiguousarray(self.columns[:, nodes])
        return self.of_columns(columns, self.metric, self._known_extent())

    def joined(self, queries: FloatArray) -> Self:
        return self.of_columns(np.concatenate([self.columns, queries.T], axis=1), self.metric)

    def at(self, nodes: AnyArray) -> FloatArray:
        return np.ascontiguousarray(self.columns[:, nodes].T, dtype=np.float64)

    def prepare(self, X: FloatArray) -> FloatArray:
        return self.kind.prepare(np.ascontiguousarray(X, dtype=np.float64))

    def measure(self, queries: FloatArray) -> FloatArray:
        exponents = self.exponents_with(queries)
        if (exponents == self.exponent).all():
            return self._measured(queries, self.exponent)
        out = np.empty((len(queries), self.n))
        for exponent in np.unique(exponents):
            some = exponents == exponent
            out[some] = self._measured(queries[some], int(exponent))
        return out

    def exponents_with(self, queries: FloatArray) -> IntArray:
        """Return the exponent of the unit of all points together with each query."""
        m, d = queries.shape
        if not self.kind.rooted or (self.exponent == 0 and scaling.is_usual(queries)):
            return np.zeros(m, dtype=np.int64)
        flat = np.ascontiguousarray(queries).reshape(-1)
        return scaling.joint_exponents(self.extent, flat, d * np.arange(m + 1))

    def _measured(self, queries: FloatArray, exponent: int) -> FloatArray:
        """Return distances in units of ``2.0**exponent``."""
        kind, out = self.kind, np.empty((len(queries), self.n))
        own = exponent == self.exponent
        columns = self.scaled_columns if own else scaling.scaled(self.columns, exponent)
        rows = scaling.scaled(queries, exponent)
        kernels.difference_block(rows, columns, kind.operation, out)
        kind.finish_block(out, 2.0**exponent, kind.empty(queries, axis=1), self.empty)
        return out

    def products(self) -> Products | None:
        return DenseProducts.of(self.scaled_columns, self.kind, self.scale)

    def identical(self) -> IntArray:
        columns = self.scaled_columns
        words = columns.view(np.uint64 if columns.dtype == np.float64 else np.uint32)
        first = first_of_each(kernels.hash_rows(words))
        later = np.flatnonzero(first != np.arange(self.n))
        clash = bool((words[:, later] != words[:, first[later]]).any())
        # A hash collision, which is so improbable that a slow fallback suffices.
        if clash:
            groups = np.unique(words.T, axis=0, return_inverse=True)[1]
            return first_of_each(groups.ravel())
        return first

    def identity(self, exponent: int | None = None) -> AnyArray:
        return self.hashes(scaling.exponent_of(self.columns) if exponent is None else exponent)

    def hashes(self, exponent: int = 0) -> AnyArray:
        """Return 64 bits for every row in units of ``2.0**exponent``, the same for equal rows."""
        hashes = np.empty(self.n, dtype=np.uint64)
        # In blocks, since float64 copies may take twice the memory.
        for some in gen_batches(self.n, _ROWS_AT_A_TIME):
            columns = np.array(self.columns[:, some], dtype=np.float64, order="C")
            hashes[some] = kernels.hash_rows(scaling.bits(columns, exponent))
        return hashes

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        out = np.empty(len(first))
        kernels.difference_pairs(self.scaled_columns, first, second, self.kind.operation, out)
        self.kind.finish_pairs(out, self.scale, self.empty_at(first), self.empty_at(second))
        return out


def is_searchable(points: Points | None) -> TypeGuard[DensePoints]:
    """Whether points are rows under a metric whose neighbours can be searched through cells."""
    return isinstance(points, DensePoints) and points.kind.of_squares
