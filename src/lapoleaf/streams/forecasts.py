"""Forecasts from the last readings, and intervals from past errors."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.blending import Blend, ForestOnly, Guess, part_of
from lapoleaf.streams.errors import Errors
from lapoleaf.streams.filled_windows import MEASURED, Series
from lapoleaf.streams.outliers import JumpGate
from lapoleaf.streams.paths import STEPS, ForecastPath, PathErrors, rolled, tried_paths
from lapoleaf.streams.recent import Recent

FEWEST_WINDOWS = 20
# Windows outside of the range of the model are learned once there are this many.
_MOST_BEYOND = 100


class Forecasts:
    """Online forecasts of the reading that is ``horizon`` readings ahead.

    Parameters
    ----------
    model : Blend or ForestOnly
        The unfitted model of windows.
    recent : Recent
        The last readings.
    window, horizon : int
        Number of readings in a window, and of readings to forecast ahead.
    coverage : float
        Share of the readings that intervals should hold.

    Attributes
    ----------
    guesses : list of Guess
        The last forecasts, up to ``horizon``; the newest last.
    is_fitted : bool
        Whether the model is fitted; otherwise the last reading is the forecast.
    """

    def __init__(
        self, model: Blend | ForestOnly, recent: Recent, window: int, horizon: int, coverage: float
    ) -> None:
        self.model = model
        self.recent = recent
        self.window = window
        self.horizon = horizon
        self.errors = Errors(coverage)
        self.paths = PathErrors()
        self.guesses: list[Guess] = []
        self.is_fitted = False
        # Count of windows outside of the range of the model, decreased by each one inside.
        self.n_beyond = 0

    @property
    def due(self) -> Guess | None:
        """The forecast of the next reading, if any."""
        return self.guesses[0] if len(self.guesses) == self.horizon else None

    def learn_series(self, readings: FloatArray, gate: JumpGate) -> int:
        """Fit all windows of a series if there are enough; return their number."""
        series = Series.of(readings, gate)
        X, y, index = series.windows(self.window, self.horizon)
        if len(X) < FEWEST_WINDOWS:
            return len(X)
        paths: list[FloatArray] = []

        def held_back(first: int) -> None:
            ends = index[first:] - self.horizon
            many = self.model.predict_many
            paths.append(tried_paths(many, series, ends, self.window, self.horizon))

        self.errors, self.paths = Errors(self.errors.coverage), PathErrors()
        for error in self.model.fit(X, y, held_back):
            self.errors.learn(float(error))
        if self.errors.today > 0.0:
            self.paths.add(paths[0] / self.errors.today)
        self.is_fitted = True
        return len(X)

    def learn(self, reading: float) -> None:
        """Learn from a measured reading."""
        recent, due = self.recent, self.due
        stays_stuck = recent.stuck and reading == recent.values[-1]
        if due is not None and not stays_stuck:
            # Normalised for missing readings: errors grow at least like those of a random walk.
            self.errors.learn((reading - due.value) / math.sqrt(1.0 + due.missed))
        self.paths.learn(reading)
        recent.add(reading)
        if self.is_fitted and recent.can_teach(self.window, MEASURED) and not recent.stuck:
            self._update_model(np.array(recent.values), reading, due)

    def _update_model(self, values: FloatArray, reading: float, due: Guess | None) -> None:
        """Update the model with a window, unless only that window is out of range."""
        is_usual = self.model.reaches(values)
        self.n_beyond = min(_MOST_BEYOND, max(0, self.n_beyond + (-1 if is_usual else 1)))
        if is_usual or self.n_beyond == _MOST_BEYOND:
            self.model.learn(values[: self.window], reading, due)

    def miss(self) -> None:
        """Process a missing reading."""
        self.paths.learn(math.nan)
        self.recent.miss(self._filling())

    def hold(self, reading: float) -> None:
        """Hold an outlier, which is replaced by its forecast."""
        self.errors.learn_outlier()
        self.paths.learn(math.nan)
        self.recent.hold(self._filling(), reading)

    def begin_stretch(self) -> None:
        """Begin a new stretch: earlier forecasts are not for the next reading."""
        self.recent.begin_stretch()
        self.paths.abandon()
        self.guesses = []

    def _filling(self) -> float:
        """Return the value that replaces a missing reading: its forecast, if any."""
        ahead = self.horizon == 1 and self.recent.missed < self.window and len(self.guesses) > 0
        if ahead:
            return self.guesses[-1].value
        return self.recent.values[-1] if self.recent.values else math.nan

    def look_ahead(self) -> None:
        """Forecast from the current window."""
        recent = self.recent
        guess = Guess(recent.values[-1])
        if self.is_fitted and len(recent.values) >= self.window:
            guess = self.model.predict(np.array(recent.values[-self.window :]))
        guess = guess._replace(missed=float(recent.missed))
        self.guesses = [*self.guesses, guess][-self.horizon :]
        if self.is_fitted and recent.missed == 0 and self.paths.wants_path():
            self.paths.begin(self._path(STEPS), self.errors.today)

    def look_again(self) -> None:
        """Repeat the forecast after a change of the current window."""
        self.guesses.pop()
        self.look_ahead()

    def _path(self, steps: int) -> FloatArray:
        span = self.recent.values[-(self.window + self.horizon - 1) :]
        if not self.is_fitted or len(span) < self.window + self.horizon - 1:
            return np.full(steps, span[-1])
        path = rolled(self.model.predict_many, np.array([span]), self.window, steps)
        return np.asarray(path[0])

    def path(self, steps: int) -> ForecastPath:
        """Return the next readings with their intervals."""
        mean, scale, first = self._path(steps), self.errors.today, self.errors.half_width()
        if self.horizon == 1:
            mean[0] = self.guesses[-1].value
        widths = np.full(steps, first)
        if scale > 0.0 and math.isfinite(first):
            coverage = self.errors.coverage
            widths = scale * self.paths.relative_widths(steps, coverage, first / scale)
        widths = widths * self._widening()
        return ForecastPath(mean, mean - widths, mean + widths)

    def half_width(self) -> float:
        """Return the half width of the interval around the forecast."""
        return self.errors.half_width() * self._widening()

    def _widening(self) -> float:
        """Return the factor of the width of intervals while readings are missing or stuck.

        Errors of iterated forecasts add up; a stuck sensor hides a random walk.
        """
        return (1.0 + self.recent.missed) * math.sqrt(1.0 + self.recent.stuck)

    def state(self) -> dict[str, dict[str, FloatArray]]:
        """Return the learned state of all parts as arrays."""
        return {
            "forecasts": {
                "numbers": np.array([float(self.is_fitted), float(self.n_beyond)]),
                "guesses": np.array(self.guesses, dtype=np.float64).reshape(-1, 5),
            },
            "errors": self.errors.state(),
            "paths": self.paths.state(),
            "model": self.model.state() if self.is_fitted else {},
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        is_fitted, n_beyond = state["forecasts.numbers"]
        self.is_fitted, self.n_beyond = bool(is_fitted), int(n_beyond)
        self.guesses = [Guess(*map(float, parts)) for parts in state["forecasts.guesses"]]
        self.errors = Errors.from_state(part_of(state, "errors"))
        self.paths.restore(part_of(state, "paths"))
        if self.is_fitted:
            self.model.restore(part_of(state, "model"))
