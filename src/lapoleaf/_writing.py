"""Atomic writing of files.

Data are written to a temporary file in the same folder, flushed to disk, and renamed. A reader
finds the old or the new file at any moment, also after a crash.
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
except ImportError:  # On Windows an open file cannot be removed.
    fcntl = None  # type: ignore[assignment]

_SUFFIX = ".saving"


def checked_path(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return a valid file name; raise for anything else."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path={shown(path)} must be the name of a file: a str or a pathlib.Path.")
    # Converted, since a NumPy string would appear with its type in system errors.
    return str(path) if isinstance(path, str) else path


def target_of(path: str | os.PathLike[str]) -> Path:
    """Return the file to write; raise if it cannot be written."""
    # Links are kept; their target is written.
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
    """Raise unless a file can be created beside ``target``; a trial file is removed."""
    try:
        descriptor, temporary = _new_file_beside(target)
    except OSError as error:
        raise type(error)(
            f"{shown(target)} cannot be written: {error.strerror or error}."
        ) from error
    os.close(descriptor)
    os.unlink(temporary)


def write_whole(target: Path, parts: Iterable[Any]) -> None:
    """Write ``parts``, objects of bytes, to ``target`` atomically."""
    with whole_file(target) as file:
        for part in parts:
            file.write(part)


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Return a temporary file that replaces ``target`` unless an exception is raised.

    Temporary files left behind by killed processes are removed first.
    """
    _remove_abandoned(target)
    descriptor, temporary = _new_file_beside(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if target.exists():
                # Permissions of an existing file are kept.
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
            if fcntl is not None:
                # While locked, so that other processes do not treat it as abandoned.
                os.replace(temporary, target)
        if fcntl is None:
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _to_disk(target.parent)


def _beginning_of_names(target: Path) -> str:
    """Return the common prefix of temporary files for ``target``; long names are truncated."""
    return f".{os.fsdecode(os.fsencode(target.name)[:200])}."


def _new_file_beside(target: Path) -> tuple[int, Path]:
    """Open a new temporary file, locked while it is open."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    while True:
        name = f"{_beginning_of_names(target)}{secrets.token_hex(6)}{_SUFFIX}"
        temporary = target.parent / name
        descriptor = os.open(temporary, flags, 0o666)
        # Another process may have removed it between opening and locking.
        if lock(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Try to lock an open file; the lock ends with the process."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # On file systems without locks nothing is treated as abandoned.
        return True
    return True


def _to_disk(folder: Path) -> None:
    """Flush a folder to disk, where the system allows it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files for ``target`` whose process has ended."""
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
