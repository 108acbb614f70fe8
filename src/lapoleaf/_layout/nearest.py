"""The nearest nodes of every node, which pull beside the links of trees where nodes are few.

Trees link three quarters of the 15 nearest nodes. Among many nodes others stand for those that
are missing; among few, maps are better with all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._tree import LeadingTree, nearest_other_nodes
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._typing import FloatArray, IntArray

# With more nodes, their distances take longer than the map. Nearest nodes that pull each.
MAX_NODES_SEARCHED, N_NEAREST = 2_000, 30


class NearestNodes(NamedTuple):
    """Nodes that are near each node.

    Attributes
    ----------
    nodes : ndarray of shape (k, n_nodes)
        The nearest, the next, ... of every node; -1 for none.
    strengths : ndarray of shape (k, n_nodes)
        How strong the links to them are: those of links of trees, for any two nodes.
    """

    nodes: IntArray
    strengths: FloatArray


def few_nearest_nodes(tree: LeadingTree, threads: int = 1) -> NearestNodes | None:
    """Return the nearest nodes of every node; None for many nodes and without distances.

    Parameters
    ----------
    tree : LeadingTree
        A tree of the nodes.
    threads : int
        Number of threads; the result does not depend on it.
    """
    points, scale = tree.points, tree.scale
    if points is None or scale is None or tree.n_nodes > MAX_NODES_SEARCHED:
        return None
    nodes, lengths = nearest_other_nodes(tree, N_NEAREST, threads)
    own = np.repeat(scale, nodes.shape[1])
    strengths = link_strengths(lengths.ravel(), own, scale[nodes.ravel()]).reshape(nodes.shape)
    known = lengths < points.missing
    return NearestNodes(np.where(known, nodes, -1).T, np.where(known, strengths, 0.0).T)
