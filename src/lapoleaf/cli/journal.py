"""Journal of lines with snapshots, from which a stream can be resumed after any interruption."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf._version import __version__
from lapoleaf.cli.journal_files import (
    Entry,
    cut_torn_end,
    locked,
    read_journal,
    read_snapshot,
    write_snapshot,
)

FORMAT = "lapoleaf stream 3"


class Kept(NamedTuple):
    """The contents of a journal.

    Attributes
    ----------
    about : dict or None
        Values of the snapshot; None if there is no snapshot yet.
    arrays : dict
        Arrays of the snapshot.
    entries : list of Entry
        The lines after it.
    """

    about: dict[str, Any] | None
    arrays: dict[str, AnyArray]
    entries: list[Entry]


class Journal:
    """A folder with the last two snapshots, and the lines after each.

    ``snapshot-1000`` holds the state after line 1000, ``journal-1000`` a header and the lines from
    1001 on. A line is in the journal before its output is written. Snapshots are written
    atomically; only then the files of the one before the last are removed. While the process lives,
    no other process can open the folder.

    Parameters
    ----------
    folder : Path
        The folder, created if it does not exist.
    durable : bool
        Whether :meth:`add` flushes to disk before it returns.
    settings : dict
        Settings that must be the same when a stream is resumed.
    """

    def __init__(self, folder: Path, durable: bool, settings: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.durable = durable
        header = {"format": FORMAT, "version": __version__, "settings": settings}
        self.header: dict[str, Any] = json.loads(json.dumps(header))
        self._file: BinaryIO | None = None
        self._start = 0
        self._lock: int | None = locked(folder)

    def load(self, tell: Callable[[str], None]) -> Kept:
        """Return the contents of the folder.

        Parameters
        ----------
        tell : callable
            Called with a sentence about damage.

        Returns
        -------
        Kept
            The last snapshot that can be read, and the lines after it.
        """
        kept = None
        starts = self._starts("snapshot")
        for start in reversed(starts):
            kept = read_snapshot(self._path("snapshot", start))
            if kept is not None:
                self._check(kept[0]["header"])
                self._start = start
                break
            tell(f"{self._path('snapshot', start)} is damaged: the one before it is used")
        entries = self._entries()
        if kept is None and starts and not entries:
            raise ValueError(
                f"--journal {self.folder} has no snapshot that can be read: name another folder "
                f"to start over."
            )
        about, arrays = (None, {}) if kept is None else kept
        return Kept(about, arrays, entries)

    def keep(self, n_lines: int, about: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        """Write a snapshot after this number of lines, and keep only it and the one before."""
        write_snapshot(self._path("snapshot", n_lines), {**about, "header": self.header}, arrays)
        if self._file is not None:
            # Needed if the snapshot is damaged later.
            os.fsync(self._file.fileno())
        self._close_file()
        before, self._start = self._start, n_lines
        for name in ("snapshot", "journal"):
            for start in self._starts(name):
                if start < before:
                    self._path(name, start).unlink()

    def add(self, entry: Entry) -> None:
        """Append a line, which is stored when this returns."""
        file = self._opened()
        file.write(entry.as_bytes())
        file.flush()
        if self.durable:
            os.fsync(file.fileno())

    def close(self) -> None:
        """Release the files and the lock."""
        self._close_file()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _entries(self) -> list[Entry]:
        """Return the lines after the snapshot, from all journals since."""
        found: list[Entry] = []
        for start in self._starts("journal"):
            if start < self._start:
                continue
            header, entries = read_journal(self._path("journal", start))
            if header is None:
                continue
            if header != self.header and start == 0 and not any(map(has_text, entries)):
                # Nothing was read in that run, so start from the beginning.
                self._path("journal", start).unlink()
                continue
            self._check(header)
            found.extend(entries)
        numbers = [entry.number for entry in found]
        if numbers != list(range(self._start + 1, self._start + 1 + len(found))):
            raise ValueError(
                f"--journal {self.folder} is damaged: lines after line {self._start} are missing. "
                f"Name another folder to start over."
            )
        return found

    def _check(self, header: dict[str, Any]) -> None:
        """Raise if a journal belongs to another stream."""
        if header.get("format") != FORMAT or header.get("version") != __version__:
            raise ValueError(
                f"The journal was made by version {header.get('version')}, this is {__version__}: "
                f"use that version, or another --journal folder to start over."
            )
        for name, value in self.header["settings"].items():
            before = header["settings"].get(name)
            if before == value:
                continue
            if name == "input":
                raise ValueError(
                    f"The journal belongs to another input, {before}, not {value}: name that, or "
                    f"another --journal folder to start over."
                )
            raise ValueError(
                f"The journal was made with {name}={shown(before)}, now it is {shown(value)}: "
                f"use the same, or another --journal folder to start over."
            )

    def _opened(self) -> BinaryIO:
        """Return the journal after the last snapshot, opened for appending."""
        if self._file is None:
            path = self._path("journal", self._start)
            if path.exists():
                cut_torn_end(path)
            self._file = path.open("ab")
            if self._file.tell() == 0:
                self._file.write(json.dumps(self.header).encode() + b"\n")
        return self._file

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _starts(self, name: str) -> list[int]:
        """Return the sorted line numbers of snapshots or of beginnings of journals."""
        pattern = re.compile(rf"{name}-(\d{{1,18}})", re.ASCII)
        matches = map(pattern.fullmatch, os.listdir(self.folder))
        return sorted(int(match[1]) for match in matches if match is not None)

    def _path(self, name: str, start: int) -> Path:
        return self.folder / f"{name}-{start}"


def has_text(entry: Entry) -> bool:
    """Whether a line was neither skipped nor empty."""
    return entry.content is not None and bool(entry.content.strip())
