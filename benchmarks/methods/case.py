"""What the parts of the suggest benchmark share: a data set with its forests, ways, and parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from benchmarks.data.tasks import numbered
from benchmarks.data.sets import DataSet
from lapoleaf.estimators import LaPOLeaFClassifier


class Case:
    """A data set whose forests are grown once: labels are given to them and taken back.

    Parameters
    ----------
    data : DataSet
        The data set.
    """

    def __init__(self, data: DataSet) -> None:
        self.X = data.X
        self.truth = numbered(data.y)
        self.n_classes = int(self.truth.max()) + 1

    @cached_property
    def model(self) -> LaPOLeaFClassifier:
        """The default classifier, with its forests grown."""
        # Forests do not depend on labels: any two will do to grow them.
        y = np.full(len(self.X), -1)
        y[:2] = 0, 1
        return default_model().fit(self.X, y)

    def suggested_first(self, n: int) -> IntArray:
        """Return the rows that are suggested before there is any label."""
        return np.asarray(default_model().suggest(n, X=self.X))

    def with_labels(self, y: IntArray) -> LaPOLeaFClassifier:
        """Return the model with these labels and no others; -1 where there is none."""
        return self.model.update_labels(self.model.ids_, y)

    def with_truth(self, rows: IntArray) -> LaPOLeaFClassifier:
        """Return the model with the true labels of some rows."""
        y = np.full(len(self.X), -1)
        y[rows] = self.truth[rows]
        return self.with_labels(y)

    def accuracy(self, model: LaPOLeaFClassifier) -> float:
        """Return the share of the unlabelled rows that got their class."""
        hidden = ~model.given_
        return float(np.mean(model.transduction_[hidden] == self.truth[hidden]))


def default_model() -> LaPOLeaFClassifier:
    """Return the classifier as it comes, on one thread."""
    return LaPOLeaFClassifier(n_jobs=1, missing_label=-1)


class Way(NamedTuple):
    """A way to do what a part asks.

    Attributes
    ----------
    scores : callable
        Gives, for a case and a seed, the scores: a line a measure, an entry a column.
    chance : bool
        Whether another seed gives other scores.
    """

    scores: Callable[[Case, int], FloatArray]
    chance: bool


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Attributes
    ----------
    measures : tuple of str
        What is measured: the names under which runs are kept.
    columns : tuple of str
        How many labels are given, and how.
    ways : dict of str to Way
        What is compared, ours first.
    rows_a_class : int
        Data sets with fewer rows than this for each class, on average, are left out.
    """

    measures: tuple[str, ...]
    columns: tuple[str, ...]
    ways: Mapping[str, Way]
    rows_a_class: int
