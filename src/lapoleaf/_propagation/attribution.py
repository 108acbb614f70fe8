"""Which given labels made a label, and how much each of them counted."""

from __future__ import annotations

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import kernels
from lapoleaf._propagation.exact_labels import exact_shares
from lapoleaf._propagation.result import Propagation
from lapoleaf._propagation.stages import child_weights
from lapoleaf._typing import BoolArray, FloatArray


def label_shares(
    forest: LeadingForest, count: FloatArray, result: Propagation, node: int
) -> FloatArray:
    """Return the share of every given label in the label of ``node``.

    Shares are not negative and sum to 1; the label of the node is the mean of the given labels
    weighted by them (up to a constant, where labels are pulled to zero).

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    result : Propagation
        What :func:`lapoleaf.propagate` gave for these.
    node : int
        The node to explain.

    Returns
    -------
    ndarray of shape (n_nodes,)
        0 for nodes without a given label.
    """
    if result.settings.solver == "exact":
        return exact_shares(forest, count, result, node)
    return _stage_shares(forest, count > 0, result, node)


def _stage_shares(
    forest: LeadingForest, given: BoolArray, result: Propagation, node: int
) -> FloatArray:
    tree = forest.tree
    weight = child_weights(tree)
    ones = np.zeros((tree.n_nodes, 1))
    _, labelled = kernels.upward_means(tree.order, tree.parent, forest.is_root, weight, ones, given)
    source = int(node)
    while not labelled[source] and not forest.is_root[source]:
        source = int(tree.parent[source])
    if not labelled[source]:
        # An unlabelled root: go where it borrowed, and where that tree borrowed if it is the top.
        lender = result.lender[forest.tree_of[source]]
        source = int(forest.roots[result.lender[lender]])
    return kernels.shares_below(
        tree.order, tree.rank, tree.parent, forest.is_root, weight, labelled, given, source
    )
