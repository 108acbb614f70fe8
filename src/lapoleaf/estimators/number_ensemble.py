"""Numbers from many forests: propagated in each, averaged, and mixed with experts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._progress import Progress, stage
from lapoleaf._propagation import Propagation
from lapoleaf._queries import Target
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.ensemble import Ensemble
from lapoleaf.estimators.experts import FittedExpert
from lapoleaf.estimators.experts.kept import experts_with_labels
from lapoleaf.estimators.number_labelling import (
    NumberLabelling,
    TargetLabelling,
    number_labelling,
)
from lapoleaf.estimators.number_mixture import chosen_forest_share, chosen_shares
from lapoleaf.estimators.one_forest import variance_targets
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import RowIds, Rows
from lapoleaf.estimators.settings_search import is_better
from lapoleaf.estimators.state import Fitted
from lapoleaf.estimators.targets import Targets

# Candidate weights of given numbers, the default first.
_MU = (0.1, 0.03, 0.01, 0.003, np.inf)


@dataclass(frozen=True)
class NumberChoices(Value):
    """What was chosen for numbers, one entry for each target.

    Attributes
    ----------
    mu : tuple of float
        Weight of a given number in the forests.
    forest_share : tuple of float
        Weight of the forests against the experts.
    experts : tuple of tuple of str
        Names of the experts.
    expert_shares : tuple of tuple of float
        Their weights; with that of the forests they sum to 1.
    loss : float
        Mean squared error of leave-one-out relative to predicting the mean.
    """

    mu: tuple[float, ...]
    forest_share: tuple[float, ...]
    experts: tuple[tuple[str, ...], ...]
    expert_shares: tuple[tuple[float, ...], ...]
    loss: float

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as shown in ``chosen_``, as lists if there are several targets."""
        one = len(self.mu) == 1
        pairs = zip(self.experts, self.expert_shares, strict=True)
        shares = [dict(zip(names, found, strict=True)) for names, found in pairs]
        return {
            "mu": self.mu[0] if one else list(self.mu),
            "forest_share": self.forest_share[0] if one else list(self.forest_share),
            "expert_shares": shares[0] if one else shares,
            "loss": self.loss,
        }


