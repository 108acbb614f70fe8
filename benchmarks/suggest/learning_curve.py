"""Learning curves of labels queried in rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators import LaPOLeaFClassifier

# Returns at most a number of rows without a label, for a model with its labels so far.
Choose: TypeAlias = Callable[[LaPOLeaFClassifier, int], IntArray]


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Labelled rows, and the score of the model after every round.

    Attributes
    ----------
    rows : ndarray of shape (n_labels,)
        The rows whose labels were asked for, in this order.
    totals : ndarray of shape (n_rounds,)
        How many labels were given after every round.
    scores : ndarray of shape (n_rounds,)
        Scores of the model with them.
    """

    rows: IntArray
    totals: IntArray
    scores: FloatArray


def learning_curve(
    model: LaPOLeaFClassifier,
    oracle: Callable[[IntArray], AnyArray],
    choose: Choose,
    first: IntArray,
    *,
    rounds: int,
    batch: int,
    score: Callable[[LaPOLeaFClassifier], float],
) -> LearningCurve:
    """Ask for labels round by round, and score the model after every round.

    Parameters
    ----------
    model : LaPOLeaFClassifier
        A fitted model whose missing label is -1; its labels are removed first.
    oracle : callable
        Returns the labels of rows; called for chosen rows only, and for no row twice.
    choose : callable
        Returns at most ``batch`` rows to query: ``choose(model, batch)``.
    first : ndarray of int
        The rows to ask for in the first round.
    rounds : int
        Number of rounds, with the first; fewer where there is nothing more to choose.
    batch : int
        Number of labels a round after the first.
    score : callable
        Returns the score of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> from benchmarks.suggest.learning_curve import learning_curve
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> truth = np.array([0, 0, 0, 1, 1, 1])
    >>> curve = learning_curve(
    ...     LaPOLeaFClassifier(missing_label=-1).fit(X, truth),
    ...     oracle=lambda rows: truth[rows],
    ...     choose=lambda model, n: np.flatnonzero(~model.given_)[-n:],
    ...     first=np.array([0]),
    ...     rounds=3,
    ...     batch=2,
    ...     score=lambda model: float(np.mean(model.transduction_ == truth)),
    ... )
    >>> curve.rows.tolist(), curve.totals.tolist(), curve.scores.tolist()
    ([0, 4, 5, 2, 3], [1, 3, 5], [0.5, 1.0, 1.0])
    """
    y = np.full(len(model.ids_), -1)
    y[first] = oracle(first)
    model.update_labels(model.ids_, y)
    rows, totals, scores = [first], [len(first)], [score(model)]
    while len(scores) < rounds:
        chosen = choose(model, batch)
        if len(chosen) == 0:
            break
        if model.given_[chosen].any():
            raise ValueError(
                f"choose gave row {chosen[model.given_[chosen]][0]}, which has a label."
            )
        model.update_labels(chosen, oracle(chosen))
        rows.append(chosen)
        totals.append(totals[-1] + len(chosen))
        scores.append(score(model))
    return LearningCurve(np.concatenate(rows), np.array(totals), np.array(scores))
