"""Weights of experts and forests for numbers, chosen by leave-one-out.

The first expert starts with weight 1. Each further one is mixed with those before it, with a
penalty for departing from its default share, since few targets carry little information. The
forests come last, and are mixed in only if that reduces the error significantly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapoleaf._propagation import Propagation
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.experts import FittedExpert
from lapoleaf.estimators.problem import Problem

# Weight of the default share, as a number of targets.
_PRICE = 10.0
# Forests are mixed in if the gain in leave-one-out exceeds this number of its standard errors.
_N_STANDARD_ERRORS = 2.0


def chosen_shares(
    problem: Problem, experts: Sequence[FittedExpert], usual: Sequence[float]
) -> tuple[float, ...]:
    """Return the shares of the experts, which are nonnegative and sum to 1.

    Parameters
    ----------
    problem : Problem
        The given numbers.
    experts : sequence of FittedExpert
        The experts, one or more.
    usual : sequence of float
        Their default shares, relative to each other.
    """
    shares = np.ones(1)
    without = experts[0].leave_one_out.values
    for k in range(1, len(experts)):
        away = experts[k].leave_one_out.values - without
        share = _penalised_share(problem, without, away, usual[k] / sum(usual[: k + 1]))
        without = without + share * away
        shares = np.append((1.0 - share) * shares, share)
    return tuple(shares.tolist())


def _penalised_share(
    problem: Problem, without: FloatArray, away: FloatArray, usual: float
) -> float:
    """Return the share of a further part that minimises the penalised error.

    Parameters
    ----------
    problem : Problem
        The given numbers.
    without : ndarray of shape (n_given,)
        Leave-one-out predictions of the parts so far.
    away : ndarray of shape (n_given,)
        Differences of the further part's predictions from these.
    usual : float
        The default share of that part.
    """
    errors, weight = problem.labels[problem.nodes, 0] - without, _weights(problem)
    square = float(weight @ away**2)
    if square == 0.0:
        return usual
    best = float(np.clip(weight @ (errors * away) / square, 0.0, 1.0))
    # The penalty is relative to the remaining error, so that it is small if one part is clearly
    # better.
    price = _PRICE / len(errors) * float(weight @ (errors - best * away) ** 2)
    return (square * best + price * usual) / (square + price)


def chosen_forest_share(problem: Problem, result: Propagation, without: FloatArray) -> float:
    """Return the weight of the forests against the experts.

    The weight with the least squared error of leave-one-out, or 0 if it gains too little to be
    significant.

    Parameters
    ----------
    problem, result : Problem, Propagation
        The given numbers, and their labels by the forests.
    without : ndarray of shape (n_given,)
        Leave-one-out of the experts, mixed.
    """
    given, weight = problem.nodes, _weights(problem)
    forests = np.asarray(result.leave_one_out)[given, 0]
    errors = problem.labels[given, 0] - without
    away = np.where(np.isnan(forests), 0.0, forests - without)
    square = float(weight @ away**2)
    if square == 0.0:
        return 0.0
    share = float(np.clip(weight @ (errors * away) / square, 0.0, 1.0))
    gains = errors**2 - (errors - share * away) ** 2
    gain = float(weight @ gains)
    standard_error = float(np.sqrt(weight @ (gains - gain) ** 2 / len(given)))
    return share if gain > _N_STANDARD_ERRORS * standard_error else 0.0


def _weights(problem: Problem) -> FloatArray:
    """Return the share of every given number among all."""
    weight: FloatArray = problem.count[problem.nodes] / problem.count.sum()
    return weight
