"""Labels for other programs: tables, tasks of Label Studio, folders of pictures, a model."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lapoleaf._copying import copy_files, folder_names
from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf._version import __version__
from lapoleaf._writing import write_whole
from lapoleaf.estimators.relabelling import without_labels
from lapoleaf.inputs.columns import OWN_PREFIX
from lapoleaf.inputs.matching import frame_with_names
from lapoleaf.inputs.showing import shown_cells
from lapoleaf.studio.session import Session

if TYPE_CHECKING:
    import pandas as pd

# Columns that are added. Keys find every row again, also one of several equal ones.
LABEL, CONFIDENCE, GIVEN, KEY = (
    f"{OWN_PREFIX}{name}" for name in ("label", "confidence", "given", "key")
)
# What spreadsheet programs take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


# What is written beside the project instead of being sent.
ON_DISK = ("pictures", "model")


class Download(NamedTuple):
    """A file for the person to keep."""

    name: str
    kind: str
    content: bytes


def export(
    session: Session, form: str, labels: str = "all", escape: bool = False
) -> Download | dict[str, Any]:
    """Return labels as a file, or write them beside the project and return where.

    Parameters
    ----------
    session : Session
        The open project.
    form : {"csv", "parquet", "jsonl", "label-studio", "pictures", "model"}
        What to write.
    labels : {"all", "given"}
        Which rows: all of them, or those that a person labelled.
    escape : bool
        Whether cells that begin like formulas get an apostrophe, so that no program runs them.
    """
    if labels not in ("all", "given"):
        raise ValueError(f"labels={shown(labels)} must be all or given.")
    if form == "pictures":
        return _copy_pictures(session, labels)
    if form == "model":
        return _save_model(session)
    if form not in _WRITERS:
        names = ", ".join([*_WRITERS, "pictures", "model"])
        raise ValueError(f"format={shown(form)} must be one of {names}.")
    write, ending, kind = _WRITERS[form]
    frame = labelled_frame(session, labels)
    content = write(session, _escaped(frame) if escape else frame)
    return Download(f"{plain_name(session.name)}-labels{ending}", kind, content)


def plain_name(name: str) -> str:
    """Return a name for a file that is nothing but letters, digits, points and hyphens."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
    return kept.strip(".-") or "studio"


def labelled_frame(session: Session, labels: str) -> pd.DataFrame:
    """Return the rows as they were read, with labels, confidences, and who gave them."""
    view = session.view()
    frame = frame_with_names(session.data).reset_index(drop=True)
    own = [name for name in frame.columns if str(name).startswith(OWN_PREFIX)]
    names = {number: info.name for number, info in view.state.classes.items()}
    given = view.state.is_given
    rows = np.flatnonzero(given) if labels == "given" else np.arange(len(frame))
    return (
        frame.drop(columns=own)
        .iloc[rows]
        .assign(
            **{
                LABEL: [names.get(number) for number in view.classes[rows].tolist()],
                CONFIDENCE: np.round(view.confidence[rows].astype(np.float64), 4),
                GIVEN: np.where(given[rows], "yes", "no"),
                KEY: [key_text(session, row) for row in rows.tolist()],
            }
        )
    )


def key_text(session: Session, row: int) -> str:
    """Return what a row is recognised by as one text."""
    key = session.ledger.keys.of(row)
    return f"{key.occurrence}:{key.key}"


