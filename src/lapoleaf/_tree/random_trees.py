"""Many leading trees of the same points, all different, from one pass over the distances.

A tree of its own comes from a density of its own: one over the mean distance to the k nearest
neighbours, with k drawn for the tree, times noise drawn for every point. The leader of a point is
the nearest denser one *along the neighbour graph*, so that labels follow the shape of the data
instead of jumping over gaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from sklearn.utils import gen_batches

from lapoleaf._density import Neighbourhoods
from lapoleaf._parallel import for_each_block
from lapoleaf._points.kernels import mixed
from lapoleaf._points.scaling import bits, exponent_of
from lapoleaf._progress import Progress
from lapoleaf._tree import kernels, link_kernels
from lapoleaf._tree.link_kernels import lengths_of_resistances
from lapoleaf._tree.structure import LeadingTree, density_order, ranks
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Neighbours that a node is joined to.
N_GRAPH_NEIGHBOURS = 10


class NeighbourGraph(NamedTuple):
    """Nodes joined to their nearest neighbours, in compressed rows.

    Attributes
    ----------
    start : ndarray of shape (n + 1,)
        The edges of node i are those from ``start[i]`` to ``start[i + 1]``, the least resistance
        first.
    neighbours, lengths, resistances : ndarray of shape (n_edges,)
        Where an edge leads, how long it is, and its resistance: see :mod:`link_kernels`.
    """

    start: IntArray
    neighbours: IntArray
    lengths: FloatArray
    resistances: FloatArray


def neighbour_graph(plain: LeadingTree, near: Neighbourhoods) -> NeighbourGraph:
    """Join every node to its 10 nearest, and what stays apart by the links of the plain tree.

    Parameters
    ----------
    plain : LeadingTree
        The tree by the Gaussian density, which connects everything.
    near : Neighbourhoods
        Neighbours of all nodes.

    Returns
    -------
    NeighbourGraph
        Of nodes, or, where ``near`` has an order of them, of their places in it: searches then
        find what they need next to each other in memory.
    """
    k = min(N_GRAPH_NEIGHBOURS, near.neighbours.shape[1])
    neighbours, reach = near.neighbours[:, :k], near.lengths[:, :k]
    parent, delta, scale = plain.parent, plain.delta, np.asarray(plain.scale)
    if near.order is not None:
        place = ranks(near.order)
        neighbours, reach = place[neighbours[near.order]].astype(np.int32), reach[near.order]
        parent = np.where(parent < 0, -1, place[parent])[near.order]
        delta, scale = delta[near.order], scale[near.order]
    part = link_kernels.connected_parts(neighbours)
    bridge = (parent >= 0) & (part != part[parent])
    start = link_kernels.edge_starts(neighbours, parent, bridge)
    ends = np.empty(start[-1], dtype=np.int32 if plain.n_nodes < 2**31 else np.int64)
    lengths = np.empty(start[-1])
    link_kernels.fill_edges(neighbours, reach, parent, delta, bridge, start, ends, lengths)
    resistances = link_kernels.edge_resistances(start, ends, lengths, scale)
    link_kernels.sort_edges(start, ends, lengths, resistances)
    return NeighbourGraph(start, ends, lengths, resistances)


# The number of neighbours behind a tree's density is drawn from this range.
_MIN_NEIGHBOURS, _MAX_NEIGHBOURS = 3, 20
# Standard deviation of the logarithm of the noise on densities.
LOG_DENSITY_NOISE = 0.5
# Distances are never counted as less than this share of the largest, so that densities are numbers.
_MIN_RELATIVE_DISTANCE = 1e-200
# In an approximate build a search that has come to so many nodes ends. Of a million fewer than one
# in a thousand does, but these few would do more than half of the work.
_MAX_NODES_VISITED = 2000
# Nodes whose neighbours are summed up at a time: all at once would take memory several times over.
_NODES_PER_BLOCK = 16_384
# Distances of densest nodes that are held at a time.
_MAX_DISTANCES_HELD = 2**21


def random_trees(
    plain: LeadingTree,
    near: Neighbourhoods,
    unit: float,
    n_trees: int,
    seed: int,
    threads: int = 1,
    verbose: int = 0,
) -> list[LeadingTree]:
    """Return trees by randomised densities.

    Randomness is tied to points, not to rows: another order of the rows gives the same trees, as
    far as there are no ties, which go by number: see :mod:`lapoleaf._tree.numbering`.
    A link that leads over several edges of the graph has as ``delta`` the length of a single link
    that would be as strong.

    Parameters
    ----------
    plain : LeadingTree
        The tree by the Gaussian density.
    near : Neighbourhoods
        Neighbours of all nodes.
    unit : float
        Smallest weight of a row.
    n_trees : int
        How many trees.
    seed : int
        Which trees.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    if n_trees == 0 or plain.n_nodes == 1:
        return []
    graph = neighbour_graph(plain, near)
    keys = _node_keys(plain, near)
    draws = np.random.default_rng(seed)
    most = min(_MAX_NEIGHBOURS, near.lengths.shape[1])
    counts = draws.integers(min(_MIN_NEIGHBOURS, most), most + 1, size=n_trees)
    salts = draws.integers(0, 2**63, size=n_trees, dtype=np.uint64)
    densities: list[FloatArray] = [np.empty(0)] * n_trees
    found: list[LeadingTree | None] = [None] * n_trees
    each = [slice(which, which + 1) for which in range(n_trees)]

    def draw(block: slice) -> None:
        density = neighbour_density(plain.population / unit, near, int(counts[block.start]))
        noisy = density * np.exp(LOG_DENSITY_NOISE * standard_normal(keys, salts[block.start]))
        densities[block.start] = noisy / noisy.max()

    for_each_block(draw, each, threads)
    # The densest node, the first of equals, is ahead of all. Many rows at a time cost less.
    farthest = largest_distances(plain, np.array([density.argmax() for density in densities]))

    def grow(block: slice) -> None:
        density, reach = densities[block.start], farthest[block.start]
        found[block.start] = tree_along_graph(plain, graph, density, reach, near.order)

    for_each_block(grow, each, threads, Progress("forests", n_trees, verbose))
    return [tree for tree in found if tree is not None]


