"""Groups of labels that are left out together, for experts without closed-form leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from lapoleaf._decision_trees import Entries, RandomTrees
from lapoleaf._typing import FloatArray, IntArray

_N_GROUPS = 10


def groups_of(codes: IntArray) -> IntArray:
    """Return the group of every label; each has about a tenth, never all labels of a class.

    The only label of a class has the group -1, which is never left out.

    Parameters
    ----------
    codes : ndarray of shape (m,)
        Class of every label.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.experts.groups import groups_of
    >>> groups_of(np.array([0, 0, 1, 1, 1, 2]))
    array([ 0,  1,  2,  3,  4, -1])
    """
    group = np.full(len(codes), -1)
    n_groups, next_group = min(_N_GROUPS, len(codes)), 0
    for code in np.unique(codes):
        places = np.flatnonzero(codes == code)
        if len(places) > 1:
            group[places] = (next_group + np.arange(len(places))) % n_groups
            next_group += len(places)
    return group


def shares_without(
    labels: FloatArray, shares_by: Callable[[IntArray, IntArray, int], FloatArray]
) -> FloatArray:
    """Return the class shares (m, K) of every label, predicted without its group.

    For the only label of a class all classes are equal.

    Parameters
    ----------
    labels : ndarray of shape (m, K)
        The labels.
    shares_by : callable
        Takes the labels that are kept, those that are left out (both as places), and the number of
        the group; returns shares (n_left_out, K) of the latter, learnt from the former.
    """
    group = groups_of(labels.argmax(axis=1))
    shares = np.full(labels.shape, 1.0 / labels.shape[1])
    for number in range(int(group.max()) + 1):
        left_out = np.flatnonzero(group == number)
        shares[left_out] = shares_by(np.flatnonzero(group != number), left_out, number)
    return shares


def random_groups(m: int) -> IntArray:
    """Return random groups of ``m`` numbers, each with about a tenth of them.

    They depend on ``m`` alone: sort the numbers first to be independent of the order of rows.

    Parameters
    ----------
    m : int
        How many numbers there are.

    Examples
    --------
    >>> from lapoleaf.estimators.experts.groups import random_groups
    >>> random_groups(4)
    array([2, 0, 1, 3])
    """
    groups: IntArray = np.arange(m) % min(_N_GROUPS, m)
    return np.random.default_rng(0).permutation(groups)


def trees_without(
    group: IntArray,
    columns: FloatArray,
    entries: Entries,
    seeds: Sequence[int],
    n_tried: int,
    threads: int,
) -> RandomTrees:
    """Return trees grown without each group of labels in turn, the same number for each.

    Parameters
    ----------
    group : ndarray of shape (m,)
        Group of every label.
    columns, entries, seeds, n_tried, threads
        See :meth:`~lapoleaf._decision_trees.RandomTrees.grown`.
    """
    n_groups = int(group.max()) + 1
    kept = [np.flatnonzero(group != number) for number in range(n_groups)]
    rows = [some for some in kept for _ in range(len(seeds) // n_groups)]
    return RandomTrees.grown(columns, entries, seeds, n_tried, rows, threads)


def left_out_by(trees: RandomTrees, group: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the labels of every group, and the trees that were grown without them."""
    of_groups = np.arange(len(trees.roots)).reshape(int(group.max()) + 1, -1)
    for number, which in enumerate(of_groups):
        yield np.flatnonzero(group == number), which
