"""Open projects: from a file, frame or model to a session."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.inputs import Dataset, read
from lapoleaf.inputs.projects import is_project, read_project
from lapoleaf.io import load
from lapoleaf.studio.models import is_model, rows_and_model
from lapoleaf.studio.project import Project
from lapoleaf.studio.session import Session

ENDING = ".lapoleaf"
# The project of rows that are in no file.
UNNAMED = f"studio{ENDING}"


def opened(
    source: Any,
    *,
    project: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Session:
    """Open the project of some rows; it is created if it does not exist.

    Parameters
    ----------
    source : path-like, frame, array, Dataset or model
        The rows, or a project.
    project : path-like or None
        The project; by default a file beside the source.
    n_jobs : int or None
        Number of threads of the model.
    **options
        Options of :func:`~lapoleaf.inputs.read`.
    """
    if isinstance(source, str) and source == "-":
        raise ValueError(
            "rows from standard input could not be found again: save them as a file first."
        )
    if isinstance(source, str | os.PathLike) and is_project(source):
        project = source
        meta = read_project(source).meta
        source, options = _source_of(meta, Path(source)), {**meta["options"], **options}
    elif isinstance(source, str | os.PathLike):
        options = {**_options_before(source, path_of_project(source, project=project)), **options}
    data, model = _rows_of(source, options)
    file = Project(path_of_project(source, project=project))
    try:
        session = Session(data, file, model, n_jobs)
        if isinstance(source, str | os.PathLike):
            place = os.path.relpath(os.path.realpath(source), file.path.parent)
            file.set_meta({"source": place, "options": options})
    except BaseException:
        file.close()
        raise
    return session


def _options_before(source: str | os.PathLike[str], project: Path) -> Mapping[str, Any]:
    """Return how a file was read when its project was open last."""
    if not is_project(project):
        return {}
    meta = read_project(project).meta
    is_same = "source" in meta and os.path.realpath(_source_of(meta, project)) == os.path.realpath(
        source
    )
    options: Mapping[str, Any] = meta["options"] if is_same else {}
    return options


def _rows_of(source: Any, options: Mapping[str, Any]) -> tuple[Dataset, Any]:
    """Return rows, and a model that has them already, if there is one."""
    if isinstance(source, Dataset):
        return source, None
    if is_model(source):
        return rows_and_model(source, f"the {type(source).__name__}")
    if isinstance(source, str | os.PathLike) and _is_kept_model(source):
        return rows_and_model(load(source), shown(os.fspath(source)))
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "columns"):
        source = _array_of(source)
    return read(source, **options), None


def _array_of(source: Any) -> Any:
    """Return rows as an array, or raise for what is none."""
    kind = type(source).__name__
    if hasattr(source, "get_params"):
        raise ValueError(
            f"the {kind} is not a classifier that labels can be given to: use a LaPOLeaFClassifier."
        )
    if hasattr(source, "toarray"):
        raise ValueError(
            f"the {kind} is sparse, and its rows cannot be shown: pass a frame, a dense array, or "
            f"a classifier that was fitted to it."
        )
    try:
        return np.asarray(source)
    except ValueError as error:
        raise ValueError(
            f"the {kind} must be a table of numbers with rows of one length. Labels are passed as "
            f"a column of a frame, whose name is label."
        ) from error


def _is_kept_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file was written by :func:`~lapoleaf.save`."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "header.json" in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError):
        return False


def path_of_project(
    source: Any, *, project: str | os.PathLike[str] | None = None, **_: Any
) -> Path:
    """Return the file that a project is in, or would be, without links.

    Parameters
    ----------
    source : path-like, frame, array, Dataset or model
        The rows, or a project.
    project : path-like or None
        The project, if it is named.
    """
    is_file = isinstance(source, str | os.PathLike)
    if is_file and is_project(source):
        path = os.fspath(source)
    elif project is not None:
        path = os.fspath(project)
    elif is_file:
        name = os.path.abspath(source)
        # A model has the ending already.
        path = f"{name}{'.studio' if name.endswith(ENDING) else ''}{ENDING}"
    else:
        path = UNNAMED
    return Path(os.path.realpath(path))


def _source_of(meta: Any, project: Path) -> Path:
    if "source" not in meta:
        raise ValueError(
            f"{shown(os.fspath(project))} is the project of rows that are in no file: pass these."
        )
    return Path(os.path.realpath(project)).parent / str(meta["source"])
