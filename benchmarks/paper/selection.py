"""Parameters chosen by cross-validation, once a data set, and then the scores of all splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import numbered
from benchmarks.methods import select
from benchmarks.methods.method import CLASSES, Method, params_text
from benchmarks.runner.runner import Batch, Runner
from benchmarks.runner.store import Key, Run
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators import LabelledKFold

FOLDS, CUBIC_SPLITS = 3, 5
OURS, PUBLISHED, MCC = "LaPOLeaF", "LaPOLeaF as published", "RGSSL-MCC-style"


def methods_of(tag: str) -> dict[str, Method]:
    """Return the methods of the paper's tables by their names there."""
    return {method.title: method for method in select(CLASSES, tag).values()}


METHODS = methods_of("paper")


@dataclass(frozen=True)
class Question:
    """What all methods are compared on.

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
        What is compared.
    """

    part: str
    columns: tuple[str, ...]
    draw: Callable[[IntArray, str, int], BoolArray]
    choose_at: str
    methods: tuple[str, ...]


class Selection:
    """Chooses the parameters of every method, then measures all splits.

    Parameters
    ----------
    runner : Runner
        Measures, and keeps the results.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.splits = runner.splits

    def splits_of(self, method: str) -> int:
        """Return the number of splits of a method: at most five where its time is cubic."""
        cubic = "cubic" in METHODS[method].tags
        return min(self.splits, CUBIC_SPLITS) if cubic else self.splits

    def measure(self, question: Question, sets: Sequence[DataSet]) -> None:
        """Measure all that is not in the store yet: choices first."""
        choices = [
            Batch(
                measure_candidate,
                (question, data, method, which),
                {fold: [_choice_key(question, data, method, which, fold)]},
            )
            for data in sets
            for method in question.methods
            for which in range(len(METHODS[method].grid))
            for fold in range(FOLDS)
            if len(METHODS[method].grid) > 1
        ]
        self.runner.run(f"{question.part}: choosing", choices, ordered=False)
        splits = []
        # Splits are the outermost loop, so that an interrupted run has the first ones for every
        # data set.
        for split in range(self.splits):
            for data in sets:
                for method in question.methods:
                    if split >= self.splits_of(method):
                        continue
                    which = self.chosen(question, data, method)
                    splits += [
                        Batch(
                            measure_chosen,
                            (question, data, method, which, column),
                            {split: [_split_key(question, data, method, which, column, split)]},
                        )
                        for column in question.columns
                    ]
        self.runner.run(question.part, splits, ordered=False)

    def chosen(self, question: Question, data: DataSet, method: str) -> int:
        """Return the candidate with the best mean over the folds, the first of equal ones."""
        return int(np.argmax(self._means(question, data, method)))

    def is_tied(self, question: Question, data: DataSet, method: str) -> bool:
        """Whether another candidate did as well as the chosen one."""
        means = self._means(question, data, method)
        return bool(np.sum(means == means.max()) > 1)

    def _means(self, question: Question, data: DataSet, method: str) -> FloatArray:
        """Return the mean over the folds of every candidate; there is none for a single one."""
        grid = METHODS[method].grid
        if len(grid) == 1:
            return np.zeros(1)
        known = self.runner.store.runs
        scores = [
            [known[_choice_key(question, data, method, which, fold)].score for fold in range(FOLDS)]
            for which in range(len(grid))
        ]
        # Sums of counts may differ in their last bits only.
        return np.asarray(np.mean(scores, axis=1).round(9))

    def runs(self, question: Question, data: DataSet, method: str, column: str) -> list[Run]:
        """Return the runs of a method over its splits."""
        which = self.chosen(question, data, method)
        keys = [
            _split_key(question, data, method, which, column, split)
            for split in range(self.splits_of(method))
        ]
        return [self.runner.store.runs[key] for key in keys]

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


def measure_candidate(
    question: Question, data: DataSet, method: str, which: int, folds: list[int]
) -> list[Run]:
    """Return the accuracy of a candidate on hidden thirds of the labels of the first split.

    Parameters
    ----------
    question : Question
        What is compared.
    data : DataSet
        The data set.
    method : str
        The method.
    which : int
        The candidate.
    folds : list of int
        Which thirds.
    """
    truth = numbered(data.y)
    y = np.where(question.draw(truth, question.choose_at, 0), truth, -1)
    thirds = LabelledKFold(FOLDS, shuffle=True, random_state=0, missing_label=-1)
    places = [hidden for _, hidden in thirds.split(data.X, y)]
    runs = []
    for fold in folds:
        hidden = places[fold]
        seen = y.copy()
        seen[hidden] = -1
        found, seconds = _fitted(method, which, data, seen)
        score = float(np.mean(found[hidden] == truth[hidden]))
        runs.append(Run(*_choice_key(question, data, method, which, fold), score, seconds))
    return runs


def measure_chosen(
    question: Question, data: DataSet, method: str, which: int, column: str, splits: list[int]
) -> list[Run]:
    """Measure the accuracy of a method on the rows without a label.

    Parameters
    ----------
    question : Question
        What is compared.
    data : DataSet
        The data set.
    method : str
        The method.
    which : int
        The chosen candidate.
    column : str
        How many labels are given.
    splits : list of int
        Which draws of them.
    """
    truth = numbered(data.y)
    runs = []
    for split in splits:
        given = question.draw(truth, column, split)
        found, seconds = _fitted(method, which, data, np.where(given, truth, -1))
        score = float(np.mean(found[~given] == truth[~given]))
        key = _split_key(question, data, method, which, column, split)
        runs.append(Run(*key, score, seconds))
    return runs


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
