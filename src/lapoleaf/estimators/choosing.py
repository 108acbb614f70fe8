"""Parameters chosen from leave-one-out on the given labels, and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.forest import LeadingForest, lodog
from lapoleaf.forest.costs import Cost
from lapoleaf.propagation import Propagation, Settings
from lapoleaf.propagation.solve import propagate_checked
from lapoleaf.tree import LeadingTree

# What "auto" tries, the safest first: a later one must be better by more than a hair.
CANDIDATES: Mapping[str, tuple[Any, ...]] = {
    "percent": (2.0, 1.0, 4.0, 0.5, 8.0, 16.0),
    "weights": ("self-tuned", "inverse"),
    "alpha": (0.5, 0.3, 0.7),
    "coupling": (1.0, 0.1, 0.0),
    "mu": (np.inf, 10.0, 1.0, 0.1),
}
_HAIR = 0.01
# With fewer given labels than this, what leave-one-out prefers is chance: the safest is taken.
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class Problem:
    """Labels to propagate, on nodes.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes, K)
        Mean of the labels given to every node, 0 where there is none.
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    """

    labels: FloatArray
    count: FloatArray

    @property
    def too_few(self) -> bool:
        """Whether there are too few given labels to choose anything by them."""
        return int((self.count > 0).sum()) < _FEWEST

    def loss(self, result: Propagation) -> float:
        """Give the mean squared error of leave-one-out, relative to knowing only the mean.

        A label on which nothing else bears counts as if the mean had been its prediction.
        """
        given = self.count > 0
        labels, count = self.labels[given], self.count[given]
        mean = np.average(labels, axis=0, weights=count)
        without = np.asarray(result.leave_one_out)[given]
        found = np.where(np.isnan(without), mean, without)
        error = float(np.average(((labels - found) ** 2).sum(axis=1), weights=count))
        spread = float(np.average(((labels - mean) ** 2).sum(axis=1), weights=count))
        return error / spread if spread > 0 else error


@dataclass(frozen=True, eq=False)
class Choice:
    """A forest, settings, and the propagations they give.

    Attributes
    ----------
    forest : LeadingForest
        The forest.
    results : list of Propagation
        One for each problem.
    values : dict
        The values of all parameters that can be chosen (those of the solver as a list where there
        are several problems), and ``"loss"``, the error of leave-one-out relative to predicting
        the mean (None by the three stages).
    """

    forest: LeadingForest
    results: list[Propagation]
    values: dict[str, Any]


class Chooser:
    """Try candidates, one parameter after the other, and keep the best of each.

    The forest is chosen for all problems together, the settings of the solver for each by itself:
    every target is propagated as if it were alone.

    Parameters
    ----------
    trees : mapping of percentage to LeadingTree
        One tree for every candidate of ``percent``.
    problems : list of Problem
        What to propagate.
    cost : str or callable
        The cost of a number of trees.
    n_trees : int or None
        The number of trees, if it is fixed.
    """

    def __init__(
        self,
        trees: Mapping[Any, LeadingTree],
        problems: Sequence[Problem],
        cost: Cost,
        n_trees: int | None,
    ) -> None:
        self.trees = trees
        self.problems = problems
        self.cost = cost
        self.n_trees = n_trees

    def choose(self, solver: str, options: Mapping[str, Sequence[Any]]) -> Choice:
        """Give the best choice; ``options`` lists every parameter's candidates, safest first."""
        if any(problem.too_few for problem in self.problems):
            options = {**options, "percent": options["percent"][:1], "alpha": options["alpha"][:1]}
        alpha = options["alpha"][0]
        best = self._on_forest(solver, options, options["percent"][0], alpha)
        for percent in options["percent"][1:]:
            best = _better(best, self._on_forest(solver, options, percent, alpha))
        for alpha in options["alpha"][1:]:
            percent = best.values["percent"]
            best = _better(best, self._on_forest(solver, options, percent, alpha))
        return best

    def _on_forest(
        self, solver: str, options: Mapping[str, Sequence[Any]], percent: float, alpha: float
    ) -> Choice:
        """Choose the settings of every problem on one forest."""
        tree = self.trees[percent]
        forest = lodog(tree, alpha=alpha, cost=self.cost, n_trees=self.n_trees)
        found = [_best_settings(forest, problem, solver, options) for problem in self.problems]
        values: dict[str, Any] = {"percent": percent, "alpha": alpha}
        for name in ("weights", "coupling", "mu"):
            chosen = [getattr(result.settings, name) for result, _ in found]
            values[name] = chosen[0] if len(chosen) == 1 else chosen
        losses = [loss for _, loss in found if loss is not None]
        values["loss"] = float(np.mean(losses)) if losses else None
        return Choice(forest, [result for result, _ in found], values)


def _best_settings(
    forest: LeadingForest, problem: Problem, solver: str, options: Mapping[str, Sequence[Any]]
) -> tuple[Propagation, float | None]:
    """Choose weights, then coupling, then mu, each by leave-one-out; give result and loss."""

    def attempt(settings: Settings) -> tuple[Propagation, float | None]:
        result = propagate_checked(forest, problem.labels, problem.count, settings)
        return result, problem.loss(result) if solver == "exact" else None

    first = {name: options[name][0] for name in ("weights", "coupling", "mu")}
    best = attempt(Settings(solver, **first))
    for name in () if problem.too_few else first:
        for candidate in options[name][1:]:
            tried = attempt(replace(best[0].settings, **{name: candidate}))
            if _by_more_than_a_hair(tried[1], best[1]):
                best = tried
    return best


def _better(best: Choice, other: Choice) -> Choice:
    return other if _by_more_than_a_hair(other.values["loss"], best.values["loss"]) else best


def _by_more_than_a_hair(loss: float | None, best: float | None) -> bool:
    return loss is not None and best is not None and loss < best * (1 - _HAIR)
