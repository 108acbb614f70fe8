"""Trees in which every node is led by the nearest denser one along the graph of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block, threads_worth
from lapoleaf._progress import Progress
from lapoleaf._tree import graph_kernels
from lapoleaf._tree.link_kernels import lengths_of_resistances
from lapoleaf._tree.neighbour_graph import NeighbourGraph
from lapoleaf._tree.structure import LeadingTree, density_order, ranks, trusted_tree
from lapoleaf._typing import FloatArray, IntArray

# Maximum number of nodes of a search in an approximate build. Of a million searches fewer than one
# in a thousand reach it, but these would take more than half of the time.
_MAX_NODES_VISITED = 2000
# From this number of trees on, one search of a node serves all of them; its first nodes are leaders
# in most of them.
_MIN_TREES_SHARED, _NODES_BEFORE_BOUNDS = 20, 24
# Maximum number of ranks in memory: nodes times trees.
_MAX_RANKS_HELD = 2**22
# Nodes whose leaders are searched at a time.
_NODES_PER_BLOCK = 256


class _Leaders(NamedTuple):
    """Results of a search along the graph for every node.

    Attributes
    ----------
    parent, delta, resistance : ndarray of shape (n,)
        The leaders, -1 if none was found; lengths of direct links, NaN for others; resistances.
    """

    parent: IntArray
    delta: FloatArray
    resistance: FloatArray

    def column(self, own: int) -> _Leaders:
        """Return the results of one of several orders, which are columns."""
        parent, delta, resistance = self
        return _Leaders(parent[:, own].copy(), delta[:, own].copy(), resistance[:, own].copy())

    def of_nodes(self, places: IntArray | None) -> _Leaders:
        """Return results of places converted to nodes."""
        if places is None:
            return self
        out = _Leaders(np.empty(len(places), dtype=np.int64), *np.empty((2, len(places))))
        out.parent[places] = np.where(self.parent < 0, -1, places[self.parent])
        out.delta[places], out.resistance[places] = self.delta, self.resistance
        return out


def tree_along_graph(
    plain: LeadingTree,
    graph: NeighbourGraph,
    density: FloatArray,
    reach: float,
    places: IntArray | None = None,
) -> LeadingTree:
    """Return the tree in which every node is led by the nearest denser one along the graph.

    Parameters
    ----------
    plain : LeadingTree
        A tree of the same nodes.
    graph : NeighbourGraph
        A connected graph of them.
    density : ndarray of shape (n,)
        The density that determines leaders.
    reach : float
        Distance of the densest node to the one farthest away.
    places : ndarray of shape (n,), default=None
        The nodes at the places of the graph, in an approximate build, where a search that takes too
        long is replaced by the plain tree. None in a full build.
    """
    order = density_order(density)
    rank, most = ranks(order), len(order)
    if places is not None:
        rank, most = rank[places], _MAX_NODES_VISITED
    found = _Leaders(*graph_kernels.leaders_along_graph(most, rank, *graph))
    return _tree_by_leaders(plain, density, order, reach, found.of_nodes(places))


def trees_along_graph(
    plain: LeadingTree,
    graph: NeighbourGraph,
    densities: Sequence[FloatArray],
    reaches: FloatArray,
    places: IntArray | None = None,
    threads: int = 1,
    verbose: int = 0,
) -> list[LeadingTree]:
    """Return a tree for every density: see :func:`tree_along_graph`.

    From 20 trees on one search of a node serves all of them.

    Parameters
    ----------
    plain, graph, places
        See :func:`tree_along_graph`.
    densities : sequence of ndarray of shape (n,)
        The densities.
    reaches : ndarray of shape (n_trees,)
        Distance of the densest node to the one farthest away, for every density.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    found: list[LeadingTree | None] = [None] * len(densities)
    together = _MAX_RANKS_HELD // plain.n_nodes
    progress = Progress("forests", len(densities), verbose)
    threads = threads_worth(threads, 20.0 * plain.n_nodes * len(densities))

    def search_alone(block: slice) -> None:
        for which in range(block.start, block.stop):
            how = densities[which], float(reaches[which]), places
            found[which] = tree_along_graph(plain, graph, *how)

    if min(together, len(densities)) < _MIN_TREES_SHARED:
        for_each_block(search_alone, list(gen_batches(len(densities), 1)), threads, progress)
    else:
        for group in gen_batches(len(densities), together):
            some = densities[group], reaches[group], places, threads, progress
            found[group] = _trees_by_shared_searches(plain, graph, *some)
    return [tree for tree in found if tree is not None]


