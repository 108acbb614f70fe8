"""Synthetic points in clusters, and tasks with 20 labels per class."""

from __future__ import annotations

import numpy as np

from benchmarks.data.splits import labels_a_class
from benchmarks.data.tasks import Task
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

_CLASSES, _LABELS = 10, 20
# Spread of clusters, which overlap slightly, so that no method is perfect.
_SPREAD = np.float32(0.2)
GROUPS, GROUP_COLUMNS = 20, 16


def clustered_task(
    n: int, columns: int, seed: int = 0, n_classes: int = _CLASSES, n_labels: int = _LABELS
) -> Task:
    """Make points in clusters, two of every class, with some labels a class.

    Parameters
    ----------
    n : int
        Number of points.
    columns : int
        Number of columns, float32.
    seed : int, default=0
        Seed of the points.
    n_classes : int, default=10
        Number of classes.
    n_labels : int, default=20
        Number of labels a class.
    """
    rng = np.random.default_rng(seed)
    centres = rng.random((2 * n_classes, columns), dtype=np.float32)
    cluster = rng.integers(2 * n_classes, size=n)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    X *= _SPREAD
    X += centres[cluster]
    return with_few_labels(X, cluster % n_classes, n_labels)


def with_few_labels(X: AnyArray, y: IntArray, n_labels: int = _LABELS) -> Task:
    """Return the task of finding all classes from a few labels of each.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    y : ndarray of shape (n,)
        Their classes.
    n_labels : int, default=20
        Number of labels a class.
    """
    given: BoolArray = labels_a_class(y, n_labels, seed=0)
    return Task(X, np.where(given, y, -1), y, ~given)


def overlapping_groups(n: int) -> tuple[FloatArray, IntArray]:
    """Return points in groups that overlap a little, and their groups."""
    draws = np.random.default_rng(0)
    centres = draws.uniform(-10.0, 10.0, size=(GROUPS, GROUP_COLUMNS))
    truth = draws.integers(0, GROUPS, size=n)
    return centres[truth] + 4.0 * draws.normal(size=(n, GROUP_COLUMNS)), truth
