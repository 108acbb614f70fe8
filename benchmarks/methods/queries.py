"""Which rows to ask for labels: ways that do without forests, and those that ask the model."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

from lapoleaf._typing import FloatArray, IntArray
from benchmarks.suggest.learning_curve import Choose
from lapoleaf.estimators import LaPOLeaFClassifier


def random_rows(n_rows: int, n: int, seed: int) -> IntArray:
    """Return ``n`` of the rows at random."""
    return np.random.default_rng((seed, n_rows)).permutation(n_rows)[:n]


def centre_rows(X: FloatArray, n: int, seed: int) -> IntArray:
    """Return the rows nearest to the centres of k-means with ``n`` clusters, no row twice.

    Parameters
    ----------
    X : ndarray of shape (n_rows, d)
        The rows, scaled.
    n : int
        Number of clusters, at most that of the rows.
    seed : int
        Where the centres begin.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.methods.queries import centre_rows
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> sorted(centre_rows(X, 2, seed=0).tolist())
    [1, 4]
    """
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters: centres coincide, their rows do not.
        warnings.simplefilter("ignore", ConvergenceWarning)
        centres = KMeans(n, n_init=1, random_state=seed).fit(X).cluster_centers_
    rows: list[int] = []
    for distances in pairwise_distances(centres, X):
        distances[rows] = np.inf
        rows.append(int(distances.argmin()))
    return np.array(rows)


def suggested(model: LaPOLeaFClassifier, n: int) -> IntArray:
    """Return the rows that the model suggests."""
    return np.asarray(model.suggest(n))


def at_random(seed: int) -> Choose:
    """Return what chooses unlabelled rows at random."""
    rng = np.random.default_rng((seed, 0))

    def choose(model: LaPOLeaFClassifier, n: int) -> IntArray:
        return rng.permutation(np.flatnonzero(~model.given_))[:n]

    return choose


def smallest_margins(seed: int) -> Choose:
    """Return what chooses the rows whose two most probable classes are nearest to each other.

    Equal margins, as those of all rows while one class is known, come in random order.
    """
    rng = np.random.default_rng((seed, 1))

    def choose(model: LaPOLeaFClassifier, n: int) -> IntArray:
        rows = rng.permutation(np.flatnonzero(~model.given_))
        order = np.argsort(margins(model.label_distributions_[rows]), kind="stable")
        return rows[order[:n]]

    return choose


def margins(probabilities: FloatArray) -> FloatArray:
    """Return the difference of the two largest probabilities of every row; 1 where there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.methods.queries import margins
    >>> margins(np.array([[0.25, 0.5, 0.25], [0.0, 0.25, 0.75]])).tolist()
    [0.25, 0.5]
    """
    ordered = np.sort(probabilities, axis=1)
    second = ordered[:, -2] if ordered.shape[1] > 1 else 0.0
    return np.asarray(ordered[:, -1] - second)
