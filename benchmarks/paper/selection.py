"""Running the paper's accuracy tables: choices by cross-validation, then all splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from lapoleaf._progress import Progress, tell
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from benchmarks.data.tasks import numbered
from benchmarks.data.sets import DataSet
from benchmarks.methods.method import METHODS, params_text
from benchmarks.runner.store import Key, Run, RunStore
from lapoleaf.estimators import LabelledKFold

FOLDS, SLOW_SPLITS = 3, 5


@dataclass(frozen=True)
class Question:
    """What is asked of all methods.

    Attributes
    ----------
    part : str
        Name of the part.
    columns : tuple of str
        How many labels are given.
    draw : callable
        Chooses the rows with labels from the classes, a column and the number of a split.
    choose_at : str
        The column whose first split's labels choose among candidates.
    methods : tuple of str
        Who is asked.
    """

    part: str
    columns: tuple[str, ...]
    draw: Callable[[IntArray, str, int], BoolArray]
    choose_at: str
    methods: tuple[str, ...]


class Asking:
    """Asks, and keeps answers in ``paper-runs.csv``.

    Parameters
    ----------
    output : Path
        Folder of that file.
    splits : int
        Draws of the given labels; slow methods have at most five.
    jobs : int
        Number of processes.
    """

    def __init__(self, output: Path, splits: int, jobs: int) -> None:
        self.store = RunStore(output / "paper-runs.csv")
        self.splits = splits
        self.jobs = jobs

    def splits_of(self, method: str) -> int:
        """Return the number of splits of a method."""
        return min(self.splits, SLOW_SPLITS) if METHODS[method].slow else self.splits

    def ask(self, question: Question, sets: Sequence[DataSet]) -> None:
        """Measure all that is not in the store yet: choices first."""
        choices = [
            (question, data, method, which, fold)
            for data in sets
            for method in question.methods
            for which in range(len(METHODS[method].grid))
            for fold in range(FOLDS)
            if len(METHODS[method].grid) > 1
        ]
        self._run(f"{question.part}: choosing", choose_one, choices, _choice_key)
        splits = [
            (question, data, method, self.chosen(question, data, method), column, split)
            for split in range(self.splits)
            for data in sets
            for method in question.methods
            for column in question.columns
            if split < self.splits_of(method)
        ]
        self._run(question.part, answer_one, splits, _split_key)

    def _run(
        self,
        title: str,
        work: Callable[..., Run],
        jobs: Sequence[tuple[Any, ...]],
        key_of: Callable[..., Key],
    ) -> None:
        left = [job for job in jobs if key_of(*job) not in self.store.runs]
        total = len(jobs)
        if len(left) < total:
            tell(f"{title}: {total - len(left):,} of {total:,} results are there already.")
        progress = Progress(title, len(left), verbose=1)
        runner = joblib.Parallel(n_jobs=self.jobs, return_as="generator_unordered")
        for run in runner(joblib.delayed(work)(*job) for job in left):
            self.store.add(run)
            progress.advance()

    def chosen(self, question: Question, data: DataSet, method: str) -> int:
        """Return the candidate with the best mean over the folds, the first of equal ones."""
        return int(np.argmax(self._means(question, data, method)))

    def is_tied(self, question: Question, data: DataSet, method: str) -> bool:
        """Tell whether another candidate did as well as the chosen one."""
        means = self._means(question, data, method)
        return bool(np.sum(means == means.max()) > 1)

    def _means(self, question: Question, data: DataSet, method: str) -> FloatArray:
        """Return the mean over the folds of every candidate; there is none for a single one."""
        grid = METHODS[method].grid
        if len(grid) == 1:
            return np.zeros(1)
        keys = [
            [_choice_key(question, data, method, which, fold) for fold in range(FOLDS)]
            for which in range(len(grid))
        ]
        # Sums of counts may differ in their last bits only.
        return np.array([np.mean([self.store.runs[k].score for k in each]) for each in keys]).round(
            9
        )

    def runs(self, question: Question, data: DataSet, method: str, column: str) -> list[Run]:
        """Return the runs of a method over its splits."""
        which = self.chosen(question, data, method)
        keys = [
            _split_key(question, data, method, which, column, split)
            for split in range(self.splits_of(method))
        ]
        return [self.store.runs[key] for key in keys]

    def scores(self, question: Question, data: DataSet, method: str, column: str) -> FloatArray:
        """Return the accuracies of a method over its splits."""
        return np.array([run.score for run in self.runs(question, data, method, column)])


def _choice_key(question: Question, data: DataSet, method: str, which: int, fold: int) -> Key:
    candidate = params_text(METHODS[method].grid[which])
    return f"{question.part}, choosing", data.stored_as, len(data.X), candidate, fold, method


def _split_key(
    question: Question, data: DataSet, method: str, which: int, column: str, split: int
) -> Key:
    name = f"{method} ({params_text(METHODS[method].grid[which])})"
    return question.part, data.stored_as, len(data.X), column, split, name


def choose_one(question: Question, data: DataSet, method: str, which: int, fold: int) -> Run:
    """Hide a third of the labels of the first split, and count how many a candidate finds.

    Parameters
    ----------
    question : Question
        What is asked.
    data : DataSet
        The data set.
    method : str
        The method.
    which, fold : int
        The candidate, and the third.
    """
    truth = numbered(data.y)
    y = np.where(question.draw(truth, question.choose_at, 0), truth, -1)
    folds = LabelledKFold(FOLDS, shuffle=True, random_state=0, missing_label=-1)
    hidden = list(folds.split(data.X, y))[fold][1]
    y[hidden] = -1
    found, seconds = _fitted(method, which, data, y)
    score = float(np.mean(found[hidden] == truth[hidden]))
    return Run(*_choice_key(question, data, method, which, fold), score, seconds)


def answer_one(
    question: Question, data: DataSet, method: str, which: int, column: str, split: int
) -> Run:
    """Return the accuracy of a method on the rows without a label.

    Parameters
    ----------
    question : Question
        What is asked.
    data : DataSet
        The data set.
    method : str
        The method.
    which : int
        The chosen candidate.
    column : str
        How many labels are given.
    split : int
        Which draw of them.
    """
    truth = numbered(data.y)
    given = question.draw(truth, column, split)
    found, seconds = _fitted(method, which, data, np.where(given, truth, -1))
    score = float(np.mean(found[~given] == truth[~given]))
    return Run(*_split_key(question, data, method, which, column, split), score, seconds)


def _fitted(method: str, which: int, data: DataSet, y: IntArray) -> tuple[IntArray, float]:
    """Return the classes by a method, and its processor time on one core."""
    model = METHODS[method].make(**METHODS[method].grid[which])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y has one class only")
        # Methods are measured with the rounds they take by default.
        warnings.simplefilter("ignore", ConvergenceWarning)
        began = time.process_time()
        found = model.fit(data.X, y).transduction_
        seconds = round(time.process_time() - began, 4)
    return np.asarray(found), seconds
