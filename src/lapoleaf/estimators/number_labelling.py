"""Numbers of all rows: forests and experts, mixed, with their standard deviations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

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
    """One target: labels by the forests, experts, and how they are mixed.

    Attributes
    ----------
    problem : Problem
        The given numbers of nodes, in units of the target's scale, like all other attributes.
    result : Propagation
        Labels by the forests.
    experts : tuple of FittedExpert
        The experts, if any.
    expert_shares : tuple of float
        Weight of every expert, from 0 to 1.
    forest_share : float
        Weight of the forests; all weights sum to 1.
    """

    problem: Problem
    result: Propagation
    experts: tuple[FittedExpert, ...]
    expert_shares: tuple[float, ...]
    forest_share: float

    @property
    def given(self) -> IntArray:
        """Nodes that were given a number."""
        return self.problem.nodes

    @property
    def _mixed_experts(self) -> list[FittedExpert]:
        """The experts of positive weight; others are not evaluated."""
        pairs = zip(self.experts, self.expert_shares, strict=True)
        return [expert for expert, share in pairs if share > 0]

    def at_nodes(
        self, tree: LeadingTree, points: Points | None, threads: int, verbose: int
    ) -> Numbers:
        """Return value and standard deviation of every node."""
        nodes = np.arange(tree.n_nodes)
        voters = Voters.alone(nodes, np.zeros(len(nodes)))

        def ask(expert: FittedExpert) -> Any:
            return expert.at_nodes(cast(Points, points), threads=threads, verbose=verbose)

        return self._mixed(self._of_forests(tree, voters), ask)

    def at_rows(self, tree: LeadingTree, X: Any, voters: Voters, threads: int) -> Numbers:
        """Return value and standard deviation of new rows."""
        return self._mixed(
            self._of_forests(tree, voters), lambda expert: expert.at_rows(X, threads)
        )

    def _of_forests(self, tree: LeadingTree, voters: Voters) -> Estimate:
        values = voters.mean(self.result.labels)[:, 0]
        nearest = voters.nodes[:, 0]
        links = new_link_weights(tree, self.result.settings.weights, nearest, voters.nearest)
        return Estimate(values, target_variance(self.problem, self.result, nearest, links))

    def _mixed(self, forests: Estimate, ask: Callable[[FittedExpert], Estimate]) -> Numbers:
        """Mix values and variances; return values and standard deviations."""
        asked = [ask(expert) for expert in self._mixed_experts]
        values = self._share(forests.values, [found.values for found in asked])
        variances = self._share(forests.variances, [found.variances for found in asked])
        return Numbers(values, np.sqrt(variances))

    def _share(self, forests: FloatArray, experts: Sequence[FloatArray]) -> FloatArray:
        """Return the weighted mean of the forests and of the mixed experts."""
        shares = [share for share in self.expert_shares if share > 0]
        # Forests of infinite variance are left out.
        mixed = self.forest_share * forests if self.forest_share > 0 else np.zeros(forests.shape)
        for share, found in zip(shares, experts, strict=True):
            mixed = mixed + share * found
        return mixed

    def expert_values(self, points: Points, node: int | None, X: Any) -> list[float]:
        """Return the number by every expert, at one node or for one new row."""
        if node is None:
            return [float(expert.at_rows(X).values[0]) for expert in self.experts]
        asked = np.array([node])
        return [float(expert.at_nodes(points, asked).values[0]) for expert in self.experts]

    def expert_values_without(self, node: int) -> list[float]:
        """Return the number by every expert at a given node, without its own number."""
        place = int(np.searchsorted(self.given, node))
        return [float(expert.leave_one_out.values[place]) for expert in self.experts]

    def leave_one_out(self) -> FloatArray:
        """Return the prediction of every given target without it, (n_given, 1)."""
        forests = np.asarray(self.result.leave_one_out)[self.given]
        experts = [expert.leave_one_out.values[:, None] for expert in self._mixed_experts]
        return self._share(forests, experts)

    def standard_errors(self) -> FloatArray:
        """Return the error of leave-one-out of every given target in standard deviations."""
        if not self.experts:
            return self.problem.standard_errors(self.result)
        errors = np.abs(self.problem.labels[self.given] - self.leave_one_out())[:, 0]
        std = self.std_without()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(errors > 0, errors / std, 0.0)
        # The error is unknown where no other target reaches.
        return np.where(np.isfinite(std) & ~np.isnan(errors), ratios, np.nan)

    def std_without(self) -> FloatArray:
        """Return the standard deviation of every given target around its leave-one-out."""
        others = np.asarray(self.result.others)[self.given]
        sigma2 = float(np.asarray(self.result.sigma2)[0])
        noise = self.problem.noise(self.result) / self.problem.count[self.given]
        with np.errstate(divide="ignore", invalid="ignore"):
            forests = np.where(others > 0, sigma2 / others, np.inf) + noise
        experts = [expert.leave_one_out.variances for expert in self._mixed_experts]
        return np.sqrt(self._share(forests, experts))


class NumberAnswers(NamedTuple):
    """Numbers of all rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_targets)
        The numbers.
    std : ndarray of shape (n_rows, n_targets), or None
        Their standard deviations, 0 where a given number is kept; None with the three stages.
    """

    values: FloatArray
    std: FloatArray | None


@dataclass(frozen=True, eq=False)
class NumberLabelling(Value):
    """Numbers at all nodes, and the parts that predict new rows.

    Attributes
    ----------
    targets : tuple of TargetLabelling
        One for each target.
    scales : ndarray of shape (n_targets,)
        Units of the targets.
    values : ndarray of shape (n_nodes, n_targets)
        Numbers at every node.
    std : ndarray of shape (n_nodes, n_targets), or None
        Their standard deviations; None with the three stages.
    errors : tuple of ndarray, or None
        Errors of given targets in standard deviations; None with the three stages.
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
        """Return the numbers of all rows; ``voters`` are those of the rows of weight 0."""
        values, outside = self.values[rows.node_of], rows.node_of < 0
        std = None if self.std is None else self.std[rows.node_of]
        if voters is not None:
            values[outside], found = self.of_new(rows, rows.left_out, voters, method.trees.threads)
            if std is not None:
                std[outside] = found
        if std is None:
            return NumberAnswers(values, None)
        # Given targets that are kept have a standard deviation of 0.
        certain = [np.isinf(np.asarray(t.result.precision)[rows.node_of]) for t in self.targets]
        kept = np.stack(certain, axis=1) & ~outside[:, None] & (values == given.columns)
        return NumberAnswers(values, np.where(kept, 0.0, std))

    def of_new(
        self, rows: Rows, X: Any, voters: Voters, threads: int
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return values and standard deviations (m, n_targets) of new rows."""
        if self.std is None:
            # With the three stages a row has the number of its leader.
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
    """Return the labelling of all targets, with given numbers kept where ``keeps``.

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
