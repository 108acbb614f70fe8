"""Matrix products of sparse rows, by lists of the rows that store each column.

The cost of a product is the number of common columns of two rows, far less than their entries. Rows
are not centred, which would make them dense.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import product_kernels as kernels
from lapoleaf._points import products
from lapoleaf._points.metrics import FastMetric
from lapoleaf._points.product_kernels import SparseRows
from lapoleaf._points.products import Products, Space
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class Postings(NamedTuple):
    """Some rows of a sparse matrix, column by column.

    Attributes
    ----------
    start : ndarray
        Where the entries of every column begin, and where the last ones end.
    rows : ndarray
        The rows of the entries.
    data : ndarray
        The values of the entries.
    """

    start: IntArray
    rows: IntArray
    data: FloatArray


class SparseProducts(Products):
    """Rows of a CSR matrix in matrix-product form.

    Parameters
    ----------
    matrix : csr_matrix of shape (n, d)
        The points, in units of ``scale``, with sorted columns and without stored zeros.
    metric : FastMetric
        A metric whose distances follow from squared Euclidean ones.
    scale : float
        The unit of the rows, a power of two.
    """

    rows: SparseRows

    def __init__(self, matrix: sp.csr_matrix, metric: FastMetric, scale: float) -> None:
        matrix = _without_empty_columns(matrix)
        self.n, self.tile = matrix.shape[0], products.TILE
        self.rows = (matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
        self.metric, self.scale, self.finish = metric, scale, metric.finish(scale)
        sizes = np.diff(matrix.indptr)
        self.norms = np.zeros(self.n)
        np.add.at(self.norms, np.repeat(np.arange(self.n), sizes), np.square(matrix.data))
        if metric.unit_rows:
            # A row of zeros is at distance 1 from all others, as if it had its own column.
            self.norms[sizes == 0] += 1.0
        self._set_doubt(min(2 * int(sizes.max()), matrix.shape[1]))
        self._postings = [_postings(matrix[stripe]) for stripe in self.stripes]
        occurrences = np.bincount(matrix.indices, minlength=1).astype(np.float64)
        self.work = 1.0 + float(np.square(occurrences).sum()) / self.n**2

    def with_all(self, points: AnyArray) -> FloatArray:
        out = np.zeros((len(points), self.n))
        nodes = np.asarray(points, dtype=np.int64)
        for stripe in self.stripes:
            self._add_products(nodes, stripe, stripe.start, out)
        return out

    def _space(self, size: int) -> Space:
        return (np.empty(size * size),)

    def _multiply(self, first: slice, second: slice, space: Space) -> FloatArray:
        nodes = np.arange(first.start, first.stop)
        m = second.stop - second.start
        out = space[0][: len(nodes) * m].reshape(len(nodes), m)
        out[:] = 0.0
        self._add_products(nodes, second, 0, out)
        return out

    def _add_products(self, nodes: IntArray, stripe: slice, first: int, out: FloatArray) -> None:
        found = self._postings[stripe.start // self.tile]
        kernels.sparse_products(self.rows, nodes, found.start, found.rows, found.data, first, out)


def _without_empty_columns(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Return the columns in which something is stored, in their order."""
    used = np.zeros(matrix.shape[1], dtype=bool)
    used[matrix.indices] = True
    number = np.cumsum(used, dtype=np.int32 if len(used) < 2**31 else np.int64) - 1
    shape = (matrix.shape[0], max(1, int(used.sum())))
    columns = number[matrix.indices].astype(np.int32)
    return sp.csr_matrix((matrix.data, columns, matrix.indptr), shape=shape)


def _postings(rows: sp.csr_matrix) -> Postings:
    by_column = rows.tocsc()
    return Postings(by_column.indptr.astype(np.int32), by_column.indices, by_column.data)
