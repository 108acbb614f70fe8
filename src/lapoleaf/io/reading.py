"""Safe reading of files: sizes before contents, contents before objects."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

import numpy as np

from lapoleaf._typing import AnyArray
from lapoleaf.io import header as headers
from lapoleaf.io.archive import (
    HEADER_NAME,
    Layout,
    array_name,
    lay_out,
    size_of_header,
)
from lapoleaf.io.arrays import (
    ArrayMember,
    digest_of,
    from_stored,
    members_of,
    refuse_impossible_values,
)
from lapoleaf.io.errors import LoadError

_KEYS = {"format", "format_version", "lapoleaf", "model", "objects", "arrays"}


class SavedFile:
    """A saved model on disk: its header and arrays.

    Opening it validates everything except the contents of the arrays.

    Parameters
    ----------
    file : binary file
        The file, open for reading.
    mmap : bool
        Whether to map arrays of floats into memory instead of reading them. All others are read and
        checked, since indices must not change with the file.

    Attributes
    ----------
    header : dict
        The header.
    members : list of ArrayMember
        The description of the arrays in the header.
    """

    def __init__(self, file: BinaryIO, mmap: bool) -> None:
        self._file = file
        text = self._header_text()
        self.header = _checked_header(text)
        self.members = [ArrayMember.from_json(entry) for entry in self.header["arrays"]]
        self._layout = self._checked_layout(text)
        # The mapping remains valid after the file is closed.
        self._map = np.memmap(file, np.uint8, mode="r") if mmap else None
        self._arrays: dict[int, AnyArray] = {}

    def _header_text(self) -> bytes:
        size = size_of_header(self._file.read(30 + len(HEADER_NAME)))
        if size > headers.LONGEST:
            raise LoadError(f"its header is longer than {headers.LONGEST} bytes")
        return self._file.read(size)

    def _checked_layout(self, text: bytes) -> Layout:
        """Return the places of the arrays; raise for any other layout."""
        members = members_of(text, self.members)
        size = os.fstat(self._file.fileno()).st_size
        if sum(member.size for member in members) > size:
            raise LoadError(f"it is cut off: its arrays do not fit into {size} bytes")
        layout = lay_out(members)
        if size != layout.size:
            what = "cut off" if size < layout.size else "longer than it was"
            raise LoadError(f"it is {what}: {size} bytes instead of {layout.size}")
        for member, place in zip(members, layout.places, strict=True):
            if self._at(place.start, len(place.entry)) != place.entry:
                raise LoadError(f"the entry of {member.name} is not the one that was written")
        if self._at(layout.directory_start, len(layout.directory)) != layout.directory:
            raise LoadError("its directory is not the one that was written")
        return layout

    def _at(self, start: int, length: int) -> bytes:
        self._file.seek(start)
        return self._file.read(length)

    def array(self, number: int) -> AnyArray:
        """Return an array, cached."""
        if number >= len(self.members):
            raise LoadError("its header names an array that is not there")
        if number not in self._arrays:
            spec = self.members[number].spec
            mapped = self._map is not None and spec.dtype[1] == "f" and spec.n_bytes > 0
            self._arrays[number] = self._mapped(number) if mapped else self._read(number)
        return self._arrays[number]

    def _numbers_start(self, number: int) -> int:
        """Check the header of an array, and return the position of its numbers."""
        beginning = self.members[number].spec.beginning
        start = self._layout.places[number + 1].data
        if self._at(start, len(beginning)) != beginning:
            raise LoadError(f"{array_name(number)} does not begin as it was written")
        return start + len(beginning)

    def _mapped(self, number: int) -> AnyArray:
        spec, start = self.members[number].spec, self._numbers_start(number)
        whole: AnyArray = np.asanyarray(self._map)
        return from_stored(spec, whole[start : start + spec.n_bytes])

    def _read(self, number: int) -> AnyArray:
        spec, start = self.members[number].spec, self._numbers_start(number)
        # The file has the size of its arrays, so that memory is allocated only for existing data.
        raw = np.empty(spec.n_bytes, dtype=np.uint8)
        self._file.seek(start)
        n_read = self._file.readinto(raw)  # type: ignore[attr-defined]
        if n_read != len(raw) or digest_of(spec, raw.data) != self.members[number].digest:
            raise LoadError(f"{array_name(number)} was damaged (its check sum does not fit)")
        refuse_impossible_values(spec, raw)
        return from_stored(spec, raw)


def _checked_header(text: bytes) -> dict[str, Any]:
    header = headers.from_text(text)
    parts = {"lapoleaf": str, "objects": list, "arrays": list}
    if header.keys() != _KEYS or any(type(header[k]) is not kind for k, kind in parts.items()):
        raise LoadError("its header is not laid out as lapoleaf writes it")
    return header
