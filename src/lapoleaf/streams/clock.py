"""Timestamps of a sensor: regular, late, or inconsistent."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.folding import GAP

# Number of steps between times that the usual step is estimated from, and their minimum.
_STEPS = 101
_FEWEST_STEPS = 2
# This number of consistent times in a row replaces those before,
_RUN = 3
# and after this number of inconsistent ones in a row the clock is accepted as it is.
_MOST_HELD = 5


class Held(NamedTuple):
    """A reading whose time is inconsistent with the others.

    Attributes
    ----------
    value, time : float
        The reading, NaN if it is missing, and its time.
    has_place : bool
        Whether it takes the place of a missing reading; false if it may be an old reading.
    """

    value: float
    time: float
    has_place: bool


class Taken(NamedTuple):
    """Continuation of the series.

    Attributes
    ----------
    values : list of float
        The next values of the series, NaN for missing readings; may be empty.
    n_found : int
        How many of the values were reported as missing before.
    is_new : bool
        Whether a new stretch begins.
    """

    values: list[float]
    n_found: int = 0
    is_new: bool = False


class Clock:
    """Orders readings by time, and holds those with inconsistent times.

    A time up to ``reach`` usual steps after the last one is the next; readings between are missing.
    Any other is held. If the next time follows the one before the held ones, these are dropped. If
    three held times in a row follow each other, the clock was set, and a new stretch begins with
    them. Among the first readings, a longer run of consistent times replaces a shorter one. Five
    inconsistent times in a row begin a new stretch as well, so that no clock stops the series; a
    clock that stands still is ignored.

    Parameters
    ----------
    reach : int
        Number of usual steps that a time may be ahead; one up to half as many steps back is late.

    Attributes
    ----------
    n_late, n_odd, n_stretches : int
        Numbers of readings that came late or twice, of readings with inconsistent times, and of new
        stretches.

    Examples
    --------
    >>> from lapoleaf.streams.clock import Clock
    >>> clock = Clock(reach=10)
    >>> [clock.take(8.0, time).values for time in (0, 1, 2, 4)]
    [[8.0], [8.0], [8.0], [nan, 8.0]]
    >>> [clock.take(9.0, time).values for time in (5000, 6)]
    [[nan], [9.0]]
    >>> clock.n_odd, clock.n_stretches
    (1, 0)
    >>> [clock.take(9.0, time).values for time in (-500, -499, -498)]
    [[nan], [nan], [9.0, 9.0, 9.0]]
    >>> clock.n_odd, clock.n_stretches
    (1, 1)
    """

    def __init__(self, reach: int) -> None:
        self.reach = reach
        self.time = math.nan
        self.steps: list[float] = []
        # The last times of this stretch, and the number of places in the series since.
        self.n_run = 0
        self.passed = 0
        self.held: list[Held] = []
        # The time of a clock that stands still.
        self.still = math.nan
        self.n_late = self.n_odd = self.n_stretches = 0

    @property
    def usual_step(self) -> float:
        """The usual time between readings; infinite if unknown."""
        return median(self.steps) if len(self.steps) >= _FEWEST_STEPS else math.inf

    def places_back(self, time: float) -> int | None:
        """Return how many places before the last a late time belongs; None if it is not late."""
        places = (self.time - time) / self.usual_step
        if not 0.0 <= places <= self.reach or math.isinf(self.usual_step):
            return None
        return round(places) + self.passed

    def place_late(self) -> None:
        """Record that a late reading was put in its place."""
        self.n_late += 1
        self.held = []

    def reset_counts(self) -> None:
        """Reset all counts to 0."""
        self.n_late = self.n_odd = self.n_stretches = 0

    def take(self, value: float, time: float) -> Taken:
        """Return the continuation of the series with a reading.

        Parameters
        ----------
        value : float
            The reading, NaN if it is missing.
        time : float
            Its time; NaN if unknown, then it is the next reading.
        """
        if math.isnan(time):
            self.passed += 1
            self.held = []
            return Taken([value])
        if math.isnan(self.time):
            self.time, self.n_run, self.passed = time, 1, 0
            return Taken([value])
        ahead = time - self.time
        if 0.0 < ahead <= (self.reach + self.passed) * self.usual_step:
            return Taken([math.nan] * self._advance(time) + [value])
        return self._hold(value, time)

    def _advance(self, time: float) -> int:
        """Move to the next time, and return how many readings are missing before it."""
        ahead, step = time - self.time, self.usual_step
        places = 1 + self.passed if math.isinf(step) else 1
        if ahead > GAP * step:
            places = round(min(ahead / step, float(self.reach + self.passed)))
        missing = max(0, places - 1 - self.passed)
        self.steps = [*self.steps[1 - _STEPS :], ahead / places]
        self.time, self.n_run, self.passed = time, min(self.n_run + 1, _RUN), 0
        self.held, self.still = [], math.nan
        return missing

    def _hold(self, value: float, time: float) -> Taken:
        """Hold a reading whose time does not follow, or begin a new stretch with it."""
        if [held.time for held in self.held[-_RUN:]] == [time] * _RUN:
            self.still, self.held = time, []
        if time == self.still:
            self.n_odd += 1
            self.passed += 1
            return Taken([value])
        is_late = self._is_late(time)
        self.held = [*self.held, Held(value, time, not is_late)]
        run = self._run_of_held()
        if len(run) >= min(_RUN, self.n_run + 1) or len(self.held) >= _MOST_HELD:
            return self._begin_stretch(run)
        if is_late:
            self.n_late += 1
            return Taken([])
        self.n_odd += 1
        self.passed += 1
        return Taken([math.nan])

    def _is_late(self, time: float) -> bool:
        """Whether a time is shortly before the last, of an old or repeated reading."""
        return 0.0 <= self.time - time <= 0.5 * self.reach * self.usual_step

    def _run_of_held(self) -> list[float]:
        """Return the held times at the end that follow each other."""
        times = [held.time for held in self.held]
        first = len(times) - 1
        while first and 0.0 < times[first] - times[first - 1] <= self.reach * self.usual_step:
            first -= 1
        return times[first:]

    def _begin_stretch(self, run: list[float]) -> Taken:
        """Begin a new stretch with all held readings, after a gap."""
        places = sum(held.has_place for held in self.held[:-1])
        self.n_odd -= places
        self.n_late -= len(self.held) - 1 - places
        self.n_stretches += 1
        times = [held.time for held in self.held]
        steps = [after - before for before, after in pairwise(times) if after > before]
        gap = 1
        if len(run) == len(self.held) and self.n_run >= _RUN:
            gap = max(1, self._missing_before(run[0]))
            steps = [*self.steps, *steps][-_STEPS:]
        values = [math.nan] * max(0, gap - places) + [held.value for held in self.held]
        self.time, self.steps, self.n_run = times[-1], steps, min(len(run), _RUN)
        self.held, self.still, self.passed = [], math.nan, 0
        return Taken(values, places, is_new=True)

    def _missing_before(self, time: float) -> int:
        """Return the number of missing readings if the clock was not set."""
        steps = (time - self.time) / self.usual_step
        return round(max(steps, 1.0)) - 1 if steps < self.reach else self.reach

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        counts = [self.n_run, self.passed, self.n_late, self.n_odd, self.n_stretches]
        return {
            "numbers": np.array([self.time, self.still, *map(float, counts)]),
            "steps": np.array(self.steps, dtype=np.float64),
            "held": np.array(self.held, dtype=np.float64).reshape(-1, 3),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.time, self.still = state["numbers"][:2].tolist()
        counts = [int(count) for count in state["numbers"][2:]]
        self.n_run, self.passed, self.n_late, self.n_odd, self.n_stretches = counts
        self.steps = state["steps"].tolist()
        self.held = [
            Held(value, time, bool(place)) for value, time, place in state["held"].tolist()
        ]
