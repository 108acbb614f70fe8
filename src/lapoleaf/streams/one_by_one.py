"""Rows that come one at a time, as dicts with varying features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import FloatArray
from lapoleaf.streams.memory import Memory

# Number of rows for the first fit.
_FIRST = 10


class OneByOne:
    """Buffer of rows as dicts, which are learnt in batches.

    Parameters
    ----------
    memory : Memory
        The memory that learns them.
    chunk : int
        Size of a batch; the first ones are smaller.
    """

    def __init__(self, memory: Memory, chunk: int) -> None:
        self.memory = memory
        self.chunk = chunk
        self.columns: dict[Any, int] = {}
        self.rows: list[dict[int, float]] = []
        self.targets: list[Any] = []

    def learn(self, x: Mapping[Any, Any], target: Any) -> None:
        """Add a row; new features become columns."""
        row = checked_features(x)
        # Sorted by name, so that the order in a dict does not matter.
        for name in sorted(row.keys() - self.columns.keys(), key=str):
            self.columns[name] = len(self.columns)
        if not self.columns:
            raise ValueError("x has no feature: at least one row must have had one before.")
        self.rows.append({self.columns[name]: value for name, value in row.items()})
        self.targets.append(target)
        if len(self.rows) >= min(self.chunk, max(_FIRST, len(self.memory) // 4)):
            self._take_in()

    def _take_in(self) -> None:
        width = len(self.columns)
        rows = np.zeros((len(self.rows), width))
        for row, known in zip(rows, self.rows, strict=True):
            row[list(known)] = list(known.values())
        if len(self.memory) and self.memory.rows.shape[1] < width:
            self.memory.widen(width)
        self.memory.learn(rows, np.array(self.targets))
        self.rows, self.targets = [], []

    def row(self, x: Mapping[Any, Any]) -> FloatArray | None:
        """Return a row to predict, None if no model is fitted."""
        features = checked_features(x)
        if not self.memory.can_answer:
            return None
        row = np.zeros((1, self.memory.rows.shape[1]))
        for name, value in features.items():
            place = self.columns.get(name, row.shape[1])
            if place < row.shape[1]:
                row[0, place] = value
        return row


def checked_features(x: Mapping[Any, Any]) -> dict[Any, float]:
    """Return the features of a row as numbers."""
    row = {}
    for name, value in x.items():
        try:
            row[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            row[name] = math.nan
        if not math.isfinite(row[name]):
            raise ValueError(
                f"x[{shown(name)}]={shown(value)} must be a finite number: leave the "
                f"feature out where it is missing."
            )
    return row
