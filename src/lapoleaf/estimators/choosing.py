"""Parameters chosen from leave-one-out on the given labels, and from nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
        The values of all parameters that can be chosen, and ``"loss"``, the error of
        leave-one-out relative to predicting the mean (None by the three stages).
    """

    forest: LeadingForest
    results: list[Propagation]
    values: dict[str, Any]


class Chooser:
    """Try candidates, one group of parameters after the other, and keep the best of each.

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
        values = {name: candidates[0] for name, candidates in options.items()}
        best = self._try(solver, values)
        for group in (("percent", "weights"), ("alpha", "coupling"), ("mu",)):
            for candidate in itertools.product(*(options[name] for name in group)):
                tried = {**best.values, **dict(zip(group, candidate, strict=True))}
                if tried == best.values:
                    continue
                found = self._try(solver, tried)
                if found.values["loss"] < best.values["loss"] * (1 - _HAIR):
                    best = found
        return best

    def _try(self, solver: str, values: Mapping[str, Any]) -> Choice:
        tree = self.trees[values["percent"]]
        forest = lodog(tree, alpha=values["alpha"], cost=self.cost, n_trees=self.n_trees)
        settings = Settings(solver, values["mu"], values["weights"], values["coupling"])
        results = [
            propagate_checked(forest, problem.labels, problem.count, settings)
            for problem in self.problems
        ]
        loss = None
        if solver == "exact":
            pairs = zip(self.problems, results, strict=True)
            loss = float(np.mean([problem.loss(result) for problem, result in pairs]))
        chosen = {**values, "loss": loss}
        return Choice(forest, results, chosen)
