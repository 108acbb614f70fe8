"""The parts of the accuracy benchmark: the task, the methods, and how they are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import (
    IMAGE_SHARES,
    LABELS,
    TARGET_SHARES,
    TOTALS,
    Task,
    clean_task,
    image_task,
    noisy_task,
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
        How many labels are given, and how.
    task : callable
        Makes a task of a data set, a column and the number of a split.
    score : callable
        Judges an answer to a task.
    kind, tag : str
        What is compared, in the registry.
    stored_as : str
        The part under whose name runs are kept: parts with the same tasks share them.
    answer : callable
        Returns the answer of a fitted model.
    """

    sets: str
    columns: tuple[str, ...]
    task: Callable[[DataSet, str, int], Task]
    score: Callable[[AnyArray, Task], float]
    kind: str
    tag: str
    stored_as: str
    answer: Callable[[Any, Any], AnyArray] = labels_of

    @property
    def methods(self) -> dict[str, Method]:
        """The methods, ours first."""
        return select(self.kind, self.tag)


_FEW = tuple(LABELS)

PARTS: dict[str, Part] = {
    "clean": Part("classes", _FEW, clean_task, accuracy, CLASSES, "clean", "clean"),
    "noise": Part("classes", _FEW, noisy_task, accuracy, CLASSES, "clean", "noise"),
    "unbalanced": Part(
        "classes",
        tuple(TOTALS),
        unbalanced_task,
        balanced_accuracy,
        CLASSES,
        "clean",
        "unbalanced",
    ),
    "images": Part(
        "images", tuple(IMAGE_SHARES), image_task, accuracy, CLASSES, "images", "images"
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
    "parts": Part("classes", _FEW, clean_task, accuracy, CLASSES, "parts", "clean"),
    "calibration": Part(
        "classes",
        _FEW,
        clean_task,
        calibration_error,
        CLASSES,
        "calibration",
        "calibration",
        probabilities_of,
    ),
}
