"""Rows that come one at a time, as dicts, whose features come and go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import FloatArray
from lapoleaf.streams.memory import Memory

# Rows that the first model is made of.
_FIRST = 10


class OneByOne:
    """Rows as dicts, taken in so many at a time.

    Parameters
    ----------
    memory : Memory
        What learns them.
    chunk : int
        How many at a time, fewer in the beginning.
    """

    def __init__(self, memory: Memory, chunk: int) -> None:
        self.memory = memory
        self.chunk = chunk
        self.columns: dict[Any, int] = {}
        self.rows: list[dict[int, float]] = []
        self.targets: list[Any] = []

    def learn(self, x: Mapping[Any, Any], target: Any) -> None:
        """Take in a row; features that are new become columns."""
        row = checked_features(x)
        # In the order of their names, so that the order in a dict is of no consequence.
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
        """Return a row to be answered, None if there is nothing to answer it by."""
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
