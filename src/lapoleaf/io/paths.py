"""Opening of model files."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from lapoleaf._messages import shown
from lapoleaf._writing import checked_path
from lapoleaf.io.errors import LoadError


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading, without blocking on pipes."""
    patience = getattr(os, "O_NONBLOCK", 0)
    file = open(  # noqa: SIM115
        checked_path(path), "rb", opener=lambda name, flags: os.open(name, flags | patience)
    )
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise LoadError(f"{shown(path)} cannot be loaded: it is a device or a pipe, not a file.")
    return file
