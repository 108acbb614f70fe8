"""Which rows to label next: suggested ones, and the baselines of active learning."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

from benchmarks.methods import ours
from benchmarks.methods.method import QUERIES, Method
from lapoleaf._typing import FloatArray, IntArray
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
        Seed of the centres.

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


class Suggested:
    """The rows that our classifier suggests.

    Parameters
    ----------
    seed : int
        Not used: suggestions do not depend on chance.
    """

    learns = True

    def __init__(self, seed: int) -> None:
        pass

    def first(self, X: FloatArray, n: int) -> IntArray:
        """Return the rows that are suggested before there is any label."""
        return np.asarray(ours.classifier().suggest(n, X=X))

    def next(self, model: LaPOLeaFClassifier, n: int) -> IntArray:
        """Return the rows that the model suggests."""
        return np.asarray(model.suggest(n))


class AtRandom:
    """Random rows.

    Parameters
    ----------
    seed : int
        Which rows.
    """

    learns = False

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rng = np.random.default_rng((seed, 0))

    def first(self, X: FloatArray, n: int) -> IntArray:
        """Return rows at random."""
        return random_rows(len(X), n, self.seed)

    def next(self, model: LaPOLeaFClassifier, n: int) -> IntArray:
        """Return unlabelled rows at random."""
        return self._rng.permutation(np.flatnonzero(~model.given_))[:n]


class SmallestMargins:
    """The rows whose two most probable classes are nearest to each other; at first, random ones.

    Equal margins, as those of all rows while one class is known, come in random order.

    Parameters
    ----------
    seed : int
        Which rows at first, and in which order equal margins come.
    """

    learns = True

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rng = np.random.default_rng((seed, 1))

    def first(self, X: FloatArray, n: int) -> IntArray:
        """Return rows at random."""
        return random_rows(len(X), n, self.seed)

    def next(self, model: LaPOLeaFClassifier, n: int) -> IntArray:
        """Return the unlabelled rows with the smallest margins."""
        rows = self._rng.permutation(np.flatnonzero(~model.given_))
        order = np.argsort(margins(model.label_distributions_[rows]), kind="stable")
        return rows[order[:n]]


class MarginsAfterSuggested(SmallestMargins):
    """The rows with the smallest margins, after those that our classifier suggests at first."""

    def first(self, X: FloatArray, n: int) -> IntArray:
        """Return the rows that are suggested before there is any label."""
        return Suggested(self.seed).first(X, n)


class Centres:
    """The rows nearest to the centres of k-means, as many as labels in all: chosen once.

    Parameters
    ----------
    seed : int
        Seed of the centres.
    """

    learns = False

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def first(self, X: FloatArray, n: int) -> IntArray:
        """Return the rows nearest to the centres of n clusters."""
        return centre_rows(X, n, self.seed)


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


METHODS = (
    Method("suggest", QUERIES, Suggested, tags=("ours", "start", "rounds")),
    Method("margin, same start", QUERIES, MarginsAfterSuggested, tags=("rounds",)),
    Method("margin", QUERIES, SmallestMargins, tags=("rounds", "seeded")),
    Method("k-means", QUERIES, Centres, tags=("start", "rounds", "seeded")),
    Method("random", QUERIES, AtRandom, tags=("start", "rounds", "seeded")),
)
