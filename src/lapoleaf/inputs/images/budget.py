"""How many pixels may be in memory at a time, over all threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# About 12 bytes each while pictures are read, turned and cut: three quarters of a gigabyte.
MOST_PIXELS = 64_000_000


class PixelBudget:
    """Pixels that threads may decode at a time; a thread that needs more waits for the others.

    A thread must return what it took before it takes more, or it may wait for itself.

    Parameters
    ----------
    most : int, default=MOST_PIXELS
        How many. No single picture may have more.

    Examples
    --------
    >>> from lapoleaf.inputs.images.budget import PixelBudget
    >>> budget = PixelBudget(1000)
    >>> with budget.account() as take:
    ...     take(600)
    ...     budget.left
    400
    >>> budget.left
    1000
    """

    def __init__(self, most: int = MOST_PIXELS) -> None:
        self.most = most
        self.left = most
        self._changed = threading.Condition()

    @contextmanager
    def account(self) -> Iterator[Callable[[int], None]]:
        """Return a function that takes pixels, or waits for them; they are returned at the end."""
        taken = 0

        def take(pixels: int) -> None:
            nonlocal taken
            with self._changed:
                self._changed.wait_for(lambda: self.left >= pixels)
                self.left -= pixels
                taken += pixels

        try:
            yield take
        finally:
            with self._changed:
                self.left += taken
                self._changed.notify_all()
