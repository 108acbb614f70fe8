"""Classes by many forests: propagated in all, averaged, and mixed with experts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._lazy import Value
from lapoleaf._progress import Progress, stage
from lapoleaf._propagation import Propagation
from lapoleaf._queries import CRITERIA, Target, unsureness
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.class_clicks import (
    changed_propagation,
    completed_propagation,
    mixed_answers,
    scores_at_all,
)
from lapoleaf.estimators.class_labelling import ClassLabelling, reach_of
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.class_shares import (
    constants_for,
    estimated_shares,
    reliability_of_shares,
    trust_in_rows,
)
from lapoleaf.estimators.contrast import USUAL_CONTRAST, contrast_of
from lapoleaf.estimators.discreteness import discreteness_of
from lapoleaf.estimators.ensemble import Ensemble
from lapoleaf.estimators.experts import FittedExpert, usual_weights
from lapoleaf.estimators.experts.columns import learnt_from
from lapoleaf.estimators.experts.kept import experts_with_labels
from lapoleaf.estimators.experts.kernel_matrices import subset_of
from lapoleaf.estimators.mixture import GivenClasses, Mixture, checked_prior, class_mass, mix
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import RowIds, Rows
from lapoleaf.estimators.state import Fitted

# Candidates for the weight of given labels, the default first; each further one is penalised in
# units of log-loss.
_MU, _MU_PRICE = (0.03, 0.01, 0.1), 1.0
# Choices use at most this number of given labels, fewer with many classes; the weight is chosen in
# as many forests as keep nodes times classes times forests below a bound, but not in fewer than
# this.
MAX_CHOSEN_ON, MIN_CHOSEN_ON, MAX_PROBABILITIES = 5000, 1000, 1_000_000
MAX_LABELS_IN_FORESTS, MIN_FORESTS = 30_000_000, 10
# Maximum number of nodes on which class shares are estimated.
_MAX_SHARES_FROM = 2000
# Nodes whose expert scores are computed together, to bound memory.
_ASKED_TOGETHER = 250_000


@dataclass(frozen=True, eq=False)
class ClassChoices(Value):
    """What was chosen for classes.

    Attributes
    ----------
    mu : float
        Weight of a given label in the forests.
    mixture : Mixture
        How forests and experts are mixed.
    experts : tuple of str
        Names of the experts.
    loss : float
        Squared error of leave-one-out relative to predicting the mean.
    """

    mu: float
    mixture: Mixture
    experts: tuple[str, ...]
    loss: float

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as shown in ``chosen_``."""
        return {
            "mu": self.mu,
            "class_constants": self.mixture.constants.tolist(),
            "expert_shares": dict(zip(self.experts, self.mixture.shares, strict=True)),
            "sharpness": self.mixture.sharpness,
            "loss": self.loss,
        }


class ClassParts(NamedTuple):
    """The parts that classes are mixed from.

    Attributes
    ----------
    problem : Problem
        The given labels of nodes.
    result : Propagation
        Labels by the forests.
    experts : tuple of FittedExpert
        The experts.
    """

    problem: Problem
    result: Propagation
    experts: tuple[FittedExpert, ...]


