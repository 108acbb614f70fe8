"""The graph of near neighbours: along it the leaders of random trees are found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.density import Neighbourhoods
from lapoleaf.tree.structure import LeadingTree

# Neighbours that a node is joined to.
N_JOINED = 10
# No edge resists more than this: the weakest link that labels flow along.
_LARGEST_RESISTANCE = 1e12


class NeighbourGraph(NamedTuple):
    """Nodes joined to their nearest neighbours, in compressed rows.

    Attributes
    ----------
    start : ndarray of shape (n + 1,)
        The edges of node i are those from ``start[i]`` to ``start[i + 1]``.
    neighbours, lengths, resistances : ndarray of shape (n_edges,)
        Where an edge leads, how long it is, and ``exp(2 d**2 / (s t))`` for its length d and the
        distances s and t of its ends to their 10th neighbours.
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
    """
    n, k = plain.n_nodes, min(N_JOINED, near.neighbours.shape[1])
    first = np.repeat(np.arange(n), k)
    second, lengths = near.neighbours[:, :k].ravel(), near.lengths[:, :k].ravel()
    edges = sp.csr_matrix((lengths, (first, second)), shape=(n, n))
    _, part = connected_components(edges, directed=False)
    bridges = np.flatnonzero((plain.parent >= 0) & (part != part[plain.parent]))
    first = np.concatenate([first, bridges])
    second = np.concatenate([second, plain.parent[bridges]])
    lengths = np.concatenate([lengths, plain.delta[bridges]])
    half = sp.csr_matrix((lengths, (first, second)), shape=(n, n))
    # A distance is the same from both ends, and never 0 between nodes.
    both = sp.csr_matrix(half.maximum(half.T))
    both.sort_indices()
    ends = np.repeat(np.arange(n), np.diff(both.indptr)), both.indices
    scale = np.asarray(plain.scale)
    with np.errstate(over="ignore"):
        square = (both.data / scale[ends[0]]) * (both.data / scale[ends[1]])
        resistances = np.minimum(np.exp(2.0 * square), _LARGEST_RESISTANCE)
    return NeighbourGraph(
        both.indptr.astype(np.int64), both.indices.astype(np.int64), both.data, resistances
    )
