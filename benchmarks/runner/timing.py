"""Seconds of a function, and how they grow with the number of points."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

Growth: TypeAlias = Sequence[tuple[int, float]]
# A clock of processor time may go in steps of 16 milliseconds.
_SHORTEST_RUN = 0.05


def best_time(work: Callable[[], object], repeats: int) -> float:
    """Return the seconds of the fastest of several runs, after one that does not count.

    Processor time is measured, since other processes may be running. Short work is repeated as
    often as the clock requires.

    Parameters
    ----------
    work : callable
        What is timed.
    repeats : int
        Number of runs.
    """
    work()
    number = 1
    while (first := _seconds(work, number)) < _SHORTEST_RUN:
        number *= 2
    return min([first, *(_seconds(work, number) for _ in range(repeats - 1))]) / number


def _seconds(work: Callable[[], object], number: int) -> float:
    """Return the seconds of the processor for doing some work several times."""
    began = time.process_time()
    for _ in range(number):
        work()
    return time.process_time() - began


def slope(growth: Growth) -> float:
    """Return the slope of log seconds against log n: 1 is linear, 2 quadratic.

    Parameters
    ----------
    growth : sequence of (n, seconds)
        What was measured; NaN where it is of fewer than two sizes.

    Examples
    --------
    >>> from benchmarks.runner.timing import slope
    >>> round(slope([(10, 1.0), (100, 100.0), (1000, 10000.0)]), 6)
    2.0
    """
    if len({n for n, _ in growth}) < 2:
        return float("nan")
    sizes, seconds = np.log(np.array(growth, dtype=float)).T
    return float(np.polyfit(sizes, seconds, 1)[0])
