"""Forecasters of the next reading: fitted once, then updated reading by reading."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.methods.method import FORECASTS, Method
from lapoleaf._typing import FloatArray
from lapoleaf.baselines import LSSVR
from lapoleaf.estimators import LaPOLeaFRegressor
from lapoleaf.streams import SeriesForecaster

OURS, PUBLISHED, PAPERS_LSSVR = "LaPOLeaF", "LaPOLeaF as published", "LSSVR"


class Forecaster(Protocol):
    """Predicts the reading after a window."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from windows and the readings that followed."""

    def predict(self, window: FloatArray) -> float:
        """Predict the reading after a window."""

    def update(self, window: FloatArray, reading: float) -> None:
        """Learn the reading that followed a window."""


class Fixed:
    """An estimator that is not updated after it was fitted.

    Parameters
    ----------
    model : object
        A regressor.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from windows and the readings that followed."""
        self.model.fit(X, y)

    def predict(self, window: FloatArray) -> float:
        """Predict the reading after a window."""
        return float(self.model.predict(window[None])[0])

    def update(self, window: FloatArray, reading: float) -> None:
        """Do nothing."""


class Live:
    """Our forecaster of a series, updated with windows instead of readings.

    Parameters
    ----------
    **params : dict
        Parameters of :class:`SeriesForecaster` other than the window.
    """

    def __init__(self, **params: Any) -> None:
        self.params = params

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn the series that the windows are of, with gaps where it has gaps."""
        parts = [X[0], y[:1]]
        for before, window, reading in zip(X, X[1:], y[1:], strict=False):
            if not np.array_equal(before[1:], window[:-1]) or parts[-1][-1] != window[-1]:
                parts += [np.array([np.nan]), window]
            parts.append(np.array([reading]))
        self.forecaster = SeriesForecaster(window=X.shape[1], **self.params)
        self.forecaster.fit(np.concatenate(parts))
        self.window = np.append(X[-1, 1:], y[-1])

    def predict(self, window: FloatArray) -> float:
        """Predict the reading after a window."""
        if not np.array_equal(self.window, window):
            for reading in (np.nan, *window):
                self.forecaster.update(float(reading))
            self.window = window
        return self.forecaster.predict_next()

    def interval(self) -> tuple[float, float]:
        """Return an interval for the reading after the window that was predicted last."""
        return self.forecaster.predict_interval()

    def update(self, window: FloatArray, reading: float) -> None:
        """Learn the reading after the window that was predicted last."""
        self.forecaster.update(reading)
        self.window = np.append(window[1:], reading)


class Growing(Fixed):
    """A forest to which every window is added.

    Parameters
    ----------
    model : LaPOLeaFRegressor or LeadingForestRegressor
        The regressor.
    """

    def update(self, window: FloatArray, reading: float) -> None:
        """Insert the window into the forest, with its reading."""
        self.model.partial_fit(window[None], np.array([reading]))


class Persistence:
    """The next reading is the last one."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Do nothing."""

    def predict(self, window: FloatArray) -> float:
        """Return the last reading of a window."""
        return float(window[-1])

    def update(self, window: FloatArray, reading: float) -> None:
        """Do nothing."""


class Nearest:
    """The mean of what followed the five nearest windows, later ones included."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Keep the windows."""
        self.index = KNeighborsRegressor(n_neighbors=5).fit(X, y)
        self.windows: list[FloatArray] = []
        self.readings: list[float] = []
        self.targets = y

    def predict(self, window: FloatArray) -> float:
        """Predict the mean over the five nearest."""
        distances, nearest = self.index.kneighbors(window[None])
        found, values = distances[0], self.targets[nearest[0]]
        if self.windows:
            later = np.linalg.norm(np.array(self.windows) - window, axis=1)
            found = np.concatenate([found, later])
            values = np.concatenate([values, self.readings])
        return float(values[np.argsort(found, kind="stable")[:5]].mean())

    def update(self, window: FloatArray, reading: float) -> None:
        """Keep one more window."""
        self.windows.append(window)
        self.readings.append(reading)


def cubic_lssvr() -> Fixed:
    """Return LSSVR with a cubic kernel on scaled windows."""
    kernel = LSSVR(gamma=0.5, kernel="poly", kernel_params={"degree": 3, "gamma": 1.0, "coef0": 1})
    return Fixed(make_pipeline(StandardScaler(), kernel))


def published_forest() -> Growing:
    """Return the paper's forest, to which every window is added."""
    return Growing(LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water"))


METHODS = (
    Method(OURS, FORECASTS, Live, tags=("ours", "water", "drawn")),
    Method(PUBLISHED, FORECASTS, published_forest, tags=("water", "drawn")),
    Method(
        PAPERS_LSSVR,
        FORECASTS,
        lambda: Fixed(LSSVR.as_published()),
        tags=("water", "drawn", "summary"),
    ),
    Method(
        "LSSVR, scaled",
        FORECASTS,
        lambda: Fixed(make_pipeline(StandardScaler(), LSSVR.as_published())),
        tags=("water",),
    ),
    Method("LSSVR, cubic", FORECASTS, cubic_lssvr, tags=("water",)),
    Method("persistence", FORECASTS, Persistence, tags=("water", "summary")),
    Method(
        "ridge", FORECASTS, lambda: Fixed(RidgeCV(np.logspace(-6, 2, 9))), tags=("water", "summary")
    ),
    Method("5-nn", FORECASTS, Nearest, tags=("water",)),
)
