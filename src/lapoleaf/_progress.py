"""Lines that tell a waiting person how far a long job is."""

from __future__ import annotations

import sys
import time


class Progress:
    """Report on standard error how far a job is and how long it will still take.

    Parameters
    ----------
    title : str
        What is being done, in the user's words.
    total : int
        Number of steps of the job.
    verbose : int
        0 says nothing; 1 or more reports every two seconds at first, less often in a long job, and
        once at the end if anything was reported before.
    """

    _every = 2.0

    def __init__(self, title: str, total: int, verbose: int) -> None:
        self.title = title
        self.total = total
        self.verbose = verbose
        self.done = 0
        self._started = self._last = time.perf_counter()
        self._spoke = False

    def advance(self, steps: int = 1) -> None:
        """Count ``steps`` more as done and report if it is time to."""
        self.done += steps
        if not self.verbose:
            return
        now = time.perf_counter()
        finished = self.done >= self.total
        elapsed = now - self._started
        if now - self._last < max(self._every, elapsed / 10) and not (finished and self._spoke):
            return
        left = elapsed * (self.total - self.done) / self.done
        ending = f"{elapsed:.0f} s" if finished else f"about {left:.0f} s left"
        print(f"{self.title}: {100 * self.done / self.total:.0f} %, {ending}", file=sys.stderr)
        self._last, self._spoke = now, True


def tell(line: str) -> None:
    """Tell a waiting person something, on standard error."""
    print(line, file=sys.stderr)
