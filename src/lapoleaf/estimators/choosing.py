"""Parameters chosen from leave-one-out on the given labels, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.solve import propagate_checked
from lapoleaf._typing import FloatArray

# What "auto" tries, the safest first: a later one must be better by more than a hair.
CANDIDATES: Mapping[str, tuple[Any, ...]] = {
    "percent": (2.0, 1.0, 4.0, 0.5, 8.0, 16.0),
    "weights": ("self-tuned", "inverse"),
    "alpha": (0.5, 0.3, 0.7),
    "coupling": (1.0, 0.1, 0.0),
    "mu": (np.inf, 10.0, 1.0, 0.1),
}
# The same for the weight of given labels in many forests.
MANY_MU = (0.03, 0.01, 0.1)
MANY_MU_OF_NUMBERS = (0.1, 0.03, 0.01, 0.003, np.inf)
# What each further candidate costs for classes, in units of log-loss.
MU_PRICE = 1.0
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
    disagreement : float
        Variance of the labels that were given to one and the same node; 0 if no node was given two.
    """

    labels: FloatArray
    count: FloatArray
    disagreement: float = 0.0

    @property
    def too_few(self) -> bool:
        """Whether there are too few given labels to choose anything by them."""
        return int((self.count > 0).sum()) < _FEWEST

    def losses(self, result: Propagation) -> FloatArray:
        """Give what every given label adds to the mean squared error of leave-one-out.

        Relative to the error of knowing only the mean of all given labels, which also is the
        prediction of a label on which nothing else bears.
        """
        return self.losses_of(np.asarray(result.leave_one_out)[self.count > 0])

    def losses_of(self, without: FloatArray) -> FloatArray:
        """Give the same for what would be said of the given labels, (n_given, K)."""
        given = self.count > 0
        labels, share = self.labels[given], self.count[given] / self.count.sum()
        mean = share @ labels
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
    """A candidate that was tried on one problem: its propagation, and the errors it makes.

    Attributes
    ----------
    result : Propagation
        What it gave.
    losses, standard_errors : ndarray of shape (n_given,), or None
        The errors of leave-one-out, see :class:`Problem`. None by the three stages.
    """

    result: Propagation
    losses: FloatArray | None = None
    standard_errors: FloatArray | None = None

    @property
    def loss(self) -> float | None:
        """Squared error of leave-one-out, relative to knowing only the mean."""
        return None if self.losses is None else float(self.losses.sum())


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
    errors : list of ndarray, or None
        For each problem, the error of every given label in standard deviations, as it is predicted
        by what would be chosen without it. None by the three stages.
    """

    forest: LeadingForest
    results: list[Propagation]
    values: dict[str, Any]
    errors: list[FloatArray] | None = None


class Chooser:
    """Try candidates, one parameter after the other, and keep the best of each.

    The forest is chosen for all problems together, the settings of the solver for each by itself:
    every target is propagated as if it were alone.

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

    def choose(self, solver: str, options: Mapping[str, Sequence[Any]]) -> Choice:
        """Give the best choice; ``options`` lists every parameter's candidates, safest first."""
        if any(problem.too_few for problem in self.problems):
            options = {**options, "percent": options["percent"][:1], "alpha": options["alpha"][:1]}
        tried: list[list[Trial]] = [[] for _ in self.problems]
        alpha = options["alpha"][0]
        best = self._on_forest(solver, options, options["percent"][0], alpha, tried)
        for percent in options["percent"][1:]:
            best = _better(best, self._on_forest(solver, options, percent, alpha, tried))
        percent = best.values["percent"]
        for alpha in options["alpha"][1:]:
            best = _better(best, self._on_forest(solver, options, percent, alpha, tried))
        if solver != "exact":
            return best
        return replace(best, errors=[errors_when_chosen_without(trials) for trials in tried])

    def _on_forest(
        self,
        solver: str,
        options: Mapping[str, Sequence[Any]],
        percent: float,
        alpha: float,
        tried: list[list[Trial]],
    ) -> Choice:
        """Choose the settings of every problem on one forest; ``tried`` gets what was tried."""
        forest = self.cut(percent, alpha)
        found = []
        for problem, trials in zip(self.problems, tried, strict=True):
            best, more = _best_settings(forest, problem, solver, options)
            found.append(best)
            trials.extend(more)
        values: dict[str, Any] = {"percent": percent, "alpha": alpha}
        for name in ("weights", "coupling", "mu"):
            chosen = [getattr(trial.result.settings, name) for trial in found]
            values[name] = chosen[0] if len(chosen) == 1 else chosen
        losses = [trial.loss for trial in found if trial.loss is not None]
        values["loss"] = float(np.mean(losses)) if losses else None
        return Choice(forest, [trial.result for trial in found], values)


def _best_settings(
    forest: LeadingForest, problem: Problem, solver: str, options: Mapping[str, Sequence[Any]]
) -> tuple[Trial, list[Trial]]:
    """Choose weights, then coupling, then mu by leave-one-out; give all that was tried too."""

    def attempt(settings: Settings) -> Trial:
        result = propagate_checked(forest, problem.labels, problem.count, settings)
        if solver != "exact":
            return Trial(result)
        return Trial(result, problem.losses(result), problem.standard_errors(result))

    first = {name: options[name][0] for name in ("weights", "coupling", "mu")}
    best = attempt(Settings(solver, **first))
    tried = [best]
    for name in () if problem.too_few else first:
        for candidate in options[name][1:]:
            tried.append(attempt(replace(best.result.settings, **{name: candidate})))
            if clearly_less(tried[-1].loss, best.loss):
                best = tried[-1]
    return best, tried


def _better(best: Choice, other: Choice) -> Choice:
    return other if clearly_less(other.values["loss"], best.values["loss"]) else best


def clearly_less(loss: float | None, best: float | None) -> bool:
    """Whether a loss is less by more than a hair."""
    return loss is not None and best is not None and loss < best * (1 - _HAIR)


def errors_when_chosen_without(trials: Sequence[Trial]) -> FloatArray:
    """Give the standard error of every given label under the candidate chosen without its error.

    The best of many candidates looks better on the labels it was chosen by than it is on others.
    """
    best = np.full(1, np.inf)
    found: FloatArray = np.full(1, np.nan)
    for trial in trials:
        losses = np.asarray(trial.losses, dtype=np.float64)
        loss = losses.sum() - losses
        better = loss < best * (1 - _HAIR)
        best = np.where(better, loss, best)
        found = np.where(better, np.asarray(trial.standard_errors, dtype=np.float64), found)
    return found
