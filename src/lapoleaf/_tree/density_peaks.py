"""Peaks of the density, and their prominence above the passes to denser peaks.

A peak is a cluster if it rises above the highest pass to a denser one by more than the error of the
density (d'Errico, Facco, Laio and Rodriguez, Information Sciences 560, 2021). Here the density is
one over the mean distance to the nearest neighbours, and passes are searched along their graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lapoleaf._density import Neighbourhoods
from lapoleaf._tree import peak_kernels
from lapoleaf._tree.graph_leaders import tree_along_graph
from lapoleaf._tree.neighbour_graph import NeighbourGraph, neighbour_graph
from lapoleaf._tree.random_trees import largest_distances, neighbour_density
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import FloatArray

# Number of neighbours for the density, and their maximum share of all nodes.
_MAX_NEIGHBOURS, _MAX_SHARE = 20, 0.2
# Minimum prominence of a peak in standard errors: the default of DADApy.
_MIN_STANDARD_ERRORS = 1.65
# Higher dimensions are not distinguished by 20 neighbours; equal distances have an infinite one.
_MAX_DIMENSION = 100.0
_TINY = float(np.finfo(np.float64).tiny)


class DensityPeaks(NamedTuple):
    """The tree of a density of neighbours, and its peaks.

    Attributes
    ----------
    tree : LeadingTree
        Every node is led by the nearest denser one along the neighbour graph.
    prominence : ndarray of shape (n_nodes,)
        Height of a node above the highest pass to a denser one: the difference of log-densities in
        standard errors. Infinite at the root, about 0 for nodes that are not peaks.
    threshold : float
        Nodes of larger prominence are peaks.
    """

    tree: LeadingTree
    prominence: FloatArray
    threshold: float


def density_peaks(plain: LeadingTree, near: Neighbourhoods, unit: float) -> DensityPeaks:
    """Return the tree of a density of neighbours, and the prominence of its nodes.

    Parameters
    ----------
    plain : LeadingTree
        The tree by the Gaussian density, of two nodes or more.
    near : Neighbourhoods
        Neighbours of all nodes.
    unit : float
        Smallest weight of a row.
    """
    n = plain.n_nodes
    k = int(np.clip(_MAX_SHARE * n, 1, min(_MAX_NEIGHBOURS, near.lengths.shape[1])))
    density = neighbour_density(plain.population / unit, near, k)
    graph = neighbour_graph(plain, near)
    densest = np.array([int(density.argmax())])
    reach = float(largest_distances(plain, densest)[0])
    tree = tree_along_graph(plain, graph, density / density.max(), reach, near.order)
    # The unit of distance of the density.
    largest = float(near.lengths[:, k - 1].max())
    passes = _highest_passes(tree, graph, near, np.log(density), largest)
    error = np.sqrt(2.0 / k) / intrinsic_dimension(near.lengths[:, :k])
    # Of n / k independent differences one exceeds this. Peaks and passes are extremes of many, so
    # more of them do: among 1,000 uniform points in a square about three.
    threshold = max(_MIN_STANDARD_ERRORS, -float(ndtri(min(0.5, k / n))))
    return DensityPeaks(tree, (np.log(density) - passes) / error, threshold)


def _highest_passes(
    tree: LeadingTree,
    graph: NeighbourGraph,
    near: Neighbourhoods,
    log_density: FloatArray,
    unit: float,
) -> FloatArray:
    """Return the logarithm of the density at the highest pass from every node to a denser one."""
    places = np.repeat(np.arange(tree.n_nodes), np.diff(graph.start))
    once = places < graph.neighbours
    # With an order of the nodes, the graph is one of places.
    nodes = np.arange(tree.n_nodes) if near.order is None else near.order
    ends, others = nodes[places[once]], nodes[graph.neighbours[once]]
    # There are no points along a long edge, where the density is one over its length.
    with np.errstate(over="ignore"):
        along = -np.log(np.clip(graph.lengths[once] / unit, _TINY, np.finfo(np.float64).max))
    heights = np.minimum(np.minimum(log_density[ends], log_density[others]), along)
    order = np.argsort(-heights, kind="stable")
    return peak_kernels.highest_passes(ends, others, heights, order, tree.rank)


def intrinsic_dimension(lengths: FloatArray) -> float:
    """Return the maximum-likelihood estimate of the dimension (Levina and Bickel, 2004).

    Parameters
    ----------
    lengths : ndarray of shape (n, k)
        Distances of all nodes to their k nearest, ascending; 1 for k = 1.

    Examples
    --------
    The number of neighbours doubles with the distance, as on a line.

    >>> import numpy as np
    >>> from lapoleaf._tree.density_peaks import intrinsic_dimension
    >>> round(intrinsic_dimension(np.array([[np.exp(-1.0), 1.0]])), 9)
    1.0
    """
    if lengths.shape[1] < 2:
        return 1.0
    logs = np.log(np.maximum(lengths, _TINY))
    inverse = float(np.mean(logs[:, -1:] - logs[:, :-1]))
    return 1.0 / max(inverse, 1.0 / _MAX_DIMENSION)
