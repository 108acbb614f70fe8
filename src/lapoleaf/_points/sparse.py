"""Sparse rows under a fast metric."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import kernels, scaling, sparse_kernels
from lapoleaf._points.base import Points
from lapoleaf._points.metrics import METRICS, FastMetric
from lapoleaf._points.products import LARGEST_SPREAD
from lapoleaf._points.scaling import Extent
from lapoleaf._points.sparse_products import SparseProducts
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Cost of a sparse entry relative to a dense one.
_WORK_OF_AN_ENTRY = 8.0


class SparsePoints(Points):
    """Rows of a SciPy sparse matrix under a fast metric.

    Parameters
    ----------
    X : sparse array or matrix of shape (n, d)
        The rows.
    metric : str
        The name of a metric that takes sparse rows.

    Attributes
    ----------
    matrix : csr_matrix of shape (n, d)
        The rows, in users' units.
    metric : str
        Name of the metric.
    kind : FastMetric
        The metric.
    exponent : int
        Rows are measured in units of ``2.0**exponent``; 0 unless they are of extreme magnitude.
    """

    def __init__(self, X: sp.csr_matrix, metric: str) -> None:
        self._set(_canonical(X, METRICS[metric]), metric)

    def _set(self, rows: sp.csr_matrix, metric: str) -> None:
        self.matrix = rows
        self.metric = metric
        self.n = rows.shape[0]
        self.work = _WORK_OF_AN_ENTRY * rows.nnz / max(1, rows.shape[0])
        self.zero = self.kind.zero

    @classmethod
    def of_matrix(cls, matrix: sp.csr_matrix, metric: str) -> Self:
        """Return points of rows, in users' units, in the form that the metric takes."""
        points = object.__new__(cls)
        points._set(matrix, metric)
        return points

    def __getstate__(self) -> dict[str, Any]:
        # Without cached values.
        return {name: self.__dict__[name] for name in ("matrix", "metric", "n", "work", "zero")}

    @property
    def kind(self) -> FastMetric:
        """The metric."""
        return METRICS[self.metric]

    @cached_property
    def extent(self) -> Extent:
        """The range of magnitudes of the rows."""
        return Extent.of(self.matrix.data)

    @cached_property
    def exponent(self) -> int:
        """Exponent of the unit in which rows are measured."""
        return self.extent.exponent if self.kind.rooted else 0

    def take(self, nodes: AnyArray) -> Self:
        return self.of_matrix(self.matrix[nodes], self.metric)

    def joined(self, queries: sp.csr_matrix) -> Self:
        return self.of_matrix(sp.csr_matrix(sp.vstack([self.matrix, queries])), self.metric)

    def at(self, nodes: AnyArray) -> sp.csr_matrix:
        return self.matrix[nodes]

    def prepare(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return _canonical(X, self.kind)

    def measure(self, queries: sp.csr_matrix) -> FloatArray:
        if not self.kind.rooted:
            return self._measured(queries, 0)
        out = np.empty((queries.shape[0], self.n))
        start = queries.indptr.astype(np.int64)
        exponents = scaling.joint_exponents(self.extent, queries.data, start)
        for exponent in np.unique(exponents):
            some = np.flatnonzero(exponents == exponent)
            out[some] = self._measured(queries[some], int(exponent))
        return out

    def _measured(self, queries: sp.csr_matrix, exponent: int) -> FloatArray:
        """Return distances in units of ``2.0**exponent``."""
        kind, mine, out = self.kind, self.matrix, np.empty((queries.shape[0], self.n))
        sparse_kernels.sparse_block(
            queries.indptr, queries.indices, scaling.scaled(queries.data, exponent),
            mine.indptr, mine.indices, scaling.scaled(mine.data, exponent),
            kind.operation, out,
        )  # fmt: skip
        empty = (np.diff(rows.indptr) == 0 if kind.unit_rows else None for rows in (queries, mine))
        kind.finish_block(out, 2.0**exponent, *empty)
        return out

    def products(self) -> SparseProducts | None:
        if not self.kind.of_squares or self.n < 2:
            return None
        largest = self.extent.largest
        bounded = self.kind.rooted or self.kind.unit_rows
        # Squares of differences underflow or overflow there, which products would not reproduce.
        if not (bounded or 1.0 / LARGEST_SPREAD <= largest <= LARGEST_SPREAD):
            return None
        return SparseProducts(self._scaled_matrix(), self.kind, 2.0**self.exponent)

    def _scaled_matrix(self) -> sp.csr_matrix:
        """Return the rows in units of ``2.0**exponent``."""
        matrix = self.matrix
        if self.exponent:
            data = scaling.scaled(matrix.data, self.exponent)
            matrix = sp.csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)
            matrix.eliminate_zeros()
        return matrix

    def identical(self) -> IntArray:
        matrix = self._scaled_matrix()
        start, columns, data = matrix.indptr, matrix.indices, matrix.data
        first: dict[tuple[bytes, bytes], int] = {}
        found = np.empty(self.n, dtype=np.int64)
        for i in range(self.n):
            row = slice(start[i], start[i + 1])
            found[i] = first.setdefault((columns[row].tobytes(), data[row].tobytes()), i)
        return found

    def identity(self, exponent: int | None = None) -> AnyArray:
        # In the order of columns, as for dense rows; zeros add nothing.
        start, columns = self.matrix.indptr, self.matrix.indices
        unit = scaling.exponent_of(self.matrix.data) if exponent is None else exponent
        data = scaling.bits(self.matrix.data, unit)
        words = np.stack([columns.astype(np.uint64), data])
        # Mixed, since hashes of small numbers differ in few bits, and their sums would collide.
        hashes = np.append(kernels.mixed(kernels.hash_rows(words)), np.uint64(0))
        total = np.add.reduceat(hashes, start[:-1])
        return np.where(np.diff(start) > 0, total, np.uint64(0))


def _canonical(X: sp.csr_matrix, kind: FastMetric) -> sp.csr_matrix:
    rows = sp.csr_matrix(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if kind.unit_rows:
        sparse_kernels.unit_sparse_rows(rows.indptr, rows.data)
    return rows
