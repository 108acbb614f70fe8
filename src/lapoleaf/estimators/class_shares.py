"""Shares of the classes among all rows, where the given labels do not determine them.

Labels are often given class by class, the same number of each. Shares among the labels then do not
estimate those among all rows, but the probabilities of the unlabelled rows do: expectation
maximisation (Saerens, Latinne and Decaestecker 2002) on calibrated probabilities (Alexandari,
Kundaje and Shrikumar 2020) finds the shares under which these are most likely.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray, IntArray

# With fewer labels per class nothing is estimated; from this many on the estimate is used in full.
_MIN_LABELS, _ENOUGH_LABELS = 5.0, 15.0
# Prior share of every class.
_PSEUDO_SHARE = 0.05
_N_STEPS = 50
# Standard deviation of the shares of classes beforehand.
_USUAL_DEVIATION = 0.4


def trust_in_rows(counts: FloatArray, n_nodes: IntArray) -> float:
    """Return the weight, from 0 to 1, of class shares estimated from all rows.

    It is 0 if classes have different numbers of labels, whose shares are then used. Equal numbers
    are taken as a design choice; with few labels they may be a coincidence.

    Parameters
    ----------
    counts : ndarray of shape (K,)
        Number of labels of every class, or their weight.
    n_nodes : ndarray of shape (K,)
        Number of nodes that were given every class: weights may be in any unit.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.class_shares import trust_in_rows
    >>> of_classes = [np.array(counts) for counts in ([20, 20], [10, 10], [25, 15], [2, 2])]
    >>> [trust_in_rows(counts, counts) for counts in of_classes]
    [1.0, 0.5, 0.0, 0.0]
    """
    if len(counts) < 2 or counts.max() - counts.min() > 1:
        return 0.0
    n_labels = min(float(counts.min()), float(n_nodes.min()))
    share = (n_labels - _MIN_LABELS) / (_ENOUGH_LABELS - _MIN_LABELS)
    return float(np.clip(share, 0.0, 1.0))


def reliability_of_shares(without: FloatArray, labels: FloatArray) -> float:
    """Return how reliable shares are that are estimated from probabilities, from 0 to 1.

    A share is estimated by the mean probability of a class among all rows, between that of rows of
    other classes and that of its own rows. Both are known from the given labels only, with an
    error; where they hardly differ the error of the share is large. Returned is the variance of
    shares beforehand, over this and the squared error together.

    Parameters
    ----------
    without : ndarray of shape (n_given, K)
        Probabilities of the given labels by leave-one-out.
    labels : ndarray of shape (n_given, K)
        The given labels.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.class_shares import reliability_of_shares
    >>> labels = np.repeat(np.eye(2), 20, axis=0)
    >>> good, chance = 0.9 * labels + 0.05, np.tile([[0.7, 0.3], [0.3, 0.7]], (20, 1))
    >>> [round(reliability_of_shares(found, labels), 2) for found in (good, chance)]
    [1.0, 0.0]
    """
    own = labels.sum(axis=0)
    others = len(labels) - own
    mean_own = (labels * without).sum(axis=0) / own
    mean_others = ((1.0 - labels) * without).sum(axis=0) / others
    variance_own = (labels * (without - mean_own) ** 2).sum(axis=0) / own
    variance_others = ((1.0 - labels) * (without - mean_others) ** 2).sum(axis=0) / others
    difference, variance = mean_own - mean_others, variance_own / own + variance_others / others
    if (difference <= 0.0).any():
        return 0.0
    squares = variance / difference**2
    return float(_USUAL_DEVIATION**2 / (_USUAL_DEVIATION**2 + squares.mean()))


def estimated_shares(probabilities: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the shares of the classes, estimated from probabilities for a uniform prior.

    Parameters
    ----------
    probabilities : ndarray of shape (n, K)
        Calibrated probabilities of rows, for equal shares of the classes.
    weight : ndarray of shape (n,)
        Weights of the rows.

    Returns
    -------
    ndarray of shape (K,)
        Shares that sum to 1.
    """
    n_classes = probabilities.shape[1]
    total = float(weight.sum())
    shares = np.full(n_classes, 1.0 / n_classes)
    for _ in range(_N_STEPS):
        expected = probabilities * shares
        expected /= expected.sum(axis=1, keepdims=True)
        shares = weight @ expected + _PSEUDO_SHARE * total
        shares /= shares.sum()
    found: FloatArray = shares
    return found


def constants_for(probabilities: FloatArray, weight: FloatArray, shares: FloatArray) -> FloatArray:
    """Return constants of the class scores that make mean probabilities equal given shares.

    Parameters
    ----------
    probabilities : ndarray of shape (n, K)
        Probabilities of rows.
    weight : ndarray of shape (n,)
        Weights of the rows.
    shares : ndarray of shape (K,)
        The wanted shares; classes of share 0 become very improbable.
    """
    wanted = np.maximum(shares, 1e-9)
    wanted = wanted / wanted.sum()
    factors = np.ones(len(shares))
    for _ in range(_N_STEPS):
        found = probabilities * factors
        found /= found.sum(axis=1, keepdims=True)
        factors *= wanted / np.maximum(weight @ found / weight.sum(), 1e-300)
        factors /= factors.max()
    logarithms = np.log(np.maximum(factors, 1e-12))
    constants: FloatArray = logarithms - logarithms.mean()
    return constants
