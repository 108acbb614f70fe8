"""Labels from files of other programs, as one action that can be undone."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf.inputs.matching import (
    cells_of,
    column_of_labels,
    columns_of_both,
    frame_with_names,
)
from lapoleaf.inputs.projects import is_project, labels_of_rows, read_project
from lapoleaf.inputs.row_keys import RowKey
from lapoleaf.inputs.sources import format_of, source_of
from lapoleaf.inputs.tables import table_of_file
from lapoleaf.studio.actions import Action, in_order, labelled, new_class
from lapoleaf.studio.beginning import name_of_label
from lapoleaf.studio.exporting import GIVEN, KEY, LABEL, without_escape
from lapoleaf.studio.session import Session
from lapoleaf.studio.state import Change, ClassInfo, State

if TYPE_CHECKING:
    import pandas as pd

MOST_BYTES = 512 * 2**20
FORMATS = ("auto", "csv", "parquet", "jsonl", "label-studio", "project")


def import_labels(
    session: Session, content: bytes, form: str = "auto", label: str | None = None
) -> dict[str, Any]:
    """Take the labels of a file, and return how many were taken, lost and replaced.

    Parameters
    ----------
    session : Session
        The open project.
    content : bytes
        The file.
    form : str
        What it is; what is in the file counts, and Label Studio's files are recognised.
    label : str or None
        The column of labels.
    """
    if form not in FORMATS:
        raise ValueError(f"format={shown(form)} must be one of {', '.join(FORMATS)}.")
    names, n_lost = _labels(session, content, label)
    if not names and not n_lost:
        raise ValueError("the file holds no labels by a person.")
    # As no action may come between what is read and what is written.
    with session.ledger.locked():
        change = _change(session.state, session.ledger.next_id, names)
        replaced = int(np.count_nonzero(change.before >= 0))
        answer: dict[str, Any] = {}
        if len(change.rows):
            answer = session.do(Action("import", f"import {len(names):,} labels", change))
    return {"n_taken": len(names), "n_lost": n_lost, "n_replaced": replaced, **answer}


def _change(state: State, next_id: int, names: dict[int, str]) -> Change:
    """Return the change that gives rows classes by their names; new ones are added."""
    rows = np.array(sorted(names), dtype=np.int64)
    by_name = {info.name: info for info in state.classes.values()}
    added: dict[int, tuple[ClassInfo | None, ClassInfo | None]] = {}
    for name in in_order(names.values()):
        if name not in by_name:
            grown = State(state.given, {info.id: info for info in by_name.values()})
            by_name[name] = new_class(name, None, grown, next_id + len(added))
            added[by_name[name].id] = (None, by_name[name])
    labels = np.array([by_name[names[row]].id for row in rows.tolist()], dtype=np.int64)
    change = labelled(state, rows, labels)
    return Change(rows=change.rows, before=change.before, after=change.after, classes=added)


def _labels(session: Session, content: bytes, label: str | None) -> tuple[dict[int, str], int]:
    """Return names of classes by row, and the number of labels whose row is not there."""
    frame = _tasks(content)
    if frame is not None:
        return _labels_of_frame(session, frame, label)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "labels")
        path.write_bytes(content)
        if is_project(path):
            found = labels_of_rows(session.data, read_project(path))
            known = {row: text for row, text in found.known.items() if text is not None}
            return known, len(found.lost)
        try:
            source = source_of(path)
            table = table_of_file(source, format_of(source), label, ())
        except (ValueError, OSError, KeyError) as error:
            text = str(error).replace(shown(path), "the file").replace(os.fspath(path), "the file")
            raise ValueError(f"the file is not a table that can be read: {text}") from error
        return _labels_of_frame(session, table.frame, label)


def _tasks(content: bytes) -> pd.DataFrame | None:
    """Return tasks of Label Studio as a table with a column of labels; None for other files."""
    if content[:64].lstrip()[:1] != b"[":
        return None
    try:
        tasks = json.loads(content)
    except (ValueError, RecursionError):
        return None
    rows = [_row_of_task(task) for task in tasks if isinstance(task, dict)]
    known = [row for row in rows if row is not None]
    if not known:
        raise ValueError("the file has no tasks with labels by a person.")
    found: pd.DataFrame = imported("pandas").DataFrame.from_records(known)
    return found


def _row_of_task(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the row of a task, and its label by a person; None if it has none."""
    data = task.get("data")
    choices = [
        choice
        for annotation in _objects(task.get("annotations") or task.get("completions"))
        # What was skipped or taken back there is no label.
        if not annotation.get("was_cancelled")
        for result in _objects(annotation.get("result"))
        for choice in _choices(result.get("value"))[:1]
    ]
    if not choices or not isinstance(data, dict):
        return None
    cells = {str(name): cell for name, cell in data.items() if not isinstance(cell, dict | list)}
    if "image" in cells and "file" not in cells:
        cells["file"] = cells["image"]
    return {**cells, "label": str(choices[-1])}


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list of JSON."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _choices(value: Any) -> list[Any]:
    found = value.get("choices") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _labels_of_frame(
    session: Session, theirs: pd.DataFrame, label: str | None
) -> tuple[dict[int, str], int]:
    what, data = "the file", session.data
    ours = frame_with_names(data)
    if label is None and LABEL in theirs and GIVEN in theirs:
        # Propagated labels are not by a person.
        theirs, column = theirs[theirs[GIVEN].astype(str) == "yes"], LABEL
    else:
        with _without_options():
            column = column_of_labels(what, theirs, ours, label)
    theirs = theirs[theirs[column].notna()]
    names = [name_of_label(cell) for cell in theirs[column].tolist()]
    if KEY in theirs:
        classes = {info.name for info in session.state.classes.values()}
        names = [name if name in classes else without_escape(name) for name in names]
    if KEY in theirs:
        rows = session.ledger.keys.rows_of([_key(text) for text in theirs[KEY].tolist()]).tolist()
        wanted = {row: name for row, name in zip(rows, names, strict=True) if row >= 0}
        return wanted, sum(row < 0 for row in rows)
    with _without_options():
        by = columns_of_both(what, theirs, ours, column, data)
    known: dict[Any, str] = {}
    for key, name in zip(cells_of(theirs, by), names, strict=True):
        if known.setdefault(key, name) != name:
            raise ValueError(
                f"the file has two labels for the same row, {shown(known[key])} and {shown(name)} "
                f"({', '.join(map(str, key))}): keep one of them."
            )
    found = {row: known[key] for row, key in enumerate(cells_of(ours, by)) if key in known}
    there = set(cells_of(ours, by)) & set(known)
    return found, len(known) - len(there)


@contextmanager
def _without_options() -> Iterator[None]:
    """Raise errors without the options of the command, which a page does not have."""
    try:
        yield
    except ValueError as error:
        raise ValueError(re.sub(r" (with --label|\(see --id\))", "", str(error))) from error


def _key(text: Any) -> RowKey:
    occurrence, _, key = str(text).partition(":")
    is_number = occurrence.isdecimal() and len(occurrence) < 10
    return RowKey(key, int(occurrence) if is_number else 0)
