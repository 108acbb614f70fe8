"""Tensors out of PyTorch's old file format, without PyTorch and without running anything.

Such a file is five pickles (a magic number, a version, facts about the machine, the tensors'
shapes, and the names of the storages) followed by the numbers of every storage. A pickle can name
any function to be called when it is read; this reader allows the four names that tensors need and
refuses every other.
"""

from __future__ import annotations

import math
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001


@dataclass(frozen=True)
class _Storage:
    """Where the numbers of a tensor will be found."""

    key: str
    dtype: np.dtype[Any]
    length: int


@dataclass(frozen=True)
class _Tensor:
    """A tensor before its numbers are there."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_further: Any) -> _Tensor:
    return _Tensor(storage, offset, shape, strides)


_KNOWN: dict[tuple[str, str], Callable[..., Any] | np.dtype[Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch", "FloatStorage"): np.dtype("<f4"),
    ("torch", "LongStorage"): np.dtype("<i8"),
}


class _TensorsOnly(pickle.Unpickler):
    """Reads a pickle of tensors; a pickle with anything else is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return _KNOWN[module, name]

    def persistent_load(self, pid: Any) -> _Storage:
        match pid:
            case ("storage", np.dtype() as dtype, str(key), str(), int(length), None):
                return _Storage(key, dtype, length)
        raise pickle.UnpicklingError("it refers to something that is not a storage")


def read_tensors(path: str | os.PathLike[str]) -> dict[str, AnyArray]:
    """Return the named tensors of a file in PyTorch's old format.

    Raises
    ------
    ValueError
        If the file is anything but tensors, or is damaged.
    """
    try:
        with open(path, "rb") as file:
            return _read(file)
    except OSError:
        raise
    except Exception as error:
        # A damaged pickle can raise nearly anything.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            f"{shown(path)} is not read, because it is not a file of tensors only: {reason}."
        ) from error


def _read(file: BinaryIO) -> dict[str, AnyArray]:
    magic, version = (_TensorsOnly(file).load() for _ in range(2))
    if (magic, version) != (_MAGIC, _VERSION):
        raise ValueError("it does not begin as such files do")
    machine = _TensorsOnly(file).load()
    if not isinstance(machine, dict) or machine.get("little_endian") is not True:
        raise ValueError("its numbers are not little-endian")
    tensors = _TensorsOnly(file).load()
    keys = _TensorsOnly(file).load()
    wanted = {tensor.storage.key: tensor.storage for tensor in _checked(tensors).values()}
    if not isinstance(keys, list) or sorted(keys) != sorted(wanted):
        raise ValueError("its storages are not those of its tensors")
    numbers = {key: _numbers(file, wanted[key]) for key in keys}
    return {name: _filled(tensor, numbers) for name, tensor in tensors.items()}


def _checked(tensors: Any) -> dict[str, _Tensor]:
    if not isinstance(tensors, dict):
        raise ValueError(f"it holds a {type(tensors).__name__}")
    for name, tensor in tensors.items():
        match tensor:
            case _Tensor(_Storage(), int(), tuple(), tuple()) if isinstance(name, str):
                sizes = (tensor.offset, *tensor.shape, *tensor.strides)
                if all(type(size) is int and size >= 0 for size in sizes):
                    continue
        raise ValueError(f"{shown(name)} is not a tensor")
    return tensors


def _numbers(file: BinaryIO, storage: _Storage) -> AnyArray:
    length = int.from_bytes(file.read(8), "little")
    if length != storage.length:
        raise ValueError(f"a storage has {length} numbers instead of {storage.length}")
    raw = file.read(length * storage.dtype.itemsize)
    if len(raw) != length * storage.dtype.itemsize:
        raise ValueError("its end is missing")
    return np.frombuffer(raw, storage.dtype)


def _filled(tensor: _Tensor, numbers: dict[str, AnyArray]) -> AnyArray:
    whole = numbers[tensor.storage.key]
    steps = zip(tensor.shape, tensor.strides, strict=True)
    last = tensor.offset + sum((length - 1) * stride for length, stride in steps)
    if 0 in tensor.shape or last >= len(whole) or math.prod(tensor.shape) > len(whole):
        raise ValueError("a tensor is not within its storage")
    strides = [stride * whole.itemsize for stride in tensor.strides]
    view = np.lib.stride_tricks.as_strided(
        whole[tensor.offset :], tensor.shape, strides, writeable=False
    )
    return np.array(view, order="C")
