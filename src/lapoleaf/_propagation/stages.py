"""The three stages of the paper: children to parent, root to root, parent to children."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import kernels
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import BoolArray, FloatArray, IntArray, PairDistance

# Minimum weight, so that a single label always counts.
_MIN_WEIGHT = 1e-300
# Pairs of roots measured at a time.
_MAX_PAIRS_MEASURED = 2**18


def three_stages(forest: LeadingForest, labels: FloatArray, given: BoolArray) -> Propagation:
    """Propagate label vectors (n_nodes, K) by the paper's three stages."""
    labels, labelled = children_to_parent(forest, labels, given)
    labels, labelled, lender = root_to_root(forest, labels, labelled)
    labels = parent_to_children(forest, labels, labelled)
    return Propagation(labels, Settings(solver="stages"), lender)


def children_to_parent(
    forest: LeadingForest, labels: FloatArray, given: BoolArray
) -> tuple[FloatArray, BoolArray]:
    """Label every parent with the weighted mean of its labelled children, bottom up.

    The weight of a child is its population over its delta. A given label is never overwritten.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    labels : ndarray of shape (n_nodes, K)
        Label vectors; 0 where not given.
    given : ndarray of shape (n_nodes,), bool
        Nodes whose label was given.

    Returns
    -------
    labels : ndarray of shape (n_nodes, K)
        Label vectors after the stage.
    labelled : ndarray of shape (n_nodes,), bool
        Nodes that have one now.
    """
    tree = forest.tree
    weight = child_weights(tree)
    return kernels.upward_means(tree.order, tree.parent, forest.is_root, weight, labels, given)


def child_weights(tree: LeadingTree) -> FloatArray:
    """Return the weight of every node for its parent: population over delta.

    Only ratios matter, so weights are scaled to a maximum of 1, and sums are finite for any units.
    """
    if tree.n_nodes == 1:
        return np.ones(1)
    # Both factors are bounded below, so that no weight underflows.
    nearness = np.maximum(tree.delta.min() / tree.delta, _MIN_WEIGHT)
    weight: FloatArray = nearness * np.maximum(tree.population / tree.population.max(), _MIN_WEIGHT)
    return np.maximum(weight, _MIN_WEIGHT)


def root_to_root(
    forest: LeadingForest, labels: FloatArray, labelled: BoolArray
) -> tuple[FloatArray, BoolArray, IntArray]:
    """Label the root of every unlabelled tree with the label of a labelled root.

    The lender is the nearest of the roots above it in the uncut tree that were labelled from
    within; if the root of the whole tree has no label, it first takes that of the nearest lender
    anywhere. A borrower never lends.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    labels : ndarray of shape (n_nodes, K)
        Label vectors after :func:`children_to_parent`.
    labelled : ndarray of shape (n_nodes,), bool
        Nodes that have one.

    Returns
    -------
    labels : ndarray of shape (n_nodes, K)
        Label vectors after the stage.
    labelled : ndarray of shape (n_nodes,), bool
        Nodes that have one now, including all roots.
    lender : ndarray of shape (n_trees,)
        For every tree the tree it borrowed from; itself if it did not.
    """
    roots = forest.roots
    lends = labelled[roots]
    lender = np.arange(forest.n_trees)
    if not lends[0]:
        lender[0] = nearest_lender_of_top(roots, lends, forest.distance)
        lends = lends.copy()
        lends[0] = True
    borrowers = np.flatnonzero(~lends)
    if len(borrowers):
        lender[borrowers] = _nearest_lenders_above(forest, borrowers, lends)
    # The label of the top tree may itself be borrowed, and is passed on.
    source = np.where(lender == 0, lender[0], lender)
    labels, labelled = labels.copy(), labelled.copy()
    labels[roots] = labels[roots[source]]
    labelled[roots] = True
    return labels, labelled, lender


def parent_to_children(
    forest: LeadingForest, labels: FloatArray, labelled: BoolArray
) -> FloatArray:
    """Label every unlabelled child with the label of its parent, from the roots down.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    labels : ndarray of shape (n_nodes, K)
        Label vectors after :func:`root_to_root`.
    labelled : ndarray of shape (n_nodes,), bool
        Nodes that have one, including all roots.

    Returns
    -------
    ndarray of shape (n_nodes, K)
        Label vectors of all nodes.
    """
    return kernels.downward_copies(forest.tree.order, forest.tree.parent, labels, labelled)


def nearest_lender_of_top(roots: IntArray, lends: BoolArray, distance: PairDistance | None) -> int:
    """Return the lending tree whose root is nearest to that of the top tree."""
    lenders = np.flatnonzero(lends)
    if distance is None:
        return int(lenders[0])
    top = np.full(len(lenders), roots[0])
    return int(lenders[np.argmin(distance(top, roots[lenders]))])


def _nearest_lenders_above(
    forest: LeadingForest, borrowers: IntArray, lends: BoolArray
) -> IntArray:
    """Return the nearest lender on the way up from each borrower; ties: the first on the way."""
    tree, roots = forest.tree, forest.roots
    by_rank = np.argsort(tree.rank[roots])
    above = kernels.lenders_above(roots, by_rank, tree.parent, forest.tree_of, lends)
    if forest.distance is None:
        return above[borrowers]
    steps = _lenders_on_the_way(above, by_rank)
    found = np.empty(len(borrowers), dtype=np.int64)
    for part in _parts(steps[borrowers]):
        start = np.concatenate([[0], np.cumsum(steps[borrowers[part]])])
        listed = kernels.ways_up(borrowers[part], above, start)
        asking = np.repeat(borrowers[part], np.diff(start))
        lengths = forest.distance(roots[asking], roots[listed])
        nearest = np.minimum.reduceat(lengths, start[:-1])
        hits = np.flatnonzero(lengths == np.repeat(nearest, np.diff(start)))
        found[part] = listed[hits[np.searchsorted(hits, start[:-1])]]
    return found


def _lenders_on_the_way(above: IntArray, by_rank: IntArray) -> IntArray:
    """Count the lenders above every tree."""
    steps = np.zeros(len(above), dtype=np.int64)
    for t in by_rank:
        if above[t] >= 0:
            steps[t] = steps[above[t]] + 1
    return steps


def _parts(sizes: IntArray) -> Iterator[slice]:
    """Split consecutive lists into slices of bounded total size, at least one list each."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _MAX_PAIRS_MEASURED, side="right")))
        yield slice(start, stop)
        start = stop
