"""Recent errors: the weight of a correction, and the width of an interval."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import FloatArray

# Scores that are kept for intervals.
KEPT = 1000
# Readings after which an error counts half: for beliefs, and for the scale of errors.
_BELIEF, _SCALE = 2000.0, 50.0
# An error counts as so many usual ones at most in the scale, when there were so many before.
_MOST, _FEWEST = 10.0, 20
# How fast the level of intervals follows what they missed.
_FOLLOW = 0.005


class Belief:
    """The share, from 0 to 1, of a correction that would have been best of late.

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
    def share(self) -> float:
        """How much of the correction to take."""
        if self.square <= 0.0:
            return self.start
        return min(1.0, max(0.0, self.product / self.square))

    def learn(self, correction: float, needed: float, limit: float = math.inf) -> None:
        """Learn what the correction was and what it should have been; spikes count as ``limit``."""
        fading = 2.0 ** (-1.0 / _BELIEF)
        needed = min(limit, max(-limit, needed))
        self.product = fading * self.product + correction * needed
        self.square = fading * self.square + correction * correction


class Errors:
    """Errors of late, and the half width of an interval from them.

    Errors are divided by their scale, a mean that fades fast, and the quantile of these scores
    times the scale of today is the half width (conformal prediction). Where intervals miss more
    often than they should, the quantile moves up until they do not, and down in the other case:
    this holds for any series (adaptive conformal inference, Gibbs and Candès, 2021).

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
        """Learn the error of a forecast that was made with the last half width."""
        size = abs(error)
        self._follow(missed=size > self.half_width())
        before = self.today
        if before > 0.0:
            self.scores = np.append(self.scores[-(KEPT - 1) :], size / before)
        if self.n >= _FEWEST and before > 0.0:
            # One that is much larger soon is usual if it comes again, and soon forgotten if not.
            size = min(size, _MOST * before)
        self.n += 1
        pace, slow = 1.0 - 2.0 ** (-1.0 / _SCALE), 1.0 - 2.0 ** (-1.0 / KEPT)
        self.scale += max(pace, 1.0 / self.n) * (size - self.scale)
        self.usual += max(slow, 1.0 / self.n) * (size - self.usual)

    def learn_outlier(self) -> None:
        """Learn that a reading was an outlier: it was missed, but its size teaches nothing."""
        self._follow(missed=True)

    def _follow(self, missed: bool) -> None:
        self.level += _FOLLOW * (self.coverage - (0.0 if missed else 1.0))
        self.level = min(1.0, max(0.5 * self.coverage, self.level))

    @property
    def today(self) -> float:
        """The scale of errors of late; a quiet hour does not promise another."""
        return max(self.scale, 0.3 * self.usual)

    def state(self) -> dict[str, FloatArray]:
        """Return all of it, as arrays."""
        numbers = [self.coverage, self.level, self.scale, self.usual, float(self.n)]
        return {"numbers": np.array(numbers), "scores": self.scores}

    @classmethod
    def from_state(cls, state: dict[str, FloatArray]) -> Errors:
        """Return the errors that were kept."""
        coverage, level, scale, usual, n = (float(part) for part in state["numbers"])
        errors = cls(coverage)
        errors.level, errors.scale, errors.usual, errors.n = level, scale, usual, int(n)
        errors.scores = state["scores"]
        return errors
