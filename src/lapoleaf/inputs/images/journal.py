"""Journal of finished files, with which an interrupted run can be resumed.

The journal is a line of JSON with the settings, and then records: the checksum of the content of a
file, the length and checksum of the record, and the result. A record truncated by a crash is
detected, and everything from there on is recomputed.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf._writing import lock

_HEAD = struct.Struct("<32sQI")


@dataclass(frozen=True)
class FileResult:
    """The result of a file, without its name: a row for every view, and complaints.

    Attributes
    ----------
    views : list of tuples
        Number of the object (0 for the whole picture), its corners and its name.
    complaints : list of str
        Reasons why the file, or an object in it, has no features.
    features, thumbnails : ndarray
        A row for every view.
    """

    views: list[tuple[int, tuple[int, int, int, int], str]]
    complaints: list[str]
    features: FloatArray
    thumbnails: AnyArray

    def to_bytes(self) -> bytes:
        shapes = [self.features.shape, self.thumbnails.shape]
        text = json.dumps([self.views, self.complaints, shapes]).encode()
        size = struct.pack("<I", len(text))
        return size + text + self.features.tobytes() + self.thumbnails.tobytes()

    @classmethod
    def from_bytes(cls, raw: bytes) -> FileResult:
        (size,) = struct.unpack_from("<I", raw)
        views, complaints, (wide, small) = json.loads(raw[4 : 4 + size])
        count = wide[0] * wide[1]
        features = np.frombuffer(raw, np.float32, count, 4 + size).reshape(wide)
        thumbnails = np.frombuffer(raw, np.uint8, offset=4 + size + 4 * count).reshape(small)
        views = [(number, tuple(box), name) for number, box, name in views]
        return cls(views, complaints, features, thumbnails)


class Journal:
    """The files of an unfinished run, by the checksum of their content."""

    def __init__(self, path: Path, making: dict[str, Any]) -> None:
        self.path = path
        self.results: dict[bytes, FileResult] = {}
        begin = json.dumps(making, sort_keys=True).encode() + b"\n"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._file: BinaryIO = os.fdopen(descriptor, "r+b")
        try:
            if not lock(descriptor):
                raise ValueError(f"{shown(path)} is in use: another run is writing there.")
            self._read(begin)
        except BaseException:
            self._file.close()
            raise

    def _read(self, begin: bytes) -> None:
        found = self._file.readline()
        # A run that was stopped before any file was finished leaves no journal.
        if found != begin and self._file.read(1):
            raise ValueError(
                f"{shown(self.path)} holds an unfinished run with other settings: "
                f"continue with those, or delete it."
            )
        end = len(found)
        while found == begin:
            head = self._file.read(_HEAD.size)
            if len(head) < _HEAD.size:
                break
            key, length, check_sum = _HEAD.unpack(head)
            raw = self._file.read(min(length, os.fstat(self._file.fileno()).st_size))
            if len(raw) < length or zlib.crc32(raw) != check_sum:
                break
            self.results[key] = FileResult.from_bytes(raw)
            end += _HEAD.size + length
        if found != begin:
            end = 0
        self._file.seek(end)
        self._file.truncate()
        if end == 0:
            self._file.write(begin)
            self._file.flush()

    def add(self, key: bytes, result: FileResult) -> None:
        """Append the result of a finished file."""
        raw = result.to_bytes()
        self._file.write(_HEAD.pack(key, len(raw), zlib.crc32(raw)) + raw)
        self._file.flush()
        self.results[key] = result

    def remove(self) -> None:
        """Remove the journal: the run is finished."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file, and keep it for resuming unless it is empty."""
        if not any(result.views for result in self.results.values()):
            self.remove()
        self._file.close()
