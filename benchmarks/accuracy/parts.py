"""The parts of the accuracy benchmark: what is asked, of whom, and how it is judged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from lapoleaf._typing import AnyArray, FloatArray, IntArray
from benchmarks.data.tasks import (
    IMAGE_SHARES,
    LABELS,
    TARGET_SHARES,
    TOTALS,
    Task,
    accuracy,
    balanced_accuracy,
    calibration_error,
    clean_task,
    image_task,
    noisy_task,
    r_squared,
    target_task,
    unbalanced_task,
)
from benchmarks.data.sets import (
    DataSet,
    at_most,
    classification_sets,
    image_sets,
    made_sets,
    regression_sets,
    shape_sets,
)
from benchmarks.methods.regressors import REGRESSION_RIVALS
from benchmarks.methods.classifiers import RIVALS
from benchmarks.runner.store import Run
from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor

# Parameters of our classifier: the default, and the default with a part left out.
OURS: dict[str, dict[str, Any]] = {"lapoleaf": {}}
VARIANTS: dict[str, dict[str, Any]] = {
    "one forest": {"n_forests": 1},
    "no class mass": {"class_prior": None},
    "no ridge": {"experts": None},
    "labels for sure": {"mu": np.inf},
    "forests alone": {"class_prior": None, "experts": None, "mu": np.inf},
}
_IMAGE_RIVALS = ("paper", "label-spreading", "llgc", "poisson", "kernel-ridge", "svc")
# What a quick run leaves out.
SLOW = ("self-training", "extra-trees", "random-forest", "gaussian-process")


def our_classes(X: FloatArray, y: IntArray, **params: Any) -> IntArray:
    """Return the classes of our classifier."""
    model = LaPOLeaFClassifier(n_jobs=1, missing_label=-1, **params)
    return np.asarray(model.fit(X, y).transduction_)


def our_targets(X: FloatArray, y: FloatArray, **params: Any) -> FloatArray:
    """Return the targets of our regressor."""
    return np.asarray(LaPOLeaFRegressor(n_jobs=1, **params).fit(X, y).transduction_)


def our_probabilities(X: FloatArray, y: IntArray, **params: Any) -> FloatArray:
    """Return the probabilities of our classifier, a column for every class up to the last given."""
    model = LaPOLeaFClassifier(n_jobs=1, missing_label=-1, **params).fit(X, y)
    probabilities = np.zeros((len(y), int(y.max()) + 1))
    probabilities[:, model.classes_] = model.label_distributions_
    return probabilities


_OUR_CLASSIFIERS = {name: partial(our_classes, **params) for name, params in OURS.items()}
_OUR_VARIANTS = {name: partial(our_classes, **params) for name, params in VARIANTS.items()}


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Attributes
    ----------
    sets : str
        Kind of its data sets: see :func:`load_sets`.
    columns : tuple of str
        How many labels are given, and how.
    task : callable
        Makes a task of a data set, a column and the number of a split.
    score : callable
        Judges an answer to a task.
    methods : dict of str to callable
        What is compared: methods take rows and given labels.
    stored_as : str
        The part under whose name runs are kept: parts that ask the same share them.
    """

    sets: str
    columns: tuple[str, ...]
    task: Callable[[DataSet, str, int], Task]
    score: Callable[[AnyArray, Task], float]
    methods: Mapping[str, Callable[[Any, Any], AnyArray]]
    stored_as: str


PARTS: dict[str, Part] = {
    "clean": Part(
        "classes", tuple(LABELS), clean_task, accuracy, {**_OUR_CLASSIFIERS, **RIVALS}, "clean"
    ),
    "noise": Part(
        "classes", tuple(LABELS), noisy_task, accuracy, {**_OUR_CLASSIFIERS, **RIVALS}, "noise"
    ),
    "unbalanced": Part(
        "classes",
        tuple(TOTALS),
        unbalanced_task,
        balanced_accuracy,
        {**_OUR_CLASSIFIERS, **RIVALS},
        "unbalanced",
    ),
    "images": Part(
        "images",
        tuple(IMAGE_SHARES),
        image_task,
        accuracy,
        {**_OUR_CLASSIFIERS, **{name: RIVALS[name] for name in _IMAGE_RIVALS}},
        "images",
    ),
    "regression": Part(
        "numbers",
        tuple(TARGET_SHARES),
        target_task,
        r_squared,
        {"lapoleaf": our_targets, **REGRESSION_RIVALS},
        "regression",
    ),
    "parts": Part(
        "classes", tuple(LABELS), clean_task, accuracy, {**_OUR_CLASSIFIERS, **_OUR_VARIANTS},
        "clean",
    ),
    "calibration": Part(
        "classes", tuple(LABELS), clean_task, calibration_error, {"lapoleaf": our_probabilities},
        "calibration",
    ),
}  # fmt: skip


def load_sets(kind: str, folder: Path | None, *, quick: bool, rows: int) -> list[DataSet]:
    """Return the data sets of a kind, each with so many rows at most; of the images all rows.

    Parameters
    ----------
    kind : {"classes", "images", "numbers"}
        What is to be predicted.
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether a few small sets are enough.
    rows : int
        Most rows of a set.
    """
    if kind == "images":
        return [] if quick else image_sets(folder)
    if kind == "numbers":
        sets = regression_sets(folder, quick=quick) + ([] if quick else made_sets())
    else:
        sets = classification_sets(folder, quick=quick) + ([] if quick else shape_sets(folder))
    return [at_most(data, rows) for data in sets]


def measure(name: str, data: DataSet, column: str, split: int, methods: list[str]) -> list[Run]:
    """Ask some methods the same, and judge their answers.

    Parameters
    ----------
    name : str
        Name of the part.
    data : DataSet
        The data set.
    column : str
        How many labels are given, and how.
    split : int
        Which draw of them.
    methods : list of str
        The methods to ask.
    """
    part = PARTS[name]
    task = part.task(data, column, split)
    runs = []
    with threadpool_limits(1), warnings.catch_warnings():
        # Labels at random are often of one class only: that is part of what is measured.
        warnings.filterwarnings("ignore", message="y has one class only")
        for method in methods:
            began = time.perf_counter()
            answer = part.methods[method](task.X, task.y)
            seconds = round(time.perf_counter() - began, 4)
            score = part.score(answer, task)
            runs.append(
                Run(
                    part.stored_as,
                    data.stored_as,
                    len(data.X),
                    column,
                    split,
                    method,
                    score,
                    seconds,
                )
            )
    return runs
