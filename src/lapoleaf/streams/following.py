"""Online processing of a series: readings that are accepted, held, or missing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.beginning import Beginning
from lapoleaf.streams.blending import Blend, ForestOnly, part_of
from lapoleaf.streams.clock import Clock, Taken
from lapoleaf.streams.forecasts import FEWEST_WINDOWS, Forecasts
from lapoleaf.streams.outliers import LARGEST, JumpGate, Verdict
from lapoleaf.streams.recent import BEFORE, Recent, take_end
from lapoleaf.streams.screening import screened, trusted_size


@dataclass
class Counts:
    """Numbers of readings that were accepted, were missing, and were accepted but outliers."""

    readings: int = 0
    missing: int = 0
    outliers: int = 0


class Follower:
    """Processes readings one by one, and forecasts the one that is ``horizon`` readings ahead.

    The clock orders readings, the gate holds outliers, and the model is updated with the others.

    Parameters
    ----------
    model : Blend or ForestOnly
        The unfitted model of windows.
    gate : JumpGate
        A new gate for outliers.
    window, horizon : int
        Number of readings in a window, and of readings to forecast ahead.
    coverage : float
        Share of the readings that intervals should hold.
    """

    def __init__(
        self,
        model: Blend | ForestOnly,
        gate: JumpGate,
        window: int,
        horizon: int,
        coverage: float,
    ) -> None:
        self.gate = gate
        self.recent = Recent(window + horizon)
        self.clock = Clock(2 * self.recent.length)
        self.forecasts = Forecasts(model, self.recent, window, horizon, coverage)
        self.beginning = Beginning()
        self.counts = Counts()
        self.last_error = math.nan

    def learn_series(self, readings: FloatArray) -> int:
        """Fit all windows of a series if there are enough; return their number."""
        return self.forecasts.learn_series(readings, JumpGate(self.gate.max_jump))

    def take_past(self, readings: FloatArray, times: FloatArray) -> None:
        """Continue from the end of a fitted series; times are NaN if there are none."""
        self.beginning.end()
        values = trusted_size(readings)
        n_missing = int(np.isnan(values).sum())
        end = max(0, len(values) - self.recent.length - BEFORE)
        passed = list(values[:end])
        for value, time in zip(values[end:].tolist(), times[end:].tolist(), strict=True):
            passed.extend(self.clock.take(value, time).values)
        self.clock.reset_counts()
        values = np.array(passed)
        spikes, levels = screened(values, self.gate)
        take_end(self.recent, values, spikes, levels)
        self.counts = Counts(len(readings) - n_missing, n_missing, int(spikes.sum()))
        self.forecasts.look_ahead()

    def update(self, reading: float, time: float) -> None:
        """Process the next reading, NaN if missing, and its time, NaN if unknown."""
        self.last_error = math.nan
        value = reading if abs(reading) <= LARGEST else math.nan
        places = self.clock.places_back(time)
        if places is not None and self._take_late(value, places):
            self.clock.place_late()
            self.forecasts.look_again()
        else:
            self._go_on(self.clock.take(value, time))

    def _take_late(self, value: float, places: int) -> bool:
        """Insert a late reading in its place, if possible; return whether it was inserted."""
        usable = not math.isnan(value) and not self.gate.is_far(value)
        return usable and self.recent.take_late(value, places)

    def _go_on(self, taken: Taken) -> None:
        """Process readings released by the clock."""
        self.counts.missing -= taken.n_found
        gap = 0
        if taken.is_new:
            there = (k for k, value in enumerate(taken.values) if not math.isnan(value))
            gap = next(there, len(taken.values))
        for value in taken.values[:gap]:
            self._take(value)
        if taken.is_new:
            self.forecasts.begin_stretch()
            self.beginning.add_gap(self.recent.length)
        for value in taken.values[gap:]:
            self._take(value)
        if taken.is_new:
            # It has no forecast, since the readings before it were held until now.
            self.last_error = math.nan

    def _take(self, value: float) -> None:
        """Process the next value of the series, NaN if missing."""
        self.beginning.add(value)
        if math.isnan(value):
            self.counts.missing += 1
            if self.recent.values:
                self.forecasts.miss()
        else:
            self._take_reading(value)
        if self.recent.values:
            self.forecasts.look_ahead()

    def _take_reading(self, reading: float) -> None:
        self.counts.readings += 1
        due = self.forecasts.due
        if due is not None:
            self.last_error = reading - due.value
        before = self.gate.trusted
        verdict = self.gate.classify(reading, self.recent.missed)
        if verdict is Verdict.TRUSTED:
            self.recent.release()
            self.forecasts.learn(reading)
        else:
            self.counts.outliers += 1
            self.forecasts.hold(reading)
        if verdict is Verdict.NEW_LEVEL:
            self.counts.outliers -= self.gate.n_confirmed
            self.recent.confirm(self.gate.n_confirmed)
        model = self.forecasts.model
        jumped = verdict is Verdict.TRUSTED and not model.reaches(np.array([before, reading]))
        if jumped or verdict is Verdict.NEW_LEVEL:
            model.move(before, reading)
        if self.beginning.is_due(self.counts.readings):
            n_windows = self.learn_series(self.beginning.readings())
            self.beginning.tried(self.counts.readings, n_windows >= FEWEST_WINDOWS)

    def state(self) -> dict[str, FloatArray]:
        """Return the learned state as arrays."""
        counts = self.counts
        numbers = [float(n) for n in (counts.readings, counts.missing, counts.outliers)]
        parts = {
            "clock": self.clock.state(),
            "gate": self.gate.state(),
            "recent": self.recent.state(),
            "beginning": self.beginning.state(),
            **self.forecasts.state(),
        }
        return {
            "numbers": np.array([*numbers, self.last_error]),
            **{f"{k}.{name}": part for k, of in parts.items() for name, part in of.items()},
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        self.counts = Counts(*(int(part) for part in state["numbers"][:3]))
        self.last_error = float(state["numbers"][3])
        for name in ("clock", "gate", "recent", "beginning"):
            getattr(self, name).restore(part_of(state, name))
        self.forecasts.restore(state)
