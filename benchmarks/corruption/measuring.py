"""Forecasts of ``lapoleaf stream`` for lines with and without a fault."""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corruption.lines import HEADER, Stream
from lapoleaf._typing import FloatArray
from lapoleaf.cli.session import Session
from lapoleaf.cli.streaming import Streaming
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.lines import LineReader

WINDOW = 12
# Lines after which the model is rebuilt: the command's default.
_SNAPSHOT = 1000
# Number of readings that are learned first; the first line is the header.
N_LEARNED = 2 * _SNAPSHOT - 1
# Number of readings measured before the fault, and the delay after it until as many are measured.
N_BEFORE, LATER = 200, 200
_COLUMNS = ("reading", "forecast", "low", "high")


@dataclass(frozen=True, eq=False)
class Followed:
    """Forecasts for the readings of a stream.

    Attributes
    ----------
    forecast, low, high : ndarray of shape (n,)
        Forecasts and ends of intervals by step, NaN where no line came.
    persistence : ndarray of shape (n,)
        The last reading before, including faults.
    """

    forecast: FloatArray
    low: FloatArray
    high: FloatArray
    persistence: FloatArray


@dataclass(frozen=True)
class Part:
    """Errors of some readings.

    Attributes
    ----------
    error, persistence : float
        Mean absolute error of the forecasts, and of the last reading.
    coverage : float
        Share of the readings that were in their intervals.
    """

    error: float
    persistence: float
    coverage: float


class Sensor:
    """A stream after the first readings, which can be continued in several ways.

    Parameters
    ----------
    stream : Stream
        The lines without a fault.
    """

    def __init__(self, stream: Stream) -> None:
        streaming = _streaming()
        learned = b"".join(text for step, text in stream.lines if step < N_LEARNED)
        rows = _answers(streaming, HEADER + learned)
        self._state = streaming.state()
        self._last = rows[-1]

    def follow(self, stream: Stream) -> Followed:
        """Return the forecasts for a continued stream.

        Parameters
        ----------
        stream : Stream
            The lines, with a fault or without; those that were learned are left out.
        """
        streaming = _streaming()
        about, arrays = copy.deepcopy(self._state)
        streaming.restore(about, arrays)
        lines = [(step, text) for step, text in stream.lines if step >= N_LEARNED]
        number = streaming.n_lines
        answers = {
            int(row["line"]): row for row in _answers(streaming, b"".join(t for _, t in lines))
        }
        found = np.full((len(_COLUMNS), len(stream.truth)), np.nan)
        current = np.array([_number(self._last[name]) for name in _COLUMNS])
        for step, text in lines:
            found[:, step] = current
            for _ in range(text.count(b"\n")):
                number += 1
                if number in answers:
                    now = np.array([_number(answers[number][name]) for name in _COLUMNS])
                    # A missing reading does not change what was read last.
                    current = np.where(np.isnan(now), current, now)
        reading, forecast, low, high = found
        return Followed(forecast, low, high, reading)


def parts_of(stream: Stream, found: Followed) -> tuple[Part, Part, Part]:
    """Return the errors before, during and after the fault of a stream.

    Parameters
    ----------
    stream : Stream
        The lines.
    found : Followed
        The forecasts.

    Returns
    -------
    before, during, after : Part
        Of the readings before the fault; of the fault and a window after it; and of as many as
        before, from some time after the fault on.
    """
    later = stream.last + LATER
    return (
        _part(stream.truth, found, slice(stream.first - N_BEFORE, stream.first)),
        _part(stream.truth, found, slice(stream.first, stream.last + 1 + WINDOW)),
        _part(stream.truth, found, slice(later, later + N_BEFORE)),
    )


def _part(truth: FloatArray, found: Followed, steps: slice) -> Part:
    there = ~np.isnan(found.forecast[steps])
    values = truth[steps][there]
    inside = (found.low[steps][there] <= values) & (values <= found.high[steps][there])
    return Part(
        float(np.mean(np.abs(found.forecast[steps][there] - values))),
        float(np.mean(np.abs(found.persistence[steps][there] - values))),
        float(np.mean(inside)),
    )


def _streaming() -> Streaming:
    return Streaming(SeriesForecaster(window=WINDOW), LineReader(None, None))


def _answers(streaming: Streaming, content: bytes) -> list[dict[str, Any]]:
    """Return the lines that ``lapoleaf stream`` writes, without a journal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forecasts.csv"
        session = Session(streaming, io.BytesIO(content), False, path, None, _SNAPSHOT)
        with contextlib.redirect_stderr(io.StringIO()):
            session.run()
        with path.open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))


def _number(text: str) -> float:
    return float(text) if text else float("nan")
