"""Dense and sparse rows under the metrics whose distances are built from differences."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block
from lapoleaf._points import kernels
from lapoleaf._points.base import Points, first_of_each
from lapoleaf._points.products import Products
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray, IntArray

OPERATION = {
    "euclidean": kernels.SQUARES,
    "sqeuclidean": kernels.SQUARES,
    "cosine": kernels.SQUARES,
    "manhattan": kernels.ABSOLUTES,
    "chebyshev": kernels.LARGEST,
}
# Rounding leaves parallel rows about 1e-32 apart; metrics on a scale of 1 need no relative bound.
_PARALLEL = 1e-12
_AT_A_TIME = 2048

DENSE_METRICS = frozenset({*OPERATION, "nan_euclidean"})
SPARSE_METRICS = frozenset(OPERATION)


def _zero_of(metric: str) -> float | None:
    if metric == "cosine":
        return _PARALLEL
    # Squares of tiny differences underflow, and a missing value is at 0 from any other.
    return 0.0 if metric in ("sqeuclidean", "nan_euclidean") else None


def _finish_cosine(out: FloatArray, query_is_zero: AnyArray, point_is_zero: AnyArray) -> None:
    """Turn squared differences of unit rows into cosine distances; a zero row is at 1 from all."""
    out *= 0.5
    out[query_is_zero] = 1.0
    out[:, point_is_zero] = 1.0
    out[np.ix_(query_is_zero, point_is_zero)] = 0.0


class DensePoints(Points):
    """Rows of numbers under a metric made of differences.

    Parameters
    ----------
    X : ndarray of shape (n, d), float32 or float64
        The rows. float32 is kept as it is; its differences are exact in float64.
    metric : str
        One of ``DENSE_METRICS``.
    threads : int
        Number of threads that copy the rows.
    """

    def __init__(self, X: FloatArray, metric: str, threads: int = 1) -> None:
        n, d = X.shape
        columns = np.empty((d, n), dtype=np.float64 if metric == "cosine" else X.dtype)

        # Some rows at a time: turning all of them at once runs through memory in leaps.
        def copy(some: slice) -> None:
            # Adding 0 turns -0.0 into 0.0, so that equal rows have equal bits.
            rows = np.ascontiguousarray(X[some] + X.dtype.type(0.0), dtype=columns.dtype)
            if metric == "nan_euclidean":
                rows[np.isnan(rows)] = np.nan
            if metric == "cosine":
                kernels.unit_rows(rows)
            columns[:, some] = rows.T

        for_each_block(copy, list(gen_batches(n, _AT_A_TIME)), threads, Progress("rows", n, 0))
        self._set(columns, metric)

    def _set(self, columns: FloatArray, metric: str) -> None:
        self.columns = columns
        self.metric = metric
        self.n = columns.shape[1]
        self.work = float(columns.shape[0])
        self.zero = _zero_of(metric)

    @classmethod
    def of_columns(cls, columns: FloatArray, metric: str) -> Self:
        """Give points of columns (d, n) that are as the metric wants them already."""
        points = object.__new__(cls)
        points._set(columns, metric)
        return points

    def take(self, nodes: AnyArray) -> Self:
        return self.of_columns(np.ascontiguousarray(self.columns[:, nodes]), self.metric)

    def joined(self, queries: FloatArray) -> Self:
        return self.of_columns(np.concatenate([self.columns, queries.T], axis=1), self.metric)

    def at(self, nodes: AnyArray) -> FloatArray:
        return np.ascontiguousarray(self.columns[:, nodes].T, dtype=np.float64)

    def prepare(self, X: FloatArray) -> FloatArray:
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if self.metric == "cosine":
            rows = rows.copy()
            kernels.unit_rows(rows)
        return rows

    def measure(self, queries: FloatArray) -> FloatArray:
        out = np.empty((len(queries), self.n))
        if self.metric == "nan_euclidean":
            kernels.missing_block(queries, self.columns, out)
            if np.isnan(out).any():
                raise ValueError(
                    "metric='nan_euclidean' cannot measure two rows of X that have no column in "
                    "common, because values are missing: fill some in, or drop such rows."
                )
            return out
        kernels.difference_block(queries, self.columns, OPERATION[self.metric], out)
        if self.metric == "euclidean":
            kernels.root_block(queries, self.columns, out)
        elif self.metric == "cosine":
            _finish_cosine(out, (queries == 0).all(axis=1), (self.columns == 0).all(axis=0))
        return out

    def products(self) -> Products | None:
        return Products.of(self.columns, self.metric)

    def identical(self) -> IntArray:
        bits = np.uint64 if self.columns.dtype == np.float64 else np.uint32
        words = self.columns.view(bits)
        first = first_of_each(kernels.hash_rows(words))
        later = np.flatnonzero(first != np.arange(self.n))
        clash = bool((words[:, later] != words[:, first[later]]).any())
        # Two different rows with one hash: never seen, so the slow way out is good enough.
        if clash:
            groups = np.unique(words.T, axis=0, return_inverse=True)[1]
            return first_of_each(groups.ravel())
        return first

    def identity(self) -> AnyArray:
        hashes = np.empty(self.n, dtype=np.uint64)
        # Some at a time: as float64 all of them may take twice the memory.
        for some in gen_batches(self.n, _AT_A_TIME):
            columns = np.array(self.columns[:, some], dtype=np.float64, order="C")
            hashes[some] = kernels.hash_rows(columns.view(np.uint64))
        return hashes

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        if self.metric not in ("euclidean", "sqeuclidean", "manhattan", "chebyshev"):
            return super().pairs(first, second)
        out = np.empty(len(first))
        kernels.difference_pairs(self.columns, first, second, OPERATION[self.metric], out)
        if self.metric != "euclidean":
            return out
        extreme = ~((out > kernels.SMALL) & (out < kernels.LARGE))
        out = np.sqrt(out)
        if extreme.any():
            out[extreme] = super().pairs(first[extreme], second[extreme])
        return out


class SparsePoints(Points):
    """Rows of a SciPy sparse matrix under a metric made of differences.

    Parameters
    ----------
    X : sparse array or matrix of shape (n, d)
        The rows.
    metric : str
        One of ``SPARSE_METRICS``.
    """

    def __init__(self, X: sp.csr_matrix, metric: str) -> None:
        self._set(self._canonical(X, metric), metric)

    @staticmethod
    def _canonical(X: sp.csr_matrix, metric: str) -> sp.csr_matrix:
        rows = sp.csr_matrix(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        if metric == "cosine":
            kernels.unit_sparse_rows(rows.indptr, rows.data)
        return rows

    def _set(self, rows: sp.csr_matrix, metric: str) -> None:
        self.matrix = rows
        self.metric = metric
        self.n = rows.shape[0]
        self.work = 8.0 * rows.nnz / max(1, rows.shape[0])
        self.zero = _zero_of(metric)

    def take(self, nodes: AnyArray) -> Self:
        taken = object.__new__(type(self))
        taken._set(self.matrix[nodes], self.metric)
        return taken

    def joined(self, queries: sp.csr_matrix) -> Self:
        joined = object.__new__(type(self))
        joined._set(sp.csr_matrix(sp.vstack([self.matrix, queries])), self.metric)
        return joined

    def at(self, nodes: AnyArray) -> sp.csr_matrix:
        return self.matrix[nodes]

    def prepare(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return self._canonical(X, self.metric)

    def measure(self, queries: sp.csr_matrix) -> FloatArray:
        out = np.empty((queries.shape[0], self.n))
        mine = self.matrix
        kernels.sparse_block(
            queries.indptr, queries.indices, queries.data,
            mine.indptr, mine.indices, mine.data,
            OPERATION[self.metric], self.metric == "euclidean", out,
        )  # fmt: skip
        if self.metric == "cosine":
            _finish_cosine(out, np.diff(queries.indptr) == 0, np.diff(mine.indptr) == 0)
        return out

    def identical(self) -> IntArray:
        start, columns, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        first: dict[tuple[bytes, bytes], int] = {}
        found = np.empty(self.n, dtype=np.int64)
        for i in range(self.n):
            row = slice(start[i], start[i + 1])
            found[i] = first.setdefault((columns[row].tobytes(), data[row].tobytes()), i)
        return found

    def identity(self) -> AnyArray:
        # Columns one after the other, as if the row were dense; those that are 0 say nothing.
        start, columns = self.matrix.indptr, self.matrix.indices
        words = np.stack([columns.astype(np.uint64), self.matrix.data.view(np.uint64)])
        # Mixed well: hashes of small numbers differ in few bits, and sums of them would collide.
        hashes = np.append(kernels.mixed(kernels.hash_rows(words)), np.uint64(0))
        total = np.add.reduceat(hashes, start[:-1])
        return np.where(np.diff(start) > 0, total, np.uint64(0))
