"""Attribution of a label to given labels: shares and paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import kernels
from lapoleaf._propagation.cut_forest import CutForest
from lapoleaf._propagation.exact import ExactSolver
from lapoleaf._propagation.result import Propagation
from lapoleaf._propagation.stages import child_weights
from lapoleaf._tree.kernels import path_between
from lapoleaf._typing import BoolArray, FloatArray, IntArray


def label_shares(
    forest: LeadingForest, count: FloatArray, result: Propagation, nodes: Sequence[int]
) -> FloatArray:
    """Return the share of every given label in the labels of some nodes.

    Shares are not negative and sum to 1; the label of a node is the mean of the given labels
    weighted by them (up to a constant, where labels are pulled to zero).

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    result : Propagation
        The result of the propagation in it.
    nodes : sequence of int
        The nodes to explain.

    Returns
    -------
    ndarray of shape (len(nodes), n_nodes)
        0 for nodes without a given label.
    """
    if result.settings.solver != "exact":
        given, weight = count > 0, child_weights(forest.tree)
        labelled = _labelled_by_stages(forest, given, weight)
        return np.stack(
            [
                _shares_below(forest, given, weight, labelled, _source(forest, labelled, result, i))
                for i in nodes
            ]
        )
    solver = ExactSolver.on(forest, count, result.settings)
    if result.settings.coupling > 0.0:
        return np.stack([solver.shares(int(node)) for node in nodes])
    cut = CutForest(forest, solver, count > 0)
    return np.stack([cut.solver.shares(cut.source_of(int(node))) for node in nodes])


def label_path(
    forest: LeadingForest, count: FloatArray, result: Propagation, node: int, given: int
) -> IntArray:
    """Return the path from a node to a given node whose label it got.

    The path follows links of the tree; if a tree borrowed its label from another, it goes from root
    to root.

    Parameters
    ----------
    forest, count, result
        See :func:`label_shares`.
    node : int
        The node whose label is explained: the path begins there.
    given : int
        A node that was given a label: the path ends there.
    """
    tree = forest.tree
    if result.settings.solver != "exact":
        labelled = _labelled_by_stages(forest, count > 0, child_weights(tree))
        source = _source(forest, labelled, result, node)
        if forest.tree_of[source] == forest.tree_of[node]:
            return path_between(tree.parent, tree.rank, node, given)
        up = forest.path(node)
        lender = forest.roots[result.lender[forest.tree_of[node]]]
        between = np.array([lender][: int(lender != source)], dtype=np.int64)
        return np.concatenate([up, between, path_between(tree.parent, tree.rank, source, given)])
    if result.settings.coupling == 0.0:
        cut = CutForest(forest, ExactSolver.on(forest, count, result.settings), count > 0)
        source = cut.source_of(int(node))
        if cut.lends_to_top(node):
            up = path_between(tree.parent, tree.rank, node, tree.root)
            return np.concatenate([up, path_between(tree.parent, tree.rank, source, given)])
    return path_between(tree.parent, tree.rank, node, given)


def _labelled_by_stages(forest: LeadingForest, given: BoolArray, weight: FloatArray) -> BoolArray:
    """Return the nodes that have a label after the first stage."""
    tree = forest.tree
    ones = np.zeros((tree.n_nodes, 1))
    _, labelled = kernels.upward_means(tree.order, tree.parent, forest.is_root, weight, ones, given)
    return labelled


def _source(forest: LeadingForest, labelled: BoolArray, result: Propagation, node: int) -> int:
    """Return the node from which ``node`` got its label in the three stages."""
    source = int(node)
    while not labelled[source] and not forest.is_root[source]:
        source = int(forest.tree.parent[source])
    if not labelled[source]:
        # An unlabelled root: continue at its lender, and at that tree's lender if it is the top.
        lender = result.lender[forest.tree_of[source]]
        source = int(forest.roots[result.lender[lender]])
    return source


def _shares_below(
    forest: LeadingForest, given: BoolArray, weight: FloatArray, labelled: BoolArray, source: int
) -> FloatArray:
    tree = forest.tree
    return kernels.shares_below(
        tree.order, tree.rank, tree.parent, forest.is_root, weight, labelled, given, source
    )
