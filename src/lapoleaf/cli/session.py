"""A run of ``lapoleaf stream``: input, journal and output."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from lapoleaf._progress import Progress
from lapoleaf.cli.journal import Journal
from lapoleaf.cli.journal_files import Entry
from lapoleaf.cli.outputs import UnusableInput, watching
from lapoleaf.cli.raw_lines import RawLine, raw_lines
from lapoleaf.cli.streaming import Streaming
from lapoleaf.streams.fields import BadLine

# Number of bytes that identify a file.
_KNOWN_BY = 4096
# If none of this number of lines is a reading, the run is stopped.
_TRIED = 20
# Number of messages of a kind that are printed in a run; more are only counted.
_REPORTED = 10


class Session:
    """A stream with its journal and its output.

    Parameters
    ----------
    streaming : Streaming
        Makes the forecasts.
    source : BinaryIO
        The input.
    is_file : bool
        Whether the input is a file that can be resumed at a position.
    output : Path or None
        The file of forecasts; None for standard output.
    journal : Journal or None
        The journal of lines.
    every : int
        Number of lines between snapshots.
    """

    def __init__(
        self,
        streaming: Streaming,
        source: BinaryIO,
        is_file: bool,
        output: Path | None,
        journal: Journal | None,
        every: int,
    ) -> None:
        self.streaming = streaming
        self.source = source
        self.is_file = is_file
        self.output = output
        self.journal = journal
        self.every = every
        self._n_reported: dict[str, int] = {}
        self._out: BinaryIO | None = None

    def run(self) -> None:
        """Resume, and process the input to its end."""
        try:
            self._replay()
            progress = self._progress()
            for line in raw_lines(self.source):
                if self.journal is not None and not line.ended:
                    tell("the last line has no end yet: it is left for the next run")
                    break
                self._read(line)
                progress.advance(line.length)
            self._check_readings(enough=True)
        finally:
            if self._out is not None:
                self._out.close()

    def _replay(self) -> None:
        """Restore the journal, and open the output after the last written forecast."""
        if self.journal is None:
            self._open_output(0, resumes=False)
            return
        about, arrays, entries = self.journal.load(tell)
        length = 0
        if about is not None:
            self.streaming.restore(about, arrays)
            length = about["output_length"]
        self._check_input(about, entries)
        self._open_output(length, resumes=about is not None or bool(entries))
        for entry in entries:
            if entry.content is None:
                self.streaming.skip(entry.length)
            else:
                reading = self.streaming.parse(entry.content)
                text = self.streaming.answer(reading, entry.length).text
                if self._out is not None:
                    self._write(text)
            self._settle()

    def _read(self, line: RawLine) -> None:
        """Parse a line, add it to the journal, and write its forecast."""
        number = self.streaming.n_lines + 1
        try:
            reading = self.streaming.parse(line.content)
        except BadLine as error:
            self._report("lines are skipped", f"line {number} {error}: skipped")
            self._keep(Entry(number, line.length, None))
            self.streaming.skip(line.length)
            self._check_readings(self.streaming.n_lines >= _TRIED)
        else:
            self._keep(Entry(number, line.length, line.content))
            answer = self.streaming.answer(reading, line.length)
            if answer.text:
                self._write(answer.text)
            if answer.remark:
                self._report("times do not follow", answer.remark)
        self._settle()

    def _check_readings(self, enough: bool) -> None:
        """Raise if enough lines were read and none of them is a reading."""
        streaming = self.streaming
        if not enough or streaming.reader.n_read or not streaming.n_bad:
            return
        n = streaming.n_lines
        which = "the line is not a reading"
        if n > 1:
            which = f"none of the first {n} lines is a reading"
        raise UnusableInput(
            f"{which}: looked for {streaming.reader.looked_for()}; --column and --time name other "
            f"columns."
        )

    def _keep(self, entry: Entry) -> None:
        if self.journal is not None:
            self.journal.add(entry)

    def _report(self, kind: str, text: str) -> None:
        """Print a message, unless many of its kind were printed."""
        n_before = self._n_reported.get(kind, 0)
        self._n_reported[kind] = n_before + 1
        if n_before < _REPORTED:
            tell(text)
        elif n_before == _REPORTED:
            tell(f"more {kind}; they are counted at the end")

    def _progress(self) -> Progress:
        """Seek to the position in the input, and return its progress unless the output is shown."""
        left = 1
        if self.is_file:
            left = max(1, self.source.seek(0, os.SEEK_END) - self.streaming.offset)
            self.source.seek(self.streaming.offset)
        watched = self.is_file and self._out is not None
        return Progress("stream", left, verbose=int(watched and watching()))

    def _settle(self) -> None:
        """Rebuild the model and write a snapshot, at regular numbers of lines."""
        if self.streaming.n_lines % self.every:
            return
        if "_model" in vars(self.streaming.forecaster):
            self.streaming.forecaster.settle()
        if self.journal is None:
            return
        about, arrays = self.streaming.state()
        about["output_length"] = 0 if self._out is None else self._out.tell()
        about["beginning"] = self._beginning()
        self.journal.keep(self.streaming.n_lines, about, arrays)

    def _open_output(self, length: int, resumes: bool) -> None:
        if self.output is None:
            if not resumes:
                self._write(self.streaming.columns)
            return
        if resumes:
            if not self.output.exists() or self.output.stat().st_size < length:
                raise ValueError(
                    f"-o {self.output} is not the file that the journal belongs to: it is too "
                    f"short. Name that file, or another --journal folder to start over."
                )
            self._out = self.output.open("r+b")
            self._out.truncate(length)
            self._out.seek(length)
        else:
            self._out = self.output.open("wb")
        if length == 0:
            self._write(self.streaming.columns)

    def _write(self, text: str) -> None:
        if self._out is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self._out.write(text.encode())
            self._out.flush()

    def _check_input(self, about: dict[str, Any] | None, entries: list[Entry]) -> None:
        """Raise if a file differs from the one the journal belongs to."""
        if not self.is_file:
            return
        same = about is None or about["beginning"] == self._beginning()
        place = self.streaming.offset
        for entry in entries:
            if entry.content is not None and same:
                self.source.seek(place)
                same = self.source.read(len(entry.content)) == entry.content
            place += entry.length
        if not same or place > self.source.seek(0, os.SEEK_END):
            raise ValueError(
                "The journal belongs to another input: its first bytes, or the last that were "
                "read, differ. Name that file, or another --journal folder to start over."
            )

    def _beginning(self) -> str:
        """Return the digest of the first bytes of a file, which identifies it."""
        if not self.is_file:
            return ""
        place = self.source.tell()
        self.source.seek(0)
        known = min(self.streaming.offset, _KNOWN_BY)
        digest = hashlib.sha256(self.source.read(known)).hexdigest()
        self.source.seek(place)
        return digest


def tell(text: str) -> None:
    """Print a sentence to standard error."""
    print(f"lapoleaf: {text}", file=sys.stderr)
