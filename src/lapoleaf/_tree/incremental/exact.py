"""Exact insertion and removal: the tree equals a full build of the present rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import check_rows, check_sample_weight
from lapoleaf._points.checks import refuse_non_finite
from lapoleaf._points.incremental import GrowingPoints, growing_points
from lapoleaf._points.metrics import allows_nan
from lapoleaf._tree import kernels
from lapoleaf._tree.ids import rows_of_ids
from lapoleaf._tree.incremental.nodes import (
    Measured,
    Nodes,
    measure,
    with_added_weight,
    with_node,
    with_scales,
)
from lapoleaf._tree.incremental.removal import without_row
from lapoleaf._tree.incremental.rows import Rows
from lapoleaf._tree.structure import LeadingTree, trusted_tree
from lapoleaf._typing import FloatArray, IntArray


class GrowingTree:
    """A leading tree that rows can be inserted into and removed from.

    The bandwidth is fixed. After any sequence of insertions and removals the tree equals a full
    build of the present rows, in their order, with this bandwidth: densities, leaders and distances
    are equal to the last bit for integer weights, otherwise up to rounding. An insertion computes
    the distances from the new row, and from a few nodes that lose their leader, to all nodes: time
    and memory are linear in the number of nodes.

    Parameters
    ----------
    tree : LeadingTree
        A tree built from data by a full build.
    sample_weight : array-like of shape (n_rows,), default=None
        The weights of its rows, 1 if None.
    ids : array-like of shape (n_rows,), default=None
        Ascending ids of the rows: 0, 1, ... if None.
    next_id : int, default=None
        The id of the next row; one more than the last if None.

    Examples
    --------
    >>> from lapoleaf import GrowingTree, leading_tree
    >>> tree = GrowingTree(leading_tree([[0.0], [1.0], [1.9], [7.0], [8.0]], bandwidth=1.0))
    >>> tree.insert([[7.5], [1.0]])
    array([5, 6])
    >>> tree.freeze().parent
    array([ 1, -1,  1,  5,  5,  1])
    >>> tree.remove([0, 5])
    >>> tree.freeze().parent
    array([-1,  0,  1,  2])
    """

    def __init__(
        self,
        tree: LeadingTree,
        sample_weight: Any = None,
        ids: Any = None,
        next_id: int | None = None,
    ) -> None:
        if not isinstance(tree, LeadingTree):
            raise TypeError(f"tree must be a LeadingTree, got {type(tree).__name__}.")
        if tree.points is None or tree.bandwidth is None:
            raise ValueError("tree was made from arrays: only a tree built from data can grow.")
        weight = check_sample_weight(sample_weight, tree.n_rows)
        numbers = np.arange(tree.n_rows) if ids is None else np.array(ids, dtype=np.int64)
        if numbers.shape != (tree.n_rows,) or (np.diff(numbers) <= 0).any():
            raise ValueError(f"ids must be {tree.n_rows} ascending numbers, one for each row.")
        self.report = tree.report
        self._last_measured: Measured | None = None
        self._rows = Rows(
            tree.node_of.copy(),
            weight,
            numbers,
            int(numbers[-1]) + 1 if next_id is None else next_id,
        )
        n = tree.n_nodes
        self._nodes = Nodes(
            points=growing_points(tree.points),
            density=tree.density.copy(),
            low=np.zeros(n),
            delta=tree.delta.copy(),
            parent=tree.parent.copy(),
            population=tree.population.copy(),
            order=tree.order.copy(),
            rank=tree.rank.copy(),
            scale=np.full(n, np.inf) if tree.scale is None else tree.scale.copy(),
            is_known=np.full(n, tree.scale is not None),
            unit=float(weight[weight > 0].min()),
            bandwidth=float(tree.bandwidth),
            centres=tree.order.copy(),
        )

    def copy(self) -> GrowingTree:
        """Return an independent copy, which shares arrays until either changes."""
        other = object.__new__(GrowingTree)
        other.__dict__.update(self.__dict__)
        return other

    @property
    def bandwidth(self) -> float:
        """Width of the kernel behind the densities, that of the build."""
        return self._nodes.bandwidth

    @property
    def n_nodes(self) -> int:
        """Number of nodes (distinct points)."""
        return self._nodes.points.n

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._rows.ids)

    @property
    def n_searches(self) -> int:
        """Number of nodes that were compared with all others to find a leader so far."""
        return self._nodes.n_searches

    @property
    def n_overtakings(self) -> int:
        """Number of measured overtakings, in all changes so far."""
        return self._nodes.n_overtakings

    @property
    def ids(self) -> IntArray:
        """Ids of the rows, ascending; a row keeps its id until it is removed."""
        return self._rows.ids

    @property
    def next_id(self) -> int:
        """The id of the next row."""
        return self._rows.next_id

    @property
    def points(self) -> GrowingPoints:
        """The points of the nodes."""
        return self._nodes.points

    @property
    def node_of(self) -> IntArray:
        """The node of every row, -1 for rows of weight 0."""
        return self._rows.node_of

    @property
    def centres(self) -> IntArray:
        """The nodes in the last order of centres, with new ones at the end."""
        return self._nodes.centres

    @centres.setter
    def centres(self, order: IntArray) -> None:
        self._nodes = self._nodes._replace(centres=order)

    def insert(self, X: Any, sample_weight: Any = None) -> IntArray:
        """Insert rows into the tree one by one.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (m, n_columns)
            Rows of the form the tree was built from.
        sample_weight : array-like of shape (m,), default=None
            Their weights, 1 if None. A row of weight 0 gets an id, but is not part of the tree: its
            ``node_of`` is -1.

        Returns
        -------
        ndarray of shape (m,)
            Their ids.
        """
        rows = self._checked(X)
        m = rows.shape[0]
        weight = check_sample_weight(sample_weight, m, all_may_be_zero=True)
        before = self._nodes, self._rows
        try:
            for k in range(m):
                self._insert(rows[k : k + 1], float(weight[k]))
        except BaseException:
            self._nodes, self._rows = before
            raise
        return self._rows.ids[-m:]

    def _checked(self, X: Any) -> Any:
        """Return rows converted to the format of the tree; raise if they do not match."""
        points = self._nodes.points
        if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X):
            # A shortcut, since the general checks take longer than inserting a single row.
            refuse_non_finite(X, allow_nan=allows_nan(points.metric))
            rows = X
        else:
            rows = check_rows(X, points.metric)
        if rows.shape[1] != points.n_columns:
            raise ValueError(
                f"X has {rows.shape[1]} columns, but the tree was built from {points.n_columns}."
            )
        if points.is_sparse:
            return sp.csr_matrix(rows)
        return rows.toarray() if isinstance(rows, sp.csr_matrix | sp.csr_array) else rows

    def remove(self, ids: Any) -> None:
        """Remove rows from the tree; the others keep their order and their ids.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            The rows, each once. One row of a positive weight must remain.
        """
        places = rows_of_ids(ids, self._rows.ids, "ids")
        kept = np.delete(self._rows.weight, places)
        if not kept.any():
            raise ValueError("ids names all rows that count: at least one must remain.")
        before = self._nodes, self._rows
        try:
            for place in np.sort(places)[::-1]:
                self._nodes, self._rows = without_row(self._nodes, self._rows, int(place))
        except BaseException:
            self._nodes, self._rows = before
            raise

    def _insert(self, row: Any, weight: float) -> None:
        nodes, node = self._nodes, -1
        if weight > 0:
            unit = min(nodes.unit, weight)
            new = self._measured(nodes, nodes.points.prepare(row))
            _refuse_overflow(new.distances)
            same = np.flatnonzero(new.distances <= nodes.points.zero)
            if len(same):
                node = int(same[0])
                nodes = with_added_weight(nodes, node, weight, unit)
            else:
                node = nodes.points.n
                nodes = with_node(new, weight, unit, node)
        self._nodes, self._rows = nodes, self._rows.with_row(node, weight)

    def _measured(self, nodes: Nodes, point: Any) -> Measured:
        """Return a point with its distances to all nodes; the last one is cached."""
        last = self._last_measured
        if last is not None and last.is_of(nodes, point):
            return last._replace(nodes=nodes)
        # Another thread may replace the cache meanwhile.
        new = self._last_measured = measure(nodes, point)
        return new

    def freeze(self) -> LeadingTree:
        """Return the present tree.

        Returns
        -------
        LeadingTree
            The tree, with rows in the order of their ids.
        """
        nodes = self._nodes = with_scales(self._nodes)
        return trusted_tree(
            density=nodes.density.copy(),
            delta=nodes.delta.copy(),
            parent=nodes.parent.copy(),
            population=nodes.population.copy(),
            bandwidth=nodes.bandwidth,
            node_of=self._rows.node_of.copy(),
            scale=nodes.scale.copy() if nodes.points.n > 1 else None,
            points=nodes.points.frozen(),
            report=self.report,
            order=nodes.order.copy(),
            rank=nodes.rank.copy(),
        )

    def view(self) -> LeadingTree:
        """Return a view of the present tree without rows, points and scales."""
        nodes = self._nodes
        return trusted_tree(
            density=nodes.density.view(),
            delta=nodes.delta.view(),
            parent=nodes.parent.view(),
            population=nodes.population.view(),
            bandwidth=nodes.bandwidth,
            node_of=np.empty(0, dtype=np.int64),
            scale=None,
            points=None,
            report=self.report,
            order=nodes.order.view(),
            rank=nodes.rank.view(),
        )

    def leaders(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Return the leader that every new row would have, and the distance to it.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (m, n_columns)
            Rows of the form the tree was built from.
        """
        nodes = self._nodes
        points = nodes.points
        X = self._checked(X)
        leader, delta = np.empty(X.shape[0], dtype=np.int64), np.empty(X.shape[0])
        for k in range(X.shape[0]):
            new = self._measured(nodes, points.prepare(X[k : k + 1]))
            leader[k], delta[k] = kernels.leader_of_new(
                new.distances,
                new.terms,
                new.density,
                nodes.density,
                points.zero,
                int(nodes.order[0]),
            )
        return leader, delta

    def scales(self) -> FloatArray:
        """Return the distance of every node to its 10th neighbour."""
        nodes = self._nodes = with_scales(self._nodes)
        return nodes.scale

    def links(self) -> tuple[IntArray, FloatArray]:
        """Return the leader of every node, and the distance to it."""
        return self._nodes.parent, self._nodes.delta

    def neighbours(self, nodes: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return the k nearest nodes of some nodes, and their distances.

        Parameters
        ----------
        nodes : ndarray of shape (m,)
            The nodes.
        k : int
            Number of neighbours, or all others if there are fewer.
        """
        k = min(k, self.n_nodes - 1)
        found, lengths = np.empty((len(nodes), k), dtype=np.int64), np.empty((len(nodes), k))
        for row, node in enumerate(nodes):
            distances = self._nodes.points.distances(self._nodes.points.at(int(node)))
            distances[node] = np.inf
            place = slice(row, row + 1)
            kernels.nearest_in_rows(distances[None], found[place], lengths[place])
        return found, lengths


def _refuse_overflow(distances: FloatArray) -> None:
    if not np.isfinite(distances).all():
        raise ValueError(
            "X holds numbers so large that distances to the rows there are overflow: leave such "
            "rows out, or divide all columns by a constant and fit again."
        )
