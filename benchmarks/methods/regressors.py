"""Other regressors, none tuned to a data set: rows and targets (NaN: missing) in, numbers out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

from lapoleaf._typing import FloatArray
from benchmarks.methods.classifiers import ridge_answers

Regressor: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def ridge(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the targets by a linear model, its penalty one of three by leave-one-out."""
    return _by_labelled_rows(RidgeCV(), X, y)


def kernel_ridge(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the targets by ridge regression with a Gaussian kernel."""
    given = ~np.isnan(y)
    mean = y[given].mean()
    return np.asarray(mean + ridge_answers(X, given, y[given] - mean))


def nearest_targets(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of the five nearest targets."""
    n_given = int((~np.isnan(y)).sum())
    return _by_labelled_rows(KNeighborsRegressor(n_neighbors=min(5, n_given)), X, y)


def svr(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the targets by a support vector machine of the standardised ones."""
    mean, unit = np.nanmean(y), np.nanstd(y)
    if unit == 0.0:
        return np.full(len(y), mean)
    return np.asarray(mean + unit * _by_labelled_rows(SVR(C=10), X, (y - mean) / unit))


def random_forest(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the targets by a random forest of 100 trees."""
    return _by_labelled_rows(RandomForestRegressor(n_estimators=100, random_state=0), X, y)


def gaussian_process(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the targets by a Gaussian process, its kernel fitted by the likelihood."""
    kernel = ConstantKernel() * RBF() + WhiteKernel()
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _by_labelled_rows(model, X, y)


def _by_labelled_rows(model: Any, X: FloatArray, y: FloatArray) -> FloatArray:
    given = ~np.isnan(y)
    return np.asarray(model.fit(X[given], y[given]).predict(X))


REGRESSION_RIVALS: dict[str, Regressor] = {
    "ridge": ridge,
    "kernel-ridge": kernel_ridge,
    "5-nn": nearest_targets,
    "svr": svr,
    "random-forest": random_forest,
    "gaussian-process": gaussian_process,
}
