"""The last readings of a sensor, which may be missing, late, held, or stuck."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray

# A sensor is stuck if a run of equal readings is this multiple of the longest usual one,
_STUCK = 2
# and at least this long.
_STUCK_AT_LEAST = 24
# Number of readings before the last window that are processed again for runs and times.
BEFORE = 100


class Recent:
    """The last readings, with missing ones filled in and marked.

    Parameters
    ----------
    length : int
        Number of stored readings.

    Attributes
    ----------
    values, measured : list
        The readings, and whether they were measured.
    held : list of float
        The original values of readings held as outliers; NaN for all others.
    missed : int
        Number of steps since the last measured reading.
    run : int
        Length of the run of equal measured readings at the end.
    n_together : int
        Number of readings in the current stretch, up to ``length``.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.values: list[float] = []
        self.measured: list[bool] = []
        self.held: list[float] = []
        self.missed = 0
        self.run = 0
        self.longest = 0
        self.n_together = 0

    @property
    def stuck(self) -> int:
        """Number of readings for which the sensor has been stuck; 0 if it is not."""
        return max(0, self.run - max(_STUCK_AT_LEAST, _STUCK * self.longest))

    def begin_stretch(self) -> None:
        """Begin a new stretch: the next reading does not follow the last."""
        self.n_together = 0

    def take_late(self, reading: float, places_back: int) -> bool:
        """Insert a late reading in its place; return whether that was possible."""
        place = len(self.values) - 1 - places_back
        if 0 <= place < len(self.values) and not self.measured[place]:
            self.values[place], self.measured[place] = reading, True
            self.held[place] = math.nan
            return True
        return False

    def can_teach(self, window: int, share: float) -> bool:
        """Whether the first window is in one stretch, with its last and enough other readings."""
        there = self.measured[:window]
        return self.n_together == self.length and there[-1] and sum(there) >= share * window

    def add(self, reading: float) -> None:
        """Add a measured reading."""
        last = self.values[-1] if self.values else math.nan
        if reading == last:
            self.run += 1
        else:
            if not self.stuck:
                self.longest = max(self.longest, self.run)
            self.run = 1
        self.missed = 0
        self._append(reading, True, math.nan)

    def miss(self, filling: float) -> None:
        """Add a missing reading."""
        self.missed += 1
        self._append(filling, False, math.nan)

    def hold(self, filling: float, reading: float) -> None:
        """Add a reading that is held as an outlier, with its replacement."""
        self.missed += 1
        self._append(filling, False, reading)

    def release(self) -> None:
        """Drop the held readings, which were spikes."""
        self.held = [math.nan] * len(self.values)

    def confirm(self, n: int) -> None:
        """Accept the last ``n`` held readings; those before are shifted to the new level."""
        places = [k for k, reading in enumerate(self.held) if not math.isnan(reading)][-n:]
        if places:
            first = places[0]
            jump = self.held[first] - self.values[first]
            self.values[:first] = [value + jump for value in self.values[:first]]
            self.measured[:first] = [False] * first
            for k in range(first, len(self.values)):
                self.measured[k] = k in places
                self.values[k] = self.held[k] if self.measured[k] else self.values[k - 1]
        self.missed = 0
        self.release()

    def _append(self, value: float, measured: bool, held: float) -> None:
        self.values = [*self.values, value][-self.length :]
        self.measured = [*self.measured, measured][-self.length :]
        self.held = [*self.held, held][-self.length :]
        self.n_together = min(self.n_together + 1, self.length)

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        numbers = [self.missed, self.run, self.longest, self.n_together]
        return {
            "values": np.array(self.values),
            "measured": np.array(self.measured, dtype=np.float64),
            "held": np.array(self.held),
            "numbers": np.array(numbers, dtype=np.float64),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.values = state["values"].tolist()
        self.measured = [bool(part) for part in state["measured"]]
        self.held = state["held"].tolist()
        numbers = [int(part) for part in state["numbers"]]
        self.missed, self.run, self.longest, self.n_together = numbers


def take_end(recent: Recent, values: FloatArray, spikes: BoolArray, levels: IntArray) -> None:
    """Initialise recent readings with the end of a series.

    Parameters
    ----------
    recent : Recent
        The empty recent readings.
    values : ndarray of shape (n,)
        The readings at regular steps, NaN where missing.
    spikes, levels : ndarray
        Outliers, and beginnings of new levels: see :func:`screened`.
    """
    measured = np.flatnonzero(~np.isnan(values))
    jumps = set(levels.tolist())
    for k in range(max(0, measured[-1] - recent.length - BEFORE), len(values)):
        reading = float(values[k])
        if not recent.values and (math.isnan(reading) or spikes[k]):
            continue
        last = recent.values[-1] if recent.values else reading
        if math.isnan(reading):
            recent.miss(last)
        elif spikes[k] or k in jumps:
            recent.hold(last, reading)
            if k in jumps:
                recent.confirm(1)
        else:
            recent.release()
            recent.add(reading)
    recent.longest = longest_run(values)


def longest_run(readings: FloatArray) -> int:
    """Return the length of the longest usual run of equal readings: the 99th percentile."""
    ends = np.flatnonzero(np.append(np.diff(readings) != 0, True))
    runs = np.diff(np.append(-1, ends))
    return int(np.quantile(np.repeat(runs, runs), 0.99)) if len(runs) else 0
