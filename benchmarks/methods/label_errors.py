"""Wrong labels among the given ones: by our classifier, and by confident learning.

Northcutt, Jiang and Chuang, Confident Learning: Estimating Uncertainty in Dataset Labels, 2021.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks.methods.case import Case
from benchmarks.methods.method import LABEL_ERRORS, Method
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """Given labels of which some may be wrong.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The rows with labels.
    y : ndarray of shape (n,)
        Their labels, -1 elsewhere.
    classes : ndarray of shape (n_given,)
        The classes among them.
    codes : ndarray of shape (m,)
        The labels as places in ``classes``.
    """

    rows: IntArray
    y: IntArray
    classes: IntArray
    codes: IntArray


@dataclass(frozen=True, eq=False)
class Doubts:
    """Doubts about labels.

    Attributes
    ----------
    doubt : ndarray of shape (m,)
        The larger, the more likely a label is wrong.
    flagged : ndarray of shape (m,), bool
        Labels that are called wrong: listed by ours, counted by the confident joint.
    """

    doubt: FloatArray
    flagged: BoolArray


def confident_doubts(probabilities: FloatArray, labels: IntArray) -> Doubts:
    """Doubt labels by probabilities from a model that has not seen them.

    A class's threshold is its mean probability over the rows that were given it. A label is flagged
    where another class is the most probable of those that reach their thresholds. Doubt is how far
    the most probable other class is above the given one, both after their thresholds are
    subtracted.

    Parameters
    ----------
    probabilities : ndarray of shape (m, n_classes)
        Probabilities of the classes, two or more, each given to a row.
    labels : ndarray of shape (m,)
        The given labels, as numbers of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.methods.label_errors import confident_doubts
    >>> unseen = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7]])
    >>> found = confident_doubts(unseen, np.array([0, 0, 0, 1]))
    >>> found.flagged.tolist(), np.argsort(-found.doubt).tolist()
    ([False, False, True, False], [2, 3, 1, 0])
    """
    rows = np.arange(len(labels))
    counts = np.bincount(labels, minlength=probabilities.shape[1])
    own = np.bincount(labels, probabilities[rows, labels], minlength=len(counts))
    thresholds = own / counts
    reached = np.where(probabilities >= thresholds, probabilities, -1.0)
    flagged = (reached.max(axis=1) >= 0.0) & (reached.argmax(axis=1) != labels)
    # Shifted by the largest threshold, so that normalised values are a distribution.
    adjusted = probabilities - thresholds + thresholds.max()
    adjusted /= adjusted.sum(axis=1, keepdims=True)
    given = adjusted[rows, labels]
    adjusted[rows, labels] = -np.inf
    return Doubts(adjusted.max(axis=1) - given, flagged)


def out_of_sample(
    labels: IntArray,
    learn: Callable[[IntArray, IntArray], FloatArray],
    seed: int,
) -> FloatArray:
    """Return the probabilities of every row by a model that has not seen its label.

    Parameters
    ----------
    labels : ndarray of shape (m,)
        The given labels.
    learn : callable
        ``learn(seen, unseen)`` returns the probabilities of the unseen places from the labels of
        the seen ones.
    seed : int
        Which folds.
    """
    found = [(unseen, learn(seen, unseen)) for seen, unseen in _folds(labels, seed)]
    places = np.concatenate([unseen for unseen, _ in found])
    probabilities: FloatArray = np.concatenate([answer for _, answer in found])
    return probabilities[np.argsort(places)]


def _folds(labels: IntArray, seed: int, n: int = 5) -> Iterator[tuple[IntArray, IntArray]]:
    """Assign rows to stratified folds."""
    order = np.lexsort((np.random.default_rng(seed).random(len(labels)), labels))
    fold = np.empty(len(labels), dtype=np.int64)
    fold[order] = np.arange(len(labels)) % n
    for number in np.unique(fold):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def logistic_learner(X: FloatArray, labels: IntArray) -> Callable[[IntArray, IntArray], FloatArray]:
    """Return a function that learns labels by logistic regression, for :func:`out_of_sample`.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        The labelled rows.
    labels : ndarray of shape (m,)
        Their labels, numbered from 0.
    """

    def learn(seen: IntArray, unseen: IntArray) -> FloatArray:
        probabilities = np.zeros((len(unseen), int(labels.max()) + 1))
        classes = np.unique(labels[seen])
        if len(classes) == 1:
            probabilities[:, classes] = 1.0
            return probabilities
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(max_iter=1000).fit(X[seen], labels[seen])
        probabilities[:, classes] = model.predict_proba(X[unseen])
        return probabilities

    return learn


class SuspiciousLabels:
    """Doubts of our classifier.

    Parameters
    ----------
    seed : int
        Not used: they do not depend on chance.
    """

    def __init__(self, seed: int) -> None:
        pass

    def doubts(self, case: Case, labels: GivenLabels) -> Doubts:
        """Return how much the model doubts every given label."""
        model = case.with_labels(labels.y)
        found, listed = model.suspicious_labels(all=True), model.suspicious_labels()
        order = np.argsort(found.ids)
        # Labels without an estimate come last.
        doubt = np.nan_to_num(found.doubt, nan=-np.inf)
        return Doubts(doubt[order], np.isin(found.ids, listed.ids)[order])


class ConfidentForests:
    """Confident learning with our classifier.

    Parameters
    ----------
    seed : int
        Which folds.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def doubts(self, case: Case, labels: GivenLabels) -> Doubts:
        """Return the doubts by probabilities out of five folds."""

        def learn(seen: IntArray, unseen: IntArray) -> FloatArray:
            y = labels.y.copy()
            y[labels.rows[unseen]] = -1
            model = case.with_labels(y)
            probabilities = np.zeros((len(unseen), len(labels.classes)))
            places = np.searchsorted(labels.classes, model.classes_)
            probabilities[:, places] = model.label_distributions_[labels.rows[unseen]]
            return probabilities

        return confident_doubts(out_of_sample(labels.codes, learn, self.seed), labels.codes)


class ConfidentLogistic:
    """Confident learning with logistic regression on the labelled rows.

    Parameters
    ----------
    seed : int
        Which folds.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def doubts(self, case: Case, labels: GivenLabels) -> Doubts:
        """Return the doubts by probabilities out of five folds."""
        learn = logistic_learner(case.X[labels.rows], labels.codes)
        return confident_doubts(out_of_sample(labels.codes, learn, self.seed), labels.codes)


_TAGS = ("doubt", "seeded")

METHODS = (
    Method("suspicious_labels", LABEL_ERRORS, SuspiciousLabels, tags=("ours", *_TAGS)),
    Method("confident learning, lapoleaf", LABEL_ERRORS, ConfidentForests, tags=_TAGS),
    Method("confident learning, logistic", LABEL_ERRORS, ConfidentLogistic, tags=_TAGS),
)
