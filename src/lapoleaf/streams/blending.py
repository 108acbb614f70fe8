"""What answers for a window: the last reading, a linear forecast, and LaPOLeaF on what remains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.errors import Belief
from lapoleaf.streams.linear import CLIP, OnlineLinear
from lapoleaf.streams.memory import Memory
from lapoleaf.streams.windows import Changes

# Readings after which the linear forecast has forgotten half.
_LINEAR_HALF_LIFE = 2000.0
# One window in so many is held back when shares are found by fit.
_HELD_BACK = 5


class Guess(NamedTuple):
    """A forecast, and its parts.

    Attributes
    ----------
    value : float
        The reading to come.
    linear, forest : float
        What the linear forecast and the forest have said.
    """

    value: float
    linear: float = 0.0
    forest: float = 0.0


class Blend:
    """A linear forecast of the change, corrected by LaPOLeaF as far as that has helped of late.

    Parameters
    ----------
    memory : Memory
        The regressor, and the rows it keeps.
    chunk : int
        The forest takes in readings so many at a time; the linear forecast each.
    """

    def __init__(self, memory: Memory, chunk: int) -> None:
        self.memory = memory
        self.chunk = chunk
        self.scale = Changes(1.0, 0.0, 1.0)
        self.linear = OnlineLinear(1)
        self.beliefs = (Belief(1.0), Belief(0.0))
        self.waiting: list[tuple[FloatArray, float]] = []

    def fit(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Learn windows and what followed; give the errors of those that were held back."""
        self.scale = Changes.of(X)
        rows, changes = self.scale.rows(X), self.scale.changes(X, y)
        self.linear = OnlineLinear(
            rows.shape[1], min(_LINEAR_HALF_LIFE, self.memory.half_life or np.inf)
        )
        self.beliefs, self.waiting = (Belief(1.0), Belief(0.0)), []
        said = np.empty(len(rows))
        for k, row in enumerate(rows):
            said[k] = self.linear.predict(row)
            self.linear.learn(row, changes[k])
        limit = CLIP * self.linear.error
        fitted = rows @ self.linear.weights[:-1] + self.linear.weights[-1]
        left = np.clip(changes - fitted, -limit, limit)
        first = len(rows) - len(rows) // _HELD_BACK
        self.memory.fit(rows[:first], left[:first])
        corrections = self.memory.predict(rows[first:])
        values = np.empty(len(corrections))
        for k, correction in enumerate(corrections):
            values[k] = self._blended(said[first + k], correction)
            self._judge(said[first + k], correction, changes[first + k])
        self.memory.fit(rows, left)
        return np.asarray(self.scale.step * (changes[first:] - values))

    def predict(self, window: FloatArray) -> Guess:
        """Return the reading after a window."""
        row = self.scale.rows(window[None])
        linear, forest = self.linear.predict(row[0]), float(self.memory.predict(row)[0])
        change = self._blended(linear, forest)
        return Guess(float(window[-1] + self.scale.step * change), linear, forest)

    def learn(self, window: FloatArray, reading: float, guess: Guess | None) -> None:
        """Learn what followed a window; ``guess`` is what was forecast for it, if anything was."""
        row = self.scale.rows(window[None])[0]
        change = (reading - float(window[-1])) / self.scale.step
        if guess is not None:
            self._judge(guess.linear, guess.forest, change)
        limit = CLIP * self.linear.error
        left = min(limit, max(-limit, change - self.linear.predict(row)))
        self.linear.learn(row, change)
        self.waiting.append((row, left))
        if len(self.waiting) >= self.chunk:
            self._take_in()

    def rebuild(self) -> None:
        """Build the forests anew from what is remembered."""
        self.memory.rebuild()

    def _take_in(self) -> None:
        rows = np.array([row for row, _ in self.waiting])
        self.memory.learn(rows, np.array([left for _, left in self.waiting]))
        self.waiting = []

    def _blended(self, linear: float, forest: float) -> float:
        return self.beliefs[0].share * linear + self.beliefs[1].share * forest

    def _judge(self, linear: float, forest: float, change: float) -> None:
        """Learn how far the parts were right."""
        limit = CLIP * self.linear.error + abs(linear)
        rest = change - self.beliefs[0].share * linear
        self.beliefs[0].learn(linear, change, limit)
        self.beliefs[1].learn(forest, rest, limit)

    def state(self) -> dict[str, FloatArray]:
        """Return all that has been learned, as arrays."""
        numbers = [self.scale.step, self.scale.centre, self.scale.spread]
        numbers += [part for belief in self.beliefs for part in (belief.product, belief.square)]
        width = len(self.linear.weights) - 1
        rows = np.array([row for row, _ in self.waiting]).reshape(len(self.waiting), width)
        return {
            "numbers": np.array(numbers),
            "waiting_rows": rows,
            "waiting_left": np.array([left for _, left in self.waiting]),
            **{f"linear.{name}": part for name, part in self.linear.state().items()},
            **{f"memory.{name}": part for name, part in self.memory.state().items()},
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        step, centre, spread, *sums = (float(part) for part in state["numbers"])
        self.scale = Changes(step, centre, spread)
        for k, belief in enumerate(self.beliefs):
            belief.product, belief.square = sums[2 * k : 2 * k + 2]
        pairs = zip(state["waiting_rows"], state["waiting_left"], strict=True)
        self.waiting = [(row, float(left)) for row, left in pairs]
        self.linear = OnlineLinear.from_state(part_of(state, "linear"))
        self.memory.restore(part_of(state, "memory"))


class ForestOnly:
    """The paper's way: the forest answers for windows as they were read, and each joins it.

    Parameters
    ----------
    memory : Memory
        The regressor, and the rows it keeps.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def fit(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Learn windows and what followed; give the errors of those that were held back."""
        first = len(X) - len(X) // _HELD_BACK
        self.memory.fit(X[:first], y[:first])
        errors = y[first:] - self.memory.predict(X[first:])
        self.memory.fit(X, y)
        return np.asarray(errors)

    def predict(self, window: FloatArray) -> Guess:
        """Return the reading after a window."""
        return Guess(float(self.memory.predict(window[None])[0]))

    def learn(self, window: FloatArray, reading: float, guess: Guess | None) -> None:
        """Let a window join the forest, with the reading that followed."""
        self.memory.learn(window[None], np.array([reading]))

    def rebuild(self) -> None:
        """Build the forests anew from what is remembered."""
        self.memory.rebuild()

    def state(self) -> dict[str, FloatArray]:
        """Return all that has been learned, as arrays."""
        return {f"memory.{name}": part for name, part in self.memory.state().items()}

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        self.memory.restore(part_of(state, "memory"))


def part_of(state: dict[str, FloatArray], name: str) -> dict[str, FloatArray]:
    """Return the part of a state that has a name."""
    start = f"{name}."
    return {key.removeprefix(start): part for key, part in state.items() if key.startswith(start)}
