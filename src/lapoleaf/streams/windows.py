"""Windows as the forest sees them, and what their targets mean."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lapoleaf._typing import FloatArray

# Changes and levels count as so many usual ones at most: no single row outweighs all others.
_FARTHEST = 30.0
# A level is another one where it is so many spreads from the centre.
ELSEWHERE = 3.0


@dataclass(frozen=True)
class Changes:
    """Windows as changes from reading to reading, and where they end; targets as changes to come.

    A sensor's next reading is close to the last one: what is to be learned is the change. Seen as
    changes, windows at different levels that go the same way are near each other.

    Attributes
    ----------
    step : float
        The usual change from one reading to the next.
    centre, spread : float
        Level of the readings, and how far they are from it.
    home : float
        The level of the readings that the scale was found by.
    """

    step: float
    centre: float
    spread: float
    home: float

    @classmethod
    def of(cls, X: FloatArray) -> Changes:
        """Return the scale of windows; means of absolute values, which spikes move little."""
        last = X[:, -1]
        centre = float(np.median(last))
        changes = np.diff(X, axis=1) if X.shape[1] > 1 else last[1:, None] - last[:-1, None]
        step = 1.25 * float(np.abs(changes).mean()) if changes.size else 0.0
        spread = spread_of(last)
        return cls(step or 1.0, centre, spread or 1.0, centre)

    def moved(self, before: float, after: float) -> Changes:
        """Return the scale after a jump: another level far away is a new centre."""
        if abs(after - self.home) <= ELSEWHERE * self.spread:
            return replace(self, centre=self.home)
        if abs(after - self.centre) <= ELSEWHERE * self.spread:
            return self
        return replace(self, centre=after - (before - self.centre))

    def rows(self, X: FloatArray) -> FloatArray:
        """Return windows as rows: changes, and the level at the end."""
        level = (X[:, -1:] - self.centre) / self.spread
        rows = np.hstack([np.diff(X, axis=1) / self.step, level])
        return np.clip(rows, -_FARTHEST, _FARTHEST)

    def reaches(self, window: FloatArray) -> bool:
        """Whether the changes of a window are within the range that is distinguished."""
        return bool((np.abs(np.diff(window)) <= _FARTHEST * self.step).all())

    def changes(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the changes from the ends of windows to what followed, in usual steps."""
        return np.clip((y - X[:, -1]) / self.step, -_FARTHEST, _FARTHEST)


def spread_of(values: FloatArray) -> float:
    """Return how far values are from their median, as the standard deviation of normal ones."""
    return 1.25 * float(np.abs(values - np.median(values)).mean())
