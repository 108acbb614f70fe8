"""Methods that predict the next reading: fitted once, then asked and told one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lapoleaf._typing import FloatArray
from lapoleaf.baselines import LSSVR
from lapoleaf.estimators import LaPOLeaFRegressor
from lapoleaf.streams import SeriesForecaster

OURS, PUBLISHED, PAPERS_LSSVR = "LaPOLeaF", "LaPOLeaF as published", "LSSVR"


class Forecaster(Protocol):
    """What predicts the reading after a window."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from windows and the readings that followed."""

    def predict(self, window: FloatArray) -> float:
        """Return the reading after a window."""

    def tell(self, window: FloatArray, reading: float) -> None:
        """Learn the reading that followed a window."""


class Fixed:
    """An estimator that learns nothing after it was fitted.

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
        """Return the reading after a window."""
        return float(self.model.predict(window[None])[0])

    def tell(self, window: FloatArray, reading: float) -> None:
        """Leave everything as it is."""


class Live:
    """A forecaster of a series, which is told windows instead of readings.

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
        """Return the reading after a window."""
        if not np.array_equal(self.window, window):
            for reading in (np.nan, *window):
                self.forecaster.update(float(reading))
            self.window = window
        return self.forecaster.predict_next()

    def interval(self) -> tuple[float, float]:
        """Return an interval for the reading after the window that was predicted last."""
        return self.forecaster.predict_interval()

    def tell(self, window: FloatArray, reading: float) -> None:
        """Take in the reading after the window that was predicted last."""
        self.forecaster.update(reading)
        self.window = np.append(window[1:], reading)


class Growing(Fixed):
    """A forest that every reading joins.

    Parameters
    ----------
    model : LaPOLeaFRegressor or LeadingForestRegressor
        The regressor.
    """

    def tell(self, window: FloatArray, reading: float) -> None:
        """Let the window join the forest, with its reading."""
        self.model.partial_fit(window[None], np.array([reading]))


class Persistence:
    """The next reading is the last one."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn nothing."""

    def predict(self, window: FloatArray) -> float:
        """Return the last reading of a window."""
        return float(window[-1])

    def tell(self, window: FloatArray, reading: float) -> None:
        """Learn nothing."""


class Nearest:
    """The mean of what followed the five nearest windows, told ones among them."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Keep the windows."""
        self.index = KNeighborsRegressor(n_neighbors=5).fit(X, y)
        self.windows: list[FloatArray] = []
        self.readings: list[float] = []
        self.targets = y

    def predict(self, window: FloatArray) -> float:
        """Return the mean over the five nearest."""
        distances, nearest = self.index.kneighbors(window[None])
        found, values = distances[0], self.targets[nearest[0]]
        if self.windows:
            told = np.linalg.norm(np.array(self.windows) - window, axis=1)
            found = np.concatenate([found, told])
            values = np.concatenate([values, self.readings])
        return float(values[np.argsort(found, kind="stable")[:5]].mean())

    def tell(self, window: FloatArray, reading: float) -> None:
        """Keep one more window."""
        self.windows.append(window)
        self.readings.append(reading)


def _cubic() -> Fixed:
    kernel = LSSVR(gamma=0.5, kernel="poly", kernel_params={"degree": 3, "gamma": 1.0, "coef0": 1})
    return Fixed(make_pipeline(StandardScaler(), kernel))


FORECASTERS: Mapping[str, Callable[[], Forecaster]] = {
    OURS: Live,
    PUBLISHED: lambda: Growing(LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")),
    PAPERS_LSSVR: lambda: Fixed(LSSVR.as_published()),
    "LSSVR, scaled": lambda: Fixed(make_pipeline(StandardScaler(), LSSVR.as_published())),
    "LSSVR, cubic": _cubic,
    "persistence": Persistence,
    "ridge": lambda: Fixed(RidgeCV(np.logspace(-6, 2, 9))),
    "5-nn": Nearest,
}
