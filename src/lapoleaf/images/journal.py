"""Finished groups of files, kept beside the output so that an interrupted run can go on.

The journal is a line of JSON, which says what is being made, and then records: the check sum of
what a group is made from, the length and check sum of the record, and the group's result. A record
that was cut off by a crash is recognised, and everything from there on is made again.
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

from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf._writing import lock

_HEAD = struct.Struct("<32sQI")


@dataclass(frozen=True)
class Group:
    """What a few files gave: a row for every view, and complaints."""

    rows: list[tuple[str, int, tuple[int, int, int, int], str]]
    complaints: list[tuple[str, str]]
    features: FloatArray
    thumbnails: AnyArray

    def to_bytes(self) -> bytes:
        shapes = [self.features.shape, self.thumbnails.shape]
        text = json.dumps([self.rows, self.complaints, shapes]).encode()
        size = struct.pack("<I", len(text))
        return size + text + self.features.tobytes() + self.thumbnails.tobytes()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Group:
        (size,) = struct.unpack_from("<I", raw)
        rows, complaints, (wide, small) = json.loads(raw[4 : 4 + size])
        count = wide[0] * wide[1]
        features = np.frombuffer(raw, np.float32, count, 4 + size).reshape(wide)
        thumbnails = np.frombuffer(raw, np.uint8, offset=4 + size + 4 * count).reshape(small)
        return cls(
            [(file, number, tuple(box), name) for file, number, box, name in rows],
            [(file, reason) for file, reason in complaints],
            features,
            thumbnails,
        )


class Journal:
    """The groups of an unfinished run, by the check sum of what they are made from."""

    def __init__(self, path: Path, making: dict[str, Any]) -> None:
        self.path = path
        self.groups: dict[bytes, Group] = {}
        begin = json.dumps(making, sort_keys=True).encode() + b"\n"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._file: BinaryIO = os.fdopen(descriptor, "r+b")
        try:
            if not lock(descriptor):
                raise ValueError(f"{str(path)!r} is in use: another run is writing there.")
            self._read(begin)
        except BaseException:
            self._file.close()
            raise

    def _read(self, begin: bytes) -> None:
        found = self._file.readline()
        # Of a run that was stopped before anything was finished nothing need be kept.
        if found != begin and self._file.read(1):
            raise ValueError(
                f"{str(self.path)!r} holds an unfinished run with other pictures or settings: "
                f"go on with those, or delete it."
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
            self.groups[key] = Group.from_bytes(raw)
            end += _HEAD.size + length
        if found != begin:
            end = 0
        self._file.seek(end)
        self._file.truncate()
        if end == 0:
            self._file.write(begin)
            self._file.flush()

    def add(self, key: bytes, group: Group) -> None:
        """Keep a finished group."""
        raw = group.to_bytes()
        self._file.write(_HEAD.pack(key, len(raw), zlib.crc32(raw)) + raw)
        self._file.flush()
        self.groups[key] = group

    def remove(self) -> None:
        """Remove the journal: the run is finished."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file for the next run to go on from, if there is anything to go on from."""
        if not any(group.rows for group in self.groups.values()):
            self.remove()
        self._file.close()
