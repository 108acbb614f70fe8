"""Labels in an ensemble of forests after a few given labels have changed."""

from __future__ import annotations

import numpy as np

from lapoleaf._propagation.forest_stack import ForestStack, own_weights
from lapoleaf._propagation.rank_one import OwnLabel, influence_of
from lapoleaf._typing import FloatArray, IntArray


def changed_nodes(
    labels: FloatArray, count: FloatArray, new_labels: FloatArray, new_count: FloatArray
) -> IntArray:
    """Return the nodes whose given labels have changed, ascending.

    Parameters
    ----------
    labels, count : ndarray of shape (n_nodes, K), (n_nodes,)
        The given labels and their numbers before.
    new_labels, new_count : ndarray of shape (n_nodes, K), (n_nodes,)
        Those now.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._propagation.changes import changed_nodes
    >>> changed_nodes(np.eye(3), np.ones(3), np.eye(3)[[0, 0, 2]], np.array([1.0, 1.0, 2.0]))
    array([1, 2])
    """
    either = np.flatnonzero((count > 0) | (new_count > 0))
    differ = (labels[either] != new_labels[either]).any(axis=1)
    changed: IntArray = either[differ | (count[either] != new_count[either])]
    return changed


def labels_after_changes(
    stack: ForestStack,
    found: FloatArray,
    given: tuple[FloatArray, FloatArray],
    new: tuple[FloatArray, FloatArray],
    mu: float,
    threads: int = 1,
) -> FloatArray | None:
    """Return the mean labels of all nodes over forests after a rank-one update per changed node.

    Parameters
    ----------
    stack : ForestStack
        The forests.
    found : ndarray of shape (n_nodes, K)
        Labels of all nodes before, the mean over forests.
    given, new : tuple of ndarray of shape (n_nodes, K), ndarray of shape (n_nodes,)
        The given labels and their numbers before, and now.
    mu : float
        Weight of a given label.
    threads : int, default=1
        Number of threads.

    Returns
    -------
    ndarray of shape (n_nodes, K), or None
        None if a full pass is needed: no other label is left, or links are so weak that an update
        is not finite.
    """
    labels, own = given[0].copy(), own_weights(given[1], mu)
    wanted = own_weights(new[1], mu)
    found = found.copy()
    for node in changed_nodes(*given, *new).tolist():
        before = OwnLabel(float(own[node]), labels[node].copy())
        after = OwnLabel(float(wanted[node]), new[0][node])
        own[node] = 0.0
        if not own.any():
            return None
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            change = influence_of(stack, labels, own, node, threads).change(before, after)
        if not np.isfinite(change).all():
            return None
        found += change
        labels[node], own[node] = new[0][node], wanted[node]
    return found
