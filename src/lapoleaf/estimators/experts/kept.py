"""Experts whose labels change: solved again, or kept as they are until the next choice."""

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

# Bytes of answers at all nodes that an expert keeps at most.
_MAX_BYTES = 2**27


@dataclass(frozen=True, eq=False)
class KeptExpert(Value):
    """An expert that has learnt the labels of the last choice, beside the labels there are now.

    Attributes
    ----------
    learnt : FittedExpert
        The expert.
    points : Points
        All points.
    nodes : ndarray of shape (m,)
        Nodes whose labels it has learnt, ascending.
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
        """What it is, in plain words that explanations use."""
        return self.learnt.description

    @property
    def logarithms_of(self) -> float:
        """Scores times this are about the logarithms of probabilities."""
        return self.learnt.logarithms_of

    @computed_once
    def leave_one_out(self) -> Any:
        """Answers for all nodes that have a label now, each without its own.

        Labels that came later are unknown to the expert.
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
        """Return answers for all points; kept where they are not too large."""
        if is_computed(self, "_at_all"):
            return self._at_all
        found = self.learnt.at_nodes(self.points, threads=threads)
        if _n_bytes(found) > _MAX_BYTES:
            return found
        return compute_once(self, "_at_all", lambda: found)

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Any:
        """Return answers for some of the points, all if ``nodes`` is None."""
        if is_computed(self, "_at_all"):
            return self._at_all if nodes is None else _taken(self._at_all, nodes)
        return self.learnt.at_nodes(points, nodes, threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Any:
        """Return answers for new rows, in the form the points were made from."""
        return self.learnt.at_rows(X, threads, verbose)

    def with_labels(self, problem: Problem) -> KeptExpert:
        """Return the expert beside other labels."""
        found = KeptExpert(self.learnt, self.points, self.nodes, problem.nodes)
        if is_computed(self, "_at_all"):
            vars(found)["_at_all"] = self._at_all
        return found


def experts_with_labels(
    experts: Sequence[FittedExpert], points: Points, before: Problem, problem: Problem
) -> tuple[FittedExpert, ...]:
    """Return experts for other labels, with what was chosen for them kept.

    Experts with a closed form are solved again; others stay as they are.

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
    """Return some of the answers of an expert."""
    if isinstance(answers, Estimate):
        return Estimate(answers.values[places], answers.variances[places])
    return answers[places]


def _merged(first: Any, ones: Any, others: Any) -> Any:
    """Return answers in one order: ``ones`` where ``first``, ``others`` elsewhere."""
    if isinstance(ones, Estimate):
        values = _merged(first, ones.values, others.values)
        return Estimate(values, _merged(first, ones.variances, others.variances))
    found = np.empty((len(first), *ones.shape[1:]))
    found[first], found[~first] = ones, others
    return found


def _n_bytes(answers: Any) -> int:
    parts = answers if isinstance(answers, Estimate) else (answers,)
    return sum(part.nbytes for part in parts)
