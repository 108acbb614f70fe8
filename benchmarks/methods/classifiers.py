"""Other classifiers, none tuned to a data set: rows and labels (-1: missing) in, classes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from benchmarks.methods.graphs import llgc, one_hot_of, poisson
from lapoleaf.estimators import LaPOLeaFClassifier

Classifier: TypeAlias = Callable[[FloatArray, IntArray], IntArray]


def paper(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by the paper's algorithm as it was published."""
    model = LaPOLeaFClassifier.as_published(n_jobs=1, missing_label=-1)
    return np.asarray(model.fit(X, y).transduction_)


def label_spreading(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by scikit-learn's label spreading over 7 neighbours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # A row that no label reaches has only zeros, divided by their sum.
        warnings.simplefilter("ignore", RuntimeWarning)
        model = LabelSpreading(kernel="knn", n_neighbors=7, max_iter=100).fit(X, y)
    return np.asarray(model.transduction_)


def svc(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by a support vector machine of the labelled rows."""
    return _by_labelled_rows(SVC(C=10), X, y)


def self_training(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by a support vector machine that learns from its own sure answers."""
    if len(np.unique(y[y >= 0])) == 1:
        return svc(X, y)
    with warnings.catch_warnings():
        # Probabilities of SVC are to go; those that replace them need more labels than there are.
        warnings.simplefilter("ignore", FutureWarning)
        model = SelfTrainingClassifier(SVC(C=10, probability=True, random_state=0))
        try:
            return np.asarray(model.fit(X, y).predict(X))
        except ValueError:
            return svc(X, y)


def kernel_ridge(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by ridge regression on their indicators, with a Gaussian kernel."""
    classes, labels = one_hot_of(y)
    scores = ridge_answers(X, y >= 0, labels[y >= 0] - 1.0 / len(classes))
    return np.asarray(classes[scores.argmax(axis=1)])


def ridge_answers(
    X: FloatArray, given: BoolArray, targets: FloatArray, alpha: float = 0.1
) -> FloatArray:
    """Solve ridge regression with a Gaussian kernel on the given rows, and answer for all.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        All rows. The kernel's gamma is 1 / (d times the variance of all entries).
    given : ndarray of shape (n,), bool
        The rows with targets.
    targets : ndarray of shape (m, ...)
        Their targets, centred.
    alpha : float, default=0.1
        The penalty.
    """
    kernel = rbf_kernel(X, X[given], gamma=1.0 / (X.shape[1] * X.var()))
    weights = np.linalg.solve(kernel[given] + alpha * np.eye(len(targets)), targets)
    return np.asarray(kernel @ weights)


def logistic(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by logistic regression on the labelled rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _by_labelled_rows(LogisticRegression(max_iter=1000), X, y)


def extra_trees(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by 100 extremely randomised trees of the labelled rows."""
    return _by_labelled_rows(ExtraTreesClassifier(n_estimators=100, random_state=0), X, y)


def nearest_label(X: FloatArray, y: IntArray) -> IntArray:
    """Return every row the class of the nearest labelled one."""
    return _by_labelled_rows(KNeighborsClassifier(n_neighbors=1), X, y)


def _by_labelled_rows(model: Any, X: FloatArray, y: IntArray) -> IntArray:
    """Fit on the labelled rows and answer for all; one class needs no model."""
    given = y >= 0
    if len(np.unique(y[given])) == 1:
        return np.full(len(y), y[given][0])
    return np.asarray(model.fit(X[given], y[given]).predict(X))


RIVALS: dict[str, Classifier] = {
    "paper": paper,
    "label-spreading": label_spreading,
    "llgc": llgc,
    "poisson": poisson,
    "kernel-ridge": kernel_ridge,
    "svc": svc,
    "logistic": logistic,
    "extra-trees": extra_trees,
    "1-nn": nearest_label,
    "self-training": self_training,
}
