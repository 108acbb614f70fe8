"""Labels asked for in rounds: K rows a round, from K to 5K labels for K classes."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from benchmarks.methods.queries import (
    at_random,
    centre_rows,
    random_rows,
    smallest_margins,
    suggested,
)
from benchmarks.suggest.learning_curve import Choose, learning_curve
from benchmarks.methods.case import Case, Part, Way

_ROUNDS = 5


def suggest_curve(case: Case, seed: int) -> FloatArray:
    """Ask for what is suggested, from the first label on."""
    return _curve(case, case.suggested_first(case.n_classes), suggested)


def margin_curve_same_start(case: Case, seed: int) -> FloatArray:
    """Ask for K suggested rows, then for those with the smallest margins."""
    return _curve(case, case.suggested_first(case.n_classes), smallest_margins(seed))


def margin_curve(case: Case, seed: int) -> FloatArray:
    """Ask for K random rows, then for those with the smallest margins."""
    return _curve(case, _random_start(case, seed), smallest_margins(seed))


def random_curve(case: Case, seed: int) -> FloatArray:
    """Ask for random rows."""
    return _curve(case, _random_start(case, seed), at_random(seed))


def centre_curve(case: Case, seed: int) -> FloatArray:
    """Ask for the centres of k-means, for every total anew."""
    totals = [case.n_classes * number for number in range(1, _ROUNDS + 1)]
    rows = [centre_rows(case.X, total, seed) for total in totals]
    return np.array([[case.accuracy(case.with_truth(some)) for some in rows]])


def _random_start(case: Case, seed: int) -> IntArray:
    return random_rows(len(case.X), case.n_classes, seed)


def _curve(case: Case, first: IntArray, choose: Choose) -> FloatArray:
    curve = learning_curve(
        case.model,
        lambda rows: case.truth[rows],
        choose,
        first,
        rounds=_ROUNDS,
        batch=case.n_classes,
        score=case.accuracy,
    )
    # Where there was nothing more to choose, things stay as they are.
    return np.pad(curve.scores, (0, _ROUNDS - len(curve.scores)), mode="edge")[None]


ROUNDS = Part(
    measures=("rounds",),
    columns=("K", *(f"{times}K" for times in range(2, _ROUNDS + 1))),
    ways={
        "suggest": Way(suggest_curve, chance=False),
        "margin, same start": Way(margin_curve_same_start, chance=False),
        "margin": Way(margin_curve, chance=True),
        "k-means": Way(centre_curve, chance=True),
        "random": Way(random_curve, chance=True),
    },
    rows_a_class=2 * _ROUNDS,
)
