"""Tasks: rows, the labels of a few, and the truth about the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.data.sets import DataSet
from benchmarks.data.splits import (
    equal_classes,
    flipped_labels,
    labels_a_class,
    labels_at_random,
    labels_of_every_class,
    share_at_random,
    thinned_classes,
)
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

# How labels are drawn, and their number per class.
LABELS = {
    "2 a class": (labels_a_class, 2),
    "5 a class": (labels_a_class, 5),
    "20 a class": (labels_a_class, 20),
    "2K at random": (labels_at_random, 2),
    "5K at random": (labels_at_random, 5),
    "20K at random": (labels_at_random, 20),
}
# Sizes of the classes, and how labels are drawn from them.
SIZES = {"equal": equal_classes, "unequal": thinned_classes}
SHARES = tuple(f"{sizes}, {labels}" for sizes in SIZES for labels in LABELS)
TOTALS = {"2K": 2, "5K": 5, "20K": 20}
IMAGE_SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5}
TARGET_SHARES = {"2 %": 0.02, "5 %": 0.05, "20 %": 0.2}
_FEWEST_TARGETS = 5


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, labels of a few, and the truth about the others.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        All rows.
    y : ndarray of shape (n,)
        Given labels; -1, or NaN for numbers, where there is none.
    truth : ndarray of shape (n,)
        True labels.
    hidden : ndarray of shape (n,), bool
        Rows without a label: what is judged.
    """

    X: FloatArray
    y: AnyArray
    truth: AnyArray
    hidden: BoolArray


def clean_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task whose given labels are right."""
    y = numbered(data.y)
    draw, rate = LABELS[column]
    return _with_labels(data.X, y, y, draw(y, rate, split))


def noisy_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task with one given label in five wrong."""
    y = numbered(data.y)
    draw, rate = LABELS[column]
    given = draw(y, rate, split)
    return _with_labels(data.X, y, flipped_labels(y, given, split), given)


def unbalanced_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task with classes of very different sizes, each with a label or more."""
    rows = thinned_classes(numbered(data.y), split)
    y = numbered(data.y[rows])
    total = TOTALS[column] * (int(y.max()) + 1)
    return _with_labels(data.X[rows], y, y, labels_of_every_class(y, total, split))


def shares_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task with classes of equal or very different sizes, labels by class or at random."""
    sizes, labels = column.split(", ")
    rows = SIZES[sizes](numbered(data.y), split)
    y = numbered(data.y[rows])
    draw, rate = LABELS[labels]
    return _with_labels(data.X[rows], y, y, draw(y, rate, split))


def image_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task with the labels of a share of all rows."""
    y = numbered(data.y)
    return _with_labels(data.X, y, y, share_at_random(len(y), IMAGE_SHARES[column], split))


def target_task(data: DataSet, column: str, split: int) -> Task:
    """Return a task with a share of all targets, at least five."""
    n = len(data.y)
    given = share_at_random(n, max(TARGET_SHARES[column], _FEWEST_TARGETS / n), split)
    return Task(data.X, np.where(given, data.y, np.nan), data.y, ~given)


def numbered(y: AnyArray) -> IntArray:
    """Return the classes as numbers from 0, without gaps."""
    return np.unique(y, return_inverse=True)[1]


def _with_labels(X: FloatArray, truth: IntArray, labels: IntArray, given: BoolArray) -> Task:
    return Task(X, np.where(given, labels, -1), truth, ~given)
