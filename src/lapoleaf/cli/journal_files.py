"""The files in the folder of a journal: snapshots, journals, and the lock."""

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
        Number of the line in the input, from 1, and its length there in bytes.
    content : bytes or None
        The line; None if it was skipped because it was not a reading.
    """

    number: int
    length: int
    content: bytes | None

    def as_bytes(self) -> bytes:
        """Return its serialised form."""
        content = b"" if self.content is None else b"\t" + self.content
        return b"%d %d%s\n" % (self.number, self.length, content)

    @classmethod
    def from_bytes(cls, written: bytes) -> Entry:
        """Return the entry of a serialised form without the newline."""
        head, tab, content = written.partition(b"\t")
        number, length = (int(part) for part in head.split(b" "))
        return cls(number, length, content if tab else None)


def write_snapshot(path: Path, about: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
    """Write values, arrays and their digest atomically."""
    text = io.BytesIO()
    everything: dict[str, Any] = {"about": np.array(json.dumps(about))} | arrays
    np.savez(text, **everything)
    content = text.getvalue()
    write_whole(path, [hashlib.sha256(content).hexdigest().encode(), b"\n", content])


def read_snapshot(path: Path) -> tuple[dict[str, Any], dict[str, AnyArray]] | None:
    """Return the contents of a snapshot; None if it is damaged."""
    digest, _, content = path.read_bytes().partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(str(arrays.pop("about"))), arrays


def read_journal(path: Path) -> tuple[dict[str, Any] | None, list[Entry]]:
    """Return the header and the lines of a journal; None and no lines if it has no complete header.

    An incomplete last line was not answered yet and is left out.
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
    """Truncate a file after its last newline."""
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(path, end)


def locked(folder: Path) -> int:
    """Return an open file that is locked while it is open and the process lives."""
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
