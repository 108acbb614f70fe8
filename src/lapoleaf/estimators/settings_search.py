"""Settings of one forest, chosen by leave-one-out on the given labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._lazy import Value
from lapoleaf._progress import Progress
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.solve import check_settings, propagate_checked
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.problem import Problem

# Candidates for "auto", the safest first.
CANDIDATES: Mapping[str, tuple[Any, ...]] = {
    "percent": (2.0, 1.0, 4.0, 0.5, 8.0, 16.0),
    "weights": ("self-tuned", "inverse"),
    "alpha": (0.5, 0.3, 0.7),
    "coupling": (1.0, 0.1, 0.0),
    "mu": (np.inf, 10.0, 1.0, 0.1),
}
# Share by which a later candidate must reduce the loss.
_MIN_RELATIVE_GAIN = 0.01

Options = Mapping[str, Sequence[Any]]


def candidates_of(solver: str, parameters: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Return the candidates of every tunable parameter, only one if it is set.

    Parameters
    ----------
    solver : {"exact", "stages"}
        The solver; only the exact one has leave-one-out.
    parameters : dict
        Values of the parameters in ``CANDIDATES``, ``"auto"`` where they are to be chosen.
    """
    options: dict[str, Sequence[Any]] = {}
    for name, candidates in CANDIDATES.items():
        value = parameters[name]
        automatic = isinstance(value, str) and value == "auto"
        if automatic and solver != "exact" and name != "mu":
            raise ValueError(
                f"{name}='auto' is chosen by leave-one-out, which only solver='exact' gives; "
                f"set {name}, or use solver='exact'."
            )
        options[name] = candidates if automatic else (value,)
    if solver != "exact":
        options["mu"] = options["mu"][:1]
    for mu in options["mu"]:
        for weights in options["weights"]:
            for coupling in options["coupling"]:
                check_settings(Settings(solver, mu, weights, coupling))
    return options


@dataclass(frozen=True)
class ForestChoices(Value):
    """Settings chosen for one forest.

    Attributes
    ----------
    percent, alpha : float
        The bandwidth's percentage and LoDOG's weight, both fixed until the next fit.
    settings : tuple of Settings
        Settings of the solver, one for each target.
    loss : float or None
        Squared error of leave-one-out relative to predicting the mean; None with the three stages.
    """

    percent: Any
    alpha: Any
    settings: tuple[Settings, ...]
    loss: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the values of all tunable parameters, as lists if there are several targets."""
        found: dict[str, Any] = {"percent": self.percent, "alpha": self.alpha}
        for name in ("weights", "coupling", "mu"):
            values = [getattr(settings, name) for settings in self.settings]
            found[name] = values[0] if len(values) == 1 else values
        return {**found, "loss": self.loss}


class Selection(NamedTuple):
    """A forest, the settings chosen for it, and the results.

    Attributes
    ----------
    forest : LeadingForest
        The forest.
    choices : ForestChoices
        The settings.
    results : tuple of Propagation
        The labels of all nodes, for each problem.
    errors : tuple of ndarray, or None
        For each problem, the error of every given label in standard deviations under the candidate
        that would be chosen without it. None with the three stages.
    """

    forest: LeadingForest
    choices: ForestChoices
    results: tuple[Propagation, ...]
    errors: tuple[FloatArray, ...] | None = None


class _Trial(NamedTuple):
    """A candidate that was tried on one problem, and its leave-one-out errors."""

    result: Propagation
    losses: FloatArray | None = None
    standard_errors: FloatArray | None = None

    @property
    def loss(self) -> float | None:
        return None if self.losses is None else float(self.losses.sum())


def select_settings(
    problems: Sequence[Problem],
    cut: Callable[[Any, Any], LeadingForest],
    solver: str,
    options: Options,
    verbose: int = 0,
) -> Selection:
    """Choose one parameter after the other (coordinate-wise search).

    The forest is chosen for all problems together, the settings of the solver for each separately.

    Parameters
    ----------
    problems : sequence of Problem
        The problems, one for each target.
    cut : callable
        ``cut(percent, alpha)`` returns the forest for a percentage and an alpha.
    solver : {"exact", "stages"}
        The solver.
    options : mapping
        Candidates of every parameter, the safest first.
    verbose : int
        Whether to report progress.
    """
    if solver == "exact" and any(problem.has_few_labels for problem in problems):
        options = {**options, "percent": options["percent"][:1], "alpha": options["alpha"][:1]}
    tried: list[list[_Trial]] = [[] for _ in problems]
    n_forests = len(options["percent"]) + len(options["alpha"]) - 1
    progress = Progress("propagation", n_forests, verbose)

    def on_forest(percent: Any, alpha: Any) -> Selection:
        """Choose the settings of every problem on one forest."""
        forest, best = cut(percent, alpha), []
        for problem, trials in zip(problems, tried, strict=True):
            best.append(_best_settings(forest, problem, solver, options, trials))
        losses = [trial.loss for trial in best if trial.loss is not None]
        settings = tuple(trial.result.settings for trial in best)
        loss = float(np.mean(losses)) if losses else None
        choices = ForestChoices(percent, alpha, settings, loss)
        progress.advance()
        return Selection(forest, choices, tuple(trial.result for trial in best))

    alpha = options["alpha"][0]
    found = on_forest(options["percent"][0], alpha)
    for percent in options["percent"][1:]:
        found = _better(found, on_forest(percent, alpha))
    for alpha in options["alpha"][1:]:
        found = _better(found, on_forest(found.choices.percent, alpha))
    if solver != "exact":
        return found
    return found._replace(errors=tuple(_honest_errors(trials) for trials in tried))


def _best_settings(
    forest: LeadingForest, problem: Problem, solver: str, options: Options, tried: list[_Trial]
) -> _Trial:
    """Choose weights, then coupling, then mu by leave-one-out; append all trials to ``tried``."""

    def attempt(settings: Settings) -> _Trial:
        result = propagate_checked(forest, problem.labels, problem.count, settings)
        if solver == "exact":
            tried.append(_Trial(result, problem.losses(result), problem.standard_errors(result)))
        else:
            tried.append(_Trial(result))
        return tried[-1]

    first = {name: options[name][0] for name in ("weights", "coupling", "mu")}
    best = attempt(Settings(solver, **first))
    for name in () if solver != "exact" or problem.has_few_labels else first:
        for candidate in options[name][1:]:
            trial = attempt(replace(best.result.settings, **{name: candidate}))
            if is_better(trial.loss, best.loss):
                best = trial
    return best


def _better(best: Selection, other: Selection) -> Selection:
    return other if is_better(other.choices.loss, best.choices.loss) else best


def is_better(loss: float | None, best: float | None) -> bool:
    """Whether a loss improves on the best so far by more than a small share of it."""
    return loss is not None and best is not None and loss < best * (1 - _MIN_RELATIVE_GAIN)


def _honest_errors(trials: Sequence[_Trial]) -> FloatArray:
    """Return the standard error of every given label under the candidate chosen without it.

    The leave-one-out error of the best of many candidates is optimistic.
    """
    best = np.full(1, np.inf)
    found: FloatArray = np.full(1, np.nan)
    for trial in trials:
        losses = np.asarray(trial.losses, dtype=np.float64)
        loss = losses.sum() - losses
        better = loss < best * (1 - _MIN_RELATIVE_GAIN)
        best = np.where(better, loss, best)
        found = np.where(better, np.asarray(trial.standard_errors, dtype=np.float64), found)
    return found
