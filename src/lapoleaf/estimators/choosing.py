"""Parameters chosen from leave-one-out on the given labels, and from nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation import Propagation, Settings
from lapoleaf.propagation.solve import propagate_checked

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
    disagreement : float
        Variance of the labels that were given to one and the same node; 0 if no node was given two.
    """

    labels: FloatArray
    count: FloatArray
    disagreement: float = 0.0

    def losses(self, result: Propagation) -> FloatArray:
        """Give what every given label adds to the mean squared error of leave-one-out.

        Relative to the error of knowing only the mean of all given labels, which also is the
        prediction of a label on which nothing else bears.
        """
        given = self.count > 0
        labels, share = self.labels[given], self.count[given] / self.count.sum()
        mean = share @ labels
        without = np.asarray(result.leave_one_out)[given]
        found = np.where(np.isnan(without), mean, without)
        errors: FloatArray = share * ((labels - found) ** 2).sum(axis=1)
        spread = float(share @ ((labels - mean) ** 2).sum(axis=1))
        return errors / spread if spread > 0 else errors

    def noise(self, result: Propagation) -> float:
        """Give the variance of a given label around the truth, in the first column.

        That of the settings, or what labels of one node show, if it is more.
        """
        assumed = result.noise * float(np.asarray(result.sigma2)[0]) if result.noise else 0.0
        return max(assumed, self.disagreement)

    def standard_errors(self, result: Propagation) -> FloatArray:
        """Give the error of leave-one-out of every given label in standard deviations.

        Of the first column; NaN where nothing else bears on a label.
        """
        given = self.count > 0
        errors = np.abs(self.labels[given, 0] - np.asarray(result.leave_one_out)[given, 0])
        sigma2, others = float(np.asarray(result.sigma2)[0]), np.asarray(result.others)[given]
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = sigma2 / others + self.noise(result) / self.count[given]
            ratios = errors / np.sqrt(expected)
        # No error where none is expected either: all labels are the same.
        ratios = np.where(errors > 0, ratios, 0.0)
        return np.where((others > 0) & (sigma2 < np.inf), ratios, np.nan)


@dataclass(frozen=True, eq=False)
class Trial:
    """What is left of a candidate that was tried: the errors of leave-one-out, for each problem."""

    losses: list[FloatArray]
    standard_errors: list[FloatArray]

    @property
    def loss(self) -> float:
        """Squared error of leave-one-out, relative to knowing only the mean."""
        return float(np.mean([losses.sum() for losses in self.losses]))


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
    errors : list of ndarray
        For each problem, the error of every given label in standard deviations, as it is predicted
        by what would be chosen without it. None by the three stages.
    """

    forest: LeadingForest
    results: list[Propagation]
    values: dict[str, Any]
    errors: list[FloatArray] | None = None


class Chooser:
    """Try candidates, one group of parameters after the other, and keep the best of each.

    Parameters
    ----------
    problems : list of Problem
        What to propagate.
    cut : callable
        ``cut(percent, alpha)`` gives the forest for a percentage and an alpha.
    """

    def __init__(
        self, problems: Sequence[Problem], cut: Callable[[Any, Any], LeadingForest]
    ) -> None:
        self.problems = problems
        self.cut = cut
        self._last: tuple[tuple[Any, Any], LeadingForest] | None = None

    def choose(self, solver: str, options: Mapping[str, Sequence[Any]]) -> Choice:
        """Give the best choice; ``options`` lists every parameter's candidates, safest first."""
        values = {name: candidates[0] for name, candidates in options.items()}
        if solver != "exact":
            return Choice(*self._propagate(solver, values), {**values, "loss": None})
        best = self._propagate(solver, values)
        trials = [self._trial(best[1])]
        values["loss"] = trials[0].loss
        for group in (("percent", "weights"), ("alpha", "coupling"), ("mu",)):
            for candidate in itertools.product(*(options[name] for name in group)):
                tried = {**values, **dict(zip(group, candidate, strict=True))}
                if tried == values:
                    continue
                found = self._propagate(solver, tried)
                trials.append(self._trial(found[1]))
                if trials[-1].loss < values["loss"] * (1 - _HAIR):
                    best, values = found, {**tried, "loss": trials[-1].loss}
        return Choice(*best, values, errors_when_chosen_without(trials))

    def _propagate(
        self, solver: str, values: Mapping[str, Any]
    ) -> tuple[LeadingForest, list[Propagation]]:
        forest = self._forest((values["percent"], values["alpha"]))
        settings = Settings(solver, values["mu"], values["weights"], values["coupling"])
        return forest, [
            propagate_checked(forest, problem.labels, problem.count, settings)
            for problem in self.problems
        ]

    def _forest(self, key: tuple[Any, Any]) -> LeadingForest:
        """Cut anew only where the last candidate had another forest."""
        if self._last is None or self._last[0] != key:
            self._last = key, self.cut(*key)
        return self._last[1]

    def _trial(self, results: list[Propagation]) -> Trial:
        pairs = list(zip(self.problems, results, strict=True))
        return Trial(
            [problem.losses(result) for problem, result in pairs],
            [problem.standard_errors(result) for problem, result in pairs],
        )


def errors_when_chosen_without(trials: Sequence[Trial]) -> list[FloatArray]:
    """Give the standard error of every given label under the candidate chosen without its error.

    The best of many candidates looks better on the labels it was chosen by than it is on others.
    """
    errors = []
    for problem in range(len(trials[0].losses)):
        part = 1.0 / len(trials[0].losses)
        best = trials[0].loss - part * trials[0].losses[problem]
        found = trials[0].standard_errors[problem]
        for trial in trials[1:]:
            loss = trial.loss - part * trial.losses[problem]
            better = loss < best * (1 - _HAIR)
            best = np.where(better, loss, best)
            found = np.where(better, trial.standard_errors[problem], found)
        errors.append(found)
    return errors
