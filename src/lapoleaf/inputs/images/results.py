"""Conversion between results of single files and the features of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.inputs.images.features import ImageFeatures, load_features
from lapoleaf.inputs.images.folders import folder_label, named_label
from lapoleaf.inputs.images.journal import FileResult
from lapoleaf.inputs.images.working import Done


def put_together(
    files: Sequence[str], done: Done, skipped: Sequence[tuple[str, str]], settings: dict[str, Any]
) -> ImageFeatures:
    """Return the features of all files.

    Parameters
    ----------
    files : sequence of str
        Names of the files.
    done : Done
        Their results.
    skipped : sequence of tuples
        Further files that could not be read, and the reasons.
    settings : dict
        All settings that features depend on.
    """
    results = list(zip(files, done.keys, done.results, strict=True))
    complaints = {(file, reason) for file, _, result in results for reason in result.complaints}
    # Skipped files are sorted by name, however they were found.
    passed = sorted({*skipped, *complaints})
    rows = [(file, key, *view) for file, key, result in results for view in result.views]
    if not rows:
        file, reason = passed[0]
        raise ValueError(
            f"no file is a picture that can be used; {shown(file)}, for one: {reason}."
        )
    filled = [result for result in done.results if result.views]
    by_names = settings["labels"] == "boxes"
    return ImageFeatures(
        features=np.concatenate([result.features for result in filled]),
        files=np.array([file for file, *_ in rows]),
        labels=np.array(
            [named_label(name) if by_names else folder_label(file) for file, *_, name in rows]
        ),
        objects=np.array([number for _, _, number, _, _ in rows]),
        boxes=np.array([box for *_, box, _ in rows]),
        thumbnails=np.concatenate([result.thumbnails for result in filled]),
        contents=np.array([key.hex() for _, key, *_ in rows]),
        skipped=np.array([file for file, _ in passed], dtype=str),
        reasons=np.array([reason for _, reason in passed], dtype=str),
        settings=settings,
    )


def known_results(path: Path, settings: dict[str, Any]) -> dict[bytes, FileResult]:
    """Return the results of an earlier run with the same settings, by content of files.

    Parameters
    ----------
    path : Path
        File in which that run may have saved its features; any other file is ignored.
    settings : dict
        Settings of this run.
    """
    try:
        found = load_features(path)
    except (OSError, ValueError):
        return {}
    if found.settings != settings:
        return {}
    complaints: dict[str, list[str]] = {}
    for file, reason in zip(found.skipped.tolist(), found.reasons.tolist(), strict=True):
        complaints.setdefault(file, []).append(reason)
    # Rows of a file follow each other.
    files = found.files.tolist()
    starts = [row for row in range(len(files)) if row == 0 or files[row] != files[row - 1]]
    known = {}
    for start, stop in zip(starts, [*starts[1:], len(files)], strict=True):
        content = str(found.contents[start])
        views = [
            (int(found.objects[row]), tuple(found.boxes[row].tolist()), str(found.labels[row]))
            for row in range(start, stop)
        ]
        if content:
            known[bytes.fromhex(content)] = FileResult(
                views,
                complaints.get(files[start], []),
                found.features[start:stop],
                found.thumbnails[start:stop],
            )
    return known
