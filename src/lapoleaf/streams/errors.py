"""Recent errors: the weight of a correction, and the width of an interval."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray

# Number of scores used for intervals.
KEPT = 1000
# Half-lives of errors, in readings: for shares, and for the scale of errors.
_SHARE_HALF_LIFE, _SCALE_HALF_LIFE = 2000.0, 50.0
# Errors are clipped at this multiple of the scale, once there are this many.
_MOST, _FEWEST = 10.0, 20
# Learning rate of the quantile level of intervals.
_FOLLOW = 0.005


class Share:
    """The share, from 0 to 1, of a correction that would have been optimal recently.

    Parameters
    ----------
    start : float
        The share before there is any error.
    """

    def __init__(self, start: float) -> None:
        self.start = start
        self.product = 0.0
        self.square = 0.0

    @property
    def value(self) -> float:
        """The share of the correction."""
        if self.square <= 0.0:
            return self.start
        return min(1.0, max(0.0, self.product / self.square))

    def learn(self, correction: float, needed: float, limit: float = math.inf) -> None:
        """Update from a correction and the ideal one; both are clipped at ``limit``."""
        fading = 2.0 ** (-1.0 / _SHARE_HALF_LIFE)
        needed = min(limit, max(-limit, needed))
        self.product = fading * self.product + correction * needed
        self.square = fading * self.square + correction * correction


class Errors:
    """Recent errors, and the half width of an interval.

    Errors are divided by their scale, an exponentially weighted mean, and the quantile of these
    scores times the current scale is the half width (conformal prediction). The quantile level is
    increased while intervals miss too often, and decreased otherwise, which is valid for any series
    (adaptive conformal inference, Gibbs and Candès, 2021).

    Parameters
    ----------
    coverage : float
        Share of the readings that intervals should hold.
    """

    def __init__(self, coverage: float) -> None:
        self.coverage = coverage
        self.level = coverage
        self.scale = 0.0
        self.usual = 0.0
        self.n = 0
        self.scores: FloatArray = np.empty(0)

    def half_width(self) -> float:
        """Return the half width of the next interval; infinite before there is any error."""
        if not len(self.scores):
            return math.inf
        n = len(self.scores)
        rank = math.ceil(self.level * (n + 1))
        if rank > n:
            score = 1.5 * float(self.scores.max())
        else:
            score = float(np.partition(self.scores, rank - 1)[max(rank, 1) - 1])
        return score * self.today

    def learn(self, error: float) -> None:
        """Update from the error of a forecast with the last half width."""
        size = abs(error)
        self._follow(missed=size > self.half_width())
        before = self.today
        if before > 0.0:
            self.scores = np.append(self.scores[-(KEPT - 1) :], size / before)
        if self.n >= _FEWEST and before > 0.0:
            # Clipped: a much larger error soon becomes usual if it recurs, and is soon forgotten if
            # not.
            size = min(size, _MOST * before)
        self.n += 1
        pace, slow = 1.0 - 2.0 ** (-1.0 / _SCALE_HALF_LIFE), 1.0 - 2.0 ** (-1.0 / KEPT)
        self.scale += max(pace, 1.0 / self.n) * (size - self.scale)
        self.usual += max(slow, 1.0 / self.n) * (size - self.usual)

    def learn_outlier(self) -> None:
        """Update from an outlier: it counts as missed, but its size is not used."""
        self._follow(missed=True)

    def _follow(self, missed: bool) -> None:
        self.level += _FOLLOW * (self.coverage - (0.0 if missed else 1.0))
        self.level = min(1.0, max(0.5 * self.coverage, self.level))

    @property
    def today(self) -> float:
        """The recent scale of errors, bounded below after a quiet period."""
        return max(self.scale, 0.3 * self.usual)

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        numbers = [self.coverage, self.level, self.scale, self.usual, float(self.n)]
        return {"numbers": np.array(numbers), "scores": self.scores}

    @classmethod
    def from_state(cls, state: dict[str, FloatArray]) -> Errors:
        """Return the errors restored from a state."""
        coverage, level, scale, usual, n = (float(part) for part in state["numbers"])
        errors = cls(coverage)
        errors.level, errors.scale, errors.usual, errors.n = level, scale, usual, int(n)
        errors.scores = state["scores"]
        return errors
