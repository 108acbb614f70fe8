"""Files of a folder and their classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_UNLABELLED = ("unlabelled", "unlabeled")


@dataclass(frozen=True)
class Found:
    """Files of a folder by their relative names, and those that cannot be read, with reasons."""

    files: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


def find_files(folder: Path, besides: Sequence[Path] = ()) -> Found:
    """Return all files below ``folder``, in order of their names.

    Names that begin with a dot are skipped, and so is everything in ``besides``. Links to folders
    are followed, each folder once, so that cycles end.
    """
    files: list[str] = []
    skipped: list[tuple[str, str]] = []
    left_out = {os.path.realpath(path) for path in besides}
    seen: set[tuple[int, int]] = set()
    folders: list[str] = [""]
    links: list[str] = []
    while folders or links:
        # Folders before links, so that a folder reached both ways keeps its own name.
        place = folders.pop(0) if folders else links.pop(0)
        here = folder / place
        try:
            facts = here.stat()
            if (facts.st_dev, facts.st_ino) in seen:
                skipped.append((place, "a link to a folder that is read under another name"))
                continue
            seen.add((facts.st_dev, facts.st_ino))
            names = sorted(os.listdir(here))
        except OSError as error:
            skipped.append((place or ".", f"a folder that cannot be read ({error.strerror})"))
            continue
        really = os.path.realpath(here)
        for name in names:
            path = os.path.join(really, name)
            inside = f"{place}/{name}" if place else name
            if name.startswith(".") or path in left_out:
                continue
            if os.path.isdir(path):
                (links if os.path.islink(path) else folders).append(inside)
            elif os.path.isfile(path):
                files.append(inside)
            else:
                skipped.append((inside, "no file, or a link to nothing"))
    return Found(tuple(sorted(files)), tuple(skipped))


def folder_label(file: str) -> str:
    """Return the class of a file, its top-level folder; ``""`` for none.

    Examples
    --------
    >>> from lapoleaf.inputs.images.folders import folder_label
    >>> folder_label("cat/by night/7.jpg"), folder_label("unlabelled/8.jpg"), folder_label("9.jpg")
    ('cat', '', '')
    """
    top, slash, _rest = file.partition("/")
    return named_label(top) if slash else ""


def named_label(name: str) -> str:
    """Return the class that a folder or an object with that name belongs to; ``""`` for none."""
    return "" if name.lower() in _UNLABELLED else name
