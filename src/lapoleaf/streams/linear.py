"""A linear forecast that learns with every reading, in closed form."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray

# Errors count as this many mean absolute errors at most: a spike is one reading, not a lesson.
CLIP = 6.0
# How slowly the mean absolute error follows.
_PACE = 0.005


class OnlineLinear:
    """Least squares on what has been seen, old readings fading (recursive least squares).

    The target is a change, so that with nothing learned the forecast is that nothing changes. Rows
    and targets must be of the order of 1.

    Parameters
    ----------
    n_columns : int
        Columns of a row; a constant is added.
    half_life : float, default=inf
        After so many rows a row counts half.
    """

    def __init__(self, n_columns: int, half_life: float = np.inf) -> None:
        self.fading = float(2.0 ** (-1.0 / half_life))
        self.weights: FloatArray = np.zeros(n_columns + 1)
        # The inverse of the sum of squares, as if there had been a little of every column.
        self.inverse: FloatArray = 1e4 * np.eye(n_columns + 1)
        self.error = 0.0
        self.n = 0

    def predict(self, row: FloatArray) -> float:
        """Return the change to come."""
        return float(row @ self.weights[:-1] + self.weights[-1])

    def learn(self, row: FloatArray, target: float) -> None:
        """Learn the change that came; one that is far out counts less (Huber)."""
        extended = np.append(row, 1.0)
        miss = target - float(extended @ self.weights)
        limit = CLIP * self.error
        trust = 1.0 if self.n < 2 * len(row) or abs(miss) <= limit else limit / abs(miss)
        self.n += 1
        pace = max(_PACE, 1.0 / self.n)
        self.error += pace * (abs(miss) * trust - self.error)
        if trust == 0.0:
            return
        reach = self.inverse @ extended
        gain = reach / (self.fading / trust + extended @ reach)
        self.weights = self.weights + gain * miss
        inverse = (self.inverse - np.outer(gain, reach)) / self.fading
        # Where nothing is learned of a column for long, fading must not make it infinitely open.
        self.inverse = np.minimum(1.0, 1e6 / np.trace(inverse)) * (inverse + inverse.T) / 2.0

    def state(self) -> dict[str, FloatArray]:
        """Return what has been learned, as arrays."""
        counts = np.array([self.fading, self.error, float(self.n)])
        return {"weights": self.weights, "inverse": self.inverse, "counts": counts}

    @classmethod
    def from_state(cls, state: dict[str, FloatArray]) -> OnlineLinear:
        """Return the forecast that had learned this."""
        model = cls(len(state["weights"]) - 1)
        model.weights, model.inverse = state["weights"], state["inverse"]
        model.fading, model.error = (float(part) for part in state["counts"][:2])
        model.n = int(state["counts"][2])
        return model
