"""Supervised baselines for classes, which are not tuned to data sets."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC

from benchmarks.methods.adapters import LeafPerLabels, OnLabelledRows
from benchmarks.methods.graphs import one_hot_of
from benchmarks.methods.method import CLASSES, IN_TIME, Method
from lapoleaf._typing import BoolArray, FloatArray, IntArray


class SelfTraining:
    """Self-training of a support vector machine."""

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


class ShrunkenDiscriminants:
    """Linear discriminants whose covariance within classes is shrunken as Ledoit and Wolf do.

    As ``LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")``, but residuals of all classes
    are shrunken together: two labels of a class have no covariance that could be shrunken alone.
    """

    def fit(self, X: FloatArray, y: IntArray) -> ShrunkenDiscriminants:
        """Fit on labelled rows of two classes or more."""
        self.classes_, number, counts = np.unique(y, return_inverse=True, return_counts=True)
        means = np.array([X[number == k].mean(axis=0) for k in range(len(counts))])
        residuals = X - means[number]
        units = _first_positive(residuals.std(axis=0), X.std(axis=0))
        # With one label per class the covariance is unknown, and the nearest mean is predicted.
        shape = ledoit_wolf(residuals / units, assume_centered=True)[0]
        shape = shape if shape.any() else np.eye(X.shape[1])
        shape *= len(y) / max(1, len(y) - len(counts))
        self.weights_ = np.linalg.lstsq(units[:, None] * shape * units, means.T, rcond=None)[0]
        self.offsets_ = np.log(counts / len(y)) - (means.T * self.weights_).sum(axis=0) / 2.0
        return self

    def predict(self, X: FloatArray) -> IntArray:
        """Return the classes of rows."""
        return np.asarray(self.classes_[(X @ self.weights_ + self.offsets_).argmax(axis=1)])


def _first_positive(*candidates: FloatArray) -> FloatArray:
    """Return the first positive value of each column; 1 if there is none."""
    return np.select([values > 0.0 for values in candidates], candidates, 1.0)


METHODS = (
    Method("kernel-ridge", CLASSES, KernelRidge, tags=("clean", "images")),
    Method("svc", CLASSES, lambda: OnLabelledRows(SVC(C=10)), tags=("clean", "images", "texts")),
    Method(
        "logistic",
        CLASSES,
        lambda: OnLabelledRows(LogisticRegression(max_iter=1000), ConvergenceWarning),
        tags=("clean", "texts"),
    ),
    Method("lda", CLASSES, lambda: OnLabelledRows(ShrunkenDiscriminants()), tags=("clean",)),
    Method(
        "extra-trees",
        CLASSES,
        lambda: OnLabelledRows(ExtraTreesClassifier(n_estimators=300, random_state=0)),
        tags=("clean", "slow"),
    ),
    Method(
        "boosting",
        CLASSES,
        lambda: OnLabelledRows(LeafPerLabels(HistGradientBoostingClassifier(random_state=0))),
        tags=("clean", "slow"),
        most_numbers=IN_TIME,
    ),
    Method(
        "1-nn",
        CLASSES,
        lambda: OnLabelledRows(KNeighborsClassifier(n_neighbors=1)),
        tags=("clean",),
    ),
    Method("self-training", CLASSES, SelfTraining, tags=("clean", "slow"), most_numbers=IN_TIME),
)
