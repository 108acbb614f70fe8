"""The files of a journal's folder: snapshots, journals, and the lock."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import AnyArray
from lapoleaf._writing import lock, write_whole


class Entry(NamedTuple):
    """A line in the journal.

    Attributes
    ----------
    number, length : int
        Which line of the input, from 1 on, and its bytes there.
    content : bytes or None
        The line; None if it was no reading and was skipped.
    """

    number: int
    length: int
    content: bytes | None

    def as_bytes(self) -> bytes:
        """Return what is written for it."""
        content = b"" if self.content is None else b"\t" + self.content
        return b"%d %d%s\n" % (self.number, self.length, content)

    @classmethod
    def from_bytes(cls, written: bytes) -> Entry:
        """Return what was written, without the newline."""
        head, tab, content = written.partition(b"\t")
        number, length = (int(part) for part in head.split(b" "))
        return cls(number, length, content if tab else None)


def write_snapshot(path: Path, about: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
    """Write values and arrays, and a digest of them, whole or not at all."""
    text = io.BytesIO()
    everything: dict[str, Any] = {"about": np.array(json.dumps(about))} | arrays
    np.savez(text, **everything)
    content = text.getvalue()
    write_whole(path, [hashlib.sha256(content).hexdigest().encode(), b"\n", content])


def read_snapshot(path: Path) -> tuple[dict[str, Any], dict[str, AnyArray]] | None:
    """Return what a snapshot holds; None if it is not what was written."""
    digest, _, content = path.read_bytes().partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(str(arrays.pop("about"))), arrays


def read_journal(path: Path) -> tuple[dict[str, Any] | None, list[Entry]]:
    """Return the header and the lines of a journal; None, and no lines, if it was being begun.

    A line that was being written when the process ended was not answered yet: it is left out.
    """
    header, *lines = path.read_bytes().split(b"\n")[:-1] or [b""]
    if not header:
        return None, []
    try:
        about = json.loads(header)
        if not (isinstance(about, dict) and isinstance(about.get("settings"), dict)):
            raise ValueError
        return about, [Entry.from_bytes(line) for line in lines]
    except ValueError:
        raise ValueError(
            f"{path} is damaged: name another --journal folder to start over."
        ) from None


def cut_torn_end(path: Path) -> None:
    """Remove what stands after the last newline."""
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(path, end)


def locked(folder: Path) -> int:
    """Return an open file that is locked as long as it is open and the process lives."""
    path = folder / "lock"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    if not lock(descriptor):
        holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise ValueError(
            f"--journal {folder} is in use by another run (process {holder or 'unknown'}): end "
            f"that first, or name another folder."
        )
    with contextlib.suppress(OSError):
        os.truncate(descriptor, 0)
        os.write(descriptor, b"%d\n" % os.getpid())
    return descriptor
