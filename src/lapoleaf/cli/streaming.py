"""What ``lapoleaf stream`` does with every line."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.cli.raw_lines import LONGEST
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.blending import part_of
from lapoleaf.streams.fields import BadLine
from lapoleaf.streams.lines import LineReader, Reading

COLUMNS = "line,timestamp,reading,error,forecast,low,high"
# Rows of the picture.
_DRAWN = 1000


class Answer(NamedTuple):
    """What is said to a line.

    Attributes
    ----------
    text : str
        The line of the output; empty if there is none.
    remark : str
        What is odd about its time; empty if nothing is.
    """

    text: str = ""
    remark: str = ""


class Streaming:
    """Lines in, forecasts out; everything it knows fits into a snapshot.

    Parameters
    ----------
    forecaster : SeriesForecaster
        Not fitted.
    reader : LineReader
        Reads the lines.
    """

    def __init__(self, forecaster: SeriesForecaster, reader: LineReader) -> None:
        self.forecaster = forecaster
        self.reader = reader
        self.n_lines = 0
        self.offset = 0
        self.n_bad = 0
        self.squares = 0.0
        # The last readings, and the forecasts and intervals that were made with them.
        self.drawn: FloatArray = np.empty((0, 4))

    def parse(self, content: bytes | None) -> Reading | None:
        """Return what is in the next line: a reading or nothing; raise BadLine for other lines."""
        if content is None:
            raise BadLine(f"is longer than {LONGEST:,} bytes")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise BadLine("is not UTF-8") from None
        return self.reader.read(text)

    def skip(self, length: int) -> None:
        """Count a line of so many bytes that is no reading."""
        self.n_lines += 1
        self.offset += length
        self.n_bad += 1

    def answer(self, reading: Reading | None, length: int) -> Answer:
        """Take in what is in a line of so many bytes, and return what is to be printed."""
        self.n_lines += 1
        self.offset += length
        if reading is None:
            return Answer()
        before, n_outliers = self._n_times(), self._n_outliers()
        self.forecaster.update(reading.value, reading.time)
        missed = self.forecaster.last_error_
        # An outlier is an error of the sensor: one alone would be all of the sum.
        if not math.isnan(missed) and self._n_outliers() <= n_outliers:
            self.squares += missed * missed
        said = self._said()
        self.drawn = np.vstack([self.drawn[-_DRAWN + 1 :], [reading.value, *said]])
        fields = [reading.value, missed, *said]
        text = ",".join([str(self.n_lines), reading.stamp, *map(as_text, fields)]) + "\n"
        return Answer(text, self._remark(before, reading.stamp))

    def _n_outliers(self) -> int:
        """Return how many readings are held as outliers, or were."""
        return getattr(self.forecaster, "n_outliers_", 0)

    def _n_times(self) -> tuple[int, int]:
        """Return how many times fitted no others, and how many stretches began."""
        forecaster = self.forecaster
        return getattr(forecaster, "n_odd_", 0), getattr(forecaster, "n_stretches_", 0)

    def _remark(self, before: tuple[int, int], stamp: str) -> str:
        n_odd, n_stretches = self._n_times()
        if n_stretches > before[1]:
            return f"line {self.n_lines}: the clock was set, to {stamp}: a new stretch begins"
        if n_odd > before[0]:
            return (
                f"line {self.n_lines} has the time {stamp}, which does not follow the others: "
                f"ignored unless the next lines agree with it"
            )
        return ""

    def _said(self) -> tuple[float, float, float]:
        """Return forecast and interval; NaN before the first reading."""
        if "_model" not in vars(self.forecaster) or not self.forecaster._recent.values:
            return math.nan, math.nan, math.nan
        return self.forecaster.predict_next(), *self.forecaster.predict_interval()

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return all it knows: values, and arrays."""
        about = {
            "n_lines": self.n_lines,
            "offset": self.offset,
            "n_bad": self.n_bad,
            "squares": self.squares,
            "reader": self.reader.state(),
            "started": "_model" in vars(self.forecaster),
        }
        arrays: dict[str, AnyArray] = {"drawn": self.drawn}
        if about["started"]:
            state = self.forecaster.get_state()
            arrays |= {f"forecaster.{name}": part for name, part in state.items()}
        return about, arrays

    def restore(self, about: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        """Restore what a snapshot holds."""
        self.n_lines, self.offset = about["n_lines"], about["offset"]
        self.n_bad, self.squares = about["n_bad"], about["squares"]
        self.reader.restore(about["reader"])
        self.drawn = arrays["drawn"]
        if about["started"]:
            self.forecaster.set_state(part_of(arrays, "forecaster"))

    def summary(self) -> str:
        """Return a summary of what was read."""
        forecaster = self.forecaster
        counts = [
            f"{getattr(forecaster, 'n_readings_', 0):,} readings",
            f"{getattr(forecaster, 'n_missing_', 0):,} missing",
            f"{getattr(forecaster, 'n_late_', 0):,} late",
            f"{self.n_bad:,} malformed lines skipped",
        ]
        n_outliers = self._n_outliers()
        if n_outliers:
            counts.append(f"{n_outliers:,} outlier{'' if n_outliers == 1 else 's'} held")
        n_odd, n_stretches = self._n_times()
        if n_odd or n_stretches:
            counts.append(f"{n_odd:,} with times that fit no others")
            counts.append(f"{n_stretches:,} new stretch{'' if n_stretches == 1 else 'es'}")
        without = " without them" if n_outliers else ""
        return f"{', '.join(counts)}; sum of squared errors{without} {self.squares:.6g}"


def as_text(value: float) -> str:
    """Return a number as text, to the last bit; nothing for what is not there."""
    return repr(float(value)) if math.isfinite(value) else ""