@dataclass(frozen=True)
class EnsembleOfNumbers(Ensemble):
    """Numbers by many forests."""

    of_numbers: ClassVar[bool] = True

    def fit(
        self,
        X: Any,
        weight: FloatArray,
        ids: RowIds,
        given: Targets,
        bandwidth: float | None = None,
    ) -> Fitted[Targets, NumberLabelling]:
        """Build the trees of all rows, choose, and label."""
        rows = self.build(X, weight, ids, bandwidth)
        return Fitted(self, rows, given, self.label(rows, given))

    def label(self, rows: Rows, given: Targets) -> tuple[NumberChoices, NumberLabelling]:
        """Choose by the given targets, and label all rows."""
        choices, targets = self.choose(rows, given)
        with stage("labels"):
            return choices, self.labelling(rows, given, choices, targets)

    def choose(self, rows: Rows, given: Targets) -> tuple[NumberChoices, Sequence[TargetLabelling]]:
        """Choose by leave-one-out; return the choices and the parts computed for them."""
        problems = given.problems(rows)
        results = self._best_propagations(rows, problems)
        with stage("experts"):
            experts = [self.fit_experts(rows, problem) for problem in problems]
        usual = [
            [expert.usual_share for expert in self.helping(rows, problem)] for problem in problems
        ]
        targets = list(map(_mixed_target, problems, results, experts, usual))
        losses = [target.problem.losses_of(target.leave_one_out()).sum() for target in targets]
        choices = NumberChoices(
            tuple(target.result.settings.mu for target in targets),
            tuple(target.forest_share for target in targets),
            tuple(tuple(expert.name for expert in target.experts) for target in targets),
            tuple(target.expert_shares for target in targets),
            float(np.mean(losses)),
        )
        return choices, targets

    def labelling(
        self,
        rows: Rows,
        given: Targets,
        choices: NumberChoices,
        targets: Sequence[TargetLabelling] | None = None,
    ) -> NumberLabelling:
        """Label all rows with given choices; ``targets`` are computed if not passed."""
        if targets is None:
            problems = given.problems(rows)
            chosen = zip(
                problems, choices.mu, choices.expert_shares, choices.forest_share, strict=True
            )
            targets = [
                TargetLabelling(
                    problem,
                    self.propagate(rows, problem, mu),
                    self.fit_experts(rows, problem),
                    shares,
                    of_forests,
                )
                for problem, mu, shares, of_forests in chosen
            ]
        threads, verbose = self.trees.threads, self.trees.verbose
        answers = [target.at_nodes(rows.tree, rows.points, threads, verbose) for target in targets]
        errors = [target.standard_errors() for target in targets]
        keeps = [self._keeps(target) for target in targets]
        return number_labelling(targets, given.scales, keeps, errors, answers)

    def relabel(
        self, rows: Rows, given: Targets, choices: NumberChoices, before: NumberLabelling
    ) -> NumberLabelling:
        """Label all rows from other targets, with the choices of ``before``.

        Labels are propagated in full, since intervals need leave-one-out.
        """
        targets = [
            replace(
                target,
                problem=problem,
                result=self.propagate(rows, problem, mu),
                experts=experts_with_labels(target.experts, rows.points, target.problem, problem),
            )
            for target, problem, mu in zip(
                before.targets, given.problems(rows), choices.mu, strict=True
            )
        ]
        return self.labelling(rows, given, choices, targets)

    def keeps_experts(self, rows: Rows, given: Targets, choices: NumberChoices) -> bool:
        """Whether there are enough targets for the same experts as at the last choice."""
        names = [self.expert_names(rows, problem) for problem in given.problems(rows)]
        return tuple(names) == choices.experts

    def completed(self, rows: Rows, labelling: NumberLabelling) -> NumberLabelling:
        """Return the labelling, which is complete already."""
        return labelling

    def _best_propagations(self, rows: Rows, problems: Sequence[Problem]) -> list[Propagation]:
        """Choose the weights of given numbers by the squared error of leave-one-out."""
        candidates = [self._candidates(problem) for problem in problems]
        progress = Progress("propagation", sum(map(len, candidates)), self.trees.verbose)
        found = []
        for problem, (first, *others) in zip(problems, candidates, strict=True):
            best = self.propagate(rows, problem, first)
            progress.advance()
            for mu in others:
                result = self.propagate(rows, problem, mu)
                progress.advance()
                if is_better(problem.losses(result).sum(), problem.losses(best).sum()):
                    best = result
            found.append(best)
        return found

    def _candidates(self, problem: Problem) -> Sequence[float]:
        """Return the candidate weights for a target, only one if labels are few."""
        candidates = self.candidates_of_mu(_MU)
        return candidates[:1] if problem.has_few_labels else candidates

    def _keeps(self, target: TargetLabelling) -> bool:
        """Whether the given numbers of a target are kept."""
        is_infinite = not isinstance(self.mu, str) and bool(np.isinf(self.mu))
        by_forests = bool(np.isinf(target.result.settings.mu)) and target.forest_share == 1.0
        return is_infinite or by_forests

    def queries(self, rows: Rows, labelling: NumberLabelling) -> list[Target]:
        """Return the criteria of suggestions: the reduction of the variances."""
        return variance_targets(rows, labelling)


def _mixed_target(
    problem: Problem,
    result: Propagation,
    experts: tuple[FittedExpert, ...],
    usual: Sequence[float],
) -> TargetLabelling:
    """Choose how the parts of one target are mixed."""
    if not experts:
        return TargetLabelling(problem, result, (), (), 1.0)
    shares = chosen_shares(problem, experts, usual)
    of_experts = TargetLabelling(problem, result, experts, shares, 0.0)
    of_forests = chosen_forest_share(problem, result, of_experts.leave_one_out()[:, 0])
    shares = tuple((1.0 - of_forests) * share for share in shares)
    return replace(of_experts, expert_shares=shares, forest_share=of_forests)
