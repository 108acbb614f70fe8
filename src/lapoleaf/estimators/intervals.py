"""Uncertainty of numbers: standard deviations and intervals from the exact solver."""

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
    """Return the weights of the links from new points to their leaders.

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
        The leaders of the points.
    links : ndarray of shape (m,)
        Weights of their links to them, infinite where a point is at its node.
    """
    variance = np.asarray(result.variance)[nodes, 0]
    sigma2, noise = float(np.asarray(result.sigma2)[0]), problem.noise(result)
    kept = np.isinf(np.asarray(result.precision)[nodes])
    # The variance is infinite far from all points.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # A label that is kept has the noise of a mean of given labels.
        own = np.where(kept, noise / problem.count[nodes], variance)
        away = np.where(np.isinf(links), 0.0, sigma2 / links)
        std: FloatArray = np.sqrt(own + away + noise)
        return std**2


def half_widths(std: FloatArray, errors: FloatArray, spread: float, coverage: float) -> FloatArray:
    """Return half the widths of intervals that hold targets with the given probability.

    A quantile of the observed errors, with one more error counted as too large, as in conformal
    prediction. With too few errors for that quantile, fewer than 9 for 90%, see
    :func:`_by_few_errors`.

    Parameters
    ----------
    std : ndarray of shape (m,)
        Standard deviations of the targets.
    errors : ndarray
        Errors of given labels in standard deviations, NaN where they are not known.
    spread : float
        Standard deviation of a target around the mean of the given ones: see :func:`spread_of`.
    coverage : float
        The probability.
    """
    seen = np.sort(errors[~np.isnan(errors)])
    n = len(seen)
    with np.errstate(invalid="ignore", over="ignore"):
        if 0 < (n + 1) * coverage <= n:
            half = std * float(np.quantile(seen, coverage, method="weibull"))
        else:
            half = _by_few_errors(std, seen, spread, coverage)
        return np.where(np.isinf(std), np.inf, half)


def _by_few_errors(std: FloatArray, seen: FloatArray, spread: float, coverage: float) -> FloatArray:
    """Return half widths from Student's t distribution.

    The scale is estimated from the observed errors, which are sorted, and one more, that of
    predicting the mean of the given targets. The result is at least the largest error.
    """
    n = len(seen)
    # Errors that are small by chance do not make intervals narrower than the standard deviations.
    excess = max(1.0, float((seen**2).mean())) if n else 1.0
    pooled = np.hypot(spread, np.sqrt(n * excess) * std) / np.sqrt(n + 1.0)
    beyond = float(student.ppf(0.5 + coverage / 2, max(n - 1, 1)))
    largest = float(seen[-1]) if n else 0.0
    half: FloatArray = np.maximum(beyond * np.maximum(pooled, std), largest * std)
    return half


def spread_of(problem: Problem) -> float:
    """Return the standard deviation of a target around the mean of the given ones.

    0 where a single node was given a target: then standard deviations are infinite anyway.
    """
    values = problem.labels[problem.nodes, 0]
    m = len(values)
    return float(values.std(ddof=1) * np.sqrt(1.0 + 1.0 / m)) if m > 1 else 0.0
