"""Atomic copies of files into folders; nothing is moved or overwritten."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lapoleaf._messages import shown
from lapoleaf._progress import Progress

_LONGEST = 100
# Characters that are invalid or unsafe in names of folders.
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


def copy_files(
    source: Path, files: Sequence[tuple[str, str]], folder: Path, name: str = "", verbose: int = 0
) -> int:
    """Copy files, all of them or none, and return how many.

    Equal names get a suffix: ``1.jpg``, ``1-2.jpg``.

    Parameters
    ----------
    source : Path
        Folder of the files.
    files : sequence of pairs of str
        Names of files, relative to ``source``, and of their copies, relative to ``folder``.
    folder : Path
        Folder of the copies.
    name : str
        Name of the folder, for messages.
    verbose : int
        Report progress if 1 or more.
    """
    target = Path(os.path.realpath(folder))
    progress = Progress("Copies made", len(files), verbose)
    with _whole_folder(target, name or shown(target)) as new:
        for file, copy in files:
            place = _free_name(new / copy, target / copy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / file, place)
            progress.advance()
    return len(files)


def _free_name(new: Path, old: Path) -> Path:
    """Return a name that neither a new nor an existing copy has."""
    number, stem = 1, new.stem
    while new.exists() or old.exists():
        number += 1
        name = f"{stem}-{number}{new.suffix}"
        new, old = new.with_name(name), old.with_name(name)
    return new


@contextmanager
def _whole_folder(target: Path, name: str) -> Iterator[Path]:
    """Return a temporary folder that replaces ``target`` unless an exception is raised."""
    temporary = target.parent / f".{target.name[:_LONGEST]}.{secrets.token_hex(6)}.saving"
    temporary.mkdir()
    try:
        yield temporary
        if target.is_dir() and any(target.iterdir()):
            for file in sorted(temporary.rglob("*")):
                if file.is_file():
                    place = target / file.relative_to(temporary)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    os.rename(file, place)
        else:
            if target.is_dir():
                target.rmdir()
            os.rename(temporary, target)
    except OSError as error:
        raise OSError(
            f"{name} cannot be written: {error.strerror or error}. Nothing was copied."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def folder_names(labels: Iterable[str]) -> dict[str, str]:
    """Return a unique and safe folder name for every class.

    Examples
    --------
    >>> from lapoleaf._copying import folder_names
    >>> folder_names(["cat", "../etc", ".._etc", ""])
    {'cat': 'cat', '../etc': '_._etc', '.._etc': '_._etc-2', '': '_'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for label in labels:
        if label in found:
            continue
        plain = _ODD.sub("_", label).rstrip(". ")[:_LONGEST] or "_"
        plain = f"_{plain[1:]}" if plain[0] == "." else plain
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        found[label] = name
    return found
