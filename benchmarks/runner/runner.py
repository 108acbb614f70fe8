"""Measures missing results in several processes, and collects scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from benchmarks.data.sets import DataSet
from benchmarks.runner.arguments import checked_splits
from benchmarks.runner.isolated import Job, Result, measure_isolated
from benchmarks.runner.store import Key, Run, RunStore
from lapoleaf._progress import Progress, tell
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Results that one call measures, in one process.

    Attributes
    ----------
    work : callable
        ``work(*arguments, items)`` measures some of the items and returns their runs.
    arguments : tuple
        What it is called with.
    items : mapping
        The keys of the runs of every item. An item whose runs are all in the store is left out.
    """

    work: Callable[..., list[Run]]
    arguments: tuple[Any, ...]
    items: Mapping[Any, Sequence[Key]]


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


class Runner:
    """Measures batches in several processes, and stores every result immediately.

    Parameters
    ----------
    path : Path or None
        The file of results; None: they are kept in memory only.
    splits : int, default=1
        Draws of the given labels.
    jobs : int, default=1
        Number of processes.
    limit : float, default=1800
        Seconds at work after which a process of :meth:`isolated` is ended.
    """

    def __init__(
        self, path: Path | None, splits: int = 1, jobs: int = 1, limit: float = 1800.0
    ) -> None:
        self.store = RunStore(path)
        self.splits = splits
        self.jobs = jobs
        self.limit = limit

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Runner:
        """Return a runner as a command's arguments ask for; results are in ``NAME-runs.csv``."""
        return cls(runs_path(arguments), checked_splits(arguments), arguments.jobs)

    def run(self, title: str, batches: Sequence[Batch], *, ordered: bool = True) -> None:
        """Measure all items that are not in the store yet.

        Parameters
        ----------
        title : str
            What is measured, for progress.
        batches : sequence of Batch
            What to measure, in this order.
        ordered : bool, default=True
            Whether results are stored in the order of the batches, or as they come.
        """
        left = [(batch, self._missing(batch)) for batch in batches]
        total = sum(len(batch.items) for batch in batches)
        missing = sum(len(items) for _, items in left)
        if missing < total:
            tell(f"{title}: {total - missing:,} of {total:,} results are there already.")
        progress = Progress(title, missing, verbose=1)
        how = "generator" if ordered else "generator_unordered"
        parallel = joblib.Parallel(n_jobs=self.jobs, return_as=how)
        calls = (
            joblib.delayed(_measured)(batch.work, batch.arguments, items)
            for batch, items in left
            if items
        )
        for n_items, runs in parallel(calls):
            for run in runs:
                self.store.add(run)
            progress.advance(n_items)

    def isolated(self, *jobs: Job) -> list[Result]:
        """Measure jobs one after the other, each in a process of its own; all of them, or none."""
        return measure_isolated(self.store, jobs, self.limit)

    def _missing(self, batch: Batch) -> list[Hashable]:
        known = self.store.runs
        return [item for item, keys in batch.items.items() if any(key not in known for key in keys)]

    def scores(
        self,
        title: str,
        sets: Sequence[DataSet],
        columns: tuple[str, ...],
        splits: Mapping[str, int],
        key: Callable[[DataSet, str, int, str], Key],
    ) -> Scores | None:
        """Return the scores of all methods whose results are complete; None if there are none.

        Parameters
        ----------
        title : str
            What was measured, for lines about methods that are left out.
        sets : sequence of DataSet
            The data sets.
        columns : tuple of str
            How many labels were given, and how.
        splits : mapping of str to int
            The methods, and how many splits each has.
        key : callable
            The key of a run from data set, column, split and method.
        """
        values = {}
        for method, n_splits in splits.items():
            keys = [
                key(data, column, split, method)
                for data in sets
                for column in columns
                for split in range(n_splits)
            ]
            found = [self.store.runs[each].score for each in keys if each in self.store.runs]
            if keys and len(found) == len(keys):
                shape = len(sets), len(columns), n_splits
                values[method] = np.reshape(found, shape).mean(axis=2)
            elif found:
                tell(f"{title}: {method} is not shown, {len(found):,} of {len(keys):,} are there.")
        if not values:
            return None
        return Scores(
            tuple(sets), columns, tuple(values), np.array(list(values.values())), self.splits
        )


def runs_path(arguments: argparse.Namespace) -> Path | None:
    """Return the file of a benchmark's results; None where the command writes none."""
    if arguments.output is None:
        return None
    output: Path = arguments.output
    return output / f"{arguments.benchmark}-runs.csv"


def _measured(
    work: Callable[..., list[Run]], arguments: tuple[Any, ...], items: list[Any]
) -> tuple[int, list[Run]]:
    return len(items), work(*arguments, items)
