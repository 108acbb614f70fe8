"""Rows to label next, found while the person looks at the one before."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._typing import BoolArray, IntArray

# Suggestions that are found at once; those that got a label meanwhile are left out. Of many rows
# fewer, so that the next label does not wait for them.
_MOST_AT_ONCE, _FEWEST_AT_ONCE, _ROWS_TIMES_SUGGESTIONS = 24, 8, 2_400_000


class Suggester(threading.Thread):
    """A thread that computes suggestions of the newest model ahead of time.

    Parameters
    ----------
    suggest : callable
        Returns n suggested rows of a model.
    n_rows : int
        Number of rows.
    """

    def __init__(self, suggest: Callable[[Any, int], IntArray], n_rows: int) -> None:
        super().__init__(name="lapoleaf-studio-suggestions", daemon=True)
        self._suggest = suggest
        most = _ROWS_TIMES_SUGGESTIONS // max(n_rows, 1)
        self._at_once = min(max(most, _FEWEST_AT_ONCE), _MOST_AT_ONCE)
        self._news = threading.Event()
        self._computing = threading.Lock()
        self._wanted: tuple[Any, int] | None = None
        self._found: tuple[Any, IntArray] = (None, np.empty(0, dtype=np.int64))
        self._is_closed = False

    def wake(self, model: Any, n_more: int = 0) -> None:
        """Request suggestions of a model, unless a newer model is requested first."""
        self._wanted = (model, self._at_once + n_more)
        self._news.set()

    def prepare(self, model: Any) -> None:
        """Find suggestions of a model in the calling thread."""
        self._rows(model, self._at_once)

    def close(self) -> None:
        """End after the step that is being done."""
        self._is_closed = True
        self._news.set()

    def run(self) -> None:
        """Find suggestions of the newest model until closed."""
        while True:
            self._news.wait()
            self._news.clear()
            if self._is_closed:
                return
            if self._wanted is not None:
                # An error is raised when a page asks.
                with contextlib.suppress(Exception):
                    self._rows(*self._wanted)

    def _rows(self, model: Any, n: int) -> IntArray:
        with self._computing:
            known, rows = self._found
            if known is not model or len(rows) < n:
                rows = self._suggest(model, n)
                self._found = (model, rows)
            return rows

    def rows(self, model: Any, n: int, n_more: int, allowed: BoolArray) -> IntArray:
        """Return rows to label next; those found ahead of time, if they are enough.

        Parameters
        ----------
        model : LaPOLeaFClassifier
            The newest model.
        n : int
            How many.
        n_more : int
            Suggestions that have a label already, where the model does not take them into account.
        allowed : ndarray of bool
            Rows without a label.
        """
        rows = self._found[1]
        rows = rows[allowed[rows]]
        if len(rows) < n:
            rows = self._rows(model, max(n, self._at_once) + n_more)
            rows = rows[allowed[rows]]
        return rows[:n]
