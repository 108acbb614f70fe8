"""Measures ours and a baseline on the same rows and labels."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import Task, clean_task
from benchmarks.methods.adapters import OnLabelledRows
from benchmarks.runner.metrics import accuracy, balanced_accuracy
from benchmarks.runner.runner import Batch, Runner
from benchmarks.runner.store import Key, Run
from benchmarks.tables.sets import TableSet, table_sets, text_sets
from lapoleaf import LaPOLeaFClassifier
from lapoleaf._typing import FloatArray

COLUMNS = ("5 a class", "20 a class")


@dataclass(frozen=True)
class Part:
    """A part of the benchmark: its data sets, its baseline, and how answers are judged."""

    title: str
    baseline: str
    sets: Callable[..., list[DataSet]]
    make_baseline: Callable[[], Any]
    score: Callable[[Any, Task], float]
    note: str

    @property
    def methods(self) -> tuple[str, str]:
        """Ours, and the baseline."""
        return "lapoleaf", self.baseline


PARTS = {
    "tables": Part(
        "Accuracy on tables",
        "extra trees",
        table_sets,
        lambda: OnLabelledRows(ExtraTreesClassifier(n_estimators=300, random_state=0)),
        accuracy,
        "lapoleaf on what TableEncoder returns; 300 extra trees after one-hot by hand, holes "
        "filled with medians. Share of the unlabelled rows that get their class.",
    ),
    "texts": Part(
        "Balanced accuracy on texts",
        "logistic",
        text_sets,
        lambda: OnLabelledRows(LogisticRegression(max_iter=1000)),
        balanced_accuracy,
        "Both on the same vectors of TableEncoder. Mean over the classes of the share of their "
        "unlabelled rows that get their class.",
    ),
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Scores of two methods on the same draws.

    Attributes
    ----------
    part : str
        Name of the part.
    sets : list of DataSet
        The data sets.
    values : ndarray of shape (2, n_sets, n_columns, n_splits)
        Scores of ours and of the baseline.
    """

    part: str
    sets: list[DataSet]
    values: FloatArray


def measured(name: str, arguments: argparse.Namespace) -> Pairs | None:
    """Measure what is not in the store; None where there is no data.

    Parameters
    ----------
    name : str
        Name of the part.
    arguments : argparse.Namespace
        The arguments of the command.
    """
    folder: Path | None = arguments.data
    runner = Runner.from_arguments(arguments)
    part = PARTS[name]
    sets = part.sets(folder, arguments.rows, quick=arguments.quick)
    if not sets:
        return None
    batches = [
        Batch(
            measure,
            (name, data, column, split),
            {method: [_key(name, data, column, split, method)] for method in part.methods},
        )
        for split in range(runner.splits)
        for data in sets
        for column in COLUMNS
    ]
    runner.run(name, batches)
    scores = [
        runner.store.runs[_key(name, data, column, split, method)].score
        for method in part.methods
        for data in sets
        for column in COLUMNS
        for split in range(runner.splits)
    ]
    return Pairs(name, sets, np.reshape(scores, (2, len(sets), len(COLUMNS), runner.splits)))


def measure(name: str, data: DataSet, column: str, split: int, methods: list[str]) -> list[Run]:
    """Fit some methods to the same task, and judge their answers.

    Parameters
    ----------
    name : str
        Name of the part.
    data : DataSet
        The data set.
    column : str
        How many labels are given.
    split : int
        Which draw of them.
    methods : list of str
        The methods to fit.
    """
    part, task = PARTS[name], clean_task(data, column, split)
    runs = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Rows [0-9]+ and [0-9]+ of X are equal")
        for method in methods:
            ours = method == "lapoleaf"
            rows = data.by_hand if isinstance(data, TableSet) and not ours else task.X
            began = time.perf_counter()
            model = LaPOLeaFClassifier() if ours else part.make_baseline()
            answer = np.asarray(model.fit(rows, task.y).transduction_)
            seconds = round(time.perf_counter() - began, 4)
            key = _key(name, data, column, split, method)
            runs.append(Run(*key, part.score(answer, task), seconds))
    return runs


def _key(name: str, data: DataSet, column: str, split: int, method: str) -> Key:
    return name, data.stored_as, len(data.X), column, split, method
