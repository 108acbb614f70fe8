"""Seeded choices of labelled rows, the same for all methods."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray, IntArray


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
    >>> from benchmarks.data.splits import labels_a_class
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
    """Choose as many rows as :func:`labels_a_class` does, independently of their classes.

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


def labels_of_every_class(y: IntArray, total: int, seed: int) -> BoolArray:
    """Choose one row of every class, then others at random; at most half of all rows.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    total : int
        Number of labels. Where it exceeds half of the rows, half of them are chosen; where it is
        below the number of classes, one row of every class is.
    seed : int
        Which split.

    Returns
    -------
    ndarray of shape (n,), bool
        The rows whose label is given.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.data.splits import labels_of_every_class
    >>> y = np.repeat([0, 1, 2], [20, 5, 1])
    >>> given = labels_of_every_class(y, 6, seed=0)
    >>> int(given.sum()), np.unique(y[given]).tolist()
    (6, [0, 1, 2])
    """
    rows = np.random.default_rng((seed, total)).permutation(len(y))
    # In random order, so that the first row of a class is a random one.
    firsts = np.unique(y[rows], return_index=True)[1]
    others = np.delete(rows, firsts)
    given = np.zeros(len(y), dtype=bool)
    given[rows[firsts]] = True
    given[others[: max(0, min(total, len(y) // 2) - len(firsts))]] = True
    return given


def equal_classes(y: IntArray, seed: int, fewest: int = 20) -> IntArray:
    """Choose rows so that classes are of one size: that of the smallest, or ``fewest``.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    seed : int
        Which split.
    fewest : int, default=20
        No class is cut below this; smaller ones stay as they are.

    Returns
    -------
    ndarray of shape (m,), int
        The rows that stay, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.data.splits import equal_classes
    >>> y = np.repeat([0, 1, 2], [100, 30, 50])
    >>> np.bincount(y[equal_classes(y, seed=0)]).tolist()
    [30, 30, 30]
    """
    rng = np.random.default_rng((seed, len(y)))
    classes, counts = np.unique(y, return_counts=True)
    size = max(int(counts.min()), fewest)
    kept = [rng.permutation(np.flatnonzero(y == label))[:size] for label in classes]
    return np.sort(np.concatenate(kept))


def thinned_classes(y: IntArray, seed: int, ratio: float = 10.0) -> IntArray:
    """Choose rows so that classes become unbalanced: step by step, down to one row in ``ratio``.

    The order of the classes is random. Every class keeps at least four rows, or all of its own.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    seed : int
        Which split.
    ratio : float, default=10.0
        How much the last class is thinned; the first one is not.

    Returns
    -------
    ndarray of shape (m,), int
        The rows that stay, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.data.splits import thinned_classes
    >>> y = np.repeat([0, 1, 2], 100)
    >>> sorted(np.bincount(y[thinned_classes(y, seed=0)]).tolist())
    [10, 32, 100]
    """
    rng = np.random.default_rng((seed, len(y)))
    classes = rng.permutation(np.unique(y))
    shares = ratio ** -np.linspace(0.0, 1.0, len(classes))
    kept = []
    for label, share in zip(classes, shares, strict=True):
        rows = rng.permutation(np.flatnonzero(y == label))
        kept.append(rows[: max(4, round(share * len(rows)))])
    return np.sort(np.concatenate(kept))


def flipped_labels(y: IntArray, given: BoolArray, seed: int, share: float = 0.2) -> IntArray:
    """Return the classes with a share of the given ones turned into others at random.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes, numbered from 0.
    given : ndarray of shape (n,), bool
        The rows whose label is given.
    seed : int
        Which split.
    share : float, default=0.2
        Share of the given labels that become wrong; at least one of three labels and more.

    Returns
    -------
    ndarray of shape (n,), int
        The classes, some of those given wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.data.splits import flipped_labels
    >>> y = np.repeat([0, 1, 2], 10)
    >>> int((flipped_labels(y, np.arange(30) < 15, seed=0) != y).sum())
    3
    """
    rng = np.random.default_rng((seed, int(given.sum())))
    rows = rng.permutation(np.flatnonzero(given))
    rows = rows[: max(round(share * len(rows)), int(len(rows) >= 3))]
    n_classes = int(y.max()) + 1
    noisy = y.copy()
    noisy[rows] = (y[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return noisy
