"""Baselines that learn as a series goes on: fitted again at intervals, or updated by river."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.methods.forecasters import Live, Nearest, Persistence, cubic_lssvr
from benchmarks.methods.method import FORECASTS, Method
from lapoleaf._typing import FloatArray
from lapoleaf.baselines import LSSVR

# Number of windows for refitting LSSVR, and readings between fits.
_LAST, _EVERY = 2000, 200


class Refitted:
    """An estimator that is fitted again on the last windows at intervals.

    Parameters
    ----------
    make : callable
        Returns a new regressor.
    last : int or None
        How many windows; None for all.
    every : int, default=200
        After how many readings.
    """

    def __init__(self, make: Callable[[], Any], last: int | None, every: int = _EVERY) -> None:
        self.make = make
        self.last = last
        self.every = every

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from windows and the readings that followed."""
        first = 0 if self.last is None else max(0, len(X) - self.last)
        self.X, self.y = X[first:], y[first:]
        self.model = self.make().fit(self.X, self.y)
        self.waiting: list[tuple[FloatArray, float]] = []

    def predict(self, window: FloatArray) -> float:
        """Predict the reading after a window."""
        return float(self.model.predict(window[None])[0])

    def update(self, window: FloatArray, reading: float) -> None:
        """Keep a window; fit again when there are enough new ones."""
        self.waiting.append((window, reading))
        if len(self.waiting) == self.every:
            windows, readings = zip(*self.waiting, strict=True)
            self.fit(np.vstack([self.X, *windows]), np.append(self.y, readings))


class OfRiver:
    """A forecaster of river's: of the candidates the one with the smallest errors in training.

    Parameters
    ----------
    candidates : iterable of object
        Forecasters that have seen nothing.
    """

    def __init__(self, candidates: Iterable[Any]) -> None:
        self.candidates = list(candidates)

    def fit(self, X: FloatArray, y: FloatArray) -> None:
        """Run every candidate on the readings, and choose by the errors of the second half."""
        errors = [_followed(model, y) for model in self.candidates]
        self.model = self.candidates[int(np.argmin(np.nan_to_num(errors, nan=math.inf)))]
        self.largest = 10.0 * float(np.abs(y).max())

    def predict(self, window: FloatArray) -> float:
        """Predict the next reading; the last one if the forecast is out of bounds."""
        value = float(self.model.forecast(1)[0])
        return value if abs(value) <= self.largest else float(window[-1])

    def update(self, window: FloatArray, reading: float) -> None:
        """Learn a reading."""
        self.model.learn_one(reading)


def _followed(model: Any, readings: FloatArray) -> float:
    """Return the squared errors of the second half; infinity if there is no forecast by then."""
    squares = 0.0
    for k, reading in enumerate(readings.tolist()):
        if 2 * k >= len(readings):
            try:
                squares += (float(model.forecast(1)[0]) - reading) ** 2
            except IndexError:
                # Holt-Winters of river before a whole season has been seen.
                return math.inf
        model.learn_one(reading)
    return squares


def snarimax(season: int = 1) -> OfRiver:
    """Return river's SNARIMAX: 12 readings, differences or not, with a season or without."""
    from river.time_series import SNARIMAX

    seasons: list[dict[str, Any]] = [{}] if season == 1 else [{}, {"m": season, "sp": 1}]
    return OfRiver(SNARIMAX(p=12, d=d, q=q, **of) for d, q, of in product((0, 1), (0, 2), seasons))


def holt_winters(season: int = 1) -> OfRiver:
    """Return river's exponential smoothing with a trend, with a season or without."""
    from river.time_series import HoltWinters

    seasons = [{}] if season == 1 else [{}, {"gamma": 0.1, "seasonality": season}]
    return OfRiver(
        HoltWinters(alpha=alpha, beta=beta, **of)  # type: ignore[no-untyped-call]
        for alpha, beta, of in product((0.3, 0.6, 0.9), (0.01, 0.1, 0.3), seasons)
    )


def _scaled_lssvr() -> Any:
    return make_pipeline(StandardScaler(), LSSVR.as_published())


METHODS = (
    Method("LaPOLeaF, live", FORECASTS, Live, tags=("ours", "paired")),
    Method("persistence, live", FORECASTS, Persistence, tags=("paired",), label="persistence"),
    Method(
        "ridge, live",
        FORECASTS,
        lambda: Refitted(lambda: RidgeCV(np.logspace(-6, 2, 9)), None),
        tags=("paired",),
        label="ridge",
    ),
    Method(
        "LSSVR, live",
        FORECASTS,
        lambda: Refitted(LSSVR.as_published, _LAST),
        tags=("paired",),
        label="LSSVR",
    ),
    Method(
        "LSSVR, scaled, live",
        FORECASTS,
        lambda: Refitted(_scaled_lssvr, _LAST),
        tags=("paired",),
        label="LSSVR, scaled",
    ),
    Method(
        "LSSVR, cubic, live",
        FORECASTS,
        lambda: Refitted(lambda: cubic_lssvr().model, _LAST),
        tags=("paired",),
        label="LSSVR, cubic",
    ),
    Method("5-nn, live", FORECASTS, Nearest, tags=("paired",), label="5-nn"),
    Method("SNARIMAX", FORECASTS, snarimax, tags=("paired", "seasonal", "river")),
    Method("Holt-Winters", FORECASTS, holt_winters, tags=("paired", "seasonal", "river")),
)