def largest_distances(plain: LeadingTree, nodes: IntArray) -> FloatArray:
    """Return the distance of each of some nodes to the one farthest away."""
    if plain.points is None:
        return np.full(len(nodes), plain.delta.max())
    together = max(1, _MAX_DISTANCES_HELD // plain.n_nodes)
    blocks = [plain.points.rows(nodes[at]).max(axis=1) for at in gen_batches(len(nodes), together)]
    return np.concatenate(blocks)


def neighbour_density(counts: FloatArray, near: Neighbourhoods, k: int) -> FloatArray:
    """Return one over the mean distance to the k nearest nodes, free of units.

    Rows at the same point count, at distance 0; every neighbour as often as it has rows.

    Parameters
    ----------
    counts : ndarray of shape (n,)
        How many rows every node stands for.
    near : Neighbourhoods
        Neighbours of all nodes.
    k : int
        How many of them to look at.
    """
    # In units of the largest distance: nothing overflows.
    largest = near.lengths[:, k - 1].max()
    density = np.empty(len(counts))
    for at in range(0, len(counts), _NODES_PER_BLOCK):
        some = slice(at, at + _NODES_PER_BLOCK)
        lengths, weights = near.lengths[some, :k] / largest, counts[near.neighbours[some, :k]]
        total = np.maximum((weights * lengths).sum(axis=1), _MIN_RELATIVE_DISTANCE)
        density[some] = (counts[some] - 1.0 + weights.sum(axis=1)) / total
    return density


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
        The density that decides who may lead whom.
    reach : float
        Distance of the densest node to the one farthest away.
    places : ndarray of shape (n,), default=None
        The nodes that the places of the graph are, in an approximate build; there a search that
        goes on for too long follows the plain tree instead. In a full build None.
    """
    order = density_order(density)
    root, rank = int(order[0]), ranks(order)
    scale = np.asarray(plain.scale)
    if places is None:
        parent, delta, resistance = kernels.leaders_along_graph(len(rank), rank, *graph)
    else:
        parent, delta, resistance = _leaders_of_places(places, rank, graph)
        lost = np.flatnonzero((parent < 0) & (rank > 0))
        kernels.leaders_up_tree(
            lost, rank, plain.parent, plain.delta, scale, root, parent, delta, resistance,
        )  # fmt: skip
    # A direct link has its length; a longer way that of a single link of the same strength.
    far = np.flatnonzero(np.isnan(delta) & (parent >= 0))
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    delta[root] = reach
    return LeadingTree(
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


def _leaders_of_places(
    places: IntArray, rank: IntArray, graph: NeighbourGraph
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the leaders found by bounded searches along a graph of places, for nodes."""
    found, lengths, ways = kernels.leaders_along_graph(_MAX_NODES_VISITED, rank[places], *graph)
    parent = np.empty(len(rank), dtype=np.int64)
    delta, resistance = np.empty(len(rank)), np.empty(len(rank))
    parent[places] = np.where(found < 0, -1, places[found])
    delta[places], resistance[places] = lengths, ways
    return parent, delta, resistance


def _node_keys(plain: LeadingTree, near: Neighbourhoods) -> AnyArray:
    """Return 64 bits that identify every node, whatever its number."""
    own = None if plain.points is None else plain.points.identity()
    if own is not None:
        return own
    # A point without coordinates is identified by its distances to its neighbours.
    return keys_of_lengths(near.lengths, exponent_of(near.lengths))


def keys_of_lengths(lengths: FloatArray, exponent: int) -> AnyArray:
    """Return 64 bits that identify nodes by the distances to their neighbours.

    Parameters
    ----------
    lengths : ndarray of shape (n, k)
        The distances.
    exponent : int
        Distances are counted in units of ``2.0**exponent``.
    """
    odd = np.arange(1, 2 * lengths.shape[1], 2, dtype=np.uint64)
    keys: AnyArray = mixed(bits(lengths, exponent) * odd).sum(axis=1, dtype=np.uint64)
    return keys


def standard_normal(keys: AnyArray, salt: AnyArray) -> FloatArray:
    """Return a number from the standard normal distribution for every key.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._tree.random_trees import standard_normal
    >>> standard_normal(np.array([1, 2, 1], dtype=np.uint64), np.uint64(5)).round(3)
    array([0.764, 1.31 , 0.764])
    """
    bits = mixed(mixed(keys) ^ np.uint64(salt)) >> np.uint64(11)
    numbers: FloatArray = ndtri((bits + 0.5) * 2.0**-53)
    return numbers
