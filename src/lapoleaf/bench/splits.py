"""Which rows have a label: seeded, so that all methods get the same ones."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray


def labels_a_class(y: AnyArray, rate: int, seed: int) -> BoolArray:
    """Choose ``rate`` rows of every class at random, of a small class at most half.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    rate : int
        Number of labels a class.
    seed : int
        Which split.

    Returns
    -------
    ndarray of shape (n,), bool
        The rows whose label is given.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.bench.splits import labels_a_class
    >>> y = np.repeat([0, 1, 2], [10, 5, 1])
    >>> np.bincount(y[labels_a_class(y, 3, seed=0)], minlength=3)
    array([3, 2, 0])
    """
    rng = np.random.default_rng((seed, rate))
    given = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        given[rng.permutation(rows)[: min(rate, len(rows) // 2)]] = True
    return given


def labels_at_random(y: AnyArray, rate: int, seed: int) -> BoolArray:
    """Choose as many rows as :func:`labels_a_class` does, whatever their classes.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    rate : int
        Number of labels a class, on average.
    seed : int
        Which split.

    Returns
    -------
    ndarray of shape (n,), bool
        The rows whose label is given.
    """
    total = int(labels_a_class(y, rate, seed).sum())
    return share_at_random(len(y), total / len(y), seed)


def share_at_random(n: int, share: float, seed: int) -> BoolArray:
    """Choose a share of ``n`` rows at random, at least two.

    Parameters
    ----------
    n : int
        Number of rows.
    share : float
        Share of them, between 0 and 1.
    seed : int
        Which split.

    Returns
    -------
    ndarray of shape (n,), bool
        The rows whose label is given.
    """
    given = np.zeros(n, dtype=bool)
    rows = np.random.default_rng((seed, n)).permutation(n)
    given[rows[: max(2, round(share * n))]] = True
    return given
