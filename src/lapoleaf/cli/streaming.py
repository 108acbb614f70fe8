"""What ``lapoleaf stream`` does with every line."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.cli.journal import Journal
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.blending import part_of
from lapoleaf.streams.lines import BadLine, LineReader

COLUMNS = "line,timestamp,reading,error,forecast,low,high"
# Rows of the picture.
_DRAWN = 1000
# Bytes of a file by which it is known again.
_KNOWN_BY = 4096


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

    def answer(self, line: bytes, length: int, report: bool) -> str | None:
        """Take in a line of so many bytes, and give what is to be printed, if anything is."""
        self.n_lines += 1
        self.offset += length
        try:
            reading = self.reader.read(line.decode("utf-8"))
        except (BadLine, UnicodeDecodeError) as error:
            self.n_bad += 1
            if report:
                reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
                print(f"lapoleaf: line {self.n_lines} {reason}: skipped", file=sys.stderr)
            return None
        if reading is None:
            return None
        self.forecaster.update(reading.value, reading.time)
        missed = self.forecaster.last_error_
        if not math.isnan(missed):
            self.squares += missed * missed
        said = self._said()
        self.drawn = np.vstack([self.drawn[-_DRAWN + 1 :], [reading.value, *said]])
        fields = [reading.value, missed, *said]
        time = "" if reading.time is None else str(reading.time)
        return ",".join([str(self.n_lines), time, *map(as_text, fields)]) + "\n"

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
            "header": self.reader.header,
            "places": self.reader.places,
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
        self.reader.header = about["header"]
        self.reader.places = None if about["places"] is None else tuple(about["places"])
        self.drawn = arrays["drawn"]
        if about["started"]:
            self.forecaster.set_state(part_of(arrays, "forecaster"))

    def summary(self) -> str:
        """Print a summary of what was read."""
        forecaster = self.forecaster
        counts = [
            f"{getattr(forecaster, 'n_readings_', 0):,} readings",
            f"{getattr(forecaster, 'n_missing_', 0):,} missing",
            f"{getattr(forecaster, 'n_late_', 0):,} late",
            f"{self.n_bad:,} malformed lines skipped",
        ]
        return f"{', '.join(counts)}; sum of squared errors {self.squares:.6g}"


def as_text(value: float) -> str:
    """Return a number as text, to the last bit; nothing for what is not there."""
    return repr(float(value)) if math.isfinite(value) else ""


class Session:
    """A stream with its journal and its output.

    Parameters
    ----------
    streaming : Streaming
        What answers.
    source : BinaryIO
        The input.
    is_file : bool
        Whether the input is a file that can be read again from where it was.
    output : Path or None
        The file that answers go to; None for standard output.
    journal : Journal or None
        Where lines are kept.
    every : int
        A snapshot after so many lines.
    settings : dict
        What must be the same when a stream goes on.
    """

    def __init__(
        self,
        streaming: Streaming,
        source: BinaryIO,
        is_file: bool,
        output: Path | None,
        journal: Journal | None,
        every: int,
        settings: dict[str, Any],
    ) -> None:
        self.streaming = streaming
        self.source = source
        self.is_file = is_file
        self.output = output
        self.journal = journal
        self.every = every
        self.settings = json.loads(json.dumps(settings))
        self._out: BinaryIO | None = None

    def run(self) -> None:
        """Go on from where it was, to the end of the input."""
        try:
            self._go_on()
        finally:
            if self._out is not None:
                self._out.close()
            if self.journal is not None:
                self.journal.close()

    def _go_on(self) -> None:
        kept = None if self.journal is None else self.journal.load()
        length = 0
        if kept is not None:
            about, arrays = kept
            self._check_same(about)
            self.streaming.restore(about, arrays)
            length = about["output_length"]
        before = [] if self.journal is None else self.journal.lines(self.streaming.n_lines)
        resumes = kept is not None or bool(before)
        self._open_output(length, resumes)
        for size, line in before:
            self._step(line, size, again=True)
        progress = self._progress()
        for line in self._lines():
            bare = line.rstrip(b"\r\n")
            if self.journal is not None:
                self.journal.add(self.streaming.n_lines + 1, bare, len(line))
            self._step(bare, len(line), again=False)
            progress.advance(len(line))

    def _progress(self) -> Progress:
        """Go to where the input was left, and watch how far it is, where nobody sees the output."""
        left = 1
        if self.is_file:
            left = max(1, self.source.seek(0, os.SEEK_END) - self.streaming.offset)
            self.source.seek(self.streaming.offset)
        watched = self.is_file and self._out is not None
        return Progress("stream", left, verbose=int(watched))

    def _lines(self) -> Iterator[bytes]:
        # Not by iteration, which reads ahead: a line is answered when it is there.
        while line := self.source.readline():
            yield line

    def _step(self, line: bytes, length: int, again: bool) -> None:
        text = self.streaming.answer(line, length, report=not again)
        if text is not None and not (again and self._out is None):
            self._write(text)
        if self.streaming.n_lines % self.every == 0:
            self._settle()

    def _settle(self) -> None:
        """Make the model one that a snapshot can give back, and keep one."""
        if "_model" in vars(self.streaming.forecaster):
            self.streaming.forecaster.settle()
        if self.journal is None:
            return
        about, arrays = self.streaming.state()
        about["output_length"] = 0 if self._out is None else self._out.tell()
        about["settings"] = self.settings
        about["beginning"] = self._beginning()
        self.journal.keep(about, arrays)

    def _open_output(self, length: int, resumes: bool) -> None:
        if self.output is None:
            if not resumes:
                self._write(COLUMNS + "\n")
            return
        if resumes:
            if not self.output.exists() or self.output.stat().st_size < length:
                raise ValueError(
                    f"-o {self.output} is not the file that the journal belongs to: it is too "
                    f"short. Name that file, or another --journal folder to begin anew."
                )
            self._out = self.output.open("r+b")
            self._out.truncate(length)
            self._out.seek(length)
        else:
            self._out = self.output.open("wb")
        if length == 0:
            self._write(COLUMNS + "\n")

    def _write(self, text: str) -> None:
        if self._out is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self._out.write(text.encode())
            self._out.flush()

    def _check_same(self, about: dict[str, Any]) -> None:
        """Raise if a journal belongs to another stream."""
        for name, value in self.settings.items():
            if about["settings"].get(name) != value:
                raise ValueError(
                    f"The journal was made with {name}={about['settings'].get(name)!r}, now it is "
                    f"{value!r}: use the same, or another --journal folder to begin anew."
                )
        if self.is_file and about["beginning"] != self._beginning(about["offset"]):
            raise ValueError(
                "The journal belongs to another input: its first bytes differ. Name that file, or "
                "another --journal folder to begin anew."
            )

    def _beginning(self, offset: int | None = None) -> str:
        """Return what a file is known by: a digest of its first bytes."""
        if not self.is_file:
            return ""
        place = self.source.tell()
        self.source.seek(0)
        known = min(self.streaming.offset if offset is None else offset, _KNOWN_BY)
        digest = hashlib.sha256(self.source.read(known)).hexdigest()
        self.source.seek(place)
        return digest
