"""Experts after labels have changed: solved again, or kept until the next choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._lazy import Value, compute_once, computed_once, is_computed
from lapoleaf._points import Points
from lapoleaf._typing import IntArray
from lapoleaf.estimators.experts.protocol import Estimate, FittedExpert
from lapoleaf.estimators.problem import Problem

# Maximum size of the cached predictions for all nodes, in bytes.
_MAX_BYTES = 2**27


@dataclass(frozen=True, eq=False)
class KeptExpert(Value):
    """An expert fitted to the labels of the last choice, used with the present labels.

    Attributes
    ----------
    learnt : FittedExpert
        The expert.
    points : Points
        All points.
    nodes : ndarray of shape (m,)
        Nodes whose labels it was fitted to, ascending.
    given : ndarray of shape (n_given,)
        Nodes that have a label now, ascending.
    """

    learnt: FittedExpert
    points: Points
    nodes: IntArray
    given: IntArray

    @property
    def name(self) -> str:
        """The name of the expert."""
        return self.learnt.name

    @property
    def description(self) -> str:
        """Short description, used in explanations."""
        return self.learnt.description

    @property
    def logarithms_of(self) -> float:
        """Scores times this are about the logarithms of probabilities."""
        return self.learnt.logarithms_of

    @computed_once
    def leave_one_out(self) -> Any:
        """Leave-one-out predictions for all nodes that have a label now.

        Labels that were added later have not been used by the expert.
        """
        is_learnt = np.isin(self.given, self.nodes)
        places = np.searchsorted(self.nodes, self.given[is_learnt])
        if is_learnt.all():
            return _taken(self.learnt.leave_one_out, places)
        later = self.at_nodes(self.points, self.given[~is_learnt])
        return _merged(is_learnt, _taken(self.learnt.leave_one_out, places), later)

    @computed_once
    def _at_all(self) -> Any:
        return self.learnt.at_nodes(self.points)

    def at_all(self, threads: int = 1) -> Any:
        """Return the predictions for all points; cached if they are not too large."""
        if is_computed(self, "_at_all"):
            return self._at_all
        found = self.learnt.at_nodes(self.points, threads=threads)
        if _n_bytes(found) > _MAX_BYTES:
            return found
        return compute_once(self, "_at_all", lambda: found)

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Any:
        """Return the predictions for some of the points, all if ``nodes`` is None."""
        if is_computed(self, "_at_all"):
            return self._at_all if nodes is None else _taken(self._at_all, nodes)
        return self.learnt.at_nodes(points, nodes, threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Any:
        """Return the predictions for new rows, in the format of the training rows."""
        return self.learnt.at_rows(X, threads, verbose)

    def with_labels(self, problem: Problem) -> KeptExpert:
        """Return the same expert for other labels."""
        found = KeptExpert(self.learnt, self.points, self.nodes, problem.nodes)
        if is_computed(self, "_at_all"):
            vars(found)["_at_all"] = self._at_all
        return found


def experts_with_labels(
    experts: Sequence[FittedExpert], points: Points, before: Problem, problem: Problem
) -> tuple[FittedExpert, ...]:
    """Return the experts for other labels, with their choices kept.

    Experts with a closed form are solved again; others are kept as they are.

    Parameters
    ----------
    experts : sequence of FittedExpert
        The experts so far.
    points : Points
        All points.
    before, problem : Problem
        The labels so far, and the new ones.
    """
    found = []
    for expert in experts:
        if not hasattr(expert, "with_labels"):
            expert = KeptExpert(expert, points, before.nodes, before.nodes)
        found.append(expert.with_labels(problem))
    return tuple(found)


def _taken(answers: Any, places: IntArray) -> Any:
    """Return some of the predictions of an expert."""
    if isinstance(answers, Estimate):
        return Estimate(answers.values[places], answers.variances[places])
    return answers[places]


def _merged(first: Any, ones: Any, others: Any) -> Any:
    """Return merged predictions: ``ones`` where ``first``, ``others`` elsewhere."""
    if isinstance(ones, Estimate):
        values = _merged(first, ones.values, others.values)
        return Estimate(values, _merged(first, ones.variances, others.variances))
    found = np.empty((len(first), *ones.shape[1:]))
    found[first], found[~first] = ones, others
    return found


def _n_bytes(answers: Any) -> int:
    parts = answers if isinstance(answers, Estimate) else (answers,)
    return sum(part.nbytes for part in parts)
