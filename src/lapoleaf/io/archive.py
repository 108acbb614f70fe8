"""The zip file around a saved model, byte for byte.

Members are uncompressed, in a fixed order, with fixed dates and attributes. So names, sizes and
checksums determine every byte outside of the members, and the reader accepts no others. This
excludes all other variants of zip files (compressed, encrypted, overlapping, with unusual names,
with data before, between or after members).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from lapoleaf.io.errors import LoadError

HEADER_NAME = "header.json"
# Alignment of arrays, so that they can be mapped into memory.
ALIGNMENT = 64

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
# Placeholders for numbers that are stored in fields of 64 bits.
_FULL, _FULL_COUNT = 0xFFFFFFFF, 0xFFFF
_PLAIN, _WITH_64 = 20, 45
_UNIX = 3 << 8
_FILE_MODE = 0o100644 << 16
_FIRST_OF_1980 = 33
_ZIP_64, _PADDING = 0x0001, 0xD935


@dataclass(frozen=True)
class Member:
    """A member of the zip file: its name, its size in bytes, the CRC-32 of its bytes."""

    name: str
    size: int
    crc: int


@dataclass(frozen=True)
class Place:
    """Where a member is: its entry begins at ``start``, its bytes at ``data``."""

    start: int
    entry: bytes
    data: int


@dataclass(frozen=True)
class Layout:
    """Places of the members, and of the directory, which ends the file."""

    places: list[Place]
    directory_start: int
    directory: bytes

    @property
    def size(self) -> int:
        """Size of the whole file."""
        return self.directory_start + len(self.directory)


def array_name(number: int) -> str:
    """Return the name of an array's member.

    Examples
    --------
    >>> from lapoleaf.io.archive import array_name
    >>> array_name(3)
    'arrays/0003.npy'
    """
    return f"arrays/{number:04d}.npy"


def lay_out(members: Sequence[Member]) -> Layout:
    """Return the places of all members, and the bytes around them.

    Parameters
    ----------
    members : sequence of Member
        The header first, then the arrays.
    """
    places: list[Place] = []
    directory: list[bytes] = []
    position = 0
    for member in members:
        entry = _local_entry(member, position)
        places.append(Place(position, entry, position + len(entry)))
        directory.append(_central_entry(member, position))
        position += len(entry) + member.size
    entries = b"".join(directory)
    return Layout(places, position, entries + _end(len(members), len(entries), position))


def size_of_header(beginning: bytes) -> int:
    """Return the size of the header, from the first bytes of a file."""
    begins = len(beginning) >= _LOCAL.size + len(HEADER_NAME) and beginning[:4] == b"PK\3\4"
    name = beginning[_LOCAL.size : _LOCAL.size + len(HEADER_NAME)]
    if not begins or name != HEADER_NAME.encode():
        raise LoadError("it is not a model saved by lapoleaf")
    _, _, flags, method, _, _, _, stored, size, name_length, extra_length = _LOCAL.unpack_from(
        beginning
    )
    plain = flags == 0 and method == 0 and stored == size
    if not plain or name_length != len(name) or extra_length != 0:
        raise LoadError(
            "its header is compressed, encrypted or packed again; lapoleaf reads files as it wrote "
            "them"
        )
    return int(size)


def _extra(kind: int, content: bytes) -> bytes:
    return struct.pack("<2H", kind, len(content)) + content


def _local_entry(member: Member, position: int) -> bytes:
    name = member.name.encode()
    large = member.size >= _FULL
    extra = _extra(_ZIP_64, struct.pack("<2Q", member.size, member.size)) if large else b""
    if member.name != HEADER_NAME:
        # A field of the smallest size: its kind, the alignment, then zeros.
        unpadded = position + _LOCAL.size + len(name) + len(extra) + 6
        extra += _extra(_PADDING, struct.pack("<H", ALIGNMENT) + bytes(-unpadded % ALIGNMENT))
    size = _FULL if large else member.size
    fixed = _LOCAL.pack(
        b"PK\3\4", _WITH_64 if large else _PLAIN, 0, 0, 0, _FIRST_OF_1980,
        member.crc, size, size, len(name), len(extra),
    )  # fmt: skip
    return fixed + name + extra


def _central_entry(member: Member, position: int) -> bytes:
    name = member.name.encode()
    wide = [member.size, member.size] if member.size >= _FULL else []
    wide += [position] if position >= _FULL else []
    extra = _extra(_ZIP_64, struct.pack(f"<{len(wide)}Q", *wide)) if wide else b""
    needed = _WITH_64 if wide else _PLAIN
    size, offset = min(member.size, _FULL), min(position, _FULL)
    fixed = _CENTRAL.pack(
        b"PK\1\2", _UNIX | needed, needed, 0, 0, 0, _FIRST_OF_1980, member.crc, size, size,
        len(name), len(extra), 0, 0, 0, _FILE_MODE, offset,
    )  # fmt: skip
    return fixed + name + extra


def _end(count: int, size: int, start: int) -> bytes:
    short = _END.pack(
        b"PK\5\6", 0, 0, min(count, _FULL_COUNT), min(count, _FULL_COUNT),
        min(size, _FULL), min(start, _FULL), 0,
    )  # fmt: skip
    if count < _FULL_COUNT and size < _FULL and start < _FULL:
        return short
    long = _END_64.pack(
        b"PK\6\6", _END_64.size - 12, _UNIX | _WITH_64, _WITH_64, 0, 0, count, count, size, start
    )
    return long + _LOCATOR_64.pack(b"PK\6\7", 0, start + size, 1) + short
