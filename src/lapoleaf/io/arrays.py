"""Arrays as members of a file: ``.npy``, little-endian, of a few types, without objects."""

from __future__ import annotations

import hashlib
import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf.io.archive import HEADER_NAME, Member, array_name
from lapoleaf.io.errors import LoadError

_KNOWN_TYPES = re.compile(r"\|b1|\|[iu]1|<[iuf][248]|<U[1-9]\d{0,6}|\|S[1-9]\d{0,6}")
_MOST_DIMENSIONS = 8
_LAST_CHARACTER = 0x10FFFF


@dataclass(frozen=True)
class ArraySpec:
    """Description of an array: type, order and shape.

    Attributes
    ----------
    dtype : str
        The type as in an ``.npy`` file, such as ``"<f8"``.
    fortran : bool
        Whether the first index runs fastest.
    shape : tuple of int
        The shape.
    """

    dtype: str
    fortran: bool
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def beginning(self) -> bytes:
        """The header of an ``.npy`` file, a multiple of 64 bytes."""
        # Not by NumPy: the bytes must be the same for all of its versions.
        shape = f"({', '.join(map(str, self.shape))}{',' if len(self.shape) == 1 else ''})"
        fields = f"'descr': '{self.dtype}', 'fortran_order': {self.fortran}, 'shape': {shape}, "
        padding = " " * (-(len(fields) + 13) % 64)
        text = f"{{{fields}}}{padding}\n".encode()
        return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text

    @property
    def size(self) -> int:
        """Bytes of the whole member."""
        return len(self.beginning) + self.n_bytes


@dataclass(frozen=True)
class ArrayMember:
    """Description of an array in the header, with the checksums of its member."""

    spec: ArraySpec
    crc: int
    digest: str

    def to_json(self) -> dict[str, Any]:
        """Return the entry in the header."""
        return {
            "dtype": self.spec.dtype,
            "fortran": self.spec.fortran,
            "shape": list(self.spec.shape),
            "size": self.spec.size,
            "crc32": self.crc,
            "sha256": self.digest,
        }

    @classmethod
    def from_json(cls, entry: Any) -> ArrayMember:
        """Return the description from an entry of the header, validated."""
        wanted = {"dtype", "fortran", "shape", "size", "crc32", "sha256"}
        if not isinstance(entry, dict) or entry.keys() != wanted:
            raise LoadError("the header describes an array in an unknown way")
        dtype, fortran, shape = entry["dtype"], entry["fortran"], entry["shape"]
        if not isinstance(dtype, str) or not _KNOWN_TYPES.fullmatch(dtype):
            raise LoadError(
                f"an array is of type {shown(str(dtype)[:40])}, which no saved model has"
            )
        if not isinstance(fortran, bool) or not _is_shape(shape):
            raise LoadError("an array has an impossible shape")
        spec = ArraySpec(dtype, fortran, tuple(shape))
        if entry["size"] != spec.size:
            raise LoadError("an array's size does not fit its type and shape")
        crc, digest = entry["crc32"], entry["sha256"]
        if type(crc) is not int or not 0 <= crc < 2**32 or not isinstance(digest, str):
            raise LoadError("an array has an impossible check sum")
        return cls(spec, crc, digest)


def _is_shape(shape: Any) -> bool:
    if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS:
        return False
    return all(type(length) is int and 0 <= length < 2**62 for length in shape)


def is_storable(array: AnyArray) -> bool:
    """Whether an array is of a type that files hold."""
    return bool(_KNOWN_TYPES.fullmatch(array.dtype.newbyteorder("<").str))


def to_stored(array: AnyArray) -> tuple[ArraySpec, memoryview]:
    """Return the description of an array, and its bytes in written order."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    spec = ArraySpec(array.dtype.newbyteorder("<").str, fortran, array.shape)
    in_order = np.ascontiguousarray(array.T if fortran else array, dtype=spec.dtype)
    return spec, in_order.reshape(-1).view(np.uint8).data


def describe(spec: ArraySpec, raw: memoryview) -> ArrayMember:
    """Add the check sums of the member that an array makes."""
    crc = zlib.crc32(raw, zlib.crc32(spec.beginning))
    return ArrayMember(spec, crc, digest_of(spec, raw))


def digest_of(spec: ArraySpec, raw: memoryview) -> str:
    """Return the SHA-256 of the member that an array makes."""
    digest = hashlib.sha256(spec.beginning)
    digest.update(raw)
    return digest.hexdigest()


def from_stored(spec: ArraySpec, raw: AnyArray) -> AnyArray:
    """Return the array of ``spec`` in ``raw``, its bytes, without copying them."""
    array = raw.view(spec.dtype).reshape(spec.shape, order="F" if spec.fortran else "C")
    native = array.dtype.newbyteorder("=")
    return array if array.dtype == native else array.astype(native)


def refuse_impossible_values(spec: ArraySpec, raw: AnyArray) -> None:
    """Raise for invalid bytes: booleans other than 0 and 1, invalid characters."""
    if spec.dtype == "|b1" and raw.size and raw.max() > 1:
        raise LoadError("an array of true and false holds something else")
    if spec.dtype[1] == "U" and raw.size and raw.view("<u4").max() > _LAST_CHARACTER:
        raise LoadError("an array of texts holds what is not a character")


def members_of(header: bytes, arrays: Sequence[ArrayMember]) -> list[Member]:
    """Return all members of a file: the header, then the arrays."""
    return [
        Member(HEADER_NAME, len(header), zlib.crc32(header)),
        *(Member(array_name(k), array.spec.size, array.crc) for k, array in enumerate(arrays)),
    ]
