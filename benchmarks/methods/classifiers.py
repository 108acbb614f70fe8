"""Baselines that learn classes from the labelled rows; none is tuned to a data set."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC

from benchmarks.methods.adapters import OnLabelledRows
from benchmarks.methods.graphs import one_hot_of
from benchmarks.methods.method import CLASSES, Method
from lapoleaf._typing import BoolArray, FloatArray, IntArray


class SelfTraining:
    """A support vector machine that learns from its own sure answers."""

    def fit(self, X: FloatArray, y: IntArray) -> SelfTraining:
        """Fit with all rows; a plain support vector machine where there are too few labels."""
        self.transduction_ = self._answers(X, y)
        return self

    def _answers(self, X: FloatArray, y: IntArray) -> IntArray:
        if len(np.unique(y[y >= 0])) > 1:
            model = SelfTrainingClassifier(SVC(C=10, probability=True, random_state=0))
            with warnings.catch_warnings():
                # Probabilities of SVC are deprecated; their replacement needs more labels.
                warnings.simplefilter("ignore", FutureWarning)
                try:
                    return np.asarray(model.fit(X, y).predict(X))
                except ValueError:
                    pass
        return OnLabelledRows(SVC(C=10)).fit(X, y).transduction_


class KernelRidge:
    """Ridge regression on the indicators of the classes, with a Gaussian kernel."""

    def fit(self, X: FloatArray, y: IntArray) -> KernelRidge:
        """Fit on the labelled rows."""
        classes, labels = one_hot_of(y)
        scores = ridge_answers(X, y >= 0, labels[y >= 0] - 1.0 / len(classes))
        self.transduction_ = np.asarray(classes[scores.argmax(axis=1)])
        return self


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


METHODS = (
    Method("kernel-ridge", CLASSES, KernelRidge, tags=("clean", "images")),
    Method("svc", CLASSES, lambda: OnLabelledRows(SVC(C=10)), tags=("clean", "images")),
    Method(
        "logistic",
        CLASSES,
        lambda: OnLabelledRows(LogisticRegression(max_iter=1000), ConvergenceWarning),
        tags=("clean",),
    ),
    Method(
        "extra-trees",
        CLASSES,
        lambda: OnLabelledRows(ExtraTreesClassifier(n_estimators=100, random_state=0)),
        tags=("clean", "slow"),
    ),
    Method(
        "1-nn",
        CLASSES,
        lambda: OnLabelledRows(KNeighborsClassifier(n_neighbors=1)),
        tags=("clean",),
    ),
    Method("self-training", CLASSES, SelfTraining, tags=("clean", "slow")),
)
