"""The next reading of a sensor, for ever."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lapoleaf._numbers import is_real
from lapoleaf._twin import adopt, unfitted_twin
from lapoleaf._typing import FloatArray
from lapoleaf.estimators import LaPOLeaFRegressor
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.streams.blending import Blend, ForestOnly, Guess, part_of
from lapoleaf.streams.errors import Errors
from lapoleaf.streams.folding import (
    check_length,
    checked_readings,
    checked_times,
    fold_series,
)
from lapoleaf.streams.memory import Memory
from lapoleaf.streams.recent import Recent

# Without fit, everything is learned anew when so many readings are there, then goes on from it.
_STARTS = (100, 200, 400, 800, 1600)
_FEWEST_WINDOWS = 20
_TRENDS = ("linear", None)


class SeriesForecaster(BaseEstimator):
    """Forecast the next reading of a sensor, and learn from every reading.

    The last reading is corrected by a linear forecast of the change, and by LaPOLeaF on what that
    leaves, each as far as it has helped of late. Intervals come from recent errors. Without
    :meth:`fit` the forecaster learns from the first readings on.

    Parameters
    ----------
    regressor : LaPOLeaFRegressor or LeadingForestRegressor, default=None
        What learns the shape of windows; None for ten forests without a trend of their own.
    window : int, default=12
        Readings in a window.
    horizon : int, default=1
        How many readings ahead to forecast.
    trend : {"linear", None}, default="linear"
        None: the regressor alone, on windows as they were read, as in the paper.
    coverage : float, default=0.9
        Share of the readings that intervals should hold.
    window_size : int, default=None
        Remember the last windows only, so many.
    max_points : int, default=None
        Remember at most so many points: where there are more, granules of the forest collapse into
        fat nodes.
    half_life : float, default=None
        After so many readings a window counts half; after ten to twenty times as many it is
        forgotten.
    chunk : int, default=100
        The forest takes in windows so many at a time; the linear forecast takes each.

    Attributes
    ----------
    last_error_ : float
        The last reading minus what was forecast for it; NaN if nothing was.
    n_readings_, n_missing_, n_late_ : int
        Readings that were taken in, that were missing, and that came after later ones.

    See Also
    --------
    fold_series : Windows of a series, as rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams import SeriesForecaster
    >>> series = np.sin(np.arange(600) / 8)
    >>> forecaster = SeriesForecaster(window=5).fit(series[:500])
    >>> for reading in series[500:]:
    ...     _ = forecaster.update(reading)
    >>> bool(abs(forecaster.predict_next() - np.sin(600 / 8)) < 0.01)
    True
    >>> low, high = forecaster.predict_interval()
    >>> bool(low <= np.sin(600 / 8) <= high)
    True
    """

    _early: list[float] | None

    def __init__(
        self,
        regressor: ForestRegressor | None = None,
        window: int = 12,
        horizon: int = 1,
        *,
        trend: str | None = "linear",
        coverage: float = 0.9,
        window_size: int | None = None,
        max_points: int | None = None,
        half_life: float | None = None,
        chunk: int = 100,
    ) -> None:
        self.regressor = regressor
        self.window = window
        self.horizon = horizon
        self.trend = trend
        self.coverage = coverage
        self.window_size = window_size
        self.max_points = max_points
        self.half_life = half_life
        self.chunk = chunk

    @classmethod
    def as_published(cls, window: int = 5, horizon: int = 1, **params: Any) -> Self:
        """Return the forecaster of the paper: one forest, which every window joins as it is read.

        Parameters
        ----------
        window, horizon : int
            See the class; the paper's windows are 5 and 12.
        **params : dict
            Other parameters of the class.

        Returns
        -------
        SeriesForecaster
            Not fitted yet.
        """
        regressor = LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")
        return cls(regressor, window, horizon, trend=None, **params)

    def fit(self, values: Any, timestamps: Any = None) -> Self:
        """Learn a series, and forget what was there before.

        Parameters
        ----------
        values : array-like of shape (n,)
            The readings in order, NaN where missing.
        timestamps : array-like of shape (n,), default=None
            When they were taken: see :func:`fold_series`.

        Returns
        -------
        self : SeriesForecaster
            Ready to forecast what comes after the last reading.
        """
        return adopt(self, unfitted_twin(self)._fit(values, timestamps))

    def _fit(self, values: Any, timestamps: Any) -> Self:
        readings = checked_readings(values)
        self._start()
        self._learn_series(readings, timestamps)
        self._early = None
        times = np.full(len(readings), np.nan) if timestamps is None else checked_times(timestamps)
        tail = slice(-(self._recent.length + 100), None)
        for reading, time in zip(readings[tail], times[tail], strict=True):
            self._take_time(float(time))
            if np.isnan(reading):
                self._recent.miss(self._filling())
            elif not self._recent.is_late(float(time)):
                self._recent.add(float(reading), float(time))
        self._recent.longest = longest_run(readings)
        self.n_missing_ = int(np.isnan(readings).sum())
        self.n_readings_ = len(readings) - self.n_missing_
        self._look_ahead()
        return self

    def update(self, reading: float | None, timestamp: Any = None) -> Self:
        """Take in the next reading.

        Parameters
        ----------
        reading : float or None
            What was read; None or NaN if it is missing.
        timestamp : number, datetime64 or str, default=None
            When. Readings that are skipped are taken as missing; one that is late fills its place
            if that is still in the window.

        Returns
        -------
        self : SeriesForecaster
            Ready to forecast the next.
        """
        if "_model" not in vars(self):
            self._start()
        value = math.nan if reading is None else float(reading)
        time = math.nan if timestamp is None else float(checked_times([timestamp])[0])
        self.last_error_ = math.nan
        if self._recent.is_late(time):
            self.n_late_ += 1
            if math.isfinite(value) and self._recent.take_late(value, time):
                self._guesses.pop()
                self._look_ahead()
            return self
        self._take_time(time)
        if math.isfinite(value):
            self._take(value, time)
        else:
            self._miss()
        return self

    def predict_next(self) -> float:
        """Return the reading that comes ``horizon`` readings after the last one.

        Returns
        -------
        float
            The forecast.
        """
        return self._last_guess().value

    def predict_interval(self) -> tuple[float, float]:
        """Return an interval that holds the reading to come with the probability ``coverage``.

        It widens while readings are missing and while a sensor is stuck.

        Returns
        -------
        low, high : float
            Its ends; infinite as long as there were no errors to learn from.
        """
        value = self._last_guess().value
        # Errors of forecasts that stand for readings add up in one direction; a stuck sensor hides
        # a walk of its own.
        width = self._errors.half_width() * (1.0 + self._recent.missed)
        width *= math.sqrt(1.0 + self._recent.stuck)
        return value - width, value + width

    def _last_guess(self) -> Guess:
        if "_model" not in vars(self) or not self._recent.values:
            raise NotFittedError("This SeriesForecaster has no reading yet: call fit or update.")
        return self._guesses[-1]

    def _start(self) -> None:
        """Reset the learned state."""
        self._check()
        regressor = self.regressor
        if regressor is None:
            regressor = LaPOLeaFRegressor(n_forests=10, experts=None, n_jobs=1)
        memory = Memory(regressor, self.window_size, self.max_points, self.half_life)
        self._model = ForestOnly(memory) if self.trend is None else Blend(memory, self.chunk)
        self._knows = False
        self._errors = Errors(self.coverage)
        self._recent = Recent(self.window + self.horizon)
        self._guesses: list[Guess] = []
        self._early = []
        self.last_error_ = math.nan
        self.n_readings_ = self.n_missing_ = self.n_late_ = 0

    def _check(self) -> None:
        for name in ("window", "horizon", "chunk"):
            check_length(name, getattr(self, name))
        if self.regressor is not None and not isinstance(self.regressor, ForestRegressor):
            raise TypeError(
                f"regressor={self.regressor!r} must be a LaPOLeaFRegressor, a "
                f"LeadingForestRegressor, or None."
            )
        if self.trend not in _TRENDS:
            raise ValueError(f"trend={self.trend!r} must be one of {_TRENDS}.")
        if not (is_real(self.coverage) and 0.0 < self.coverage < 1.0):
            raise ValueError(f"coverage={self.coverage!r} must be between 0 and 1.")

    def _learn_series(self, readings: FloatArray, timestamps: Any = None) -> None:
        """Learn all windows of a series."""
        X, y, _ = fold_series(readings, self.window, timestamps, horizon=self.horizon)
        if len(X) < _FEWEST_WINDOWS:
            raise ValueError(
                f"values has {len(X)} windows of {self.window} readings and the one to forecast "
                f"without a gap: at least {_FEWEST_WINDOWS} are needed. Give a longer series or "
                f"a smaller window."
            )
        self._errors = Errors(self.coverage)
        for error in self._model.fit(X, y):
            self._errors.learn(float(error))
        self._knows = True

    def _take_time(self, time: float) -> None:
        """Note readings that were skipped before ``time``."""
        for _ in range(min(self._recent.missing_before(time), 2 * self._recent.length)):
            self._miss()

    def _miss(self) -> None:
        self.n_missing_ += 1
        if self._early is not None:
            self._early.append(math.nan)
        if self._recent.values:
            self._recent.miss(self._filling())
            self._look_ahead()

    def _filling(self) -> float:
        """Return what stands for a missing reading: the forecast, where there is one for it."""
        ahead = self.horizon == 1 and self._recent.missed < self.window and len(self._guesses) > 0
        if ahead:
            return self._guesses[-1].value
        return self._recent.values[-1] if self._recent.values else math.nan

    def _take(self, reading: float, time: float) -> None:
        """Learn from a measured reading."""
        recent, guess = self._recent, None
        if len(self._guesses) == self.horizon:
            guess = self._guesses[0]
            self.last_error_ = reading - guess.value
            stays_stuck = recent.stuck and reading == recent.values[-1]
            if all(recent.measured[-self.horizon :]) and not stays_stuck:
                self._errors.learn(self.last_error_)
        recent.add(reading, time)
        self.n_readings_ += 1
        if self._early is not None:
            self._early.append(reading)
        whole = len(recent.values) == recent.length and all(recent.measured)
        if self._knows and whole and not recent.stuck:
            window = np.array(recent.values[: self.window])
            self._model.learn(window, reading, guess)
        if self._early is not None and self.n_readings_ in _STARTS:
            self._begin()
        self._look_ahead()

    def _begin(self) -> None:
        """Learn anew from the first readings, where their windows are enough."""
        readings = np.array(self._early)
        X, _, _ = fold_series(readings, self.window, horizon=self.horizon)
        if len(X) >= _FEWEST_WINDOWS:
            self._learn_series(readings)
        if self.n_readings_ == _STARTS[-1]:
            self._early = None if self._knows else []

    def _look_ahead(self) -> None:
        """Forecast from the window at hand."""
        recent = self._recent
        guess = Guess(recent.values[-1])
        if self._knows and len(recent.values) >= self.window:
            guess = self._model.predict(np.array(recent.values[-self.window :]))
        self._guesses = [*self._guesses, guess][-self.horizon :]

    def settle(self) -> Self:
        """Build the forests anew from what is remembered.

        What is forecast after this depends on :meth:`get_state` and on nothing else.

        Returns
        -------
        self : SeriesForecaster
            The same forecaster.
        """
        if self._knows:
            self._model.rebuild()
            self._guesses.pop()
            self._look_ahead()
        return self

    def get_state(self) -> dict[str, FloatArray]:
        """Return all that has been learned, as arrays that can be kept in a file.

        Returns
        -------
        dict of str to ndarray
            For :meth:`set_state` of a forecaster with the same parameters.
        """
        early = [] if self._early is None else self._early
        counts = [self._knows, self._early is None, self.n_readings_, self.n_missing_, self.n_late_]
        parts = {
            "recent": self._recent.state(),
            "errors": self._errors.state(),
            "model": self._model.state() if self._knows else {},
        }
        return {
            "numbers": np.array([*map(float, counts), self.last_error_]),
            "early": np.array(early, dtype=np.float64),
            "guesses": np.array(self._guesses, dtype=np.float64).reshape(-1, 3),
            **{
                f"{k}.{name}": part
                for k, parts_of in parts.items()
                for name, part in parts_of.items()
            },
        }

    def set_state(self, state: dict[str, FloatArray]) -> Self:
        """Restore the learned state; forests are rebuilt.

        Parameters
        ----------
        state : dict of str to ndarray
            From :meth:`get_state`.

        Returns
        -------
        self : SeriesForecaster
            With all that was learned then.
        """
        return adopt(self, unfitted_twin(self)._restored(state))

    def _restored(self, state: dict[str, FloatArray]) -> Self:
        self._start()
        knows, grown, *counts = (int(part) for part in state["numbers"][:5])
        self._knows = bool(knows)
        self.n_readings_, self.n_missing_, self.n_late_ = counts
        self.last_error_ = float(state["numbers"][5])
        self._early = None if grown else state["early"].tolist()
        self._guesses = [Guess(*map(float, parts)) for parts in state["guesses"]]
        self._recent.restore(part_of(state, "recent"))
        self._errors = Errors.from_state(part_of(state, "errors"))
        if self._knows:
            self._model.restore(part_of(state, "model"))
        return self


def longest_run(readings: FloatArray) -> int:
    """Return the length of the longest usual run of equal readings: the 99th percentile."""
    ends = np.flatnonzero(np.append(np.diff(readings) != 0, True))
    runs = np.diff(np.append(-1, ends))
    return int(np.quantile(np.repeat(runs, runs), 0.99)) if len(runs) else 0
