"""How much of each expert and of the forests, for numbers: by leave-one-out.

The first expert starts with everything. Each further one is mixed with those before it: from a
share that is best on average, and departing from it has a price, since few targets are little
evidence. The forests come last, and enter only where they gain significantly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapoleaf._propagation import Propagation
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.experts import FittedExpert
from lapoleaf.estimators.problem import Problem

# The weight of the usual share, in numbers of targets.
_PRICE = 10.0
# Forests are mixed in if leave-one-out gains by more than so many of its standard errors.
_N_STANDARD_ERRORS = 2.0


def chosen_shares(
    problem: Problem, experts: Sequence[FittedExpert], usual: Sequence[float]
) -> tuple[float, ...]:
    """Return the shares of experts among themselves: nonnegative, and 1 together.

    Parameters
    ----------
    problem : Problem
        The given numbers.
    experts : sequence of FittedExpert
        The experts, one or more.
    usual : sequence of float
        Their usual shares, relative to each other.
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
    """Return the share of a further part with the least error, and the price of departing.

    Parameters
    ----------
    problem : Problem
        The given numbers.
    without : ndarray of shape (n_given,)
        Leave-one-out of what there is.
    away : ndarray of shape (n_given,)
        What a further part adds to it.
    usual : float
        The usual share of that part.
    """
    errors, weight = problem.labels[problem.nodes, 0] - without, _weights(problem)
    square = float(weight @ away**2)
    if square == 0.0:
        return usual
    best = float(np.clip(weight @ (errors * away) / square, 0.0, 1.0))
    # In units of the error that is left: where one part is clearly better, the price is small.
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
