"""Random leading trees of the same points, from one pass over the distances.

Each tree has its own density: one over the mean distance to the k nearest neighbours, with k drawn
for the tree, times noise drawn for every point. The leader of a point is the nearest denser one
*along the neighbour graph*, so that labels follow the shape of the data instead of jumping over
gaps.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from sklearn.utils import gen_batches

from lapoleaf._density import Neighbourhoods
from lapoleaf._parallel import for_each_block, threads_worth
from lapoleaf._points.kernels import mixed
from lapoleaf._points.scaling import bits, exponent_of
from lapoleaf._tree.graph_leaders import trees_along_graph
from lapoleaf._tree.neighbour_graph import neighbour_graph
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Range from which the number of neighbours for the density of a tree is drawn.
_MIN_NEIGHBOURS, _MAX_NEIGHBOURS = 3, 20
# Standard deviation of the logarithm of the noise on densities.
LOG_DENSITY_NOISE = 0.5
# Minimum distance relative to the largest, so that densities are finite.
_MIN_RELATIVE_DISTANCE = 1e-200
# Nodes processed at a time, to limit memory.
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
    """Return trees of randomised densities.

    Random numbers depend on points, not on rows: without ties, another order of the rows gives the
    same trees; ties are broken by number, see :mod:`lapoleaf._tree.numbering`. The ``delta`` of a
    link along several edges of the graph is the length of a single link of the same strength.

    Parameters
    ----------
    plain : LeadingTree
        The tree by the Gaussian density.
    near : Neighbourhoods
        Neighbours of all nodes.
    unit : float
        Smallest weight of a row.
    n_trees : int
        Number of trees.
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

    different = np.unique(counts)

    def draw(block: slice) -> None:
        k = int(different[block.start])
        density = neighbour_density(plain.population / unit, near, k)
        for which in np.flatnonzero(counts == k):
            noisy = density * np.exp(LOG_DENSITY_NOISE * standard_normal(keys, salts[which]))
            densities[which] = noisy / noisy.max()

    work = 10.0 * plain.n_nodes * n_trees
    for_each_block(draw, list(gen_batches(len(different), 1)), threads_worth(threads, work))
    # The root is the densest node, the first one for ties. Many rows at a time are faster.
    farthest = largest_distances(plain, np.array([density.argmax() for density in densities]))
    return trees_along_graph(plain, graph, densities, farthest, near.order, threads, verbose)


def largest_distances(plain: LeadingTree, nodes: IntArray) -> FloatArray:
    """Return the distance of each of some nodes to the one farthest away."""
    if plain.points is None:
        return np.full(len(nodes), plain.delta.max())
    together = max(1, _MAX_DISTANCES_HELD // plain.n_nodes)
    blocks = [plain.points.rows(nodes[at]).max(axis=1) for at in gen_batches(len(nodes), together)]
    return np.concatenate(blocks)


def neighbour_density(counts: FloatArray, near: Neighbourhoods, k: int) -> FloatArray:
    """Return the dimensionless inverse of the mean distance to the k nearest nodes.

    Rows at the same point are included at distance 0; neighbours are weighted by their number of
    rows.

    Parameters
    ----------
    counts : ndarray of shape (n,)
        Number of rows of every node.
    near : Neighbourhoods
        Neighbours of all nodes.
    k : int
        Number of neighbours to use.
    """
    # In units of the largest distance, to prevent overflow.
    largest = near.lengths[:, k - 1].max()
    density = np.empty(len(counts))
    for at in range(0, len(counts), _NODES_PER_BLOCK):
        some = slice(at, at + _NODES_PER_BLOCK)
        lengths, weights = near.lengths[some, :k] / largest, counts[near.neighbours[some, :k]]
        total = np.maximum((weights * lengths).sum(axis=1), _MIN_RELATIVE_DISTANCE)
        density[some] = (counts[some] - 1.0 + weights.sum(axis=1)) / total
    return density


def _node_keys(plain: LeadingTree, near: Neighbourhoods) -> AnyArray:
    """Return 64 bits that identify every node independently of its number."""
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
        Distances are in units of ``2.0**exponent``.
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
