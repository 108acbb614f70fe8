"""How sure a number is: standard deviations and intervals from the exact solver."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from lapoleaf._propagation import Propagation
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.problem import Problem


def new_link_weights(
    tree: LeadingTree, weights: str, nodes: IntArray, distances: FloatArray
) -> FloatArray:
    """Return the weight of the link of new points to the nodes that lead them.

    Infinite at distance 0. The same formulas as for the links of the tree; the width of a
    self-tuned link is that of the leader.
    """
    if weights == "inverse" or tree.scale is None:
        linked = np.delete(tree.delta, tree.root) if tree.n_nodes > 1 else np.ones(1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(distances > 0, linked.mean() / distances, np.inf)
    scales = tree.scale[nodes]
    return np.where(distances > 0, link_strengths(distances, scales, scales), np.inf)


def target_variance(
    problem: Problem, result: Propagation, nodes: IntArray, links: FloatArray
) -> FloatArray:
    """Return the variance of a target at points that are led by ``nodes``.

    Parameters
    ----------
    problem, result : Problem, Propagation
        The given numbers, and their labels by the forests.
    nodes : ndarray of shape (m,)
        The nodes that answer for the points.
    links : ndarray of shape (m,)
        Weights of their links to them, infinite where a point is at its node.
    """
    variance = np.asarray(result.variance)[nodes, 0]
    sigma2, noise = float(np.asarray(result.sigma2)[0]), problem.noise(result)
    kept = np.isinf(np.asarray(result.precision)[nodes])
    # Far from everything the variance is infinite.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # A label that is kept as it is has the noise of the mean it is.
        own = np.where(kept, noise / problem.count[nodes], variance)
        away = np.where(np.isinf(links), 0.0, sigma2 / links)
        std: FloatArray = np.sqrt(own + away + noise)
        return std**2


def half_widths(std: FloatArray, errors: FloatArray, coverage: float) -> FloatArray:
    """Return half the widths of intervals that hold targets with the given probability.

    Parameters
    ----------
    std : ndarray of shape (m,)
        Standard deviations of the targets.
    errors : ndarray
        Errors of given labels in standard deviations, NaN where they are not known.
    coverage : float
        The probability.
    """
    factor = _factor(np.sort(errors[~np.isnan(errors)]), coverage)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(std), np.inf, std * factor)


def _factor(seen: FloatArray, coverage: float) -> float:
    """Return how many standard deviations are needed, from the errors seen, sorted.

    Their quantile, one error more counted as too large, as in conformal prediction. With too few
    errors for it, that of Student's distribution, which allows for a standard deviation
    estimated from as few; at least the largest error.
    """
    n = len(seen)
    if 0 < (n + 1) * coverage <= n:
        return float(np.quantile(seen, coverage, method="weibull"))
    beyond = float(student.ppf(0.5 + coverage / 2, max(n - 1, 1)))
    return max(beyond, float(seen[-1])) if n else beyond
