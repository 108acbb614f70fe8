"""Running the suggest benchmark: what is not in the store yet, by several processes."""

from __future__ import annotations

import argparse
import time
from functools import cached_property

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from lapoleaf._progress import Progress, tell
from benchmarks.runner.runner import Scores
from benchmarks.data.sets import DataSet, at_most, classification_sets
from benchmarks.runner.arguments import checked_splits
from benchmarks.runner.store import Key, Run, RunStore
from benchmarks.methods.case import Case, Part
from benchmarks.suggest.label_errors import DOUBT
from benchmarks.suggest.rounds import ROUNDS
from benchmarks.suggest.start import START

PARTS: dict[str, Part] = {"start": START, "rounds": ROUNDS, "doubt": DOUBT}


class Measuring:
    """Measures one part after the other as the command's arguments say.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.splits = checked_splits(arguments)
        self.arguments = arguments
        output = arguments.output
        self.store = RunStore(None if output is None else output / "suggest-runs.csv")

    @cached_property
    def sets(self) -> list[DataSet]:
        """The data sets, loaded when they are first needed."""
        sets = classification_sets(self.arguments.data, quick=self.arguments.quick)
        return [at_most(data, self.arguments.rows) for data in sets]

    def scores(self, name: str) -> dict[str, Scores]:
        """Measure what is not in the store; give the scores by every measure of a part."""
        part = PARTS[name]
        sets = large_enough(self.sets, part.rows_a_class)
        self._measure(name, sets)
        if not sets:
            return {}
        return {measure: self._collected(part, measure, sets) for measure in part.measures}

    def _measure(self, name: str, sets: list[DataSet]) -> None:
        part = PARTS[name]
        asked = [(way, seed) for way in part.ways for seed in self._seeds(part, way)]
        # One job a data set: its forests are grown once.
        jobs = []
        for data in sets:
            left = [one for one in asked if not self._is_known(part, data, *one)]
            if left:
                jobs.append((name, data, left))
        total, missing = len(sets) * len(asked), sum(len(left) for *_, left in jobs)
        if missing < total:
            tell(f"{name}: {total - missing:,} of {total:,} results are there already.")
        progress = Progress(name, missing, verbose=1)
        runner = joblib.Parallel(n_jobs=self.arguments.jobs, return_as="generator")
        for runs in runner(joblib.delayed(measure)(*job) for job in jobs):
            for run in runs:
                self.store.add(run)
            progress.advance(len(runs) // (len(part.measures) * len(part.columns)))

    def _collected(self, part: Part, measure: str, sets: list[DataSet]) -> Scores:
        values = np.empty((len(part.ways), len(sets), len(part.columns)))
        for which, way in enumerate(part.ways):
            for place, data in enumerate(sets):
                for number, column in enumerate(part.columns):
                    runs = [
                        self.store.runs[_key(measure, data, column, seed, way)].score
                        for seed in self._seeds(part, way)
                    ]
                    values[which, place, number] = np.mean(runs)
        return Scores(tuple(sets), part.columns, tuple(part.ways), values, self.splits)

    def _seeds(self, part: Part, way: str) -> range:
        return range(self.splits if part.ways[way].chance else 1)

    def _is_known(self, part: Part, data: DataSet, way: str, seed: int) -> bool:
        return all(
            _key(measure, data, column, seed, way) in self.store.runs
            for measure in part.measures
            for column in part.columns
        )


def large_enough(sets: list[DataSet], rows_a_class: int) -> list[DataSet]:
    """Return the data sets with so many rows for each class, on average; tell of the others.

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


def measure(name: str, data: DataSet, asked: list[tuple[str, int]]) -> list[Run]:
    """Measure some ways with some seeds, in forests that are grown once.

    Parameters
    ----------
    name : str
        Name of the part.
    data : DataSet
        The data set.
    asked : list of tuple of str and int
        The ways and their seeds.
    """
    part = PARTS[name]
    runs = []
    with threadpool_limits(1):
        case = Case(data)
        for way, seed in asked:
            began = time.perf_counter()
            scores = part.ways[way].scores(case, seed)
            seconds = round(time.perf_counter() - began, 4)
            for score_name, line in zip(part.measures, scores, strict=True):
                for column, score in zip(part.columns, line, strict=True):
                    key = _key(score_name, data, column, seed, way)
                    runs.append(Run(*key, float(score), seconds))
    return runs


def _key(measure: str, data: DataSet, column: str, seed: int, way: str) -> Key:
    return measure, data.stored_as, len(data.X), column, seed, way
