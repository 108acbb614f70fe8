"""Events for pages that are open: new labels, new state, progress."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

MOST_LISTENERS = 32
_SECONDS_BETWEEN_SIGNS = 15.0


class Listener:
    """A page that listens. Of several events of one kind that it has not read, it gets the last."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.waiting: dict[str, Any] = {}
        self.is_there = asyncio.Event()

    def put(self, kind: str, value: Any) -> None:
        """Add an event, from any thread."""

        def take() -> None:
            self.waiting[kind] = value
            self.is_there.set()

        self.loop.call_soon_threadsafe(take)

    async def take(self) -> dict[str, Any]:
        """Return the events that are there, or none after a while."""
        try:
            await asyncio.wait_for(self.is_there.wait(), _SECONDS_BETWEEN_SIGNS)
        except TimeoutError:
            return {}
        found, self.waiting = self.waiting, {}
        self.is_there.clear()
        return found


class Events:
    """Events for all pages that listen."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._guard = threading.Lock()
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether no more pages can listen."""
        return len(self._listeners) >= MOST_LISTENERS

    def send(self, kind: str, value: Any) -> None:
        """Send an event to all pages, from any thread."""
        with self._guard:
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener.put(kind, value)
            except RuntimeError:  # its loop has ended
                self._leave(listener)

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self.send("close", None)

    def _leave(self, listener: Listener) -> None:
        with self._guard:
            self._listeners.discard(listener)

    async def stream(self, first: Callable[[], dict[str, Any]]) -> AsyncIterator[bytes]:
        """Yield events as a page reads them, until it leaves.

        Parameters
        ----------
        first : callable
            Returns the events of how things are. It is called when the page is on the list, so
            that no event falls between the two.
        """
        listener = Listener()
        with self._guard:
            self._listeners.add(listener)
        try:
            yield b": connected\n\n"
            listener.waiting = {**await asyncio.to_thread(first), **listener.waiting}
            listener.is_there.set()
            while not self._is_closed:
                found = await listener.take()
                if not found:
                    yield b": still here\n\n"
                for kind, value in found.items():
                    yield f"event: {kind}\ndata: {json.dumps(value)}\n\n".encode()
        finally:
            self._leave(listener)
