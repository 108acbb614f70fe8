"""An approximately built tree that takes in rows without looking at all others."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from lapoleaf._density.sampled import USUAL_SAMPLE, Sample
from lapoleaf._points import check_sample_weight
from lapoleaf._points.cell_search import CellSearch, make_search, nearest_to_rows
from lapoleaf._points.dense import DensePoints
from lapoleaf._tree.growing import SCALE_NEIGHBOUR
from lapoleaf._tree.incremental import attachment_kernels
from lapoleaf._tree.leaders import density_order, ranks
from lapoleaf._tree.structure import LeadingTree, trusted_tree
from lapoleaf._typing import FloatArray, IntArray

# Neighbours that a new row may be led by, and points that are looked at for them.
_NEAR, _LOOKED_AT = 20, 2000
# With more new nodes than this outside of the cells all are put into cells again.
_MOST_OUTSIDE = 4096
# New nodes count so much in the density of each other: where nothing else is they decide.
_FAINT = 2.0**-20
_AT_A_TIME = 64
# The nodes that came last, their neighbours and the distances to these: none.
_NOTHING: tuple[IntArray, IntArray, FloatArray] = (
    np.empty(0, dtype=np.int64),
    np.empty((0, 0), dtype=np.int64),
    np.empty((0, 0)),
)


class _State(NamedTuple):
    """All that changes; no array is ever written into."""

    columns: FloatArray
    density: FloatArray
    delta: FloatArray
    parent: IntArray
    population: FloatArray
    scale: FloatArray
    node_of: IntArray
    weight: FloatArray
    ids: IntArray
    next_id: int
    # The cells, the node that every point in them is (-1 if gone), and the nodes outside.
    search: CellSearch
    node_at: IntArray
    outside: IntArray
    sample: Sample


class RoughlyGrowingTree:
    """An approximate tree that rows can join and leave, while others stay where they are.

    A new row finds its neighbours through the cells, and its density from them and the sample, as
    it would in an approximate build. The nearest of them that is denser leads it. Nobody else
    changes, so that time hardly grows with the number of rows.

    Parameters
    ----------
    tree : LeadingTree
        A tree built approximately, of more points than are all looked at.
    sample_weight, ids, next_id
        As in :class:`GrowingTree`.
    """

    def __init__(
        self, tree: LeadingTree, sample_weight: Any, ids: IntArray, next_id: int | None
    ) -> None:
        self.bandwidth = float(cast(float, tree.bandwidth))
        self.report = tree.report
        self._latest = _NOTHING
        search = cast(CellSearch, tree.cells)
        self._now = _State(
            columns=cast(DensePoints, tree.points).columns,
            density=tree.density,
            delta=tree.delta,
            parent=tree.parent,
            population=tree.population,
            scale=np.asarray(tree.scale),
            node_of=tree.node_of,
            weight=check_sample_weight(sample_weight, tree.n_rows),
            ids=ids,
            next_id=int(ids[-1]) + 1 if next_id is None else next_id,
            search=search,
            node_at=np.arange(tree.n_nodes),
            outside=np.empty(0, dtype=np.int64),
            sample=Sample.drawn(search, tree.population, USUAL_SAMPLE),
        )

    def copy(self) -> RoughlyGrowingTree:
        """Give a tree that grows on its own from here."""
        other = object.__new__(RoughlyGrowingTree)
        other.__dict__.update(self.__dict__)
        return other

    @property
    def n_nodes(self) -> int:
        """Number of nodes (distinct points)."""
        return len(self._now.density)

    @property
    def ids(self) -> IntArray:
        """Numbers of the rows, ascending."""
        return self._now.ids

    @property
    def next_id(self) -> int:
        """The id that the next row will get."""
        return self._now.next_id

    @property
    def node_of(self) -> IntArray:
        """The node of every row, -1 for rows of weight 0."""
        return self._now.node_of

    def scales(self) -> FloatArray:
        """Give the distance of every node to its 10th neighbour."""
        return self._now.scale

    def links(self) -> tuple[IntArray, FloatArray]:
        """Give the leader of every node, and the distance to it."""
        return self._now.parent, self._now.delta

    def neighbours(self, nodes: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """Give the k nearest nodes of some nodes, and their distances."""
        now = self._now
        if np.array_equal(nodes, self._latest[0]):
            return self._latest[1][:, :k], np.ascontiguousarray(self._latest[2][:, :k])
        found, lengths = self._near(now, now.columns[:, nodes].T.astype(np.float64), k + 1)
        return _without_self(found, lengths, nodes, k)

    def insert(self, X: Any, sample_weight: Any = None) -> IntArray:
        """Let rows join the tree; give their ids.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (m, n_columns)
            The rows.
        sample_weight : array-like of shape (m,), default=None
            Their weights, 1 if None.
        """
        m = X.shape[0]
        weight = check_sample_weight(sample_weight, m)
        before = self._now, self._latest
        n = self.n_nodes
        try:
            for at in range(0, m, _MOST_OUTSIDE):
                some = slice(at, at + _MOST_OUTSIDE)
                self._insert(_dense(X[some]), weight[some])
        except BaseException:
            self._now, self._latest = before
            raise
        if len(self._latest[0]) < self.n_nodes - n:
            self._latest = _NOTHING
        return self._now.ids[-m:]

    def _insert(self, X: FloatArray, weight: FloatArray) -> None:
        now = self._with_cells(self._now)
        queries = now.search.points.prepare(X) + 0.0
        node_of = np.full(len(X), -1, dtype=np.int64)
        counted = np.flatnonzero(weight > 0)
        if len(counted):
            now, node_of[counted] = self._entered(now, queries[counted], weight[counted])
        self._now = now._replace(
            node_of=np.append(now.node_of, node_of),
            weight=np.append(now.weight, weight),
            ids=np.append(now.ids, now.next_id + np.arange(len(X))),
            next_id=now.next_id + len(X),
        )

    def _entered(
        self, now: _State, queries: FloatArray, weight: FloatArray
    ) -> tuple[_State, IntArray]:
        """Add the points of rows; give the node of every row too."""
        near, lengths = self._near(now, queries, _NEAR)
        n = len(now.density)
        known = lengths[:, 0] <= (now.search.points.zero or 0.0)
        # Rows of the batch that are the same are one node, too.
        columns = np.ascontiguousarray(queries.T)
        alone = DensePoints.of_columns(columns, now.search.points.metric).identical()
        first = np.flatnonzero((alone == np.arange(len(queries))) & ~known)
        number = np.full(len(queries), -1, dtype=np.int64)
        number[first] = n + np.arange(len(first))
        nodes = np.where(known, near[:, 0], number[alone])
        new = number[first]
        population = np.append(now.population, np.zeros(len(first)))
        np.add.at(population, nodes, weight)
        now = now._replace(
            columns=np.concatenate([now.columns, columns[:, first]], axis=1),
            population=population,
            outside=np.append(now.outside, new),
        )
        self._latest = _NOTHING
        if len(first):
            among = _with_each_other(self._points(now, new), new, near[first], lengths[first])
            self._latest = (new, *among)
            now = self._hung(now, new, queries[first], near[first, 0], *among)
        return now, nodes

    def _hung(
        self,
        now: _State,
        new: IntArray,
        queries: FloatArray,
        nearest_old: IntArray,
        near: IntArray,
        lengths: FloatArray,
    ) -> _State:
        """Give densities, leaders and scales to new nodes."""
        density = np.append(now.density, self._densities(now, queries, near, lengths, new))
        # The root remains the root.
        root = int(np.flatnonzero(now.parent < 0)[0])
        density[new] = np.minimum(density[new], now.density[root])
        parent = np.append(now.parent, np.full(len(new), -1))
        places = attachment_kernels.led_by_near(new, near, nearest_old, density, parent)
        delta = lengths[np.arange(len(new)), np.maximum(places, 0)]
        far = np.flatnonzero(places < 0)
        points = DensePoints.of_columns(now.columns, now.search.points.metric)
        delta[far] = points.pairs(new[far], parent[new[far]])
        place = min(SCALE_NEIGHBOUR, lengths.shape[1]) - 1
        return now._replace(
            density=density,
            delta=np.append(now.delta, delta),
            parent=parent,
            scale=np.append(now.scale, lengths[:, place]),
        )

    def _densities(
        self,
        now: _State,
        queries: FloatArray,
        near: IntArray,
        lengths: FloatArray,
        new: IntArray,
    ) -> FloatArray:
        """Give the densities of new nodes: near nodes one by one, the sample for all others."""
        terms = np.rint(2.0**30 * np.exp(-((lengths / self.bandwidth) ** 2))) / 2.0**30
        is_base = np.ones(len(now.population), dtype=bool)
        is_base[now.outside] = False
        counts = now.population[near] * np.where(is_base[near], 1.0, _FAINT)
        unit = float(now.weight[now.weight > 0].min())
        density: FloatArray = (counts * terms).sum(axis=1)
        density += _FAINT * np.maximum(now.population[new] - unit, 0.0)
        place_of = np.full(len(now.population), -1, dtype=np.int64)
        place_of[now.node_at[now.node_at >= 0]] = np.flatnonzero(now.node_at >= 0)
        for at in range(0, len(queries), _AT_A_TIME):
            some = slice(at, at + _AT_A_TIME)
            listed = np.where(is_base[near[some]], place_of[near[some]], -1)
            density[some] += now.sample.density_at(
                now.search, queries[some], listed, self.bandwidth
            )
        return density

    def _near(self, now: _State, queries: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Give the k nearest nodes of points, those in cells and those outside."""
        found = np.empty((len(queries), k), dtype=np.int64)
        lengths = np.empty((len(queries), k))
        outside = self._points(now, now.outside) if len(now.outside) else None
        for at in range(0, len(queries), _AT_A_TIME):
            some = slice(at, at + _AT_A_TIME)
            places, far = nearest_to_rows(now.search, queries[some], k, _LOOKED_AT)
            nodes = now.node_at[places]
            far = np.where(nodes < 0, np.inf, far)
            if outside is not None:
                nodes = np.concatenate(
                    [nodes, np.broadcast_to(now.outside, (len(nodes), outside.n))], axis=1
                )
                far = np.concatenate([far, outside.measure(queries[some])], axis=1)
                best = np.argpartition(far, k - 1, axis=1)[:, :k]
                nodes, far = np.take_along_axis(nodes, best, 1), np.take_along_axis(far, best, 1)
            order = np.lexsort((nodes, far), axis=1)
            found[some] = np.take_along_axis(nodes, order, 1)
            lengths[some] = np.take_along_axis(far, order, 1)
        return found, lengths

    def remove(self, ids: Any) -> None:
        """Take rows out; a node without rows goes, and the leader of its own leads those it led.

        Parameters
        ----------
        ids : array-like of shape (m,)
            The rows.
        """
        now = self._now
        kept = np.flatnonzero(~np.isin(now.ids, ids))
        lost = np.flatnonzero(np.isin(now.ids, ids) & (now.node_of >= 0))
        population = now.population.copy()
        np.subtract.at(population, now.node_of[lost], now.weight[lost])
        node_of = now.node_of[kept]
        n = len(now.density)
        gone = np.bincount(node_of[node_of >= 0], minlength=n) == 0
        now = now._replace(
            population=population, weight=now.weight[kept], ids=now.ids[kept], node_of=node_of
        )
        self._now = self._left(now, gone) if gone.any() else now

    def _left(self, now: _State, gone: Any) -> _State:
        """Give what remains without some nodes."""
        points = DensePoints.of_columns(now.columns, now.search.points.metric)
        rank = ranks(density_order(now.density))
        parent, way = attachment_kernels.bridged(
            now.parent, now.delta, now.scale, rank, gone, np.inf
        )
        delta = now.delta.copy()
        moved = np.flatnonzero((way > 0) & ~gone & (parent >= 0))
        delta[moved] = points.pairs(moved, parent[moved])
        kept = np.flatnonzero(~gone)
        number = np.cumsum(~gone) - 1
        root = int(kept[parent[kept] < 0][0])
        if now.parent[root] >= 0:
            delta[root] = float(points.take(kept).measure(points.at(np.array([root]))).max())
        parent = np.where(parent < 0, -1, number[parent])
        return now._replace(
            columns=np.ascontiguousarray(now.columns[:, kept]),
            density=now.density[kept],
            delta=delta[kept],
            parent=parent[kept],
            population=now.population[kept],
            scale=now.scale[kept],
            node_of=np.where(now.node_of < 0, -1, number[now.node_of]),
            node_at=np.where((now.node_at < 0) | gone[now.node_at], -1, number[now.node_at]),
            outside=number[now.outside[~gone[now.outside]]],
        )

    @staticmethod
    def _points(now: _State, nodes: IntArray) -> DensePoints:
        """Give some of the nodes as points."""
        metric = now.search.points.metric
        return DensePoints.of_columns(np.ascontiguousarray(now.columns[:, nodes]), metric)

    def _with_cells(self, now: _State) -> _State:
        """Put all nodes into cells again, if many are outside or gone."""
        gone = int((now.node_at < 0).sum())
        if len(now.outside) <= _MOST_OUTSIDE and 2 * gone < len(now.node_at):
            return now
        n = len(now.density)
        search = make_search(DensePoints.of_columns(now.columns, now.search.points.metric))
        return now._replace(
            search=search,
            node_at=np.arange(n),
            outside=np.empty(0, dtype=np.int64),
            sample=Sample.drawn(search, now.population, min(USUAL_SAMPLE, n)),
        )

    def freeze(self) -> LeadingTree:
        """Give the tree as it is now."""
        now = self._now
        order = density_order(now.density)
        tree = trusted_tree(
            density=now.density.copy(),
            delta=now.delta.copy(),
            parent=now.parent.copy(),
            population=now.population.copy(),
            bandwidth=self.bandwidth,
            node_of=now.node_of.copy(),
            scale=now.scale.copy(),
            points=DensePoints.of_columns(now.columns, now.search.points.metric),
            report=self.report,
            order=order,
            rank=ranks(order),
        )
        return tree


