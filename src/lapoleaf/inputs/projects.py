"""Project files of the studio: labels given by users, stored by keys of rows."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import BoolArray
from lapoleaf._warnings import warn_user
from lapoleaf.inputs.labels import is_missing
from lapoleaf.inputs.row_keys import RowKey, keys_of

if TYPE_CHECKING:
    from lapoleaf.inputs.dataset import Dataset

# "LaPO" in the header of the file.
APPLICATION = 0x4C61504F
VERSION = 1
_MAGIC = b"SQLite format 3\0"
_PLACE_OF_APPLICATION = 68


@dataclass(frozen=True)
class ProjectFile:
    """Contents of a project file.

    Attributes
    ----------
    path : Path
        The file.
    meta : mapping of str to object
        The source of the rows, and the columns that identify them.
    classes : mapping of int to str
        Names of classes by their ids.
    labels : mapping of RowKey to int or None
        Ids of classes; None for rows whose label was removed.
    """

    path: Path
    meta: Mapping[str, Any]
    classes: Mapping[int, str]
    labels: Mapping[RowKey, int | None]


@dataclass(frozen=True)
class LabelsOfRows:
    """Labels of a project for the rows of a data set.

    Attributes
    ----------
    known : mapping of int to str or None
        Labels by the number of the row; None if the label was removed.
    lost : tuple of tuple of RowKey and str
        Labels of rows that do not exist.
    """

    known: Mapping[int, str | None]
    lost: tuple[tuple[RowKey, str], ...]


def is_project(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a project of the studio."""
    try:
        with open(path, "rb") as file:
            begin = file.read(_PLACE_OF_APPLICATION + 4)
    except (OSError, ValueError):
        return False
    application = begin[_PLACE_OF_APPLICATION:]
    return begin.startswith(_MAGIC) and application == APPLICATION.to_bytes(4, "big")


def read_project(path: str | os.PathLike[str]) -> ProjectFile:
    """Read a project file, also while a studio has it open.

    Parameters
    ----------
    path : path-like
        The file.
    """
    path = Path(path)
    if not is_project(path):
        raise ValueError(f"{shown(path)} is not a project of the studio.")
    with reading_errors(path), closing(_opened(path)) as connection:
        check_version(connection, path)
        meta = {
            name: json.loads(value)
            for name, value in connection.execute("SELECT name, value FROM meta")
        }
        classes = dict(connection.execute("SELECT id, name FROM classes ORDER BY id"))
        labels = {
            RowKey(key, occurrence): label
            for key, occurrence, label in connection.execute(
                "SELECT key, occurrence, class FROM labels"
            )
        }
    return ProjectFile(path, meta, classes, labels)


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Convert errors of the database to one-sentence messages."""
    try:
        yield
    except (sqlite3.Error, json.JSONDecodeError) as error:
        raise ValueError(
            f"{shown(path)} cannot be used as a project of the studio: {error}."
        ) from error


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Raise for a project that a later version of lapoleaf wrote."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise ValueError(
            f"{shown(path)} was written by a later version of lapoleaf: update lapoleaf to read it."
        )


def _opened(path: Path) -> sqlite3.Connection:
    path = path.resolve()
    # Without a write-ahead log beside it the file is not being written, and can be read without
    # creating files that would remain.
    mode = "mode=ro" if os.path.exists(f"{path}-wal") else "immutable=1"
    address = f"{path.as_uri()}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=10.0)


def labels_of_rows(data: Dataset, project: ProjectFile) -> LabelsOfRows:
    """Return the labels that a project has for the rows of a data set.

    Parameters
    ----------
    data : Dataset
        The rows.
    project : ProjectFile
        What was read.
    """
    keys = list(project.labels)
    rows = keys_of(data, project.meta.get("columns")).rows_of(keys).tolist()
    names = project.classes
    known: dict[int, str | None] = {}
    lost = []
    for key, row in zip(keys, rows, strict=True):
        label = project.labels[key]
        text = None if label is None else names[label]
        if row >= 0:
            known[row] = text
        elif text is not None:
            lost.append((key, text))
    named_by = project.meta.get("options", {}).get("id")
    if lost and not known and named_by not in (None, data.id):
        raise ValueError(
            f"{shown(project.path)} names its rows by the column {shown(named_by)}, and none of "
            f"its {len(lost):,} rows is in {data.source}: pass id={shown(named_by)}."
        )
    return LabelsOfRows(known, tuple(lost))


def with_labels(data: Dataset, path: str | os.PathLike[str]) -> Dataset:
    """Return a data set with the labels of a project: see :meth:`Dataset.with_labels`."""
    found = labels_of_rows(data, read_project(path))
    labels = np.full(len(data), None, dtype=object)
    if data.labels is not None:
        for row in np.flatnonzero(~missing_labels(data)).tolist():
            labels[row] = label_text(data.labels[row])
    for row, text in found.known.items():
        labels[row] = text
    if found.lost:
        key, text = found.lost[0]
        warn_user(
            f"{len(found.lost):,} labels of {shown(path)} belong to rows that are not there, such "
            f"as {shown(text)} of {shown(key.key.removeprefix('='))}."
        )
    return replace(data, labels=labels, label=data.label or "label")


def missing_labels(data: Dataset) -> BoolArray:
    """Return which rows of a data set have no label."""
    if data.labels is None:
        return np.ones(len(data), dtype=bool)
    if data.kind == "array" and data.labels.dtype.kind in "iu":
        # In arrays, -1 marks a missing label.
        return np.asarray(data.labels == -1)
    return is_missing(data.labels)


def label_text(label: Any) -> str:
    """Return a label as text: whole numbers without a point."""
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label)
