"""The parts of the accuracy benchmark: task, methods and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data.frames import standardised
from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import (
    IMAGE_SHARES,
    LABELS,
    SHARES,
    TARGET_SHARES,
    TOTALS,
    Task,
    clean_task,
    image_task,
    noisy_task,
    shares_task,
    target_task,
    unbalanced_task,
)
from benchmarks.methods import select
from benchmarks.methods.method import CLASSES, NUMBERS, Method
from benchmarks.runner.metrics import accuracy, balanced_accuracy, calibration_error, r_squared
from lapoleaf._typing import AnyArray, FloatArray, IntArray


def labels_of(model: Any, y: AnyArray) -> AnyArray:
    """Return the labels of all rows, classes or numbers."""
    return np.asarray(model.transduction_)


def probabilities_of(model: Any, y: IntArray) -> FloatArray:
    """Return the probabilities of all rows, a column for every class up to the last given."""
    probabilities = np.zeros((len(y), int(y.max()) + 1))
    probabilities[:, model.classes_] = model.label_distributions_
    return probabilities


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Attributes
    ----------
    sets : str
        Kind of its data sets: see :func:`~benchmarks.accuracy.measuring.load_sets`.
    columns : tuple of str
        The numbers of labels, and how they are drawn.
    task : callable
        Makes a task of a data set, a column and the number of a split.
    score : callable
        Scores a prediction for a task.
    kind, tag : str
        What is compared, in the registry.
    stored_as : str
        The part under whose name runs are kept: parts with the same tasks share them.
    answer : callable
        Returns the prediction of a fitted model.
    prepare : callable
        Prepares the rows of a task for baselines.
    together : tuple of str
        Parts with the same tasks that are scored from the same fits.
    """

    sets: str
    columns: tuple[str, ...]
    task: Callable[[DataSet, str, int], Task]
    score: Callable[[AnyArray, Task], float]
    kind: str
    tag: str
    stored_as: str
    answer: Callable[[Any, Any], AnyArray] = labels_of
    prepare: Callable[[FloatArray], FloatArray] = np.asarray
    together: tuple[str, ...] = ()

    @property
    def methods(self) -> dict[str, Method]:
        """The methods, ours first."""
        return select(self.kind, self.tag)


_FEW = tuple(LABELS)


def _classes(
    sets: str,
    columns: tuple[str, ...],
    task: Callable[[DataSet, str, int], Task],
    stored_as: str,
    *,
    score: Callable[[AnyArray, Task], float] = accuracy,
    tag: str = "clean",
    **fields: Any,
) -> Part:
    return Part(sets, columns, task, score, CLASSES, tag, stored_as, **fields)


_TABLES: dict[str, Any] = {"prepare": standardised}
_CALIBRATION: dict[str, Any] = {
    "score": calibration_error,
    "tag": "calibration",
    "answer": probabilities_of,
}

PARTS: dict[str, Part] = {
    "clean": _classes("classes", _FEW, clean_task, "clean", together=("calibration",)),
    "tables": _classes(
        "tables", _FEW, clean_task, "tables", together=("tables-calibration",), **_TABLES
    ),
    "noise": _classes("classes", _FEW, noisy_task, "noise"),
    "shares": _classes("classes", SHARES, shares_task, "shares"),
    "tables-shares": _classes("tables", SHARES, shares_task, "tables-shares", **_TABLES),
    "unbalanced": _classes(
        "classes", tuple(TOTALS), unbalanced_task, "unbalanced", score=balanced_accuracy
    ),
    "images": _classes("images", tuple(IMAGE_SHARES), image_task, "images", tag="images"),
    "texts": _classes(
        "texts",
        ("5 a class", "20 a class"),
        clean_task,
        "texts",
        score=balanced_accuracy,
        tag="texts",
    ),
    "regression": Part(
        "numbers",
        tuple(TARGET_SHARES),
        target_task,
        r_squared,
        NUMBERS,
        "regression",
        "regression",
    ),
    "tables-regression": Part(
        "columns",
        tuple(TARGET_SHARES),
        target_task,
        r_squared,
        NUMBERS,
        "regression",
        "tables-regression",
        **_TABLES,
    ),
    "parts": _classes("classes", _FEW, clean_task, "clean", tag="parts"),
    "calibration": _classes(
        "classes", _FEW, clean_task, "calibration", together=("clean",), **_CALIBRATION
    ),
    "tables-calibration": _classes(
        "tables",
        _FEW,
        clean_task,
        "tables-calibration",
        together=("tables",),
        **_TABLES,
        **_CALIBRATION,
    ),
}
