"""Approximate insertion and removal, which change only the inserted and removed rows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from lapoleaf._density.sampled import DEFAULT_SAMPLE_SIZE, Sample
from lapoleaf._points import check_sample_weight
from lapoleaf._points.cell_search import CellSearch
from lapoleaf._points.dense import DensePoints
from lapoleaf._tree.incremental.cell_nodes import (
    MAX_NODES_OUTSIDE,
    NO_NEIGHBOURS,
    CellNodes,
    nearest_nodes,
    with_new_cells,
    with_points,
    without_nodes,
)
from lapoleaf._tree.incremental.rows import Rows
from lapoleaf._tree.structure import LeadingTree, density_order, ranks, trusted_tree
from lapoleaf._typing import FloatArray, IntArray


class ApproximateGrowingTree:
    """An approximate tree that rows can be inserted into and removed from.

    Neighbours of a new row are searched through the cells, and its density is computed from them
    and the sample, as in an approximate build. Its nearest denser neighbour leads it. No other node
    changes, so that time hardly depends on the number of rows.

    Parameters
    ----------
    tree : LeadingTree
        A tree of an approximate build, with cells.
    sample_weight, ids, next_id
        As in :class:`GrowingTree`.
    """

    def __init__(
        self, tree: LeadingTree, sample_weight: Any, ids: IntArray, next_id: int | None
    ) -> None:
        self.report = tree.report
        search = cast(CellSearch, tree.cells)
        # The neighbours of the last inserted nodes, which random trees need next.
        self._newest = NO_NEIGHBOURS
        self._rows = Rows(
            tree.node_of,
            check_sample_weight(sample_weight, tree.n_rows),
            ids,
            int(ids[-1]) + 1 if next_id is None else next_id,
        )
        self._nodes = CellNodes(
            columns=cast(DensePoints, tree.points).columns,
            density=tree.density,
            delta=tree.delta,
            parent=tree.parent,
            population=tree.population,
            scale=np.asarray(tree.scale),
            bandwidth=float(cast(float, tree.bandwidth)),
            search=search,
            node_at=np.arange(tree.n_nodes),
            outside=np.empty(0, dtype=np.int64),
            sample=Sample.draw(search, tree.population, DEFAULT_SAMPLE_SIZE),
        )

    def copy(self) -> ApproximateGrowingTree:
        """Return an independent copy, which shares arrays until either changes."""
        other = object.__new__(ApproximateGrowingTree)
        other.__dict__.update(self.__dict__)
        return other

    @property
    def bandwidth(self) -> float:
        """Width of the kernel behind the densities, that of the build."""
        return self._nodes.bandwidth

    @property
    def n_nodes(self) -> int:
        """Number of nodes (distinct points)."""
        return len(self._nodes.density)

    @property
    def ids(self) -> IntArray:
        """Ids of the rows, ascending."""
        return self._rows.ids

    @property
    def next_id(self) -> int:
        """The id of the next row."""
        return self._rows.next_id

    @property
    def node_of(self) -> IntArray:
        """The node of every row, -1 for rows of weight 0."""
        return self._rows.node_of

    def scales(self) -> FloatArray:
        """Return the distance of every node to its 10th neighbour."""
        return self._nodes.scale

    def links(self) -> tuple[IntArray, FloatArray]:
        """Return the leader of every node, and the distance to it."""
        return self._nodes.parent, self._nodes.delta

    def neighbours(self, nodes: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return the k nearest nodes of some nodes, and their distances."""
        newest = self._newest
        if np.array_equal(nodes, newest.nodes):
            return newest.nearest[:, :k], np.ascontiguousarray(newest.lengths[:, :k])
        queries = self._nodes.columns[:, nodes].T.astype(np.float64)
        found, lengths = nearest_nodes(self._nodes, queries, k + 1)
        return _without_self(found, lengths, nodes, k)

    def insert(self, X: Any, sample_weight: Any = None) -> IntArray:
        """Insert rows into the tree; return their ids.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (m, n_columns)
            The rows.
        sample_weight : array-like of shape (m,), default=None
            Their weights, 1 if None.
        """
        m = X.shape[0]
        weight = check_sample_weight(sample_weight, m)
        before = self._nodes, self._rows, self._newest
        n = self.n_nodes
        try:
            for at in range(0, m, MAX_NODES_OUTSIDE):
                some = slice(at, at + MAX_NODES_OUTSIDE)
                self._insert(_dense(X[some]), weight[some])
        except BaseException:
            self._nodes, self._rows, self._newest = before
            raise
        if len(self._newest.nodes) < self.n_nodes - n:
            self._newest = NO_NEIGHBOURS
        return self._rows.ids[-m:]

    def _insert(self, X: FloatArray, weight: FloatArray) -> None:
        nodes = with_new_cells(self._nodes)
        queries = nodes.search.points.prepare(X) + 0.0
        node_of = np.full(len(X), -1, dtype=np.int64)
        counted = np.flatnonzero(weight > 0)
        newest = self._newest
        if len(counted):
            nodes, node_of[counted], newest = with_points(
                nodes, queries[counted], weight[counted], self._rows.unit
            )
        self._nodes, self._newest = nodes, newest
        self._rows = self._rows.with_rows(node_of, weight)

    def remove(self, ids: Any) -> None:
        """Remove rows; nodes led by a removed node are led by its leader.

        Parameters
        ----------
        ids : array-like of shape (m,)
            The rows.
        """
        nodes, rows = self._nodes, self._rows
        removed = np.isin(rows.ids, ids)
        lost = np.flatnonzero(removed & (rows.node_of >= 0))
        population = nodes.population.copy()
        np.subtract.at(population, rows.node_of[lost], rows.weight[lost])
        nodes, rows = nodes._replace(population=population), rows.without(np.flatnonzero(removed))
        counted = rows.node_of[rows.node_of >= 0]
        gone = np.bincount(counted, minlength=self.n_nodes) == 0
        if gone.any():
            nodes, number = without_nodes(nodes, gone)
            rows = rows._replace(node_of=np.where(rows.node_of < 0, -1, number[rows.node_of]))
        self._nodes, self._rows, self._newest = nodes, rows, NO_NEIGHBOURS

    def freeze(self) -> LeadingTree:
        """Return the present tree."""
        nodes = self._nodes
        order = density_order(nodes.density)
        return trusted_tree(
            density=nodes.density.copy(),
            delta=nodes.delta.copy(),
            parent=nodes.parent.copy(),
            population=nodes.population.copy(),
            bandwidth=nodes.bandwidth,
            node_of=self._rows.node_of.copy(),
            scale=nodes.scale.copy(),
            points=nodes.points,
            report=self.report,
            order=order,
            rank=ranks(order),
        )


def _dense(rows: Any) -> FloatArray:
    """Return rows as a dense table."""
    is_sparse = isinstance(rows, sp.csr_matrix | sp.csr_array)
    return np.asarray(rows.toarray() if is_sparse else rows, dtype=np.float64)


def _without_self(
    found: IntArray, lengths: FloatArray, nodes: IntArray, k: int
) -> tuple[IntArray, FloatArray]:
    """Remove nodes from their own neighbour lists, or the last entry if they are not listed."""
    own = found == nodes[:, None]
    own[~own.any(axis=1), -1] = True
    m = len(nodes)
    return found[~own].reshape(m, k), np.ascontiguousarray(lengths[~own].reshape(m, k))
