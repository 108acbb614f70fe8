"""A journal of lines, and snapshots: after any end, go on where it was."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from lapoleaf._typing import AnyArray
from lapoleaf._writing import write_whole

FORMAT = "lapoleaf stream 1"


class Journal:
    """A folder with a snapshot, and the lines that have come since.

    A line is in the journal before anything of it is seen. A snapshot is written whole or not at
    all, and only then the journal begins anew; lines that are in both are known by their numbers.

    Parameters
    ----------
    folder : Path
        Where; made if it is not there.
    durable : bool
        Whether a line must be on the disk, not only with the system, when :meth:`add` returns.
    """

    def __init__(self, folder: Path, durable: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.snapshot = folder / "snapshot.npz"
        self.path = folder / "journal"
        self.durable = durable
        self._file: BinaryIO | None = None

    def load(self) -> tuple[dict[str, Any], dict[str, AnyArray]] | None:
        """Return what the last snapshot holds, None if there is none."""
        if not self.snapshot.exists():
            return None
        try:
            with np.load(self.snapshot, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            about = json.loads(str(arrays.pop("about")))
            if about["format"] != FORMAT:
                raise ValueError(about["format"])
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(
                f"{self.snapshot} is no snapshot of this command: name another --journal folder."
            ) from error
        return about, arrays

    def keep(self, about: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        """Write a snapshot, and begin the journal anew."""
        text = io.BytesIO()
        everything: dict[str, Any] = {"about": np.array(json.dumps({"format": FORMAT, **about}))}
        np.savez(text, **everything | arrays)
        write_whole(self.snapshot, [text.getvalue()])
        file = self._opened()
        file.truncate(0)
        file.seek(0)

    def lines(self, after: int) -> list[tuple[int, bytes]]:
        """Return the lines after a number, each with the bytes it took in the input.

        A line that was being written when the process ended was not answered yet: it is cut off.
        """
        file = self._opened()
        file.seek(0)
        whole = file.read()
        size = whole.rfind(b"\n") + 1
        file.truncate(size)
        file.seek(size)
        found = []
        for entry in whole[:size].split(b"\n")[:-1]:
            head, _, line = entry.partition(b"\t")
            number, length = (int(part) for part in head.split())
            if number > after:
                found.append((length, line))
        return found

    def add(self, number: int, line: bytes, length: int) -> None:
        """Keep a line; it is kept when this returns."""
        file = self._opened()
        file.write(b"%d %d\t%s\n" % (number, length, line))
        file.flush()
        if self.durable:
            os.fsync(file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self.path.touch()
            self._file = self.path.open("r+b")
            self._file.seek(0, os.SEEK_END)
        return self._file
