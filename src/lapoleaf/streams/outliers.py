"""Outliers of a series, which are held until the next readings confirm them."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._typing import FloatArray

# Maximum reading, so that squares are finite; larger ones are invalid.
LARGEST = 1e150
# Number of changes used to estimate the usual ones, and their minimum.
_KEPT, _FEWEST = 1000, 20
# Share and minimum number (four spikes) of the changes that are excluded from the largest usual
# one.
_TRIMMED, _AT_LEAST = 0.02, 8
# A reading is held if its change is this multiple of the largest usual one,
_TIMES = 5.0
# or, if the series has been constant, this multiple of its level.
_TIMES_LEVEL = 10.0
# Number of changes after which the limit is recomputed.
_EVERY = 10
# Two readings in a row within the limit make a level; this number is needed of readings that are
# only within this share of the jump.
_NEAR, _ROUGHLY = 0.1, 4
# This number of readings that continue in one direction, within earlier levels, make a ramp.
_RAMP = 2
# If this many more readings were held than trusted, the held ones are accepted.
_PATIENCE = 36
# Number of readings after which a new level counts as a regular jump of the series.
_STAYS = 24
# Number of stored jumps, and the factor by which another may exceed the second largest.
_JUMPS, _LARGER = 10, 1.5


class Verdict(enum.Enum):
    """Classification of a reading."""

    TRUSTED = "it belongs to the series"
    HELD = "it does not, unless the next readings confirm it"
    NEW_LEVEL = "it confirms those that were held: the level is another one"


class JumpGate:
    """Detects outliers by comparing the change to each reading with usual changes.

    A reading that is too far from the last trusted one is held. If the next one returns, the held
    one was a spike; if it is near the held one, the level has changed. The level has also changed
    if both are within earlier levels and continue in one direction, as with pumps and valves. The
    limit grows with the square root of the number of missing readings before. It is five times the
    largest usual change (the 98 % quantile of the last 1,000 nonzero changes), or one and a half
    times a jump that has occurred twice and persisted.

    Parameters
    ----------
    max_jump : float or None
        The largest change between two readings; None to estimate it.

    Attributes
    ----------
    trusted : float
        The last trusted reading, NaN before the first.
    held : list of float
        Readings held since then.
    n_confirmed : int
        Number of held readings, the last ones, that belong to the new level.
    """

    def __init__(self, max_jump: float | None = None) -> None:
        self.max_jump = max_jump
        self.trusted = math.nan
        # Range of the readings of persistent levels.
        self.low, self.high = math.inf, -math.inf
        self.held: list[float] = []
        self.n_confirmed = 0
        # Count of held readings, decreased by each trusted one.
        self.far: list[float] = []
        self.changes: FloatArray = np.empty(0)
        self.jumps: list[float] = []
        self.last_jump = 0.0
        self.stayed = 0
        self.n = 0
        self.learnt = math.inf

    @classmethod
    def of(cls, max_jump: Any) -> JumpGate:
        """Return the gate for a parameter "auto", None (every reading is trusted) or a number."""
        if max_jump is None:
            return cls(math.inf)
        return cls(None if isinstance(max_jump, str) else float(max_jump))

    @property
    def limit(self) -> float:
        """The largest change that is accepted at once."""
        if self.max_jump is not None:
            return self.max_jump
        if self.learnt == 0.0:
            return _TIMES_LEVEL * abs(self.trusted) or math.inf
        repeated = _LARGER * sorted(self.jumps)[-2] if len(self.jumps) > 1 else 0.0
        return max(self.learnt, repeated)

    def classify(self, reading: float, missed: int = 0) -> Verdict:
        """Classify the next reading after ``missed`` missing ones, and update the limit."""
        if math.isnan(self.trusted):
            self.trusted = self.low = self.high = reading
            return Verdict.TRUSTED
        change = abs(reading - self.trusted)
        if change <= self.limit * math.sqrt(1 + missed):
            self._trust(reading, change / (1 + missed))
            return Verdict.TRUSTED
        self.far.append(abs(reading - (self.held[-1] if self.held else self.trusted)))
        self.held.append(reading)
        n_near = self._n_agreeing(self.limit)
        if n_near == 1:
            n_near = self._n_agreeing(_NEAR * change)
            n_near = n_near if n_near >= _ROUGHLY else self._n_in_ramp()
        if len(self.far) >= _PATIENCE:
            self._learn(self.far)
            self.far = []
        elif n_near == 1:
            return Verdict.HELD
        self._move(n_near)
        return Verdict.NEW_LEVEL

    def _n_agreeing(self, reach: float) -> int:
        """Return how many of the last held readings are each within the limit of the next."""
        n = 1
        while n < len(self.held) and abs(self.held[-n] - self.held[-n - 1]) <= reach:
            n += 1
        return n

    def _n_in_ramp(self) -> int:
        """Return how many of the last held readings make a ramp, 1 if there is none."""
        steps = np.diff([self.trusted, *self.held[-_PATIENCE:]])
        n = 1
        while n < len(steps) and steps[-n - 1] * steps[-1] > 0.0:
            n += 1
        known = all(self.low <= reading <= self.high for reading in self.held[-n:])
        return n if known and n >= _RAMP else 1

    def is_far(self, reading: float) -> bool:
        """Whether a late reading is too far from the trusted one to be used."""
        return not abs(reading - self.trusted) <= self.limit

    def _trust(self, reading: float, change: float) -> None:
        self.trusted, self.held, self.far = reading, [], self.far[:-1]
        self._learn([change])
        self.stayed += 1
        if self.stayed == _STAYS and self.last_jump > 0.0:
            self.jumps = [*self.jumps[1 - _JUMPS :], self.last_jump]
            self.last_jump = 0.0
        if self.last_jump == 0.0:
            self.low, self.high = min(self.low, reading), max(self.high, reading)

    def _move(self, n_confirmed: int) -> None:
        """Continue at the level of the last ``n`` held readings."""
        level = self.held[-n_confirmed:]
        self.last_jump, self.stayed = abs(level[-1] - self.trusted), 0
        self.trusted, self.held, self.n_confirmed = level[-1], [], n_confirmed
        self._learn(np.abs(np.diff(level)).tolist())

    def _learn(self, changes: list[float]) -> None:
        self.changes = np.append(self.changes, changes)[-_KEPT:]
        before, self.n = self.n, self.n + len(changes)
        if self.n >= _FEWEST and (before < _FEWEST or before // _EVERY != self.n // _EVERY):
            self.learnt = _TIMES * usual_largest(self.changes)

    def prime(self, readings: FloatArray) -> None:
        """Estimate usual changes from a series before its readings are classified."""
        changes = np.abs(np.diff(readings[~np.isnan(readings)]))[:_KEPT]
        self._learn(changes.tolist())

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        counts = [float(self.stayed), float(self.n)]
        numbers = [self.trusted, self.last_jump, *counts, self.learnt, self.low, self.high]
        return {
            "numbers": np.array(numbers),
            "held": np.array(self.held, dtype=np.float64),
            "far": np.array(self.far, dtype=np.float64),
            "changes": self.changes,
            "jumps": np.array(self.jumps, dtype=np.float64),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        numbers = state["numbers"].tolist()
        self.trusted, self.last_jump, stayed, n, self.learnt, self.low, self.high = numbers
        self.stayed, self.n = int(stayed), int(n)
        self.held, self.far = state["held"].tolist(), state["far"].tolist()
        self.jumps = state["jumps"].tolist()
        self.changes = state["changes"]


def usual_largest(changes: FloatArray) -> float:
    """Return the largest usual change; 0 for a constant series.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.outliers import usual_largest
    >>> usual_largest(np.append(np.arange(1.0, 101.0), [0.0, 0.0, 1e6, 1e6]))
    103.0
    """
    moves = np.sort(changes[changes > 0.0])
    if not len(moves):
        return 0.0
    usual = 2.0 * float(np.median(moves))
    trimmed = max(_AT_LEAST, math.ceil(_TRIMMED * len(moves)))
    if len(moves) > 2 * trimmed:
        usual = max(usual, float(moves[-1 - trimmed]))
    return usual


def check_max_jump(max_jump: Any) -> None:
    """Raise unless ``max_jump`` is "auto", None or a positive number."""
    if max_jump is None or (isinstance(max_jump, str) and max_jump == "auto"):
        return
    if not (is_real(max_jump) and 0.0 < max_jump < math.inf):
        raise ValueError(f"max_jump={shown(max_jump)} must be 'auto', None, or a number above 0.")