def _escaped(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no cell and no name of a column begins like a formula."""
    columns = {
        _safe(str(name)): [_safe(cell) for cell in frame.iloc[:, place].tolist()]
        for place, name in enumerate(frame.columns)
    }
    return type(frame)(columns)


def _safe(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def without_escape(text: str) -> str:
    """Return a text as it was before it was escaped.

    Examples
    --------
    >>> from lapoleaf.studio.exporting import without_escape
    >>> without_escape("'=1+1"), without_escape("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _csv(session: Session, frame: pd.DataFrame) -> bytes:
    text = frame.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    return str(text).encode("utf-8", "backslashreplace")


def _parquet(session: Session, frame: pd.DataFrame) -> bytes:
    imported("pyarrow")
    columns = {str(name): _of_one_kind(frame.iloc[:, n]) for n, name in enumerate(frame.columns)}
    content = io.BytesIO()
    type(frame)(columns).to_parquet(content, index=False)
    return content.getvalue()


def _of_one_kind(column: pd.Series) -> pd.Series:
    """Return a column of Parquet: texts where there are cells of several kinds."""
    kind = imported("pandas").api.types.infer_dtype(column, skipna=True)
    return column.map(str, na_action="ignore") if kind.startswith("mixed") else column


def _json_lines(session: Session, frame: pd.DataFrame) -> bytes:
    lines = (json.dumps(shown_cells(frame, row)) for row in range(len(frame)))
    return "".join(f"{line}\n" for line in lines).encode()


def _label_studio(session: Session, frame: pd.DataFrame) -> bytes:
    """Return tasks: labels by a person as annotations, others as predictions."""
    tasks = []
    for row in range(len(frame)):
        cells = shown_cells(frame, row)
        label, score, given = cells.pop(LABEL), cells.pop(CONFIDENCE), cells.pop(GIVEN)
        value = {"choices": [label]}
        choice = {"from_name": "label", "to_name": "item", "type": "choices", "value": value}
        task: dict[str, Any] = {"id": row + 1, "data": cells, "annotations": [], "predictions": []}
        if label is not None and given == "yes":
            task["annotations"].append({"result": [choice]})
        elif label is not None:
            version = f"lapoleaf {__version__}"
            task["predictions"].append(
                {"model_version": version, "score": score, "result": [choice]}
            )
        tasks.append(task)
    return json.dumps(tasks, indent=1).encode()


_Writer = Callable[[Session, "pd.DataFrame"], bytes]
_WRITERS: dict[str, tuple[_Writer, str, str]] = {
    "csv": (_csv, ".csv", "text/csv; charset=utf-8"),
    "parquet": (_parquet, ".parquet", "application/vnd.apache.parquet"),
    "jsonl": (_json_lines, ".jsonl", "application/jsonl"),
    "label-studio": (_label_studio, "-tasks.json", "application/json"),
}


# What is written beside the project ---------------------------------------------------------------


def _copy_pictures(session: Session, labels: str) -> dict[str, Any]:
    """Copy pictures into folders of their classes; a table lists who gave the labels."""
    data = session.data
    if data.kind != "images":
        raise ValueError("format=pictures is for pictures, and the rows are none.")
    folder = free_path(session.project.path.parent / f"{plain_name(session.name)}-sorted")
    source = data.folder or Path()
    if Path(os.path.realpath(source)) in folder.parents:
        raise ValueError(
            f"copies would be in the folder of the pictures, {shown(source)}, where the next run "
            f"would read them: keep the project elsewhere."
        )
    frame = labelled_frame(session, labels)
    known = [label for label in frame[LABEL].tolist() if label is not None]
    names = folder_names(known)
    files = [
        (file, os.path.join(names[label], os.path.basename(file)))
        for file, label in zip(frame["file"].tolist(), frame[LABEL].tolist(), strict=True)
        if label is not None
    ]
    if not files:
        raise ValueError("no picture has a label yet.")
    n = copy_files(source, files, folder)
    write_whole(folder / "labels.csv", [_csv(session, frame)])
    return {"path": str(folder), "n": n}


def _save_model(session: Session) -> dict[str, Any]:
    """Save the model with its rows; its classes are the names that they have now."""
    from lapoleaf import save

    result = session.result
    if result is None:
        raise ValueError("there is no model yet: give labels of at least two classes.")
    path = free_path(session.project.path.parent / f"{plain_name(session.name)}-model.lapoleaf")
    save(named_model(result.model, session), path, rows=True)
    return {"path": str(path), "n": len(session.model_rows.rows)}


def named_model(model: Any, session: Session) -> Any:
    """Return the model with names of classes instead of their numbers."""
    named = without_labels(model, None).set_params(n_jobs=None, verbose=0)
    state = session.state
    given = state.given[session.model_rows.rows]
    ids = named.ids_[given >= 0]
    names = [state.classes[number].name for number in given[given >= 0].tolist()]
    return named.update_labels(ids, names)


def free_path(path: Path) -> Path:
    """Return a path that does not exist yet: ``a``, ``a-2``, ``a-3`` and so on."""
    stem, ending = os.path.splitext(path.name)
    found, number = path, 1
    while os.path.lexists(found):
        number += 1
        found = path.with_name(f"{stem}-{number}{ending}")
    return found
