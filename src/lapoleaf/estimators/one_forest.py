"""One leading forest: rows become a tree, LoDOG cuts it, labels are propagated in the forest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._forest.objective import Cost
from lapoleaf._progress import stage
from lapoleaf._propagation import Settings
from lapoleaf._propagation.solve import propagate_checked
from lapoleaf._queries import CRITERIA, Target, bounded_concern, unsureness
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.class_labelling import ClassLabelling, reach_of, shares_of_labels
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.number_labelling import (
    NumberLabelling,
    TargetLabelling,
    number_labelling,
)
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import Cut, Nodes, RowIds, RowNodes, Rows, TreeSettings
from lapoleaf.estimators.settings_search import (
    ForestChoices,
    Options,
    Selection,
    select_settings,
)
from lapoleaf.estimators.state import Fitted
from lapoleaf.estimators.targets import Targets
from lapoleaf.estimators.voters import Voters


@dataclass(frozen=True)
class _OneForest:
    """The part shared by classes and numbers.

    Attributes
    ----------
    parameters : mapping
        All parameters of the estimator, as they were at the call.
    trees : TreeSettings
        Parameters of the trees.
    solver : {"exact", "stages"}
        The solver.
    options : mapping
        Candidates of every parameter that can be chosen.
    cost, n_trees
        See :func:`lapoleaf.lodog`.
    min_confidence : float or None
        Rows whose class is less probable than this are left unlabelled.
    """

    parameters: Mapping[str, Any]
    trees: TreeSettings
    solver: str
    options: Options
    cost: Cost
    n_trees: int | None
    min_confidence: float | None = None
    may_wait: ClassVar[bool] = False

    @property
    def n_stages(self) -> int:
        """Number of stages of a fit: trees, propagation."""
        return 2

    def _fit(
        self,
        X: Any,
        weight: FloatArray,
        ids: RowIds,
        given: Any,
        bandwidth: float | None,
    ) -> tuple[Rows, list[Problem], Selection]:
        """Build the trees, and choose among them and their settings by leave-one-out."""
        percents = self._percents(bandwidth)
        with stage("trees"):
            trees = self.trees.trees(X, weight, percents, bandwidth=bandwidth).plain
        by_percent = dict(zip(percents, trees, strict=True))

        def cut(percent: Any, alpha: Any) -> LeadingForest:
            return lodog(by_percent[percent], alpha=alpha, cost=self.cost, n_trees=self.n_trees)

        problems = self._problems(given, Nodes(weight, trees[0].node_of, trees[0].n_nodes))
        options = {**self.options, "percent": percents}
        found = select_settings(problems, cut, self.solver, options, self.trees.verbose)
        chosen = Cut(found.choices.percent, found.choices.alpha, self.cost, self.n_trees)
        return Rows.of_forests(X, weight, ids, chosen, [found.forest]), problems, found

    def _label(self, rows: Rows, given: Any) -> tuple[list[Problem], Selection]:
        """Choose the settings again, in the same forest."""
        # The three stages need no rows, which keeps single insertions cheap.
        forest = rows.bare_forest if self.solver == "stages" else rows.forest
        fixed = {"percent": (rows.cut.percent,), "alpha": (rows.cut.alpha,)}
        problems = self._problems(given, rows)
        options = {**self.options, **fixed}
        found = select_settings(
            problems, lambda *_: forest, self.solver, options, self.trees.verbose
        )
        return problems, found

    def _relabel(
        self, rows: Rows, given: Any, choices: ForestChoices
    ) -> tuple[list[Problem], Selection]:
        """Propagate with the same settings."""
        forest = rows.bare_forest if self.solver == "stages" else rows.forest
        problems = self._problems(given, rows)
        results = tuple(
            propagate_checked(forest, problem.labels, problem.count, settings)
            for problem, settings in zip(problems, choices.settings, strict=True)
        )
        errors = None
        if self.solver == "exact":
            errors = tuple(map(Problem.standard_errors, problems, results))
        return problems, Selection(forest, choices, results, errors)

    def keeps_experts(self, rows: Rows, given: Any, choices: ForestChoices) -> bool:
        """Return True: there are no experts."""
        return True

    def completed(self, rows: Rows, labelling: Any) -> Any:
        """Return the labelling, which is complete already."""
        return labelling

    def _problems(self, given: Any, rows: RowNodes) -> list[Problem]:
        problems: list[Problem] = given.problems(rows)
        return problems

    def _percents(self, bandwidth: float | None) -> Sequence[float]:
        set_by_user = bandwidth is not None or self.trees.bandwidth is not None
        return self.options["percent"][:1] if set_by_user else self.options["percent"]

    def build(
        self, X: Any, weight: FloatArray, ids: RowIds, bandwidth: float | None = None
    ) -> Rows:
        """Build the tree of all rows, without any label."""
        cut = Cut(self.options["percent"][0], self.options["alpha"][0], self.cost, self.n_trees)
        tree = self.trees.trees(X, weight, [cut.percent], bandwidth=bandwidth).plain[0]
        return Rows.of_forests(X, weight, ids, cut, [cut.of(tree)])

    def cut_of(self, rows: Rows) -> Cut:
        """Return the cut of a tree that grows from these rows, with the same percent and alpha."""
        return Cut(rows.cut.percent, rows.cut.alpha, self.cost, self.n_trees)

    def voters(self, rows: Rows, X: Any, threads: int, verbose: int) -> Voters:
        """Return the leader of every new row as its only voter."""
        return Voters.alone(*rows.leaders(X, threads, verbose))

    def coverage(self, rows: Rows) -> Target:
        """Return the criterion of suggestions without labels: coverage of the data."""
        settings = Settings(weights=self.options["weights"][0])
        criterion = CRITERIA["coverage"].from_settings(settings)
        return Target(np.zeros(rows.n_nodes), rows.tree.population, criterion)

    def _link_weights(self, settings: Settings) -> str:
        """Return the weighting of links; the three stages have a fixed one."""
        exact = settings.solver == "exact"
        return settings.weights if exact else self.options["weights"][0]


class OneForestOfClasses(_OneForest):
    """Classes by one forest."""

    def fit(
        self,
        X: Any,
        weight: FloatArray,
        ids: RowIds,
        given: ClassLabels,
        bandwidth: float | None = None,
    ) -> Fitted[ClassLabels, ClassLabelling]:
        """Build the trees of all rows, choose, and label."""
        rows, problems, found = self._fit(X, weight, ids, given, bandwidth)
        return Fitted(self, rows, given, (found.choices, self._labelling(problems[0], found)))

    def label(self, rows: Rows, given: ClassLabels) -> tuple[ForestChoices, ClassLabelling]:
        """Choose by the given labels, and label all rows."""
        problems, found = self._label(rows, given)
        return found.choices, self._labelling(problems[0], found)

    def relabel(
        self, rows: Rows, given: ClassLabels, choices: ForestChoices, before: ClassLabelling
    ) -> ClassLabelling:
        """Label all rows from other labels, with the choices of ``before``."""
        problems, found = self._relabel(rows, given, choices)
        return self._labelling(problems[0], found)

    def _labelling(self, problem: Problem, found: Selection) -> ClassLabelling:
        result = found.results[0]
        # Given labels may be overruled if the user has set a finite weight.
        mu = self.options["mu"]
        keeps = self.solver != "exact" or len(mu) > 1 or bool(np.isinf(mu[0]))
        answers = shares_of_labels(result.labels, problem, keeps_labels=keeps)
        reach = reach_of(found.forest)
        return ClassLabelling(problem, result, None, (), answers, keeps, reach)

    def queries(self, rows: Rows, labelling: ClassLabelling) -> list[Target]:
        """Return the criterion of suggestions: the uncertainty between the two best classes."""
        settings = Settings(weights=self._link_weights(labelling.result.settings))
        concern = rows.tree.population * unsureness(labelling.answers)
        criterion = CRITERIA["coverage"].from_settings(settings)
        return [Target(labelling.problem.count, concern, criterion)]


class OneForestOfNumbers(_OneForest):
    """Numbers by one forest."""

    def _problems(self, given: Targets, rows: RowNodes) -> list[Problem]:
        return given.problems(rows, with_disagreement=self.solver == "exact")

    def fit(
        self,
        X: Any,
        weight: FloatArray,
        ids: RowIds,
        given: Targets,
        bandwidth: float | None = None,
    ) -> Fitted[Targets, NumberLabelling]:
        """Build the trees of all rows, choose, and label."""
        rows, problems, found = self._fit(X, weight, ids, given, bandwidth)
        labelling = self._labelling(given, problems, found)
        return Fitted(self, rows, given, (found.choices, labelling))

    def label(self, rows: Rows, given: Targets) -> tuple[ForestChoices, NumberLabelling]:
        """Choose by the given targets, and label all rows."""
        problems, found = self._label(rows, given)
        return found.choices, self._labelling(given, problems, found)

    def relabel(
        self, rows: Rows, given: Targets, choices: ForestChoices, before: NumberLabelling
    ) -> NumberLabelling:
        """Label all rows from other targets, with the choices of ``before``."""
        problems, found = self._relabel(rows, given, choices)
        return self._labelling(given, problems, found)

    def _labelling(
        self, given: Targets, problems: Sequence[Problem], found: Selection
    ) -> NumberLabelling:
        targets = [
            TargetLabelling(problem, result, (), (), 1.0)
            for problem, result in zip(problems, found.results, strict=True)
        ]
        if found.errors is None:
            # The three stages keep all given numbers, and have no variances.
            values = given.scales * np.concatenate([r.labels for r in found.results], axis=1)
            kept = (True,) * len(targets)
            return NumberLabelling(tuple(targets), given.scales, values, None, None, kept)
        keeps = [bool(np.isinf(result.settings.mu)) for result in found.results]
        answers = [target.at_nodes(found.forest.tree, None, 1, 0) for target in targets]
        return number_labelling(targets, given.scales, keeps, found.errors, answers)

    def queries(self, rows: Rows, labelling: NumberLabelling) -> list[Target]:
        """Return the criteria of suggestions: the reduction of the variances."""
        if self.solver == "exact":
            return variance_targets(rows, labelling)
        return [
            Target(
                target.problem.count,
                rows.tree.population,
                CRITERIA["coverage"].from_settings(
                    Settings(weights=self._link_weights(target.result.settings))
                ),
            )
            for target in labelling.targets
        ]


def variance_targets(rows: Rows, labelling: NumberLabelling) -> list[Target]:
    """Return the criterion of suggestions for each target: the reduction of its variances."""
    found = []
    for target in labelling.targets:
        concern = bounded_concern(rows.tree.population, np.asarray(target.result.precision))
        criterion = CRITERIA["variance"].from_settings(target.result.settings)
        found.append(Target(target.problem.count, concern, criterion))
    return found
