"""The first labels: which rows to label while there is no label."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.methods.case import Case
from lapoleaf._typing import FloatArray, IntArray

COLUMNS = ("2K in one batch", "2K in two batches of K")


def scores(query: Any, case: Case, seed: int) -> FloatArray:
    """Label 2K rows for K classes at once, and K and then K more where labels change the choice.

    Parameters
    ----------
    query : object
        Chooses the rows.
    case : Case
        The data set.
    seed : int
        Not used: the query has its own.
    """
    k = case.n_classes
    at_once = _scores(case, query.first(case.X, 2 * k))
    if not query.learns:
        return np.column_stack([at_once, at_once])
    first = query.first(case.X, k)
    second = query.next(case.with_truth(first), k)
    return np.column_stack([at_once, _scores(case, np.concatenate([first, second]))])


def _scores(case: Case, rows: IntArray) -> list[float]:
    """Return the accuracy with the labels of some rows, and the share of the classes among them."""
    seen = len(np.unique(case.truth[rows])) / case.n_classes
    return [case.accuracy(case.with_truth(rows)), seen]
