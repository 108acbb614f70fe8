"""Measures a part of the accuracy benchmark: its data sets, its methods, its scores."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.accuracy.parts import PARTS
from benchmarks.data.loaders import (
    classification_sets,
    image_sets,
    made_sets,
    regression_sets,
    shape_sets,
)
from benchmarks.data.sets import DataSet, at_most
from benchmarks.runner.runner import Batch, Runner, Scores
from benchmarks.runner.store import Key, Run


class Measuring:
    """Measures one part after the other as the command's arguments ask for.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.methods = _chosen_methods(arguments.methods, quick=arguments.quick)
        self.runner = Runner.from_arguments(arguments)
        self._sets: dict[str, list[DataSet]] = {}

    def scores(self, name: str) -> Scores | None:
        """Measure what is not in the store; None where there is no data or no method."""
        part, sets = PARTS[name], self._sets_of(PARTS[name].sets)
        methods = [method for method in part.methods if method in self.methods]
        # Splits outermost: after an interruption the first ones are there of every data set.
        batches = [
            Batch(
                measure,
                (name, data, column, split),
                {method: [_key(name, data, column, split, method)] for method in methods},
            )
            for split in range(self.runner.splits)
            for data in sets
            for column in part.columns
        ]
        self.runner.run(name, batches)
        return self.runner.scores(
            name,
            sets,
            part.columns,
            dict.fromkeys(part.methods, self.runner.splits),
            lambda *about: _key(name, *about),
        )

    def _sets_of(self, kind: str) -> list[DataSet]:
        if kind not in self._sets:
            self._sets[kind] = load_sets(
                kind, self.arguments.data, quick=self.arguments.quick, rows=self.arguments.rows
            )
        return self._sets[kind]


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
    """Fit some methods to the same task, and judge their answers.

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
        The methods to fit.
    """
    part = PARTS[name]
    task = part.task(data, column, split)
    runs = []
    with threadpool_limits(1), warnings.catch_warnings():
        # Labels at random are often of one class only: that is part of what is measured.
        warnings.filterwarnings("ignore", message="y has one class only")
        for method in methods:
            model = part.methods[method].make()
            began = time.perf_counter()
            answer = part.answer(model.fit(task.X, task.y), task.y)
            seconds = round(time.perf_counter() - began, 4)
            score = part.score(answer, task)
            runs.append(Run(*_key(name, data, column, split, method), score, seconds))
    return runs


def _key(name: str, data: DataSet, column: str, split: int, method: str) -> Key:
    return PARTS[name].stored_as, data.stored_as, len(data.X), column, split, method


def _chosen_methods(names: Sequence[str] | None, *, quick: bool) -> set[str]:
    known = {name: method for part in PARTS.values() for name, method in part.methods.items()}
    if names is None:
        return {name for name, method in known.items() if not (quick and "slow" in method.tags)}
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(
            f"--methods {min(unknown)!r} is not a method; there are {', '.join(sorted(known))}."
        )
    return set(names)
