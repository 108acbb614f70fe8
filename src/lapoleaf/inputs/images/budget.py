"""A limit on the number of pixels in memory, shared by all threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Reading, rotating and cropping takes about 12 bytes a pixel: 0.75 gigabytes in all.
MOST_PIXELS = 64_000_000


class PixelBudget:
    """Number of pixels that threads may decode at a time; a thread that needs more waits.

    A thread must return its pixels before it takes more, or it may deadlock.

    Parameters
    ----------
    most : int, default=MOST_PIXELS
        Maximum number of pixels, also of a single picture.

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
        """Return a context with a function that takes pixels; they are returned at its end."""
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
