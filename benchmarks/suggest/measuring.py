"""Measures a part of the suggest benchmark: its data sets, its methods, its scores."""

from __future__ import annotations

import argparse
import time
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data.loaders import classification_sets
from benchmarks.data.sets import DataSet, at_most
from benchmarks.methods.case import Case
from benchmarks.runner.runner import Batch, Runner, Scores
from benchmarks.runner.store import Key, Run
from benchmarks.suggest.parts import PARTS, Part
from lapoleaf._progress import tell


class Measuring:
    """Measures one part after the other as the command's arguments ask for.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.runner = Runner.from_arguments(arguments)

    @cached_property
    def sets(self) -> list[DataSet]:
        """The data sets, loaded when they are first needed."""
        sets = classification_sets(self.arguments.data, quick=self.arguments.quick)
        return [at_most(data, self.arguments.rows) for data in sets]

    def scores(self, name: str) -> dict[str, Scores]:
        """Measure what is not in the store; return the scores by every measure of a part."""
        part = PARTS[name]
        sets = large_enough(self.sets, part.rows_a_class)
        splits = {
            method.name: self.runner.splits if "seeded" in method.tags else 1
            for method in part.methods.values()
        }
        # One batch a data set: its forests are grown once.
        batches = [Batch(measure, (name, data), _items(part, data, splits)) for data in sets]
        self.runner.run(name, batches)
        found = {}
        for which in part.measures:
            scores = self.runner.scores(
                name, sets, part.columns, splits, lambda *about, which=which: _key(which, *about)
            )
            if scores is not None:
                found[which] = scores
        return found


def _items(part: Part, data: DataSet, splits: dict[str, int]) -> dict[tuple[str, int], list[Key]]:
    """Return the keys of the runs of every method and seed."""
    return {
        (method, seed): [
            _key(which, data, column, seed, method)
            for which in part.measures
            for column in part.columns
        ]
        for method, n_seeds in splits.items()
        for seed in range(n_seeds)
    }


def large_enough(sets: list[DataSet], rows_a_class: int) -> list[DataSet]:
    """Return the data sets with enough rows per class on average; print the others.

    Parameters
    ----------
    sets : list of DataSet
        The data sets.
    rows_a_class : int
        Number of rows a class.
    """
    kept = []
    for data in sets:
        needed = rows_a_class * len(np.unique(data.y))
        if len(data.X) >= needed:
            kept.append(data)
        else:
            tell(f"{data.name} is left out: it has {len(data.X):,} rows and needs {needed:,}.")
    return kept


def measure(name: str, data: DataSet, items: list[tuple[str, int]]) -> list[Run]:
    """Measure some methods with some seeds, in forests that are grown once.

    Parameters
    ----------
    name : str
        Name of the part.
    data : DataSet
        The data set.
    items : list of tuple of str and int
        The methods and their seeds.
    """
    part = PARTS[name]
    runs = []
    with threadpool_limits(1):
        case = Case(data)
        for method, seed in items:
            began = time.perf_counter()
            scores = part.scores(part.methods[method].make(seed=seed), case, seed)
            seconds = round(time.perf_counter() - began, 4)
            for which, line in zip(part.measures, scores, strict=True):
                for column, score in zip(part.columns, line, strict=True):
                    key = _key(which, data, column, seed, method)
                    runs.append(Run(*key, float(score), seconds))
    return runs


def _key(which: str, data: DataSet, column: str, seed: int, method: str) -> Key:
    return which, data.stored_as, len(data.X), column, seed, method
