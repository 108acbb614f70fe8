"""How a session begins: the labels of the project, then those of the input that are new."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.inputs.labels import are_classes
from lapoleaf.inputs.projects import label_text, missing_labels
from lapoleaf.inputs.row_keys import RowKeys, frame_of_cells
from lapoleaf.studio.actions import in_order, new_class
from lapoleaf.studio.project import OF_INPUT, Project
from lapoleaf.studio.state import CLEARED, NONE, Change, ClassInfo, State
from lapoleaf.studio.stored_changes import StoredChange

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

_LONGEST_NAME = 200


def begun(data: Dataset, project: Project, keys: RowKeys) -> tuple[State, int]:
    """Return the state that a session begins with, and the number of the next class.

    Labels of the input that the project has no entry for are written into it first.

    Parameters
    ----------
    data : Dataset
        The rows.
    project : Project
        The file.
    keys : RowKeys
        What rows are recognised by.
    """
    state = stored_state(data, project, keys)
    meta = project.meta()
    next_id = max(int(meta.get("next_id", 0)), state.next_id)
    if "columns" not in meta:
        project.set_meta({"columns": [str(name) for name in frame_of_cells(data).columns]})
    change, next_id = _labels_of_input(data, state, next_id)
    if len(change.rows):
        text = f"labels of {data.source}"
        project.commit(OF_INPUT, text, StoredChange.of_change(change, keys), next_id)
        state = change.applied(state)
    return state, next_id


def stored_state(data: Dataset, project: Project, keys: RowKeys) -> State:
    """Return what a project holds, for the rows there are."""
    labels = project.labels()
    named = list(labels)
    rows = keys.rows_of(named)
    given = np.full(len(data), NONE, dtype=np.int64)
    here = rows >= 0
    values = np.array([labels[key] for key in named], dtype=np.int64)
    given[rows[here]] = values[here]
    lost = {
        named[place]: int(values[place])
        for place in np.flatnonzero(~here).tolist()
        if values[place] != CLEARED
    }
    before = project.digests()
    is_same = before is not None and bool(np.isin(before, keys.digests).any())
    if lost and not here.any() and not is_same:
        raise ValueError(
            f"{shown(project.path)} has labels of other rows: none of its {len(lost):,} rows is in "
            f"{data.source}. Name another file with --project."
        )
    confidence = float(project.meta().get("confidence", State(given).confidence))
    checks = [
        change.with_rows(keys, is_undo=False).check for change in project.done("answer_check")
    ]
    merged = [change.merged for change in project.done("merge_classes")]
    return State(
        given,
        project.classes(),
        lost,
        tuple(check for check in checks if check is not None),
        confidence,
        dict(pair for pair in merged if pair is not None),
    )


def _labels_of_input(data: Dataset, state: State, next_id: int) -> tuple[Change, int]:
    """Return the change that takes labels of the input for rows that have no entry yet."""
    texts = texts_of_labels(data)
    rows = np.array(
        [row for row, text in texts.items() if state.given[row] == NONE], dtype=np.int64
    )
    by_name = {info.name: info for info in state.classes.values()}
    added: dict[int, tuple[ClassInfo | None, ClassInfo | None]] = {}
    for name in in_order(texts[row] for row in rows.tolist()):
        if name not in by_name:
            grown = State(state.given, {info.id: info for info in by_name.values()})
            by_name[name] = new_class(name, None, grown, next_id)
            added[next_id] = (None, by_name[name])
            next_id += 1
    after = np.array([by_name[texts[row]].id for row in rows.tolist()], dtype=np.int64)
    return Change(rows=rows, before=state.given[rows], after=after, classes=added), next_id


def texts_of_labels(data: Dataset) -> dict[int, str]:
    """Return the labels of a data set as names of classes, by row."""
    labels = data.labels
    if labels is None:
        return {}
    if not are_classes(labels):
        raise ValueError(
            f"the labels in {shown(data.label)} are numbers, and the studio is for classes: name "
            f"another column with --label."
        )
    given = np.flatnonzero(~missing_labels(data))
    return {row: name_of_label(labels[row]) for row in given.tolist()}


def name_of_label(label: Any) -> str:
    """Return a label as the name of a class: one that can be shown, and is not too long."""
    text = unicodedata.normalize("NFC", label_text(label))
    letters = ("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    return "".join(letters).strip()[:_LONGEST_NAME].strip() or "(blank)"
