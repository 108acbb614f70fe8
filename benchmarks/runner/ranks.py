"""Ranks of methods over data sets, and their significance (Demšar, 2006)."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata, studentized_range

from lapoleaf._typing import FloatArray

# Scores of two methods on a data set that differ by no more than this are a tie.
_TIE = 0.001


def ranks(scores: FloatArray) -> FloatArray:
    """Rank the methods, the first axis: 1 has the highest score, equal scores share their ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.runner.ranks import ranks
    >>> ranks(np.array([[0.9, 0.5], [0.8, 0.5], [0.7, 0.6]])).tolist()
    [[1.0, 2.5], [2.0, 2.5], [3.0, 1.0]]
    """
    # Means that differ in the last bits only are equal.
    return np.asarray(rankdata(-np.round(scores, 12), axis=0))


def critical_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return the critical difference of mean ranks by Nemenyi's test.

    Parameters
    ----------
    n_methods : int
        Number of methods, two or more.
    n_sets : int
        Number of data sets they were ranked on.
    alpha : float, default=0.05
        Probability of finding any difference where there is none.

    Examples
    --------
    >>> from benchmarks.runner.ranks import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def groups_alike(mean_ranks: FloatArray, difference: float) -> list[tuple[int, int]]:
    """Return the longest runs of methods whose mean ranks differ by less than the difference.

    Parameters
    ----------
    mean_ranks : ndarray of shape (k,)
        Mean ranks, ascending.
    difference : float
        The critical difference.

    Returns
    -------
    list of tuple of int
        First and last method of every run of two or more that is in no longer one.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.runner.ranks import groups_alike
    >>> groups_alike(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    groups = []
    reached = 0
    for first, rank in enumerate(mean_ranks):
        last = int(np.searchsorted(mean_ranks, rank + difference)) - 1
        if last > max(first, reached):
            groups.append((first, last))
            reached = last
    return groups


def ahead_level_behind(gains: FloatArray) -> str:
    """Count on how many data sets a method is ahead of another, level with it and behind it.

    Parameters
    ----------
    gains : ndarray
        By how much its scores are higher; within 0.1 points they are level.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.runner.ranks import ahead_level_behind
    >>> ahead_level_behind(np.array([0.02, -0.0005, 0.1, -0.3]))
    '2 / 1 / 1'
    """
    won, lost = int((gains > _TIE).sum()), int((gains < -_TIE).sum())
    return f"{won} / {gains.size - won - lost} / {lost}"
