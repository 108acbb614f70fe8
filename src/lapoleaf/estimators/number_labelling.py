"""Numbers of all rows: forests and trend, mixed, with their standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._points import Points
from lapoleaf._propagation import Propagation
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts import Estimate, FittedExpert
from lapoleaf.estimators.intervals import new_link_weights, target_variance
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.targets import Targets
from lapoleaf.estimators.voters import Voters

# Forests are mixed in if leave-one-out gains by more than so many of its standard errors.
_N_STANDARD_ERRORS = 2.0


class Numbers(NamedTuple):
    """Numbers and their standard deviations.

    Attributes
    ----------
    values, std : ndarray of shape (n,)
        One for every point.
    """

    values: FloatArray
    std: FloatArray


@dataclass(frozen=True, eq=False)
class TargetLabelling(Value):
    """One target: labels by the forests, an expert, and how both are mixed.

    Attributes
    ----------
    problem : Problem
        The given numbers of nodes, in units of the target's scale, as everything here.
    result : Propagation
        Labels by the forests.
    expert : FittedExpert or None
        The expert beside the forests, if there is one.
    forest_share : float
        Weight of the forests against the expert, from 0 to 1.
    """

    problem: Problem
    result: Propagation
    expert: FittedExpert | None
    forest_share: float

    @property
    def given(self) -> IntArray:
        """Nodes that were given a number."""
        return self.problem.nodes

    def at_nodes(
        self, tree: LeadingTree, points: Points | None, threads: int, verbose: int
    ) -> Numbers:
        """Return value and standard deviation of every node."""
        nodes = np.arange(tree.n_nodes)
        voters = Voters.alone(nodes, np.zeros(len(nodes)))
        expert = None
        if self.expert is not None and points is not None:
            expert = self.expert.at_nodes(points, threads=threads, verbose=verbose)
        return self._mixed(self._of_forests(tree, voters), expert)

    def at_rows(self, tree: LeadingTree, X: Any, voters: Voters, threads: int) -> Numbers:
        """Return value and standard deviation of new rows."""
        expert = None if self.expert is None else self.expert.at_rows(X, threads)
        return self._mixed(self._of_forests(tree, voters), expert)

    def _of_forests(self, tree: LeadingTree, voters: Voters) -> Estimate:
        values = voters.mean(self.result.labels)[:, 0]
        nearest = voters.nodes[:, 0]
        links = new_link_weights(tree, self.result.settings.weights, nearest, voters.nearest)
        return Estimate(values, target_variance(self.problem, self.result, nearest, links))

    def _mixed(self, forests: Estimate, expert: Estimate | None) -> Numbers:
        """Mix values and variances; return values and standard deviations."""
        if expert is None:
            return Numbers(forests.values, np.sqrt(forests.variances))
        return Numbers(
            self._share(forests.values, expert.values),
            np.sqrt(self._share(forests.variances, expert.variances)),
        )

    def _share(self, forests: FloatArray, expert: FloatArray) -> FloatArray:
        share = self.forest_share
        # Where forests are infinitely unsure, nothing of them may enter.
        return expert if share == 0 else (1.0 - share) * expert + share * forests

    def expert_value(self, points: Points, node: int | None, X: Any) -> float | None:
        """Return the number by the expert, at one node or for one new row; None without one."""
        if self.expert is None:
            return None
        if node is None:
            return float(self.expert.at_rows(X).values[0])
        return float(self.expert.at_nodes(points, np.array([node])).values[0])

    def leave_one_out(self) -> FloatArray:
        """Return the prediction of every given target without it, (n_given, 1)."""
        forests = np.asarray(self.result.leave_one_out)[self.given]
        if self.expert is None:
            return forests
        return self._share(forests, self.expert.leave_one_out.values[:, None])

    def standard_errors(self) -> FloatArray:
        """Return the error of leave-one-out of every given target in standard deviations."""
        if self.expert is None:
            return self.problem.standard_errors(self.result)
        errors = np.abs(self.problem.labels[self.given] - self.leave_one_out())[:, 0]
        std = self.std_without()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(errors > 0, errors / std, 0.0)
        # Where no other target reaches, nothing is known of the error.
        return np.where(np.isfinite(std) & ~np.isnan(errors), ratios, np.nan)

    def std_without(self) -> FloatArray:
        """Return the standard deviation of every given target around its leave-one-out."""
        forests = np.zeros(len(self.given))
        if self.expert is None or self.forest_share > 0:
            others = np.asarray(self.result.others)[self.given]
            sigma2 = float(np.asarray(self.result.sigma2)[0])
            noise = self.problem.noise(self.result) / self.problem.count[self.given]
            with np.errstate(divide="ignore", invalid="ignore"):
                forests = np.where(others > 0, sigma2 / others, np.inf) + noise
        if self.expert is None:
            return np.sqrt(forests)
        return np.sqrt(self._share(forests, self.expert.leave_one_out.variances))


def chosen_forest_share(problem: Problem, result: Propagation, expert: FittedExpert) -> float:
    """Return the weight of the forests against an expert.

    The weight with the least squared error of leave-one-out, or 0 if it gains too little to be
    significant.

    Parameters
    ----------
    problem, result : Problem, Propagation
        The given numbers, and their labels by the forests.
    expert : FittedExpert
        The expert.
    """
    given = problem.nodes
    weight = problem.count[given] / problem.count.sum()
    forests = np.asarray(result.leave_one_out)[given, 0]
    without = expert.leave_one_out.values
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


class NumberAnswers(NamedTuple):
    """Numbers of all rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_targets)
        The numbers.
    std : ndarray of shape (n_rows, n_targets), or None
        Their standard deviations, 0 where a number was given and is kept; None by the three stages.
    """

    values: FloatArray
    std: FloatArray | None


@dataclass(frozen=True, eq=False)
class NumberLabelling(Value):
    """Numbers at all nodes, and what new rows are answered by.

    Attributes
    ----------
    targets : tuple of TargetLabelling
        One for each target.
    scales : ndarray of shape (n_targets,)
        Units of the targets.
    values : ndarray of shape (n_nodes, n_targets)
        Numbers at every node.
    std : ndarray of shape (n_nodes, n_targets), or None
        Their standard deviations; None by the three stages.
    errors : tuple of ndarray, or None
        Errors of given targets in standard deviations; None by the three stages.
    keeps : tuple of bool
        Whether the given numbers of a target are kept.
    """

    targets: tuple[TargetLabelling, ...]
    scales: FloatArray
    values: FloatArray
    std: FloatArray | None
    errors: tuple[FloatArray, ...] | None
    keeps: tuple[bool, ...]

    def of_rows(
        self, rows: Rows, given: Targets, voters: Voters | None, method: Any
    ) -> NumberAnswers:
        """Return the numbers of all rows; ``voters`` answer for the rows of weight 0."""
        values, outside = self.values[rows.node_of], rows.node_of < 0
        std = None if self.std is None else self.std[rows.node_of]
        if voters is not None:
            values[outside], found = self.of_new(rows, rows.left_out, voters, method.trees.threads)
            if std is not None:
                std[outside] = found
        if std is None:
            return NumberAnswers(values, None)
        # Targets that were given and are kept as they were given are certain.
        certain = [np.isinf(np.asarray(t.result.precision)[rows.node_of]) for t in self.targets]
        kept = np.stack(certain, axis=1) & ~outside[:, None] & (values == given.columns)
        return NumberAnswers(values, np.where(kept, 0.0, std))

    def of_new(
        self, rows: Rows, X: Any, voters: Voters, threads: int
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return values and standard deviations (m, n_targets) of new rows."""
        if self.std is None:
            # By the three stages a row has the number of its leader.
            return self.values[voters.nodes[:, 0]], None
        answers = [target.at_rows(rows.tree, X, voters, threads) for target in self.targets]
        values = self.scales * np.stack([found.values for found in answers], axis=1)
        std = self.scales * np.stack([found.std for found in answers], axis=1)
        known = voters.nearest == 0
        values[known] = self.values[voters.nodes[known, 0]]
        std[known] = self.std[voters.nodes[known, 0]]
        return values, std


def number_labelling(
    targets: Sequence[TargetLabelling],
    scales: FloatArray,
    keeps: Sequence[bool],
    errors: Sequence[FloatArray],
    answers: Sequence[Numbers],
) -> NumberLabelling:
    """Put the answers of targets at nodes together; given numbers are kept where asked for.

    Parameters
    ----------
    targets : sequence of TargetLabelling
        The targets.
    scales : ndarray of shape (n_targets,)
        Their units.
    keeps : sequence of bool
        Whether the given numbers of a target are kept.
    errors : sequence of ndarray
        Errors of given targets in standard deviations.
    answers : sequence of Numbers
        Values and standard deviations at all nodes, one for each target.
    """
    values = scales * np.stack([found.values for found in answers], axis=1)
    std = scales * np.stack([found.std for found in answers], axis=1)
    for which, target in enumerate(targets):
        if keeps[which]:
            kept = target.problem.count > 0
            values[kept, which] = scales[which] * target.problem.labels[kept, 0]
    return NumberLabelling(tuple(targets), scales, values, std, tuple(errors), tuple(keeps))
