"""Progress of long computations: lines on standard error, and tasks of scikit-learn's callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, Self

# Maximum number of steps of a computation that are reported to callbacks.
_MAX_STEPS = 100


class Task(Protocol):
    """A task that is reported to callbacks."""

    def begin(self, title: str, n_steps: int | None) -> Self | None:
        """Begin a subtask of ``n_steps`` steps; None if it is not reported."""

    def end(self) -> None:
        """End the task."""


_CURRENT: ContextVar[Task | None] = ContextVar("task", default=None)


@contextmanager
def reporting_to(task: Task) -> Iterator[None]:
    """Report stages and progress of this thread as subtasks of a task."""
    token = _CURRENT.set(task)
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def stage(title: str) -> Iterator[None]:
    """Report the body of this context as one stage, which is not ended on failure."""
    parent = _CURRENT.get()
    task = None if parent is None else parent.begin(title, None)
    if task is None:
        yield
        return
    with reporting_to(task):
        yield
    task.end()


class Progress:
    """Report the progress of a computation on standard error and to callbacks.

    Parameters
    ----------
    title : str
        Name of the computation.
    total : int
        Number of steps.
    verbose : int
        0 prints nothing; 1 or more prints a line every two seconds at first, less often later, and
        at the end if anything was printed before.
    """

    _every = 2.0

    def __init__(self, title: str, total: int, verbose: int) -> None:
        self.title = title
        self.total = total
        self.verbose = verbose
        self.done = 0
        self._started = self._last = time.perf_counter()
        self._spoke = False
        parent = _CURRENT.get()
        self._task, self._reported = None, 0
        if parent is not None and total > 0:
            self._task = parent.begin(title, min(total, _MAX_STEPS))

    def advance(self, steps: int = 1) -> None:
        """Count ``steps`` as done, and report if due."""
        self.done += steps
        if self._task is not None:
            self._report_steps()
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

    def finish(self) -> None:
        """End a computation, possibly before its last step."""
        if self.done < self.total:
            self.total = self.done
            if self._task is not None:
                self._task.end()
                self._task = None

    def _report_steps(self) -> None:
        """Report the steps done since the last report."""
        task = self._task
        if task is None:
            return
        n_steps = min(self.total, _MAX_STEPS)
        reached = min(n_steps, n_steps * self.done // self.total)
        for _ in range(self._reported, reached):
            step = task.begin(self.title, 0)
            if step is not None:
                step.end()
        self._reported = reached
        if self.done >= self.total:
            self._task = None
            task.end()


def tell(line: str) -> None:
    """Print a line on standard error."""
    print(line, file=sys.stderr)
