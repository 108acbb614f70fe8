"""Labels asked for in rounds: K rows a round, from K to 5K labels for K classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.methods.case import Case
from benchmarks.suggest.learning_curve import learning_curve
from lapoleaf._typing import FloatArray

_ROUNDS = 5
COLUMNS = ("K", *(f"{times}K" for times in range(2, _ROUNDS + 1)))


def scores(query: Any, case: Case, seed: int) -> FloatArray:
    """Return the accuracy after every round; rows chosen once are chosen again for every total.

    Parameters
    ----------
    query : object
        Chooses the rows.
    case : Case
        The data set.
    seed : int
        Not used: the query has its own.
    """
    if not hasattr(query, "next"):
        totals = [case.n_classes * number for number in range(1, _ROUNDS + 1)]
        rows = [query.first(case.X, total) for total in totals]
        return np.array([[case.accuracy(case.with_truth(some)) for some in rows]])
    curve = learning_curve(
        case.model,
        lambda rows: case.truth[rows],
        query.next,
        query.first(case.X, case.n_classes),
        rounds=_ROUNDS,
        batch=case.n_classes,
        score=case.accuracy,
    )
    # Without further rows to choose, the last score is repeated.
    return np.pad(curve.scores, (0, _ROUNDS - len(curve.scores)), mode="edge")[None]
