"""Copies of pictures in folders: nothing is ever moved or overwritten."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf._messages import shown
from lapoleaf._progress import Progress
from lapoleaf._writing import check_writable
from lapoleaf.cli.outputs import watching

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

_LONGEST = 100
# What cannot be, or should not be, in the name of a folder.
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


def check_folder(folder: Path, source: Path, force: bool) -> None:
    """Raise unless copies can be made in a folder.

    Parameters
    ----------
    folder : Path
        Where to put them.
    source : Path
        The folder of the pictures.
    force : bool
        Whether the folder may have something in it already.
    """
    option = f"--into {shown(folder)}"
    if not source.is_dir():
        raise ValueError(
            f"{option} copies pictures, but {shown(source)} is no folder of pictures: name that."
        )
    really, pictures = Path(os.path.realpath(folder)), Path(os.path.realpath(source))
    if really == pictures or pictures in really.parents:
        raise ValueError(
            f"{option} is in the folder of the pictures, where the next run would read the copies: "
            f"name another folder."
        )
    if really.exists() and not really.is_dir():
        raise ValueError(f"{option} is a file: name a folder.")
    if really.is_dir() and any(really.iterdir()) and not force:
        raise FileExistsError(
            f"{option} is not empty: name another folder, or add --force to put the copies beside "
            f"what is there."
        )
    if not really.parent.is_dir():
        raise FileNotFoundError(f"{option}: there is no folder {shown(really.parent)}.")
    check_writable(really / "copies" if really.is_dir() else really)


def copy_by_class(data: Dataset, labels: Sequence[str | None], folder: Path) -> int:
    """Copy every picture into a folder that is named after its class, and return how many.

    Parameters
    ----------
    data : Dataset
        Pictures of a folder.
    labels : sequence of str or None
        Their classes; pictures without one are not copied.
    folder : Path
        Where to.
    """
    names = folder_names(str(label) for label in labels if label is not None)
    files = [
        (file, os.path.join(names[str(label)], os.path.basename(file)))
        for file, label in zip(data.frame["image"].tolist(), labels, strict=True)
        if label is not None
    ]
    return copy_files(data.folder or Path(), files, folder)


def copy_files(source: Path, files: Sequence[tuple[str, str]], folder: Path) -> int:
    """Copy files, all of them or none, and return how many.

    Equal names get a suffix: ``1.jpg``, ``1-2.jpg``.

    Parameters
    ----------
    source : Path
        Where the files are.
    files : sequence of pairs of str
        Names of files, as seen from there, and of their copies, as seen from ``folder``.
    folder : Path
        Where to put copies.
    """
    target = Path(os.path.realpath(folder))
    progress = Progress("Copies made", len(files), watching())
    with _whole_folder(target) as new:
        for name, copy in files:
            place = _free_name(new / copy, target / copy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, place)
            progress.advance()
    return len(files)


def _free_name(new: Path, old: Path) -> Path:
    """Return a name that no copy has, neither a new one nor one that was there before."""
    number, stem = 1, new.stem
    while new.exists() or old.exists():
        number += 1
        name = f"{stem}-{number}{new.suffix}"
        new, old = new.with_name(name), old.with_name(name)
    return new


@contextmanager
def _whole_folder(target: Path) -> Iterator[Path]:
    """Return a new folder, whose files come to ``target`` unless something is raised."""
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
            f"--into {shown(target)} cannot be written: {error.strerror or error}. Nothing was "
            f"copied."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def folder_names(labels: Iterable[str]) -> dict[str, str]:
    """Return a name of a folder for every class: no two are equal, and none leads elsewhere.

    Examples
    --------
    >>> from lapoleaf.cli.copies import folder_names
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
