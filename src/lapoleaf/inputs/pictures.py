"""Folders of pictures, and files of their features, as data sets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._encoding.plans.base import counted
from lapoleaf._messages import shown
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray
from lapoleaf.inputs.images.features import ImageFeatures
from lapoleaf.inputs.images.folders import find_files, folder_label
from lapoleaf.inputs.images.pictures import check_picture

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMED = 3


def find_pictures(folder: Path, verbose: int = 0) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the pictures of a folder by relative names, and skipped files with reasons.

    Parameters
    ----------
    folder : Path
        The folder.
    verbose : int
        Report progress if 1 or more.
    """
    found = find_files(folder)
    pictures, others = [], list(found.skipped)
    progress = Progress("Pictures found", len(found.files), verbose)
    for file in found.files:
        reason = check_picture(folder / file)
        if reason is None:
            pictures.append(file)
        else:
            others.append((file, reason))
        progress.advance()
    if not pictures:
        why = "".join(f"; {shown(file)}: {reason}" for file, reason in others[:1])
        raise ValueError(f"{shown(folder)} holds no pictures{why}.")
    return pictures, others


def note_of(others: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return a note on files that are left out."""
    if not others:
        return ()
    named = "; ".join(f"{shown(file)}: {reason}" for file, reason in others[:_MOST_NAMED])
    more = "; ..." if len(others) > _MOST_NAMED else ""
    return (f"{counted(len(others), 'file')} left out ({named}{more})",)


def frame_of_files(files: list[str]) -> pd.DataFrame:
    """Return a frame with names of files, by which rows are named, too."""
    pandas = imported("pandas")
    # As objects, since names of files may hold invalid Unicode.
    return pandas.DataFrame({"image": pandas.Series(files, dtype=object)})


def labels_of_folders(files: list[str]) -> AnyArray:
    """Return the class of every file by its folder; None for none."""
    return _with_none([folder_label(file) for file in files])


def labels_of_features(found: ImageFeatures) -> AnyArray:
    """Return the labels of saved features; None for none."""
    return _with_none(found.labels.tolist())


def _with_none(labels: list[str]) -> AnyArray:
    result = np.empty(len(labels), dtype=object)
    result[:] = [label or None for label in labels]
    return result


def files_of(new: Any, folder: Path) -> list[str]:
    """Return the files of new pictures.

    Parameters
    ----------
    new : path-like, sequence of them, or frame
        A folder or a file, several files, or a frame with a column ``image``.
    folder : Path
        Folder that names in a frame are relative to, and other names that do not exist.
    """
    if isinstance(new, str | os.PathLike):
        place = Path(new)
        if place.is_dir():
            return [os.path.abspath(place / file) for file in find_pictures(place)[0]]
        new = [new]
    if hasattr(new, "columns"):
        return [str(file) for file in new["image"]]
    files = [os.fspath(file) for file in new]
    return [file if (folder / file).exists() else os.path.abspath(file) for file in files]
