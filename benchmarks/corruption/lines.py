"""Series as lines of a logger, some of which are modified by a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray

HEADER = b"time,value\n"
_FIRST = datetime(2024, 1, 1)
_STEP = timedelta(minutes=15)


class Line(NamedTuple):
    """A line of the input.

    Attributes
    ----------
    step : int
        Index of the reading in the series.
    time, value : str
        The text written by the sensor.
    """

    step: int
    time: str
    value: str

    def as_bytes(self) -> bytes:
        """Return the line as the logger writes it."""
        return f"{self.time},{self.value}\n".encode()


@dataclass(frozen=True, eq=False)
class Stream:
    """Lines of a sensor, and the true readings.

    Attributes
    ----------
    truth : ndarray of shape (n,)
        The readings without a fault of the sensor.
    lines : list of tuple
        Steps and the bytes of their lines, in the order of the input.
    first, last : int
        The first and the last step of the fault.
    """

    truth: FloatArray
    lines: list[tuple[int, bytes]]
    first: int
    last: int

    def changed(self, length: int, change: Callable[[Line], bytes]) -> Stream:
        """Return a stream with the lines of a fault changed.

        Parameters
        ----------
        length : int
            Length of the fault in steps.
        change : callable
            Returns the modified bytes of a line, empty to remove it.
        """
        last = min(self.first + length, len(self.truth)) - 1
        lines = []
        for step, text in self.lines:
            if self.first <= step <= last:
                text = change(Line(step, *text.decode().strip().split(",")))
            if text:
                lines.append((step, text))
        return replace(self, lines=lines, last=last)


def time_of(step: int) -> str:
    """Return the time of a step: a quarter of an hour each.

    Examples
    --------
    >>> from benchmarks.corruption.lines import time_of
    >>> time_of(5)
    '2024-01-01 01:15'
    """
    return (_FIRST + step * _STEP).strftime("%Y-%m-%d %H:%M")


def clean_stream(truth: FloatArray, first: int) -> Stream:
    """Return the stream of a series, whose fault is to begin at a step.

    Parameters
    ----------
    truth : ndarray of shape (n,)
        The readings; they are rounded to four digits, as they are written.
    first : int
        The first step of the fault to come.
    """
    rounded = np.round(truth, 4)
    lines = [(k, Line(k, time_of(k), f"{value:.4f}").as_bytes()) for k, value in enumerate(rounded)]
    return Stream(rounded, lines, first, first)
