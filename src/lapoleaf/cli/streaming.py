"""Processing of lines by ``lapoleaf stream``."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.cli.raw_lines import LONGEST
from lapoleaf.cli.reports import aligned
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.blending import part_of
from lapoleaf.streams.fields import BadLine
from lapoleaf.streams.lines import LineReader, Reading

_COLUMNS = ("line", "timestamp", "reading", "error", "forecast", "low", "high")
# Numbers with more digits, and larger ones, are formatted by Python.
_MOST_DIGITS, _LARGEST_PLAIN = 17, 1e16
# Number of readings in the plot.
_DRAWN = 1000


class Answer(NamedTuple):
    """The output for a line.

    Attributes
    ----------
    text : str
        The line of the output; empty if there is none.
    remark : str
        A remark about its time; empty if it is regular.
    """

    text: str = ""
    remark: str = ""


class Step(NamedTuple):
    """A forecast of a reading, and its interval."""

    forecast: float
    low: float
    high: float


class Streaming:
    """Forecasts from lines, with a state that can be stored in a snapshot.

    Parameters
    ----------
    forecaster : SeriesForecaster
        An unfitted forecaster.
    reader : LineReader
        Reads the lines.
    horizon : int, default=1
        Number of readings to forecast.
    """

    def __init__(self, forecaster: SeriesForecaster, reader: LineReader, horizon: int = 1) -> None:
        self.forecaster = forecaster
        self.reader = reader
        self.horizon = horizon
        self.n_lines = 0
        self.offset = 0
        self.n_bad = 0
        self.squares = 0.0
        # The last readings, with their forecasts and intervals.
        self.drawn: FloatArray = np.empty((0, 4))

    @property
    def columns(self) -> str:
        """The header of the output."""
        further = [f"{name}_{k}" for k in range(2, self.horizon + 1) for name in _COLUMNS[-3:]]
        return ",".join([*_COLUMNS, *further]) + "\n"

    def parse(self, content: bytes | None) -> Reading | None:
        """Return the reading in the next line, None if empty; raise BadLine for other lines."""
        if content is None:
            raise BadLine(f"is longer than {LONGEST:,} bytes")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise BadLine("is not UTF-8") from None
        return self.reader.read(text)

    def skip(self, length: int) -> None:
        """Count a line of ``length`` bytes that is not a reading."""
        self.n_lines += 1
        self.offset += length
        self.n_bad += 1

    def answer(self, reading: Reading | None, length: int) -> Answer:
        """Process the reading in a line of ``length`` bytes, and return the output."""
        self.n_lines += 1
        self.offset += length
        if reading is None:
            return Answer()
        before, n_outliers = self._n_times(), self._n_outliers()
        self.forecaster.update(reading.value, reading.time)
        missed = self.forecaster.last_error_
        # Outliers are errors of the sensor, one of which would dominate the sum.
        if not math.isnan(missed) and self._n_outliers() <= n_outliers:
            self.squares += missed * missed
        path = self.path()
        self.drawn = np.vstack([self.drawn[-_DRAWN + 1 :], [reading.value, *path[0]]])
        digits = self.reader.decimals
        cells = [as_text(reading.value, reading.decimals), as_text(missed, digits)]
        cells += [text for step in path for text in interval_texts(step, digits)]
        text = ",".join([str(self.n_lines), reading.stamp, *cells]) + "\n"
        return Answer(text, self._remark(before, reading.stamp))

    def _n_outliers(self) -> int:
        """Return the number of readings that are or were held as outliers."""
        return getattr(self.forecaster, "n_outliers_", 0)

    def _n_times(self) -> tuple[int, int]:
        """Return the numbers of inconsistent times and of new stretches."""
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

    def path(self) -> list[Step]:
        """Return the next readings with intervals; NaN before the first reading."""
        if "_model" not in vars(self.forecaster) or not self.forecaster._recent.values:
            return [Step(math.nan, math.nan, math.nan)] * self.horizon
        first = Step(self.forecaster.predict_next(), *self.forecaster.predict_interval())
        if self.horizon == 1:
            return [first]
        path = self.forecaster.predict_path(self.horizon)
        further = zip(path.mean.tolist(), path.lower.tolist(), path.upper.tolist(), strict=True)
        return [first, *list(map(Step._make, further))[1:]]

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return the whole state: values, and arrays."""
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
        """Restore the state from a snapshot."""
        self.n_lines, self.offset = about["n_lines"], about["offset"]
        self.n_bad, self.squares = about["n_bad"], about["squares"]
        self.reader.restore(about["reader"])
        self.drawn = arrays["drawn"]
        if about["started"]:
            self.forecaster.set_state(part_of(arrays, "forecaster"))

    def summary(self) -> str:
        """Return a summary of the readings."""
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

    def path_lines(self) -> list[str]:
        """Return the forecasts after the last reading as lines of text."""
        steps = [interval_texts(step, self.reader.decimals) for step in self.path()]
        if not any(map(any, steps)):
            return []
        lines = [["ahead", "forecast", "low", "high"]]
        lines += [[str(number), *texts] for number, texts in enumerate(steps, 1)]
        return aligned(lines, left=4)


def as_text(value: float, digits: int, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number as text with the digits of the input; empty for NaN.

    Parameters
    ----------
    value : float
        The number.
    digits : int
        Digits after the decimal point.
    rounding : str
        Rounding mode of :mod:`decimal`.

    Examples
    --------
    >>> from decimal import ROUND_FLOOR
    >>> from lapoleaf.cli.streaming import as_text
    >>> as_text(8.4299, 2), as_text(8.4299, 2, ROUND_FLOOR), as_text(0.29, 2, ROUND_FLOOR)
    ('8.43', '8.42', '0.29')
    """
    if not math.isfinite(value):
        return ""
    if digits > _MOST_DIGITS or abs(value) >= _LARGEST_PLAIN:
        return repr(float(value))
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding)
    return f"{rounded if rounded else abs(rounded):f}"


def interval_texts(step: Step, digits: int) -> list[str]:
    """Return a forecast and its interval as texts; the interval is rounded outwards."""
    return [
        as_text(step.forecast, digits),
        as_text(step.low, digits, ROUND_FLOOR),
        as_text(step.high, digits, ROUND_CEILING),
    ]
