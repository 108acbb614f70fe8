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

OURS, PUBLISHED, PAPERS_LSSVR = "LaPOLeaF", "LaPOLeaF as published", "LSSVR"
AT_ONCE = 250


class Forecaster(Protocol):
    """What predicts the reading after a window."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from windows and the readings that followed."""

    def predict(self, window: FloatArray) -> float:
        """Give the reading after a window."""

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
        """Give the reading after a window."""
        return float(self.model.predict(window[None])[0])

    def tell(self, window: FloatArray, reading: float) -> None:
        """Leave everything as it is."""


class Growing(Fixed):
    """A forest that readings join.

    Parameters
    ----------
    model : LaPOLeaFRegressor
        The regressor.
    at_once : int, default=1
        After how many readings they join, all together.
    """

    def __init__(self, model: LaPOLeaFRegressor, at_once: int = 1) -> None:
        super().__init__(model)
        self.at_once = at_once
        self.waiting: list[tuple[FloatArray, float]] = []

    def tell(self, window: FloatArray, reading: float) -> None:
        """Let windows join the forest, with their readings, when there are enough."""
        self.waiting.append((window, reading))
        if len(self.waiting) == self.at_once:
            windows, readings = zip(*self.waiting, strict=True)
            add_readings(self.model, np.array(windows), np.array(readings))
            self.waiting = []


def add_readings(model: LaPOLeaFRegressor, windows: FloatArray, readings: FloatArray) -> None:
    """Add windows and the readings that followed to a fitted model, where it can grow.

    Parameters
    ----------
    model : LaPOLeaFRegressor
        The model.
    windows : ndarray of shape (m, length)
        The windows.
    readings : ndarray of shape (m,)
        The readings.
    """
    insert = getattr(model, "partial_fit", None)
    if insert is not None:
        insert(windows, readings)


class Persistence:
    """The next reading is the last one."""

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn nothing."""

    def predict(self, window: FloatArray) -> float:
        """Give the last reading of a window."""
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
        """Give the mean over the five nearest."""
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
    # Many forests and a trend are solved again as a whole: not for every reading.
    OURS: lambda: Growing(LaPOLeaFRegressor(), at_once=AT_ONCE),
    PUBLISHED: lambda: Growing(LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")),
    PAPERS_LSSVR: lambda: Fixed(LSSVR.as_published()),
    "LSSVR, scaled": lambda: Fixed(make_pipeline(StandardScaler(), LSSVR.as_published())),
    "LSSVR, cubic": _cubic,
    "persistence": Persistence,
    "ridge": lambda: Fixed(RidgeCV(np.logspace(-6, 2, 9))),
    "5-nn": Nearest,
}
