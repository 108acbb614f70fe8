"""Stability over random trees: cut the links that most of them separate.

Evidence accumulation (Fred and Jain, IEEE TPAMI 27, 2005): many partitions vote on which nodes
belong together, and the clusters that persist over the longest range of numbers of trees are
chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapoleaf._forest import kernels
from lapoleaf._forest.gap import most_clusters
from lapoleaf._forest.structure import LeadingForest, centre_order
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.structure import ranks
from lapoleaf._typing import FloatArray, IntArray

# Minimum number of distinct points of a cluster.
_MIN_CLUSTER_SIZE = 5


def separating_medians(tree: LeadingTree, others: Sequence[LeadingTree]) -> FloatArray:
    """Return the number of trees from which on most other trees separate each node from its leader.

    Parameters
    ----------
    tree : LeadingTree
        The tree whose links are evaluated.
    others : sequence of LeadingTree
        Trees of the same nodes.

    Returns
    -------
    ndarray of shape (n_nodes,)
        If cut into at least this number of trees, by gamma, more than half of the other trees
        separate the two; 0 for the root, infinite for nodes whose subtree has fewer than five
        nodes.
    """
    led = np.flatnonzero(tree.parent >= 0)
    numbers = np.empty((len(others), len(led)), dtype=np.int64)
    for which, other in enumerate(others):
        place = ranks(centre_order(other))
        numbers[which] = kernels.separating_numbers(
            other.parent, other.rank, place, led, tree.parent[led]
        )
    numbers.sort(axis=0)
    medians = np.zeros(tree.n_nodes)
    medians[led] = numbers[len(others) // 2]
    sizes = LeadingForest(tree, np.array([tree.root])).subtree_size
    medians[(sizes < _MIN_CLUSTER_SIZE) & (tree.parent >= 0)] = np.inf
    return medians


def longest_lived(medians: FloatArray, most: int) -> int:
    """Return the most persistent number of clusters while trees are cut into 2, ..., ``most``.

    Parameters
    ----------
    medians : ndarray of shape (n,)
        Number of trees from which on every node is a root; 0 for the root of the whole tree.
    most : int
        The largest number of trees.

    Examples
    --------
    There are two clusters for 3 and 4 trees, three for 5 to 10, and four from 11 on.

    >>> import numpy as np
    >>> from lapoleaf._forest.stability import longest_lived
    >>> longest_lived(np.array([0.0, 3.0, 5.0, 11.0, 40.0]), most=12)
    3
    """
    born, n_new = np.unique(medians[medians <= most], return_counts=True)
    if len(born) < 2:
        return 1
    lifetimes = np.diff(np.append(born, most + 1.0))
    # The first is that of one cluster.
    return int(np.cumsum(n_new)[1 + int(np.argmax(lifetimes[1:]))])


def stable_number(medians: FloatArray) -> int:
    """Return the most persistent number of clusters, up to the root of the number of nodes."""
    return longest_lived(medians, most_clusters(len(medians)))


def first_roots(tree: LeadingTree, values: FloatArray, n_trees: int) -> IntArray:
    """Return the nodes with the smallest values, the root of the whole tree first.

    Ties are broken by gamma.

    Parameters
    ----------
    tree : LeadingTree
        The tree.
    values : ndarray of shape (n_nodes,)
        A value for every node.
    n_trees : int
        Number of nodes.
    """
    centres = centre_order(tree)
    others = centres[1:]
    chosen = others[np.argsort(values[others], kind="stable")][: n_trees - 1]
    return np.append(centres[:1], chosen)
