"""Made points in clusters, as many as asked for, and tasks with 20 labels a class."""

from __future__ import annotations

import numpy as np

from benchmarks.data.splits import labels_a_class
from benchmarks.data.tasks import Task
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

_CLUSTERS, _CLASSES, _LABELS = 20, 10, 20
# Clusters overlap a little: no method is right everywhere.
_SPREAD = np.float32(0.2)
GROUPS, GROUP_COLUMNS = 20, 16


def clustered_task(n: int, columns: int, seed: int = 0) -> Task:
    """Make points in 20 clusters, two of every class, with 20 labels a class.

    Parameters
    ----------
    n : int
        Number of points.
    columns : int
        Number of columns, float32.
    seed : int, default=0
        Which points.
    """
    rng = np.random.default_rng(seed)
    centres = rng.random((_CLUSTERS, columns), dtype=np.float32)
    cluster = rng.integers(_CLUSTERS, size=n)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    X *= _SPREAD
    X += centres[cluster]
    return with_few_labels(X, cluster % _CLASSES)


def with_few_labels(X: AnyArray, y: IntArray) -> Task:
    """Return the task of finding all classes from 20 labels a class.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    y : ndarray of shape (n,)
        Their classes.
    """
    given: BoolArray = labels_a_class(y, _LABELS, seed=0)
    return Task(X, np.where(given, y, -1), y, ~given)


def overlapping_groups(n: int) -> tuple[FloatArray, IntArray]:
    """Return points in groups that overlap a little, and their groups."""
    draws = np.random.default_rng(0)
    centres = draws.uniform(-10.0, 10.0, size=(GROUPS, GROUP_COLUMNS))
    truth = draws.integers(0, GROUPS, size=n)
    return centres[truth] + 4.0 * draws.normal(size=(n, GROUP_COLUMNS)), truth
