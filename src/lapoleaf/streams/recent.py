"""The last readings of a sensor, as they come: missing, late, or stuck."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.folding import GAP

# A run of equal readings is a stuck sensor when it is so many times the longest that is usual,
_STUCK = 2
# and at least so long.
_STUCK_AT_LEAST = 24
# Steps between timestamps that are remembered, to know the usual one.
_STEPS = 101


class Recent:
    """The last readings without holes: what was missing is filled in, and known to be.

    Parameters
    ----------
    length : int
        How many are kept.

    Attributes
    ----------
    values, measured : list
        The readings, and whether they were measured.
    missed : int
        Steps since the last measured one.
    run : int
        How many measured ones were equal, up to the last.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.values: list[float] = []
        self.measured: list[bool] = []
        self.missed = 0
        self.run = 0
        self.longest = 0
        self.time = math.nan
        self.steps: list[float] = []

    @property
    def usual_step(self) -> float:
        """The usual time between readings; infinite if there is no telling."""
        return float(np.median(self.steps)) if self.steps else math.inf

    @property
    def stuck(self) -> int:
        """For how many readings the sensor has been stuck; 0 if it is not."""
        return max(0, self.run - max(_STUCK_AT_LEAST, _STUCK * self.longest))

    def missing_before(self, time: float) -> int:
        """How many readings are missing before one that was taken at ``time``."""
        step = self.usual_step
        if math.isnan(self.time) or not time - self.time > GAP * step:
            return 0
        return max(1, round((time - self.time) / step) - 1)

    def is_late(self, time: float) -> bool:
        """Whether a reading was taken before the last one, or at the same time."""
        return not math.isnan(self.time) and time <= self.time

    def take_late(self, reading: float, time: float) -> bool:
        """Put a late reading where it was missed; say whether it was."""
        step = self.usual_step
        if not math.isfinite(step):
            return False
        place = len(self.values) - 1 - self.missed_after() - round((self.time - time) / step)
        if 0 <= place < len(self.values) and not self.measured[place]:
            self.values[place], self.measured[place] = reading, True
            return True
        return False

    def missed_after(self) -> int:
        """How many readings were filled in after the last that has a time."""
        return 0 if math.isnan(self.time) else self.missed

    def add(self, reading: float, time: float) -> None:
        """Add a measured reading."""
        if not math.isnan(self.time) and not math.isnan(time):
            step = (time - self.time) / (1 + self.missed)
            self.steps = [*self.steps[-_STEPS + 1 :], step]
        self.time = time
        last = self.values[-1] if self.values else math.nan
        if reading == last:
            self.run += 1
        else:
            if not self.stuck:
                self.longest = max(self.longest, self.run)
            self.run = 1
        self.missed = 0
        self._append(reading, True)

    def miss(self, filling: float) -> None:
        """Add a reading that is missing."""
        self.missed += 1
        self._append(filling, False)

    def _append(self, value: float, measured: bool) -> None:
        self.values = [*self.values, value][-self.length :]
        self.measured = [*self.measured, measured][-self.length :]

    def state(self) -> dict[str, FloatArray]:
        """Return all of it, as arrays."""
        return {
            "values": np.array(self.values),
            "measured": np.array(self.measured, dtype=np.float64),
            "numbers": np.array([self.missed, self.run, self.longest, self.time]),
            "steps": np.array(self.steps),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.values = state["values"].tolist()
        self.measured = [bool(part) for part in state["measured"]]
        self.missed, self.run, self.longest = (int(part) for part in state["numbers"][:3])
        self.time, self.steps = float(state["numbers"][3]), state["steps"].tolist()
