"""Running the accuracy benchmark: what is not in the store yet, by several processes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from lapoleaf._progress import Progress, tell
from lapoleaf._typing import FloatArray
from benchmarks.accuracy.parts import PARTS, SLOW, load_sets, measure
from benchmarks.data.sets import DataSet
from benchmarks.runner.arguments import checked_splits
from benchmarks.runner.store import Key, RunStore


@dataclass(frozen=True, eq=False)
class Scores:
    """What all methods reached on all data sets.

    Attributes
    ----------
    sets : tuple of DataSet
        The data sets.
    columns : tuple of str
        How many labels were given, and how.
    methods : tuple of str
        The methods that were measured everywhere.
    values : ndarray of shape (n_methods, n_sets, n_columns)
        Their scores, means over the splits.
    splits : int
        Number of splits.
    """

    sets: tuple[DataSet, ...]
    columns: tuple[str, ...]
    methods: tuple[str, ...]
    values: FloatArray
    splits: int


class Measuring:
    """Measures one part after the other as the command's arguments say.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.splits = checked_splits(arguments)
        self.methods = _chosen_methods(arguments.methods, quick=arguments.quick)
        output = arguments.output
        self.store = RunStore(None if output is None else output / "accuracy-runs.csv")
        self._sets: dict[str, list[DataSet]] = {}

    def scores(self, name: str) -> Scores | None:
        """Measure what is not in the store; None where there is no data or no method."""
        sets = self._sets_of(PARTS[name].sets)
        self._measure(name, sets)
        return self._collected(name, sets)

    def _sets_of(self, kind: str) -> list[DataSet]:
        if kind not in self._sets:
            self._sets[kind] = load_sets(
                kind, self.arguments.data, quick=self.arguments.quick, rows=self.arguments.rows
            )
        return self._sets[kind]

    def _measure(self, name: str, sets: list[DataSet]) -> None:
        methods = [method for method in PARTS[name].methods if method in self.methods]
        jobs: list[tuple[Any, ...]] = []
        # Splits outermost: after an interruption the first ones are there of every data set.
        for split in range(self.splits):
            for data in sets:
                for column in PARTS[name].columns:
                    left = [
                        method
                        for method in methods
                        if self._key(name, data, column, split, method) not in self.store.runs
                    ]
                    if left:
                        jobs.append((name, data, column, split, left))
        total = self.splits * len(sets) * len(PARTS[name].columns) * len(methods)
        known = total - sum(len(job[-1]) for job in jobs)
        if known:
            tell(f"{name}: {known:,} of {total:,} results are there already.")
        progress = Progress(name, total - known, verbose=1)
        runner = joblib.Parallel(n_jobs=self.arguments.jobs, return_as="generator")
        for runs in runner(joblib.delayed(measure)(*job) for job in jobs):
            for run in runs:
                self.store.add(run)
                progress.advance()

    def _collected(self, name: str, sets: list[DataSet]) -> Scores | None:
        columns = PARTS[name].columns
        values = {}
        for method in PARTS[name].methods:
            keys = [
                self._key(name, data, column, split, method)
                for data in sets
                for column in columns
                for split in range(self.splits)
            ]
            scores = [self.store.runs[key].score for key in keys if key in self.store.runs]
            if keys and len(scores) == len(keys):
                shape = len(sets), len(columns), self.splits
                values[method] = np.reshape(scores, shape).mean(axis=2)
            elif scores:
                tell(f"{name}: {method} is not shown, {len(scores):,} of {len(keys):,} are there.")
        if not values:
            return None
        stacked = np.array(list(values.values()))
        return Scores(tuple(sets), columns, tuple(values), stacked, self.splits)

    @staticmethod
    def _key(name: str, data: DataSet, column: str, split: int, method: str) -> Key:
        return PARTS[name].stored_as, data.stored_as, len(data.X), column, split, method


def _chosen_methods(names: Sequence[str] | None, *, quick: bool) -> set[str]:
    known = {method for part in PARTS.values() for method in part.methods}
    if names is None:
        return known - set(SLOW) if quick else known
    unknown = set(names) - known
    if unknown:
        raise ValueError(
            f"--methods {min(unknown)!r} is not a method; there are {', '.join(sorted(known))}."
        )
    return set(names)
