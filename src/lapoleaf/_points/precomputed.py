"""Points given by their distances: a matrix, or a sparse neighbour graph."""

from __future__ import annotations

import hashlib
from typing import Self

import numpy as np
import scipy.sparse as sp

from lapoleaf._points.base import Points
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Distances up to this share of the largest entry of a matrix count as 0.
_ROUNDED_ZERO = 1e-12


class MatrixPoints(Points):
    """Points given by a square matrix of distances.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances, which are not copied.
    """

    def __init__(self, distances: AnyArray) -> None:
        self._set(distances, np.arange(len(distances)), _ROUNDED_ZERO * float(distances.max()))

    def _set(self, distances: AnyArray, nodes: AnyArray, zero: float) -> None:
        self.distances = distances
        self.nodes = nodes
        self.n = len(nodes)
        self.work = 1.0
        self.zero = zero

    def take(self, nodes: AnyArray) -> Self:
        taken = object.__new__(type(self))
        taken._set(self.distances, self.nodes[nodes], self.zero or 0.0)
        return taken

    def at(self, nodes: AnyArray) -> AnyArray:
        return self.distances[self.nodes[nodes]]

    def prepare(self, X: FloatArray) -> FloatArray:
        refuse_negative(X)
        return X

    def measure(self, queries: AnyArray) -> FloatArray:
        # A copy, since the caller may modify it.
        return np.array(queries[:, self.nodes], dtype=np.float64)

    def identical(self) -> IntArray:
        return np.arange(self.n)

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        found = self.distances[self.nodes[first], self.nodes[second]]
        return np.asarray(found, dtype=np.float64)


class GraphPoints(Points):
    """Points given by a sparse graph of some of their distances.

    If both directions of a pair are stored, the smaller one is used; a pair that is not stored is
    at twice the largest stored distance. Stored zeros are distances of 0; the diagonal is ignored.

    Parameters
    ----------
    graph : sparse array or matrix of shape (n, n)
        The stored distances.
    """

    def __init__(self, graph: sp.csr_matrix) -> None:
        symmetric = _smaller_of_both(graph)
        missing = 2.0 * float(symmetric.data.max(initial=0.0))
        self._set(symmetric, np.arange(symmetric.shape[0]), missing, _row_keys(graph))

    def _set(self, graph: sp.csr_matrix, nodes: AnyArray, missing: float, keys: AnyArray) -> None:
        self.graph = graph
        self.nodes = nodes
        self.missing = missing
        self.keys = keys
        self.n = len(nodes)
        self.work = 2.0
        self.zero = _ROUNDED_ZERO * missing

    def take(self, nodes: AnyArray) -> Self:
        taken = object.__new__(type(self))
        taken._set(self.graph, self.nodes[nodes], self.missing, self.keys)
        return taken

    def at(self, nodes: AnyArray) -> FloatArray:
        return self._filled(self.graph, self.nodes[nodes], self.nodes[nodes])

    def prepare(self, X: sp.csr_matrix) -> FloatArray:
        refuse_negative(X.data)
        # A row of the graph itself, whose zero diagonal need not be stored.
        order = np.argsort(self.keys, kind="stable")
        wanted = _row_keys(X)
        place = np.minimum(np.searchsorted(self.keys[order], wanted), len(order) - 1)
        known = np.where(self.keys[order[place]] == wanted, order[place], -1)
        return self._filled(X, np.arange(X.shape[0]), known)

    def _filled(self, graph: sp.csr_matrix, rows: AnyArray, same: AnyArray) -> FloatArray:
        """Return whole rows of distances; row k is at distance 0 from ``same[k]``, unless -1."""
        out = np.full((len(rows), self.graph.shape[0]), self.missing)
        for k, row in enumerate(rows):
            stored = slice(graph.indptr[row], graph.indptr[row + 1])
            out[k, graph.indices[stored]] = graph.data[stored]
        out[np.flatnonzero(same >= 0), same[same >= 0]] = 0.0
        return out

    def measure(self, queries: FloatArray) -> FloatArray:
        return queries[:, self.nodes]

    def identical(self) -> IntArray:
        return np.arange(self.n)


def refuse_negative(distances: AnyArray) -> None:
    """Raise for negative distances."""
    if distances.size and distances.min() < 0:
        raise ValueError(
            f"metric='precomputed' takes distances, which are not negative, but X holds "
            f"{distances.min()}. Similarities have to be turned into distances first."
        )


def _row_keys(graph: sp.csr_matrix) -> AnyArray:
    """Return 64 bits that identify every row of a graph: its stored columns and distances."""
    rows = sp.csr_matrix(graph, dtype=np.float64, copy=True)
    rows.sort_indices()
    keys = np.empty(rows.shape[0], dtype=np.uint64)
    for i in range(rows.shape[0]):
        stored = slice(rows.indptr[i], rows.indptr[i + 1])
        content = rows.indices[stored].astype(np.int64).tobytes() + rows.data[stored].tobytes()
        keys[i] = int.from_bytes(hashlib.sha256(content).digest()[:8], "little")
    return keys


def _smaller_of_both(graph: sp.csr_matrix) -> sp.csr_matrix:
    """Return a symmetric graph with the smaller of both directions, or the stored one."""
    edges = sp.coo_matrix(graph)
    off = edges.row != edges.col
    row = np.concatenate([edges.row[off], edges.col[off]]).astype(np.int64)
    col = np.concatenate([edges.col[off], edges.row[off]]).astype(np.int64)
    value = np.concatenate([edges.data[off], edges.data[off]]).astype(np.float64)
    order = np.lexsort((value, col, row))
    row, col, value = row[order], col[order], value[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (row[1:] != row[:-1]) | (col[1:] != col[:-1])
    start = np.concatenate([[0], np.cumsum(np.bincount(row[first], minlength=edges.shape[0]))])
    # Built from its parts, since conversions from COO are not documented to keep zeros.
    return sp.csr_matrix((value[first], col[first], start), shape=edges.shape)
