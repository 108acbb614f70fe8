"""Measures a part of the accuracy benchmark: its data sets, its methods, its scores."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.draws import Draws
from benchmarks.accuracy.parts import PARTS
from benchmarks.data.frames import table_sets, target_sets, text_sets
from benchmarks.data.loaders import (
    classification_sets,
    image_sets,
    made_sets,
    regression_sets,
    shape_sets,
)
from benchmarks.data.sets import DataSet, at_most
from benchmarks.methods.method import Method
from benchmarks.methods.ours import OURS, is_ours
from benchmarks.runner.runner import Batch, Runner, runs_path
from benchmarks.runner.store import Key, Run, RunStore
from lapoleaf._progress import tell
from lapoleaf._typing import FloatArray

# Separator of method and seed in stored results.
_SEED = ", random_state="


class Measuring:
    """Measures the parts of the benchmark.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        if arguments.seeds < 1:
            raise ValueError(f"--seeds {arguments.seeds} must be 1 or more.")
        self.arguments = arguments
        self.methods = _chosen_methods(arguments.methods, quick=arguments.quick)
        self._earlier = _earlier_runs(arguments)
        self.runner = Runner.from_arguments(arguments)
        self._sets: dict[str, list[DataSet]] = {}
        for run in self._earlier.runs.values():
            if is_ours(run.method.partition(_SEED)[0]) or run.key in self.runner.store.runs:
                continue
            self.runner.store.add(run)

    def draws(self, name: str) -> Draws | None:
        """Return the scores, measured unless stored; None without data or methods."""
        part, sets = PARTS[name], self._sets_of(PARTS[name].sets)
        methods = [method for key, method in part.methods.items() if key in self.methods]
        # Splits are the outermost loop, so that an interrupted run has the first ones for every
        # data set.
        batches = [
            Batch(
                measure,
                (name, data, column, split),
                {
                    (method.name, seed): [
                        _key(of, data, column, split, method.name, seed)
                        for of in _judged(name, method.name)
                    ]
                    for method in methods
                    if is_in_time(method, data)
                    for seed in range(self._n_seeds(method))
                },
            )
            for split in range(self.runner.splits)
            for data in sets
            for column in part.columns
        ]
        self.runner.run(name, batches)
        found = {
            key: values
            for key, method in part.methods.items()
            if (values := self._values(self.runner.store, name, method, self._n_seeds(method)))
            is not None
        }
        if not found:
            return None
        return Draws(tuple(sets), part.columns, tuple(found), np.array(list(found.values())))

    def earlier(self, name: str, now: Draws) -> FloatArray | None:
        """Return our scores in an earlier file of runs, or None."""
        method = PARTS[name].methods.get(OURS)
        if self.arguments.against is None or method is None or OURS not in now.methods:
            return None
        for n_seeds in sorted({self.arguments.seeds, 1}, reverse=True):
            values = self._values(self._earlier, name, method, n_seeds)
            if values is not None:
                return values
        tell(f"{name}: --against {self.arguments.against} does not have all runs of {OURS}.")
        return None

    def _n_seeds(self, method: Method) -> int:
        return int(self.arguments.seeds) if "ours" in method.tags else 1

    def _values(
        self, store: RunStore, name: str, method: Method, n_seeds: int
    ) -> FloatArray | None:
        """Return a method's scores, NaN for data sets it is too slow for; None if incomplete."""
        sets, columns = self._sets_of(PARTS[name].sets), PARTS[name].columns
        values = np.full((len(sets), len(columns), self.runner.splits), np.nan)
        n_found = n_all = 0
        for place in np.ndindex(values.shape):
            data, column, split = sets[place[0]], columns[place[1]], place[2]
            if not is_in_time(method, data):
                continue
            keys = [_key(name, data, column, split, method.name, k) for k in range(n_seeds)]
            runs = [store.runs[key] for key in keys if key in store.runs]
            n_found, n_all = n_found + len(runs), n_all + n_seeds
            if len(runs) == n_seeds:
                values[place] = np.mean([run.score for run in runs])
        if 0 < n_found < n_all and store is self.runner.store:
            tell(f"{name}: {method.name} is not shown, {n_found:,} of {n_all:,} are there.")
        return values if n_all and n_found == n_all else None

    def _sets_of(self, kind: str) -> list[DataSet]:
        if kind not in self._sets:
            self._sets[kind] = load_sets(
                kind, self.arguments.data, quick=self.arguments.quick, rows=self.arguments.rows
            )
        return self._sets[kind]


