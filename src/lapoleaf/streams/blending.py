"""Forecasts from windows: the last reading with successive, weighted corrections."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.streams.kernel import KEPT, RecentKernel, predicted_in_turn
from lapoleaf.streams.linear import CLIP, OnlineLinear
from lapoleaf.streams.memory import Memory
from lapoleaf.streams.shares import Shares
from lapoleaf.streams.windows import Changes

# Half-life of the linear forecast, in readings.
_LINEAR_HALF_LIFE = 2000.0
# ``fit`` holds back one window in this number to estimate shares.
_HELD_BACK = 5


class Guess(NamedTuple):
    """A forecast with its parts.

    Attributes
    ----------
    value : float
        The forecast.
    linear, forest : float
        Predictions of the linear forecast and of the forest.
    missed : float
        Number of missing readings before it.
    kernel : float
        Prediction of the kernel regression.
    """

    value: float
    linear: float = 0.0
    forest: float = 0.0
    missed: float = 0.0
    kernel: float = 0.0


class Blend:
    """Linear forecast of the change, corrected by LaPOLeaF and then by kernel regression.

    Both are fitted to the residuals of the linear forecast. Each correction is weighted by how much
    it would have reduced recent errors.

    Parameters
    ----------
    memory : Memory
        The regressor with its stored rows.
    chunk : int
        Number of readings after which forest and
        kernel regression are updated; the linear forecast is updated with each.
    """

    def __init__(self, memory: Memory, chunk: int) -> None:
        self.memory = memory
        self.chunk = chunk
        self.scale = Changes(1.0, 0.0, 1.0, 0.0)
        self.linear = OnlineLinear(1)
        self.kernel = _kernel_within(memory)
        self.shares = Shares(3)
        self.waiting: list[tuple[FloatArray, float]] = []

    def fit(
        self, X: FloatArray, y: FloatArray, held_back: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Fit windows and their targets; return the errors of those that were held back.

        ``held_back`` is called with the number of the first of these before they are fitted.
        """
        self.scale = Changes.of(X)
        rows, changes = self.scale.rows(X), self.scale.changes(X, y)
        self.linear = OnlineLinear(
            rows.shape[1], min(_LINEAR_HALF_LIFE, self.memory.half_life or np.inf)
        )
        self.shares, self.waiting = Shares(3), []
        first_forecasts = np.empty(len(rows))
        for k, row in enumerate(rows):
            first_forecasts[k] = self.linear.predict(row)
            self.linear.learn(row, changes[k])
        limit = CLIP * self.linear.error
        fitted = rows @ self.linear.weights[:-1] + self.linear.weights[-1]
        left = np.clip(changes - fitted, -limit, limit)
        first = len(rows) - len(rows) // _HELD_BACK
        self.memory.fit(rows[:first], left[:first])
        forest = self.memory.predict(rows[first:])
        kernel = predicted_in_turn(_kernel_within(self.memory), rows, left, first, self.chunk)
        values = np.empty(len(rows) - first)
        for k, parts in enumerate(zip(first_forecasts[first:], forest, kernel, strict=True)):
            values[k] = self.shares.blended(parts)
            self._update_shares(parts, changes[first + k])
        if held_back is not None:
            self.kernel.fit(rows[:first], left[:first])
            held_back(first)
        self.memory.fit(rows, left)
        self.kernel.fit(rows, left)
        return np.asarray(self.scale.step * (changes[first:] - values))

    def predict(self, window: FloatArray) -> Guess:
        """Return the reading after a window."""
        row = self.scale.rows(window[None])
        linear, forest = self.linear.predict(row[0]), float(self.memory.predict(row)[0])
        kernel = float(self.kernel.predict(row)[0])
        change = self.shares.blended((linear, forest, kernel))
        value = float(window[-1] + self.scale.step * change)
        return Guess(value, linear, forest, kernel=kernel)

    def predict_many(self, windows: FloatArray) -> FloatArray:
        """Return the readings after windows."""
        rows = self.scale.rows(windows)
        linear = rows @ self.linear.weights[:-1] + self.linear.weights[-1]
        parts = (linear, self.memory.predict(rows), self.kernel.predict(rows))
        return np.asarray(windows[:, -1] + self.scale.step * self.shares.blended_rows(parts))

    def reaches(self, window: FloatArray) -> bool:
        """Whether a window is within the range of those that the scale was estimated from."""
        return self.scale.reaches(window)

    def move(self, before: float, after: float) -> None:
        """Adapt to a jump of the level."""
        self.scale = self.scale.moved(before, after)

    def learn(self, window: FloatArray, reading: float, guess: Guess | None) -> None:
        """Learn the target of a window; ``guess`` is its earlier forecast, if any."""
        row = self.scale.rows(window[None])[0]
        change = float(self.scale.changes(window[None], np.array([reading]))[0])
        if guess is not None:
            self._update_shares((guess.linear, guess.forest, guess.kernel), change)
        limit = CLIP * self.linear.error
        left = min(limit, max(-limit, change - self.linear.predict(row)))
        self.linear.learn(row, change)
        self.waiting.append((row, left))
        if len(self.waiting) >= self.chunk:
            self._take_in()

    def rebuild(self) -> None:
        """Rebuild the forests from the stored rows."""
        self.memory.rebuild()

    def _take_in(self) -> None:
        rows = np.array([row for row, _ in self.waiting])
        left = np.array([left for _, left in self.waiting])
        self.memory.learn(rows, left)
        self.kernel.learn(rows, left)
        self.waiting = []

    def _update_shares(self, parts: tuple[float, float, float], change: float) -> None:
        """Update the shares of the parts from their errors."""
        self.shares.learn(parts, change, CLIP * self.linear.error + abs(parts[0]))

    def state(self) -> dict[str, FloatArray]:
        """Return the learned state as arrays."""
        scale = self.scale
        numbers = [scale.step, scale.centre, scale.spread, scale.home, *self.shares.numbers()]
        width = len(self.linear.weights) - 1
        rows = np.array([row for row, _ in self.waiting]).reshape(len(self.waiting), width)
        return {
            "numbers": np.array(numbers),
            "waiting_rows": rows,
            "waiting_left": np.array([left for _, left in self.waiting]),
            **{f"linear.{name}": part for name, part in self.linear.state().items()},
            **{f"kernel.{name}": part for name, part in self.kernel.state().items()},
            **{f"memory.{name}": part for name, part in self.memory.state().items()},
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        step, centre, spread, home, *sums = (float(part) for part in state["numbers"])
        self.scale = Changes(step, centre, spread, home)
        self.shares.restore(sums)
        pairs = zip(state["waiting_rows"], state["waiting_left"], strict=True)
        self.waiting = [(row, float(left)) for row, left in pairs]
        self.linear = OnlineLinear.from_state(part_of(state, "linear"))
        self.kernel.restore(part_of(state, "kernel"))
        self.memory.restore(part_of(state, "memory"))


def _kernel_within(memory: Memory) -> RecentKernel:
    """Return a kernel regression with the bounds of a memory."""
    bounds = [bound for bound in (memory.window_size, memory.max_points) if bound is not None]
    return RecentKernel(min([KEPT, *bounds]), memory.half_life or np.inf)


class ForestOnly:
    """The method of the paper: the forest predicts from raw windows, each of which is added to it.

    Parameters
    ----------
    memory : Memory
        The regressor, and the rows it keeps.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def fit(
        self, X: FloatArray, y: FloatArray, held_back: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Fit windows and their targets; return the errors of those that were held back.

        ``held_back`` is called with the number of the first of these before they are fitted.
        """
        first = len(X) - len(X) // _HELD_BACK
        self.memory.fit(X[:first], y[:first])
        errors = y[first:] - self.memory.predict(X[first:])
        if held_back is not None:
            held_back(first)
        self.memory.fit(X, y)
        return np.asarray(errors)

    def predict(self, window: FloatArray) -> Guess:
        """Return the reading after a window."""
        return Guess(float(self.memory.predict(window[None])[0]))

    def predict_many(self, windows: FloatArray) -> FloatArray:
        """Return the readings after windows."""
        return self.memory.predict(windows)

    def reaches(self, window: FloatArray) -> bool:
        """Return True: any window can be learnt."""
        return True

    def move(self, before: float, after: float) -> None:
        """Do nothing after a jump of the level, since windows are not transformed."""

    def learn(self, window: FloatArray, reading: float, guess: Guess | None) -> None:
        """Add a window to the forest, with the reading that followed."""
        self.memory.learn(window[None], np.array([reading]))

    def rebuild(self) -> None:
        """Rebuild the forests from the stored rows."""
        self.memory.rebuild()

    def state(self) -> dict[str, FloatArray]:
        """Return the learned state as arrays."""
        return {f"memory.{name}": part for name, part in self.memory.state().items()}

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state; forests are rebuilt."""
        self.memory.restore(part_of(state, "memory"))


def part_of(state: dict[str, FloatArray], name: str) -> dict[str, FloatArray]:
    """Return the part of a state with a given name."""
    start = f"{name}."
    return {key.removeprefix(start): part for key, part in state.items() if key.startswith(start)}
