"""Transformation of windows and targets for the forest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lapoleaf._typing import FloatArray

# Scaled changes and levels are clipped here, so that no single row dominates.
_FARTHEST = 30.0
# A level is new if it is this number of spreads from the centre.
ELSEWHERE = 3.0


@dataclass(frozen=True)
class Changes:
    """Scale that transforms windows to changes and their last level, and targets to changes.

    The next reading of a sensor is close to the last one, so the change is learned. As changes,
    windows at different levels with the same course are near each other.

    Attributes
    ----------
    step : float
        The usual change from one reading to the next.
    centre, spread : float
        Level of the readings, and their spread around it.
    home : float
        The level of the readings that the scale was estimated from.
    """

    step: float
    centre: float
    spread: float
    home: float

    @classmethod
    def of(cls, X: FloatArray) -> Changes:
        """Return the scale of windows, from mean absolute values, which are robust to spikes."""
        last = X[:, -1]
        centre = float(np.median(last))
        changes = np.diff(X, axis=1) if X.shape[1] > 1 else last[1:, None] - last[:-1, None]
        step = 1.25 * float(np.abs(changes).mean()) if changes.size else 0.0
        spread = spread_of(last)
        return cls(step or 1.0, centre, spread or 1.0, centre)

    def moved(self, before: float, after: float) -> Changes:
        """Return the scale after a jump: a level far away becomes the new centre."""
        if abs(after - self.home) <= ELSEWHERE * self.spread:
            return replace(self, centre=self.home)
        if abs(after - self.centre) <= ELSEWHERE * self.spread:
            return self
        return replace(self, centre=after - (before - self.centre))

    def rows(self, X: FloatArray) -> FloatArray:
        """Return windows as rows: changes and the last level."""
        level = (X[:, -1:] - self.centre) / self.spread
        rows = np.hstack([np.diff(X, axis=1) / self.step, level])
        return np.clip(rows, -_FARTHEST, _FARTHEST)

    def reaches(self, window: FloatArray) -> bool:
        """Whether the changes of a window are within the clipping range."""
        return bool((np.abs(np.diff(window)) <= _FARTHEST * self.step).all())

    def changes(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the changes from the ends of windows to their targets, in usual steps."""
        return np.clip((y - X[:, -1]) / self.step, -_FARTHEST, _FARTHEST)


def spread_of(values: FloatArray) -> float:
    """Return the spread of values around their median, scaled as a standard deviation."""
    return 1.25 * float(np.abs(values - np.median(values)).mean())
