"""Baselines that learn numbers from the labelled rows: as they come, or tuned on these rows."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

from benchmarks.methods.adapters import LeafPerLabels, OnLabelledRows
from benchmarks.methods.classifiers import ridge_answers
from benchmarks.methods.method import NUMBERS, Method
from lapoleaf._typing import FloatArray
from lapoleaf.baselines import LSSVR


class KernelRidge:
    """Ridge regression with a Gaussian kernel."""

    def fit(self, X: FloatArray, y: FloatArray) -> KernelRidge:
        """Fit on the labelled rows."""
        given = ~np.isnan(y)
        mean = y[given].mean()
        self.transduction_ = np.asarray(mean + ridge_answers(X, given, y[given] - mean))
        return self


class NearestTargets:
    """The mean of the five nearest targets, or of all where there are fewer."""

    def fit(self, X: FloatArray, y: FloatArray) -> NearestTargets:
        """Fit on the labelled rows."""
        n_given = int((~np.isnan(y)).sum())
        model = OnLabelledRows(KNeighborsRegressor(n_neighbors=min(5, n_given)))
        self.transduction_ = model.fit(X, y).transduction_
        return self


class StandardisedSVR:
    """A support vector machine of the standardised targets."""

    def fit(self, X: FloatArray, y: FloatArray) -> StandardisedSVR:
        """Fit on the labelled rows."""
        mean, unit = np.nanmean(y), np.nanstd(y)
        if unit == 0.0:
            self.transduction_ = np.full(len(y), mean)
        else:
            found = OnLabelledRows(SVR(C=10)).fit(X, (y - mean) / unit).transduction_
            self.transduction_ = np.asarray(mean + unit * found)
        return self


def gaussian_process() -> OnLabelledRows:
    """Return a Gaussian process whose kernel is fitted by the likelihood."""
    kernel = ConstantKernel() * RBF() + WhiteKernel()
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    return OnLabelledRows(model, ConvergenceWarning)


def tuned_neighbours() -> OnLabelledRows:
    """Return nearest neighbours whose number is chosen by cross-validation."""
    model = KNeighborsRegressor(weights="distance")
    return OnLabelledRows(GridSearchCV(model, {"n_neighbors": [1, 2, 3, 5, 8, 12]}, cv=5))


def tuned_lssvr() -> OnLabelledRows:
    """Return least squares support vector regression tuned by cross-validation."""
    kernels = [{"gamma": width} for width in (0.003, 0.01, 0.03, 0.1, 0.3)]
    grid = {"gamma": [1, 10, 100, 1000], "kernel_params": kernels}
    return OnLabelledRows(GridSearchCV(LSSVR(), grid, cv=5))


_AS_IT_COMES, _TUNED = ("regression",), ("few targets",)

METHODS = (
    Method("ridge", NUMBERS, lambda: OnLabelledRows(RidgeCV()), tags=_AS_IT_COMES),
    Method("kernel-ridge", NUMBERS, KernelRidge, tags=_AS_IT_COMES),
    Method("5-nn", NUMBERS, NearestTargets, tags=_AS_IT_COMES),
    Method("svr", NUMBERS, StandardisedSVR, tags=_AS_IT_COMES),
    Method(
        "random-forest",
        NUMBERS,
        lambda: OnLabelledRows(RandomForestRegressor(n_estimators=100, random_state=0)),
        tags=(*_AS_IT_COMES, "slow"),
    ),
    Method(
        "extra-trees",
        NUMBERS,
        lambda: OnLabelledRows(ExtraTreesRegressor(n_estimators=300, random_state=0)),
        tags=(*_AS_IT_COMES, "slow"),
    ),
    Method(
        "boosting",
        NUMBERS,
        lambda: OnLabelledRows(LeafPerLabels(HistGradientBoostingRegressor(random_state=0))),
        tags=(*_AS_IT_COMES, "slow"),
    ),
    Method("gaussian-process", NUMBERS, gaussian_process, tags=(*_AS_IT_COMES, "slow")),
    Method(
        "ridge, tuned",
        NUMBERS,
        lambda: OnLabelledRows(RidgeCV(np.logspace(-4, 3, 15))),
        tags=_TUNED,
        label="ridge",
    ),
    Method("k-nn, tuned", NUMBERS, tuned_neighbours, tags=_TUNED, label="k-nn"),
    Method("LSSVR, tuned", NUMBERS, tuned_lssvr, tags=_TUNED, label="LSSVR"),
    Method(
        "LSSVR, the paper's",
        NUMBERS,
        lambda: OnLabelledRows(LSSVR.as_published()),
        tags=_TUNED,
    ),
)
