"""Data sets with forests that are built once, for queries and label errors."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import numbered
from benchmarks.methods import ours
from lapoleaf._typing import IntArray
from lapoleaf.estimators import LaPOLeaFClassifier


class Case:
    """A data set with forests that are built once; labels are set and removed.

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
        # Forests do not depend on labels, so any two suffice to build them.
        y = np.full(len(self.X), -1)
        y[:2] = 0, 1
        return ours.classifier().fit(self.X, y)

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
