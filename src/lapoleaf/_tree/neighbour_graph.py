"""The neighbour graph along which leaders in random trees are searched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._density import Neighbourhoods
from lapoleaf._tree import link_kernels
from lapoleaf._tree.structure import LeadingTree, ranks
from lapoleaf._typing import FloatArray, IntArray

# Number of neighbours of a node.
N_GRAPH_NEIGHBOURS = 10


class NeighbourGraph(NamedTuple):
    """Nodes joined to their nearest neighbours, in compressed rows.

    Attributes
    ----------
    start : ndarray of shape (n + 1,)
        The edges of node i are those from ``start[i]`` to ``start[i + 1]``, the least resistance
        first.
    neighbours, lengths, resistances : ndarray of shape (n_edges,)
        End, length and resistance of every edge: see :mod:`link_kernels`.
    """

    start: IntArray
    neighbours: IntArray
    lengths: FloatArray
    resistances: FloatArray


def neighbour_graph(plain: LeadingTree, near: Neighbourhoods) -> NeighbourGraph:
    """Return the graph of the 10 nearest neighbours, connected by links of the plain tree.

    Parameters
    ----------
    plain : LeadingTree
        The tree by the Gaussian density, which connects everything.
    near : Neighbourhoods
        Neighbours of all nodes.

    Returns
    -------
    NeighbourGraph
        The graph of nodes or, if ``near`` has an order, of their places in it, for locality in
        memory.
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
