"""Online linear forecast (recursive least squares)."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray

# Errors are clipped at this multiple of the mean absolute error, for robustness to spikes.
CLIP = 6.0
# Smoothing of the mean absolute error.
_PACE = 0.005


class OnlineLinear:
    """Recursive least squares with exponential forgetting.

    The target is a change, so that the initial forecast is no change. Rows and targets must be of
    the order of 1.

    Parameters
    ----------
    n_columns : int
        Columns of a row; a constant is added.
    half_life : float, default=inf
        Number of rows after which the weight of a row is halved.
    """

    def __init__(self, n_columns: int, half_life: float = np.inf) -> None:
        self.fading = float(2.0 ** (-1.0 / half_life))
        self.weights: FloatArray = np.zeros(n_columns + 1)
        # The inverse of the regularised sum of squares.
        self.inverse: FloatArray = 1e4 * np.eye(n_columns + 1)
        self.error = 0.0
        self.n = 0

    def predict(self, row: FloatArray) -> float:
        """Return the forecast of the next change."""
        return float(row @ self.weights[:-1] + self.weights[-1])

    def learn(self, row: FloatArray, target: float) -> None:
        """Update with the observed change; large errors have less weight (Huber)."""
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
        # Bounded, since forgetting would let the variance of an uninformative column grow without
        # limit.
        self.inverse = np.minimum(1.0, 1e6 / np.trace(inverse)) * (inverse + inverse.T) / 2.0

    def state(self) -> dict[str, FloatArray]:
        """Return the learned state as arrays."""
        counts = np.array([self.fading, self.error, float(self.n)])
        return {"weights": self.weights, "inverse": self.inverse, "counts": counts}

    @classmethod
    def from_state(cls, state: dict[str, FloatArray]) -> OnlineLinear:
        """Return the forecast restored from a state."""
        model = cls(len(state["weights"]) - 1)
        model.weights, model.inverse = state["weights"], state["inverse"]
        model.fading, model.error = (float(part) for part in state["counts"][:2])
        model.n = int(state["counts"][2])
        return model
