"""Files that are written whole or not at all.

What is written goes to a temporary file in the same folder, to the disk, and then under its name in
one step. A reader finds what was there before or what was written, at any moment and after any
crash.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from lapoleaf._messages import shown

try:
    import fcntl
except ImportError:  # Windows: there, a file that is open cannot be removed.
    fcntl = None  # type: ignore[assignment]

_SUFFIX = ".saving"


def checked_path(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return what can be the name of a file; raise for what cannot."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path={shown(path)} must be the name of a file: a str or a pathlib.Path.")
    # A name may be a string of NumPy, which errors of the system would show with its type.
    return str(path) if isinstance(path, str) else path


def target_of(path: str | os.PathLike[str]) -> Path:
    """Return the file that is to be written, or raise where nothing can be written."""
    # Through links: the file they lead to is written, the links stay.
    target = Path(os.path.realpath(checked_path(path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{shown(path)} cannot be written: there is no folder {shown(target.parent)}."
        )
    if target.is_dir():
        raise IsADirectoryError(f"{shown(path)} is a folder: name a file in it.")
    if target.exists() and not target.is_file():
        raise ValueError(f"{shown(path)} is a device or a pipe, not a file.")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{shown(path)} is write-protected.")
    return target


def check_writable(target: Path) -> None:
    """Raise unless a file can be made beside ``target``; nothing stays of the attempt."""
    try:
        descriptor, temporary = _new_file_beside(target)
    except OSError as error:
        raise type(error)(
            f"{shown(target)} cannot be written: {error.strerror or error}."
        ) from error
    os.close(descriptor)
    os.unlink(temporary)


def write_whole(target: Path, parts: Iterable[Any]) -> None:
    """Write ``parts``, objects of bytes, to ``target``: all of them, or nothing."""
    with whole_file(target) as file:
        for part in parts:
            file.write(part)


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Return a file to write into, which becomes ``target`` unless something is raised.

    A temporary file that a killed process left behind for the same target is removed first.
    """
    _remove_abandoned(target)
    descriptor, temporary = _new_file_beside(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if target.exists():
                # A file that was made private stays private in its next version.
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
            if fcntl is not None:
                # While it is locked: else another process could think it abandoned.
                os.replace(temporary, target)
        if fcntl is None:
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _to_disk(target.parent)


def _beginning_of_names(target: Path) -> str:
    """Return what all temporary files for ``target`` begin with; long names are cut."""
    return f".{os.fsdecode(os.fsencode(target.name)[:200])}."


def _new_file_beside(target: Path) -> tuple[int, Path]:
    """Open a new temporary file, locked for as long as it is open."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    while True:
        name = f"{_beginning_of_names(target)}{secrets.token_hex(6)}{_SUFFIX}"
        temporary = target.parent / name
        descriptor = os.open(temporary, flags, 0o666)
        # Between opening and locking, another process may have thought it abandoned.
        if lock(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Lock an open file, unless another process has; the lock goes with the process."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: nothing is ever taken for abandoned there.
        return True
    return True


def _to_disk(folder: Path) -> None:
    """Let a new name in a folder survive a crash, where the system lets folders be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files for ``target`` whose process is gone."""
    names = re.compile(re.escape(_beginning_of_names(target)) + "[0-9a-f]{12}" + re.escape(_SUFFIX))
    for name in os.listdir(target.parent):
        if names.fullmatch(name):
            with contextlib.suppress(OSError):
                _remove_unless_locked(target.parent / name)


def _remove_unless_locked(path: Path) -> None:
    if fcntl is None:
        os.unlink(path)
        return
    descriptor = os.open(path, os.O_WRONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(descriptor)