def _trees_by_shared_searches(
    plain: LeadingTree,
    graph: NeighbourGraph,
    densities: Sequence[FloatArray],
    reaches: FloatArray,
    places: IntArray | None,
    threads: int,
    progress: Progress,
) -> list[LeadingTree | None]:
    """Return a tree for every density; one search of a node serves all of them."""
    orders: list[IntArray] = [np.empty(0, dtype=np.int64)] * len(densities)
    by_place = np.empty((plain.n_nodes, len(densities)), dtype=np.int32)
    found: list[LeadingTree | None] = [None] * len(densities)
    each = list(gen_batches(len(densities), 1))

    def rank(block: slice) -> None:
        own = block.start
        orders[own] = density_order(densities[own])
        place = ranks(orders[own])
        by_place[:, own] = place if places is None else place[places]

    for_each_block(rank, each, threads)
    most = plain.n_nodes if places is None else _MAX_NODES_VISITED
    leaders = _leaders_in_orders(graph, by_place, most, threads)

    def grow(block: slice) -> None:
        own = block.start
        led = leaders.column(own).of_nodes(places)
        found[own] = _tree_by_leaders(plain, densities[own], orders[own], float(reaches[own]), led)

    for_each_block(grow, each, threads, progress)
    return found


def _leaders_in_orders(
    graph: NeighbourGraph, by_place: IntArray, most: int, threads: int
) -> _Leaders:
    """Return the leaders in every order, a column each; a search ends at ``most`` nodes."""
    parent = np.empty(by_place.shape, dtype=np.int32)
    out = _Leaders(parent, *np.empty((2, *by_place.shape)))

    def search(block: slice) -> None:
        graph_kernels.leaders_in_many_orders(
            _NODES_BEFORE_BOUNDS, most, block.start, block.stop, by_place, *graph, *out
        )

    for_each_block(search, list(gen_batches(len(by_place), _NODES_PER_BLOCK)), threads)
    return out


def _tree_by_leaders(
    plain: LeadingTree, density: FloatArray, order: IntArray, reach: float, found: _Leaders
) -> LeadingTree:
    """Return the tree from the results of a search; nodes without a leader follow the plain tree.

    Parameters
    ----------
    plain, density, reach
        See :func:`tree_along_graph`.
    order : ndarray of shape (n,)
        The nodes, densest first.
    found : _Leaders
        The results, completed in place.
    """
    parent, delta, resistance = found.parent.astype(np.int64), found.delta, found.resistance
    root, scale, rank = int(order[0]), np.asarray(plain.scale), ranks(order)
    lost = np.flatnonzero(parent < 0)
    if len(lost) > 1:
        lost, links = lost[lost != root], (plain.parent, plain.delta)
        graph_kernels.leaders_up_tree(lost, rank, *links, scale, root, parent, delta, resistance)
    # A direct link has its own length; a path that of a single link of the same strength.
    far = np.flatnonzero(np.isnan(delta) & (parent >= 0))
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    delta[root] = reach
    return trusted_tree(
        order,
        rank,
        density=density,
        delta=delta,
        parent=parent,
        population=plain.population,
        bandwidth=plain.bandwidth,
        node_of=plain.node_of,
        scale=plain.scale,
        points=plain.points,
        report=plain.report,
    )
