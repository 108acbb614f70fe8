"""Copies of pictures in folders; nothing is moved or overwritten."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf import _copying
from lapoleaf._copying import folder_names as folder_names
from lapoleaf._messages import shown
from lapoleaf._writing import check_writable
from lapoleaf.cli.outputs import watching

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset


def check_folder(folder: Path, source: Path, force: bool) -> None:
    """Raise unless copies can be made in a folder.

    Parameters
    ----------
    folder : Path
        Folder of the copies.
    source : Path
        The folder of the pictures.
    force : bool
        Whether the folder may already contain files.
    """
    option = f"--into {shown(folder)}"
    if not source.is_dir():
        raise ValueError(
            f"{option} copies pictures, but {shown(source)} is not a folder of pictures: name one."
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
        Folder of the copies.
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

    Parameters
    ----------
    source : Path
        Folder of the files.
    files : sequence of pairs of str
        Names of files, relative to ``source``, and of their copies, relative to ``folder``.
    folder : Path
        Folder of the copies.
    """
    name = f"--into {shown(Path(os.path.realpath(folder)))}"
    return _copying.copy_files(source, files, folder, name, watching())
