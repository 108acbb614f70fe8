"""The first labels: which rows to ask for while nothing is known."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from benchmarks.methods.queries import centre_rows, random_rows, suggested
from benchmarks.methods.case import Case, Part, Way


def suggest_scores(case: Case, seed: int) -> FloatArray:
    """Ask for 2K suggested rows, and for K and then K more."""
    k = case.n_classes
    at_once = _scores(case, case.suggested_first(2 * k))
    first = case.suggested_first(k)
    second = suggested(case.with_truth(first), k)
    return np.column_stack([at_once, _scores(case, np.concatenate([first, second]))])


def centre_scores(case: Case, seed: int) -> FloatArray:
    """Ask for the rows nearest to 2K centres of k-means; labels in between change nothing."""
    return _twice(_scores(case, centre_rows(case.X, 2 * case.n_classes, seed)))


def random_scores(case: Case, seed: int) -> FloatArray:
    """Ask for 2K random rows; labels in between change nothing."""
    return _twice(_scores(case, random_rows(len(case.X), 2 * case.n_classes, seed)))


def _scores(case: Case, rows: IntArray) -> list[float]:
    """Return the accuracy with the labels of some rows, and the share of the classes among them."""
    seen = len(np.unique(case.truth[rows])) / case.n_classes
    return [case.accuracy(case.with_truth(rows)), seen]


def _twice(scores: list[float]) -> FloatArray:
    return np.column_stack([scores, scores])


START = Part(
    measures=("start", "start-seen"),
    columns=("2K in one batch", "2K in two batches of K"),
    ways={
        "suggest": Way(suggest_scores, chance=False),
        "k-means": Way(centre_scores, chance=True),
        "random": Way(random_scores, chance=True),
    },
    rows_a_class=4,
)
