"""Explanations of labels, found in a thread, so that cards do not wait long for them."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

# Seconds that a card waits for its reasons; then it is sent without, and asked for again.
PATIENCE = 0.02
_MOST_KEPT = 256


class Explainer:
    """Explanations by the newest model, each computed once.

    Examples
    --------
    >>> from lapoleaf.studio.reasons import Explainer
    >>> class Model:
    ...     def explain(self, place):
    ...         return f"why {place}"
    >>> explainer = Explainer()
    >>> explainer.why(Model(), 7, 60.0)
    'why 7'
    >>> explainer.close()
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="lapoleaf-studio-reasons")
        self._guard = threading.Lock()
        self._model: Any = None
        self._found: dict[int, Future[Any]] = {}

    def why(self, model: Any, place: int, seconds: float = PATIENCE) -> Any:
        """Return the explanation of a label, or None if it takes too long.

        Parameters
        ----------
        model : LaPOLeaFClassifier
            The model; what is not begun of the model before is left out.
        place : int
            The row in the model.
        seconds : float
            How long to wait.
        """
        with self._guard:
            if model is not self._model:
                self._forget()
                self._model = model
            future = self._found.get(place)
            if future is None:
                if len(self._found) >= _MOST_KEPT:
                    self._found.pop(next(iter(self._found))).cancel()
                future = self._found[place] = self._pool.submit(model.explain, place)
        try:
            return future.result(seconds)
        except (TimeoutError, CancelledError):
            return None

    def _forget(self) -> None:
        for future in self._found.values():
            future.cancel()
        self._found = {}

    def close(self) -> None:
        """End after the explanation that is being computed."""
        self._pool.shutdown(wait=False, cancel_futures=True)
