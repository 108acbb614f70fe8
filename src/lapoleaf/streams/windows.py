"""Windows as the forest sees them, and what their targets mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapoleaf._typing import FloatArray


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
    """

    step: float
    centre: float
    spread: float

    @classmethod
    def of(cls, X: FloatArray) -> Changes:
        """Return the scale of windows; means of absolute values, which spikes move little."""
        last = X[:, -1]
        centre = float(np.median(last))
        changes = np.diff(X, axis=1) if X.shape[1] > 1 else last[1:, None] - last[:-1, None]
        step = 1.25 * float(np.abs(changes).mean()) if changes.size else 0.0
        spread = 1.25 * float(np.abs(last - centre).mean())
        return cls(step if step > 0.0 else 1.0, centre, spread if spread > 0.0 else 1.0)

    def rows(self, X: FloatArray) -> FloatArray:
        """Return windows as rows: changes, and the level at the end."""
        level = (X[:, -1:] - self.centre) / self.spread
        return np.hstack([np.diff(X, axis=1) / self.step, level])

    def changes(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the changes from the ends of windows to what followed, in usual steps."""
        return np.asarray((y - X[:, -1]) / self.step)
