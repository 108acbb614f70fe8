"""How sure a number is: standard deviations and intervals from the exact solver."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.choosing import Problem
from lapoleaf.propagation import Propagation
from lapoleaf.tree import LeadingTree


def new_link_weights(
    tree: LeadingTree, weights: str, nodes: IntArray, distances: FloatArray
) -> FloatArray:
    """Give the weight of the link of new points to the nodes that lead them.

    Infinite at distance 0. The same formulas as for the links of the tree; the width of a
    self-tuned link is that of the leader.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if weights == "inverse" or tree.scale is None:
            linked = np.delete(tree.delta, tree.root) if tree.n_nodes > 1 else np.ones(1)
            return np.where(distances > 0, linked.mean() / distances, np.inf)
        ratio = distances / tree.scale[nodes]
        return np.where(distances > 0, np.maximum(np.exp(-2.0 * ratio * ratio), 1e-12), np.inf)


def target_std(result: Propagation, nodes: IntArray, links: FloatArray) -> FloatArray:
    """Give the standard deviation of a target at new points that hang below ``nodes``."""
    variance = np.asarray(result.variance)[nodes, 0]
    sigma2 = float(np.asarray(result.sigma2)[0])
    kept = np.isinf(np.asarray(result.precision)[nodes]) & np.isinf(links)
    with np.errstate(invalid="ignore"):
        total = variance + sigma2 / links + sigma2 * result.noise
    std: FloatArray = np.sqrt(np.where(kept, 0.0, np.where(np.isnan(total), np.inf, total)))
    return std


def standard_residuals(problem: Problem, result: Propagation) -> FloatArray:
    """Give the errors of leave-one-out in standard deviations, sorted."""
    without = np.asarray(result.leave_one_out)[:, 0]
    used = (problem.count > 0) & ~np.isnan(without)
    sigma2 = float(np.asarray(result.sigma2)[0])
    errors = np.abs(problem.labels[used, 0] - without[used])
    with np.errstate(divide="ignore", invalid="ignore"):
        others = 1.0 / np.asarray(result.others)[used]
        expected = sigma2 * (others + result.noise / problem.count[used])
        ratios = np.where(errors > 0, errors / np.sqrt(expected), 0.0)
    return np.sort(ratios[np.isfinite(ratios)])


def half_width(residuals: FloatArray, coverage: float) -> float:
    """Give how many standard deviations hold a target with the given probability.

    The quantile of the errors seen, one error more counted as too large, as in conformal
    prediction; with too few errors for it, at least that of a normal distribution.
    """
    place = int(np.ceil((len(residuals) + 1) * coverage))
    if place <= len(residuals):
        return float(residuals[place - 1])
    normal = float(norm.ppf(0.5 + coverage / 2))
    return max(normal, float(residuals[-1])) if len(residuals) else normal
