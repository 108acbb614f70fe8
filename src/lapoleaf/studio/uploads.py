"""Files that are dropped onto the start page: kept in the folder the studio was started in."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

from lapoleaf._messages import shown
from lapoleaf.studio.answers import BadRequest
from lapoleaf.studio.exporting import free_path

MOST_BYTES = 2 * 2**30
_LONGEST = 100
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff]')


def safe_name(name: str) -> str:
    """Return a name for a file that leads nowhere else, and is not hidden.

    Examples
    --------
    >>> from lapoleaf.studio.uploads import safe_name
    >>> safe_name("../../etc/passwd"), safe_name(".bashrc"), safe_name("")
    ('passwd', '_bashrc', 'upload')
    """
    plain = _ODD.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip().rstrip(". ")
    stem, ending = os.path.splitext(plain)
    plain = f"{stem[:_LONGEST]}{ending[:20]}"
    return f"_{plain[1:]}" if plain.startswith((".", "-")) else plain or "upload"


async def keep(name: str, content: AsyncIterator[bytes], folder: Path) -> Path:
    """Write a file under a name that is not taken; nothing stays of one that is too large.

    Parameters
    ----------
    name : str
        Its name, as sent by the page.
    content : iterator of bytes
        What is in it.
    folder : Path
        Where to keep it.
    """
    path = free_path(folder / safe_name(name))
    n_bytes = 0
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise BadRequest(f"{shown(path)} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            async for part in content:
                n_bytes += len(part)
                if n_bytes > MOST_BYTES:
                    raise BadRequest(f"the file has more than {MOST_BYTES // 2**30} GB.", 413)
                file.write(part)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