def _dense(rows: Any) -> FloatArray:
    """Give rows as a dense table."""
    is_sparse = isinstance(rows, sp.csr_matrix | sp.csr_array)
    return np.asarray(rows.toarray() if is_sparse else rows, dtype=np.float64)


def _with_each_other(
    points: DensePoints, new: IntArray, near: IntArray, lengths: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Give the nearest of the neighbours that new nodes have already, and of themselves."""
    k = near.shape[1]
    found, far = np.empty_like(near), np.empty_like(lengths)
    for at in range(0, len(new), _AT_A_TIME):
        rows = np.arange(at, min(at + _AT_A_TIME, len(new)))
        distances = points.rows(rows)
        distances[np.arange(len(rows)), rows] = np.inf
        if len(new) > k:
            best = np.argpartition(distances, k - 1, axis=1)[:, :k]
        else:
            best = np.broadcast_to(np.arange(len(new)), distances.shape)
        listed = np.concatenate([near[rows], new[best]], axis=1)
        away = np.concatenate([lengths[rows], np.take_along_axis(distances, best, 1)], axis=1)
        order = np.lexsort((listed, away), axis=1)[:, :k]
        found[rows] = np.take_along_axis(listed, order, 1)
        far[rows] = np.take_along_axis(away, order, 1)
    return found, far


def _without_self(
    found: IntArray, lengths: FloatArray, nodes: IntArray, k: int
) -> tuple[IntArray, FloatArray]:
    """Drop nodes from the lists of their own neighbours, or the last where they are not listed."""
    own = found == nodes[:, None]
    own[~own.any(axis=1), -1] = True
    m = len(nodes)
    return found[~own].reshape(m, k), np.ascontiguousarray(lengths[~own].reshape(m, k))
