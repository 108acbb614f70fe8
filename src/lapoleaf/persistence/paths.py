"""Where a model is to be written, or read from: one sentence if that cannot be."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from lapoleaf.persistence.errors import LoadError


def _checked(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path={path!r} must be the name of a file: a str or a pathlib.Path.")
    return path


def target_of(path: str | os.PathLike[str]) -> Path:
    """Give the file that is to be written, or say why nothing can be written there."""
    # Through links: the file they lead to is written, the links stay.
    target = Path(os.path.realpath(_checked(path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{os.fspath(path)!r} cannot be written: there is no folder {str(target.parent)!r}."
        )
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder: name a file in it.")
    if target.exists() and not target.is_file():
        raise ValueError(f"{os.fspath(path)!r} is no file but a device or a pipe.")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{os.fspath(path)!r} is write-protected.")
    return target


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; never wait for one that is a pipe."""
    patience = getattr(os, "O_NONBLOCK", 0)
    file = open(  # noqa: SIM115
        _checked(path), "rb", opener=lambda name, flags: os.open(name, flags | patience)
    )
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise LoadError(
            f"{os.fspath(path)!r} cannot be loaded: it is no file but a device or a pipe."
        )
    return file
