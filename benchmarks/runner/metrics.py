"""Scores of predictions on the rows with hidden labels."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import r2_score

from benchmarks.data.tasks import Task
from lapoleaf._typing import AnyArray, BoolArray


def accuracy(answer: AnyArray, task: Task) -> float:
    """Return the share of the hidden rows that got their class."""
    return float(np.mean(answer[task.hidden] == task.truth[task.hidden]))


def balanced_accuracy(answer: AnyArray, task: Task) -> float:
    """Return the mean, over the classes of the hidden rows, of the shares that got their class."""
    right = answer[task.hidden] == task.truth[task.hidden]
    return float(np.mean([right[which].mean() for which in _rows_of_classes(task)]))


def _rows_of_classes(task: Task) -> list[BoolArray]:
    truth = task.truth[task.hidden]
    return [truth == label for label in np.unique(truth)]


def r_squared(answer: AnyArray, task: Task) -> float:
    """Return the R² of the hidden targets."""
    return float(r2_score(task.truth[task.hidden], answer[task.hidden]))


def calibration_error(answer: AnyArray, task: Task, bins: int = 10) -> float:
    """Return the expected calibration error of the hidden rows.

    Rows are sorted into bins of equal width by the probability of their class; a bin's error is
    how far the mean of these probabilities is from the share of right classes.

    Parameters
    ----------
    answer : ndarray of shape (n, n_classes)
        Probabilities of the classes.
    task : Task
        The task.
    bins : int, default=10
        Number of bins.
    """
    probabilities = answer[task.hidden]
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == task.truth[task.hidden]
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    excess = np.bincount(place, weights=confidence - right, minlength=bins)
    return float(np.abs(excess).sum() / len(right))
