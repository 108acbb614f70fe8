"""Concern: the importance of the label of every node, given the labels so far."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray

# Minimum uncertainty of a node.
_MIN_UNSURENESS = 1e-3
# Variances are clipped at this multiple of the median, so that outliers do not dominate.
_MAX_RELATIVE_VARIANCE = 20.0


def unsureness(distributions: FloatArray) -> FloatArray:
    """Return the uncertainty between the two most probable classes of every node: 1 for a tie.

    Parameters
    ----------
    distributions : ndarray of shape (n, K)
        Probabilities of the classes.

    Returns
    -------
    ndarray of shape (n,)
        One minus the margin, at least 0.001; 1 everywhere if there is only one class.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._queries import unsureness
    >>> unsureness(np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]]))
    array([1. , 0.5])
    """
    if distributions.shape[1] < 2:
        return np.ones(len(distributions))
    second, first = np.sort(distributions, axis=1)[:, -2:].T
    unsure: FloatArray = np.maximum(1.0 - (first - second), _MIN_UNSURENESS)
    return unsure


def bounded_concern(population: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the population of every node, reduced for outliers of the variance.

    Without a bound, a few isolated points with a huge variance would make up nearly all of the sum
    of the variances.

    Parameters
    ----------
    population, precision : ndarray of shape (n,)
        Weight and inverse variance of every node; the precision of a clamped label is infinite.

    Returns
    -------
    ndarray of shape (n,)
        Concern that bounds every variance at 20 times the median.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._queries import bounded_concern
    >>> bounded_concern(np.ones(4), np.array([np.inf, 1.0, 1.0, 0.01]))
    array([1. , 1. , 1. , 0.2])
    """
    uncertain = np.isfinite(precision)
    if not uncertain.any():
        return population
    with np.errstate(divide="ignore"):
        bound = np.median(1.0 / precision[uncertain]) * precision * _MAX_RELATIVE_VARIANCE
    concern: FloatArray = population * np.where(uncertain, np.minimum(bound, 1.0), 1.0)
    return concern
