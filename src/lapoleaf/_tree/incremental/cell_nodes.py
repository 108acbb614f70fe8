"""The nodes of a growing approximate tree, in cells and outside of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._density.sampled import DEFAULT_SAMPLE_SIZE, Sample
from lapoleaf._density.tile_kernels import terms_of_distances
from lapoleaf._points.cell_search import CellSearch, make_search, nearest_to_rows
from lapoleaf._points.dense import DensePoints
from lapoleaf._tree.exact import SCALE_NEIGHBOUR
from lapoleaf._tree.incremental import attachment_kernels
from lapoleaf._tree.structure import density_order, ranks
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Number of neighbours of a new row, and of points that are searched for them.
_N_NEIGHBOURS, _MAX_POINTS_SEARCHED = 20, 2000
# Maximum number of nodes outside of the cells before cells are rebuilt.
MAX_NODES_OUTSIDE = 4096
# Weight of new nodes in the densities of each other, which matters only without other nodes near.
_NEW_NODE_WEIGHT = 2.0**-20
_ROWS_PER_BLOCK = 64


class CellNodes(NamedTuple):
    """The nodes of an approximate tree; arrays are immutable.

    Attributes
    ----------
    columns : ndarray of shape (d, n)
        The points, column by column.
    density, delta, parent, population, scale, bandwidth
        As in :class:`LeadingTree`.
    search : CellSearch
        The points that are in cells.
    node_at : ndarray
        The node of every point in cells, -1 if it was removed.
    outside : ndarray
        The nodes outside the cells.
    sample : Sample
        Points in cells that represent all in densities.
    """

    columns: FloatArray
    density: FloatArray
    delta: FloatArray
    parent: IntArray
    population: FloatArray
    scale: FloatArray
    bandwidth: float
    search: CellSearch
    node_at: IntArray
    outside: IntArray
    sample: Sample

    @property
    def points(self) -> DensePoints:
        """All nodes as points."""
        return DensePoints.of_columns(self.columns, self.search.points.metric)

    def points_at(self, nodes: IntArray) -> DensePoints:
        """Return some of the nodes as points."""
        columns = np.ascontiguousarray(self.columns[:, nodes])
        return DensePoints.of_columns(columns, self.search.points.metric)


class Neighbours(NamedTuple):
    """Some nodes, their nearest nodes, and the distances to these."""

    nodes: IntArray
    nearest: IntArray
    lengths: FloatArray


NO_NEIGHBOURS = Neighbours(
    np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64), np.empty((0, 0))
)


def nearest_nodes(nodes: CellNodes, queries: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """Return the k nearest nodes of points, in cells and outside of them."""
    found = np.empty((len(queries), k), dtype=np.int64)
    lengths = np.empty((len(queries), k))
    outside = nodes.points_at(nodes.outside) if len(nodes.outside) else None
    for at in range(0, len(queries), _ROWS_PER_BLOCK):
        some = slice(at, at + _ROWS_PER_BLOCK)
        places, far = nearest_to_rows(nodes.search, queries[some], k, _MAX_POINTS_SEARCHED)
        near = nodes.node_at[places]
        far = np.where(near < 0, np.inf, far)
        if outside is not None:
            others = np.broadcast_to(nodes.outside, (len(near), outside.n))
            near = np.concatenate([near, others], axis=1)
            far = np.concatenate([far, outside.measure(queries[some])], axis=1)
            best = np.argpartition(far, k - 1, axis=1)[:, :k]
            near, far = np.take_along_axis(near, best, 1), np.take_along_axis(far, best, 1)
        order = np.lexsort((near, far), axis=1)
        found[some] = np.take_along_axis(near, order, 1)
        lengths[some] = np.take_along_axis(far, order, 1)
    return found, lengths


def with_points(
    nodes: CellNodes, queries: FloatArray, weight: FloatArray, unit: float
) -> tuple[CellNodes, IntArray, Neighbours]:
    """Return the nodes with new points, the node of every point, and the neighbours of new nodes.

    Parameters
    ----------
    nodes : CellNodes
        The present nodes.
    queries : ndarray of shape (m, d)
        The points.
    weight : ndarray of shape (m,)
        Their weights, all positive.
    unit : float
        The smallest weight of a row.
    """
    near, lengths = nearest_nodes(nodes, queries, _N_NEIGHBOURS)
    known = lengths[:, 0] <= (nodes.search.points.zero or 0.0)
    # Equal points of the batch are merged, too.
    columns = np.ascontiguousarray(queries.T)
    alone = DensePoints.of_columns(columns, nodes.search.points.metric).identical()
    first = np.flatnonzero((alone == np.arange(len(queries))) & ~known)
    number = np.full(len(queries), -1, dtype=np.int64)
    number[first] = len(nodes.density) + np.arange(len(first))
    node_of = np.where(known, near[:, 0], number[alone])
    new = number[first]
    population = np.append(nodes.population, np.zeros(len(first)))
    np.add.at(population, node_of, weight)
    nodes = nodes._replace(
        columns=np.concatenate([nodes.columns, columns[:, first]], axis=1),
        population=population,
        outside=np.append(nodes.outside, new),
    )
    if not len(first):
        return nodes, node_of, NO_NEIGHBOURS
    among = _with_new_neighbours(nodes.points_at(new), Neighbours(new, near[first], lengths[first]))
    density = _densities(nodes, queries[first], among, unit)
    return _attach(nodes, among, density, near[first, 0]), node_of, among


def _with_new_neighbours(points: DensePoints, known: Neighbours) -> Neighbours:
    """Return the nearest among the present neighbours of new nodes and the new nodes."""
    new, k = known.nodes, known.nearest.shape[1]
    found, far = np.empty_like(known.nearest), np.empty_like(known.lengths)
    for at in range(0, len(new), _ROWS_PER_BLOCK):
        rows = np.arange(at, min(at + _ROWS_PER_BLOCK, len(new)))
        distances = points.rows(rows)
        distances[np.arange(len(rows)), rows] = np.inf
        if len(new) > k:
            best = np.argpartition(distances, k - 1, axis=1)[:, :k]
        else:
            best = np.broadcast_to(np.arange(len(new)), distances.shape)
        listed = np.concatenate([known.nearest[rows], new[best]], axis=1)
        away = np.concatenate([known.lengths[rows], np.take_along_axis(distances, best, 1)], axis=1)
        order = np.lexsort((listed, away), axis=1)[:, :k]
        found[rows] = np.take_along_axis(listed, order, 1)
        far[rows] = np.take_along_axis(away, order, 1)
    return Neighbours(new, found, far)


def _densities(nodes: CellNodes, queries: FloatArray, among: Neighbours, unit: float) -> FloatArray:
    """Return the densities of new nodes: near nodes one by one, the sample for all others."""
    new, near, lengths = among
    terms = terms_of_distances(lengths.ravel(), nodes.bandwidth).reshape(lengths.shape)
    is_base = np.ones(len(nodes.population), dtype=bool)
    is_base[nodes.outside] = False
    counts = nodes.population[near] * np.where(is_base[near], 1.0, _NEW_NODE_WEIGHT)
    density: FloatArray = (counts * terms).sum(axis=1)
    density += _NEW_NODE_WEIGHT * np.maximum(nodes.population[new] - unit, 0.0)
    place_of = np.full(len(nodes.population), -1, dtype=np.int64)
    place_of[nodes.node_at[nodes.node_at >= 0]] = np.flatnonzero(nodes.node_at >= 0)
    for at in range(0, len(queries), _ROWS_PER_BLOCK):
        some = slice(at, at + _ROWS_PER_BLOCK)
        listed = np.where(is_base[near[some]], place_of[near[some]], -1)
        density[some] += nodes.sample.density_at(
            nodes.search, queries[some], listed, nodes.bandwidth
        )
    return density


def _attach(
    nodes: CellNodes, among: Neighbours, own_density: FloatArray, nearest_old: IntArray
) -> CellNodes:
    """Return the nodes with densities, leaders and scales of new ones."""
    new, near, lengths = among
    root = int(np.flatnonzero(nodes.parent < 0)[0])
    # The root does not change.
    density = np.append(nodes.density, np.minimum(own_density, nodes.density[root]))
    parent = np.append(nodes.parent, np.full(len(new), -1))
    places = attachment_kernels.attach_by_distance(new, near, nearest_old, density, parent)
    delta = lengths[np.arange(len(new)), np.maximum(places, 0)]
    far = np.flatnonzero(places < 0)
    delta[far] = nodes.points.pairs(new[far], parent[new[far]])
    place = min(SCALE_NEIGHBOUR, lengths.shape[1]) - 1
    return nodes._replace(
        density=density,
        delta=np.append(nodes.delta, delta),
        parent=parent,
        scale=np.append(nodes.scale, lengths[:, place]),
    )


def without_nodes(nodes: CellNodes, gone: BoolArray) -> tuple[CellNodes, IntArray]:
    """Return the nodes without some, and the new numbers of the others."""
    points = nodes.points
    rank = ranks(density_order(nodes.density))
    parent, way = attachment_kernels.reattach_orphans(
        nodes.parent, nodes.delta, nodes.scale, rank, gone
    )
    delta = nodes.delta.copy()
    moved = np.flatnonzero((way > 0) & ~gone & (parent >= 0))
    delta[moved] = points.pairs(moved, parent[moved])
    kept = np.flatnonzero(~gone)
    number = np.cumsum(~gone) - 1
    root = int(kept[parent[kept] < 0][0])
    if nodes.parent[root] >= 0:
        delta[root] = float(points.take(kept).measure(points.at(np.array([root]))).max())
    parent = np.where(parent < 0, -1, number[parent])
    left = nodes._replace(
        columns=np.ascontiguousarray(nodes.columns[:, kept]),
        density=nodes.density[kept],
        delta=delta[kept],
        parent=parent[kept],
        population=nodes.population[kept],
        scale=nodes.scale[kept],
        node_at=np.where((nodes.node_at < 0) | gone[nodes.node_at], -1, number[nodes.node_at]),
        outside=number[nodes.outside[~gone[nodes.outside]]],
    )
    return left, number


def with_new_cells(nodes: CellNodes) -> CellNodes:
    """Return the nodes in new cells if many are outside or removed; else the same nodes."""
    gone = int((nodes.node_at < 0).sum())
    if len(nodes.outside) <= MAX_NODES_OUTSIDE and 2 * gone < len(nodes.node_at):
        return nodes
    n = len(nodes.density)
    search = make_search(nodes.points)
    return nodes._replace(
        search=search,
        node_at=np.arange(n),
        outside=np.empty(0, dtype=np.int64),
        sample=Sample.draw(search, nodes.population, min(DEFAULT_SAMPLE_SIZE, n)),
    )