@dataclass(frozen=True)
class EnsembleOfClasses(Ensemble):
    """Classes by many forests.

    Attributes
    ----------
    class_prior : "auto", None or array-like
        Expected shares of the classes.
    """

    class_prior: Any = None

    def fit(
        self,
        X: Any,
        weight: FloatArray,
        ids: RowIds,
        given: ClassLabels,
        bandwidth: float | None = None,
    ) -> Fitted[ClassLabels, ClassLabelling]:
        """Build the trees of all rows, choose, and label."""
        rows = self.build(X, weight, ids, bandwidth)
        return Fitted(self, rows, given, self.label(rows, given))

    def label(self, rows: Rows, given: ClassLabels) -> tuple[ClassChoices, ClassLabelling]:
        """Choose by the given labels, and label all rows."""
        choices, parts = self.choose(rows, given)
        with stage("labels"):
            return choices, self.labelling(rows, given, choices, parts)

    def choose(self, rows: Rows, given: ClassLabels) -> tuple[ClassChoices, ClassParts]:
        """Choose by leave-one-out; return the choices and the parts computed for them."""
        (problem,) = given.problems(rows)
        result, quotient = self._best_propagation(rows, problem)
        with stage("experts"):
            experts = self.fit_experts(rows, problem)
        parts = ClassParts(problem, result, experts)
        without = np.asarray(result.leave_one_out)[problem.nodes]
        scores = [expert.leave_one_out for expert in experts]
        some, given_classes = _chosen_on(rows, problem), GivenClasses.of(problem)
        helping, is_automatic = self.helping(rows, problem), isinstance(self.class_prior, str)
        tilt = given_classes.tilt() if is_automatic else np.zeros(problem.labels.shape[1])
        mixture = mix(
            given_classes.take(some),
            without[some],
            quotient,
            [score[some] for score in scores],
            usual_weights(helping),
            tilts=[tilt / expert.score_unit for expert in helping],
            contrast=contrast_of(rows.points) if experts else USUAL_CONTRAST,
            discreteness=discreteness_of(rows.points) if experts else 0.0,
            with_constants=is_automatic,
        )
        found = mixture.probabilities(np.nan_to_num(without), scores)
        mixture = self._with_shares(rows, parts, mixture, found)
        found = mixture.probabilities(np.nan_to_num(without), scores)
        choices = ClassChoices(
            result.settings.mu,
            mixture,
            self.expert_names(rows, problem),
            float(problem.losses_of(found).sum()),
        )
        return choices, parts

    def _with_shares(
        self, rows: Rows, parts: ClassParts, mixture: Mixture, without: FloatArray
    ) -> Mixture:
        """Return choices corrected to the class shares set by the user or estimated from all rows.

        Equal numbers of labels per class are taken as a design choice, not as an estimate.
        ``without`` holds the leave-one-out probabilities (n_given, K) of the given labels.
        """
        if self.class_prior is None:
            return mixture
        problem, is_users = parts.problem, not isinstance(self.class_prior, str)
        n_nodes = (problem.labels[problem.nodes] > 0).sum(axis=0)
        trust = 1.0 if is_users else trust_in_rows(problem.count @ problem.labels, n_nodes)
        if trust == 0.0:
            return mixture
        nodes = subset_of(rows.points, _MAX_SHARES_FROM)
        if not is_users:
            nodes = nodes[problem.count[nodes] == 0]
            if not len(nodes):
                return mixture
        scores = [expert.at_nodes(rows.points, nodes) for expert in parts.experts]
        found = mixture.probabilities(parts.result.labels[nodes], scores)
        weight = rows.tree.population[nodes]
        if is_users:
            prior = checked_prior(self.class_prior, found.shape[1])
            return replace(mixture, constants=constants_for(found, weight, prior))
        shares = estimated_shares(found, weight)
        trust *= reliability_of_shares(without, problem.labels[problem.nodes])
        moved = mixture.constants + trust * np.log(shares * len(shares))
        return replace(mixture, constants=moved)

    def labelling(
        self,
        rows: Rows,
        given: ClassLabels,
        choices: ClassChoices,
        parts: ClassParts | None = None,
    ) -> ClassLabelling:
        """Label all rows with given choices; ``parts`` are computed if not passed."""
        if parts is None:
            (problem,) = given.problems(rows)
            result = self.propagate(rows, problem, choices.mu)
            parts = ClassParts(problem, result, self.fit_experts(rows, problem))
        keeps = isinstance(self.mu, str) or bool(np.isinf(self.mu))
        answers = self._answers(rows, choices.mixture, parts, keeps)
        return ClassLabelling(
            parts.problem,
            parts.result,
            choices.mixture,
            parts.experts,
            answers,
            keeps,
            reach_of(rows.forest),
        )

    def relabel(
        self, rows: Rows, given: ClassLabels, choices: ClassChoices, before: ClassLabelling
    ) -> ClassLabelling:
        """Label all rows from other labels, with the choices of ``before``."""
        (problem,) = given.problems(rows)
        threads, mixture = self.trees.threads, choices.mixture
        result = changed_propagation(rows, before, problem, threads)
        n_changes = 0 if result is None else before.n_changes + 1
        if result is None:
            result = self.propagate(rows, problem, choices.mu)
        experts = experts_with_labels(before.experts, rows.points, before.problem, problem)
        answers = mixed_answers(
            mixture,
            problem,
            result.labels,
            scores_at_all(rows, mixture, experts, threads),
            keeps_labels=before.keeps_labels,
            threads=threads,
        )
        return replace(
            before,
            problem=problem,
            result=result,
            experts=experts,
            answers=answers,
            n_changes=n_changes,
        )

    def keeps_experts(self, rows: Rows, given: ClassLabels, choices: ClassChoices) -> bool:
        """Whether there are enough labels for the same experts as at the last choice."""
        (problem,) = given.problems(rows)
        return self.expert_names(rows, problem) == choices.experts

    def completed(self, rows: Rows, labelling: ClassLabelling) -> ClassLabelling:
        """Return a labelling with leave-one-out and variances, and the same labels."""
        if labelling.is_complete:
            return labelling
        full = self.propagate(rows, labelling.problem, labelling.result.settings.mu)
        return replace(labelling, result=completed_propagation(labelling.result, full))

    def _answers(
        self, rows: Rows, mixture: Mixture, parts: ClassParts, keeps_labels: bool
    ) -> FloatArray:
        """Return the probabilities (n_nodes, K) of all nodes; given labels may be kept."""
        answers = parts.problem.labels.copy()
        asked = np.arange(len(answers))
        if keeps_labels:
            asked = np.flatnonzero(parts.problem.count == 0)
            if not len(asked):
                return answers
        threads, verbose = self.trees.threads, self.trees.verbose
        for block in gen_batches(len(asked), _ASKED_TOGETHER):
            some = asked[block]
            scores = [
                expert.at_nodes(rows.points, some, threads=threads, verbose=verbose)
                for expert in parts.experts
            ]
            answers[some] = mixture.probabilities(parts.result.labels[some], scores)
        return answers

    def _best_propagation(
        self, rows: Rows, problem: Problem
    ) -> tuple[Propagation, FloatArray | None]:
        """Choose the weight of given labels by the log-loss of leave-one-out.

        Returns the forests' labels and the factors of the class masses.
        """
        given = GivenClasses.of(problem)
        prior, some = self._prior(given), _chosen_on(rows, problem)
        given = given.take(some)
        candidates = self.candidates_of_mu(_MU)
        n_forests = _number_chosen_in(rows, problem) if len(candidates) > 1 else None

        def attempt(
            mu: float, n_forests: int | None
        ) -> tuple[float, Propagation, FloatArray | None]:
            result = self.propagate(rows, problem, mu, n_forests)
            quotient = None
            if prior is not None:
                quotient = class_mass(result.labels, rows.tree.population, prior)
            without = np.asarray(result.leave_one_out)[problem.nodes[some]]
            progress.advance()
            return mix(given, without, quotient).loss, result, quotient

        again = n_forests is not None and n_forests < len(rows.forests)
        progress = Progress("propagation", len(candidates) + again, self.trees.verbose)
        least, result, quotient = attempt(candidates[0], n_forests)
        for place, mu in enumerate(candidates[1:], start=1):
            trial = attempt(mu, n_forests)
            if trial[0] + place * _MU_PRICE < least:
                least, result, quotient = trial[0] + place * _MU_PRICE, *trial[1:]
            # Freed before the next one is computed: labels of all nodes are large.
            del trial
        if again:
            _, result, quotient = attempt(result.settings.mu, None)
        return result, quotient

    def _prior(self, given: GivenClasses) -> FloatArray | None:
        """Return the expected shares of the classes, or None."""
        if self.class_prior is None:
            return None
        if isinstance(self.class_prior, str):
            return given.estimated_prior()
        return checked_prior(self.class_prior, given.labels.shape[1])

    def queries(self, rows: Rows, labelling: ClassLabelling) -> list[Target]:
        """Return the criterion of suggestions: the uncertainty between the two best classes."""
        concern = rows.tree.population * unsureness(labelling.answers)
        criterion = CRITERIA["coverage"].from_settings(labelling.result.settings)
        return [Target(labelling.problem.count, concern, criterion)]


def _chosen_on(rows: Rows, problem: Problem) -> IntArray:
    """Return the indices of the given labels that choices are made on.

    All of them if there are few. Selection and order depend on the points, not on the order of
    rows.
    """
    by_size = MAX_PROBABILITIES // problem.labels.shape[1]
    most = min(max(by_size, MIN_CHOSEN_ON), MAX_CHOSEN_ON)
    return learnt_from(rows.points, problem.nodes, most)


def _number_chosen_in(rows: Rows, problem: Problem) -> int:
    """Return the number of forests in which the weight of given labels is chosen."""
    by_size = MAX_LABELS_IN_FORESTS // problem.labels.size
    return min(max(by_size, MIN_FORESTS), len(rows.forests))
