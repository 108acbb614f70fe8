"""One target of the regressor: what the forests say, what the trend says, and both together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._points import Points
from lapoleaf._propagation import Propagation
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.choosing import Problem
from lapoleaf.estimators.intervals import new_link_weights, target_std
from lapoleaf.estimators.trend import Trend
from lapoleaf.estimators.voting import Voters

# The forests are mixed in if leave-one-out gains by more than so many of its standard errors.
_SURE = 2.0


@dataclass(frozen=True, eq=False)
class Target:
    """A target, ready to be asked for.

    Attributes
    ----------
    problem, result : Problem, Propagation
        What was propagated, and what came of it.
    trend : Trend or None
        The trend under the forests, if there is one.
    forest_share : float
        Weight of the forests against the trend, from 0 to 1.
    """

    problem: Problem
    result: Propagation
    trend: Trend | None
    forest_share: float

    @property
    def given(self) -> IntArray:
        """Nodes that were given a number."""
        return np.flatnonzero(self.problem.count > 0)

    def at_nodes(
        self, tree: LeadingTree, points: Points, threads: int, verbose: int
    ) -> tuple[FloatArray, FloatArray]:
        """Give value and standard deviation (n_nodes,) of every node; the latter NaN by stages."""
        nodes = np.arange(tree.n_nodes)
        voters = Voters.alone(nodes, np.zeros(len(nodes)))
        trend = None if self.trend is None else self.trend.at_nodes(points, threads, verbose)
        return self._together(self._of_forests(tree, voters), trend)

    def at_rows(
        self, tree: LeadingTree, rows: Any, voters: Voters, threads: int
    ) -> tuple[FloatArray, FloatArray]:
        """Give value and standard deviation (m,) of new rows."""
        trend = None if self.trend is None else self.trend.at_rows(rows, threads)
        return self._together(self._of_forests(tree, voters), trend)

    def _of_forests(self, tree: LeadingTree, voters: Voters) -> tuple[FloatArray, FloatArray]:
        values = voters.mean(self.result.labels)[:, 0]
        if self.result.precision is None:
            return values, np.full(len(values), np.nan)
        nearest = voters.nodes[:, 0]
        links = new_link_weights(tree, self.result.settings.weights, nearest, voters.nearest)
        # Far from everything nothing is known.
        with np.errstate(over="ignore"):
            return values, target_std(self.problem, self.result, nearest, links) ** 2

    def _together(
        self,
        forests: tuple[FloatArray, FloatArray],
        trend: tuple[FloatArray, FloatArray] | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Mix values and variances; give values and standard deviations."""
        if trend is None:
            return forests[0], np.sqrt(forests[1])
        share = self.forest_share
        values = trend[0] if share == 0 else (1.0 - share) * trend[0] + share * forests[0]
        variance = trend[1] if share == 0 else (1.0 - share) * trend[1] + share * forests[1]
        return values, np.sqrt(variance)

    def without(self) -> FloatArray:
        """Give what would be said of every given target without it, (n_given, 1)."""
        forests = np.asarray(self.result.leave_one_out)[self.given]
        if self.trend is None:
            return forests
        trend = self.trend.leave_one_out[:, None]
        share = self.forest_share
        return trend if share == 0 else (1.0 - share) * trend + share * forests

    def standard_errors(self) -> FloatArray:
        """Give the error of leave-one-out of every given target in standard deviations."""
        if self.trend is None:
            return self.problem.standard_errors(self.result)
        errors = np.abs(self.problem.labels[self.given] - self.without())[:, 0]
        std = self.std_without()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(errors > 0, errors / std, 0.0)
        # Where nothing else bears on a target nothing is known of its error.
        return np.where(np.isfinite(std) & ~np.isnan(errors), ratios, np.nan)

    def std_without(self) -> FloatArray:
        """Give the standard deviation of every given target around what is said without it."""
        forests = np.zeros(len(self.given))
        if self.trend is None or self.forest_share > 0:
            others = np.asarray(self.result.others)[self.given]
            sigma2 = float(np.asarray(self.result.sigma2)[0])
            noise = self.problem.noise(self.result) / self.problem.count[self.given]
            with np.errstate(divide="ignore", invalid="ignore"):
                forests = np.where(others > 0, sigma2 / others, np.inf) + noise
        if self.trend is None:
            return np.sqrt(forests)
        trend, share = self.trend.variance_without, self.forest_share
        return np.sqrt(trend if share == 0 else (1.0 - share) * trend + share * forests)


def forest_share(problem: Problem, result: Propagation, trend: Trend) -> float:
    """Give the weight of the forests against the trend.

    The weight with the least squared error of leave-one-out, or 0 if it gains too little to be
    sure of.

    Parameters
    ----------
    problem, result : Problem, Propagation
        What was propagated, and what came of it.
    trend : Trend
        The trend.
    """
    given = np.flatnonzero(problem.count > 0)
    weight = problem.count[given] / problem.count.sum()
    forests = np.asarray(result.leave_one_out)[given, 0]
    errors = problem.labels[given, 0] - trend.leave_one_out
    away = np.where(np.isnan(forests), 0.0, forests - trend.leave_one_out)
    square = float(weight @ away**2)
    if square == 0.0:
        return 0.0
    share = float(np.clip(weight @ (errors * away) / square, 0.0, 1.0))
    gains = errors**2 - (errors - share * away) ** 2
    gain = float(weight @ gains)
    doubt = float(np.sqrt(weight @ (gains - gain) ** 2 / len(given)))
    return share if gain > _SURE * doubt else 0.0
