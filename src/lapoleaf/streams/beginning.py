"""The first readings of a stream: kept until there are enough windows to learn from."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray

# Everything is learned again when so many readings are there, and goes on from the last time.
_STARTS = (100, 200, 400, 800, 1600)
# Where there were too few windows by then, it is tried again after so many readings.
_RETRY = 400
# The last readings that are kept, missing ones too.
_KEPT = 3200


class Beginning:
    """The first readings as they were read, and when to learn from them.

    Attributes
    ----------
    is_over : bool
        Whether the readings are no longer kept.
    """

    def __init__(self) -> None:
        self.is_over = False
        self._readings: list[float] = []

    def add(self, reading: float) -> None:
        """Keep a reading, NaN if it is missing."""
        if self.is_over:
            return
        self._readings.append(reading)
        if len(self._readings) >= 2 * _KEPT:
            self._readings = self._readings[-_KEPT:]

    def add_gap(self, length: int) -> None:
        """Keep so many missing readings, so that no window crosses."""
        for _ in range(length):
            self.add(math.nan)

    def readings(self) -> FloatArray:
        """Return the readings that are kept."""
        return np.array(self._readings[-_KEPT:], dtype=np.float64)

    def is_due(self, n: int) -> bool:
        """Whether to learn now, after so many readings."""
        if self.is_over:
            return False
        return n in _STARTS or (n > _STARTS[-1] and n % _RETRY == 0)

    def tried(self, n: int, enough: bool) -> None:
        """Take note that it was tried to learn after so many readings."""
        if enough and n >= _STARTS[-1]:
            self.end()

    def end(self) -> None:
        """Keep the readings no longer."""
        self.is_over, self._readings = True, []

    def state(self) -> dict[str, FloatArray]:
        """Return all of it, as arrays."""
        return {
            "is_over": np.array([float(self.is_over)]),
            "readings": np.array(self._readings, dtype=np.float64),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.is_over = bool(state["is_over"][0])
        self._readings = state["readings"].tolist()