def load_sets(kind: str, folder: Path | None, *, quick: bool, rows: int) -> list[DataSet]:
    """Return the data sets of a kind, with a maximum number of rows except for images.

    Parameters
    ----------
    kind : {"classes", "tables", "texts", "images", "numbers", "columns"}
        What the rows are, or what is to be predicted.
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether a few small sets are enough.
    rows : int
        Maximum number of rows of a set.
    """
    if kind == "tables":
        return table_sets(folder, rows, quick=quick)
    if kind == "columns":
        return target_sets(folder, rows, quick=quick)
    if kind == "texts":
        return text_sets(folder, rows, quick=quick)
    if kind == "images":
        return [] if quick else image_sets(folder)
    if kind == "numbers":
        sets = regression_sets(folder, quick=quick) + ([] if quick else made_sets())
    else:
        sets = classification_sets(folder, quick=quick) + ([] if quick else shape_sets(folder))
    return [at_most(data, rows) for data in sets]


def is_in_time(method: Method, data: DataSet) -> bool:
    """Whether a data set is small enough for a method."""
    return data.X.size <= method.most_numbers


def measure(
    name: str, data: DataSet, column: str, split: int, items: list[tuple[str, int]]
) -> list[Run]:
    """Fit some methods to the same task, and score their predictions.

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
    items : list of tuple
        The methods to fit, each with a seed; 0 for those that are not ours.
    """
    part = PARTS[name]
    task = part.task(data, column, split)
    prepared = part.prepare(task.X)
    runs = []
    with threadpool_limits(1), warnings.catch_warnings():
        # Random labels often have a single class, which is part of the measurement.
        warnings.filterwarnings("ignore", message="y has one class only")
        warnings.filterwarnings("ignore", message="The [0-9,]+ given labels hardly predict")
        warnings.filterwarnings("ignore", message="Rows [0-9]+ and [0-9]+ of X are equal")
        for key, seed in items:
            method = part.methods[key]
            ours = "ours" in method.tags
            model = method.make(random_state=seed) if ours else method.make()
            began = time.perf_counter()
            model.fit(task.X if ours else prepared, task.y)
            answers = {of: PARTS[of].answer(model, task.y) for of in _judged(name, key)}
            seconds = round(time.perf_counter() - began, 4)
            for of, answer in answers.items():
                score = PARTS[of].score(answer, task)
                runs.append(Run(*_key(of, data, column, split, key, seed), score, seconds))
    return runs


def _earlier_runs(arguments: argparse.Namespace) -> RunStore:
    """Return the runs of ``--against``; none where it is not given."""
    path: Path | None = arguments.against
    if path is None:
        return RunStore(None)
    own = runs_path(arguments)
    if not path.is_file():
        raise ValueError(f"--against {path} is not a file of runs.")
    if own is not None and path.resolve() == own.resolve():
        raise ValueError(f"--against {path} is the file of this run: name another --output.")
    return RunStore(path)


def _judged(name: str, method: str) -> list[str]:
    """Return the parts that a fit is scored for: its own, and others with the same tasks."""
    return [name, *(of for of in PARTS[name].together if method in PARTS[of].methods)]


def _key(name: str, data: DataSet, column: str, split: int, method: str, seed: int) -> Key:
    stored_method = f"{method}{_SEED}{seed}" if seed else method
    return PARTS[name].stored_as, data.stored_as, len(data.X), column, split, stored_method


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
