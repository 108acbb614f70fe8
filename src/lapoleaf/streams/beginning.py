"""The first readings of a stream, stored until there are enough windows to fit a model."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray

# The model is refitted at these numbers of readings, and updated after the last one.
_STARTS = (100, 200, 400, 800, 1600)
# If there were too few windows by then, the fit is repeated after this number of readings.
_RETRY = 400
# Maximum number of stored readings, including missing ones.
_KEPT = 3200


class Beginning:
    """The first readings, unprocessed, and when to fit a model to them.

    Attributes
    ----------
    is_over : bool
        Whether the readings are no longer stored.
    """

    def __init__(self) -> None:
        self.is_over = False
        self._readings: list[float] = []

    def add(self, reading: float) -> None:
        """Store a reading, NaN if it is missing."""
        if self.is_over:
            return
        self._readings.append(reading)
        if len(self._readings) >= 2 * _KEPT:
            self._readings = self._readings[-_KEPT:]

    def add_gap(self, length: int) -> None:
        """Store missing readings, so that no window crosses them."""
        for _ in range(length):
            self.add(math.nan)

    def readings(self) -> FloatArray:
        """Return the stored readings."""
        return np.array(self._readings[-_KEPT:], dtype=np.float64)

    def is_due(self, n: int) -> bool:
        """Whether to fit now, after ``n`` readings."""
        if self.is_over:
            return False
        return n in _STARTS or (n > _STARTS[-1] and n % _RETRY == 0)

    def tried(self, n: int, enough: bool) -> None:
        """Record a fit after ``n`` readings."""
        if enough and n >= _STARTS[-1]:
            self.end()

    def end(self) -> None:
        """Discard the readings, and stop storing them."""
        self.is_over, self._readings = True, []

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        return {
            "is_over": np.array([float(self.is_over)]),
            "readings": np.array(self._readings, dtype=np.float64),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.is_over = bool(state["is_over"][0])
        self._readings = state["readings"].tolist()
