"""Classes of all rows: probabilities at nodes, and predictions for new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._lazy import Value
from lapoleaf._points import Points
from lapoleaf._propagation import Propagation
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.experts import FittedExpert
from lapoleaf.estimators.label_values import with_missing
from lapoleaf.estimators.mixture import Mixture
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.voters import Voters

# Far from all data the leader still determines the class with the largest probability.
_MIN_TRUST = 1e-6


class ClassAnswers(NamedTuple):
    """Classes of all rows.

    Attributes
    ----------
    distributions : ndarray of shape (n_rows, K)
        Probabilities of the classes.
    confidence : ndarray of shape (n_rows,)
        Probability of the most probable class.
    classes : ndarray of shape (n_rows,)
        The most probable class, missing where it is not probable enough.
    """

    distributions: FloatArray
    confidence: FloatArray
    classes: AnyArray


@dataclass(frozen=True, eq=False)
class ClassLabelling(Value):
    """Probabilities of the classes at all nodes, and the parts that predict new rows.

    Attributes
    ----------
    problem : Problem
        The given labels of nodes.
    result : Propagation
        Labels by the forests.
    mixture : Mixture or None
        How forests and experts are mixed; None for a single forest.
    experts : tuple of FittedExpert
        The experts.
    answers : ndarray of shape (n_nodes, K)
        Probabilities of the classes at every node.
    keeps_labels : bool
        Whether nodes keep the labels they were given.
    reach : float
        The largest distance from a point to its leader; predictions for new rows that are nearer
        than this to their leader do not fade.
    n_changes : int
        Number of incremental updates since labels were propagated in full.
    """

    problem: Problem
    result: Propagation
    mixture: Mixture | None
    experts: tuple[FittedExpert, ...]
    answers: FloatArray
    keeps_labels: bool
    reach: float
    n_changes: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether leave-one-out and variances have been computed, if the solver provides them."""
        return self.result.settings.solver != "exact" or self.result.leave_one_out is not None

    def of_rows(
        self, rows: Rows, given: ClassLabels, voters: Voters | None, method: Any
    ) -> ClassAnswers:
        """Return the classes of all rows; ``voters`` are those of the rows of weight 0.

        Rows keep the class they were given, even where equal rows were given another.
        """
        distributions = self.answers[rows.node_of]
        if self.keeps_labels:
            kept = np.flatnonzero(given.given & (rows.node_of >= 0))
            distributions[kept] = 0.0
            distributions[kept, given.codes[kept]] = 1.0
        if voters is not None:
            outside = self.of_new(rows.left_out, voters, method.trees.threads)
            distributions[rows.node_of < 0] = outside
        classes = named_classes(given, distributions, method.min_confidence)
        return ClassAnswers(distributions, distributions.max(axis=1), classes)

    def of_new(self, X: Any, voters: Voters, threads: int) -> FloatArray:
        """Return the probabilities of new rows, faded with the distance to their voters."""
        if self.mixture is None:
            vectors = voters.mean(self.answers)
        else:
            scores = [expert.at_rows(X, threads) for expert in self.experts]
            vectors = self.mixture.probabilities(voters.mean(self.result.labels), scores)
        known = voters.nearest == 0
        vectors[known] = self.answers[voters.nodes[known, 0]]
        beyond = self.reach / np.maximum(voters.nearest, self.reach)
        trust = np.maximum(beyond, _MIN_TRUST)[:, None]
        faded: FloatArray = trust * vectors + (1.0 - trust) / vectors.shape[1]
        return faded

    def leave_one_out(self) -> FloatArray:
        """Return the probabilities (n_given, K) of given nodes without their labels."""
        without = np.nan_to_num(np.asarray(self.result.leave_one_out)[self.problem.nodes])
        if self.mixture is not None:
            scores = [expert.leave_one_out for expert in self.experts]
            return self.mixture.probabilities(without, scores)
        total = without.sum(axis=1, keepdims=True)
        even = np.full(without.shape, 1.0 / without.shape[1])
        shares: FloatArray = np.divide(without, total, out=even, where=total > 0)
        return shares

    def expert_scores(self, points: Points, node: int | None, X: Any) -> dict[str, FloatArray]:
        """Return the scores (K,) of every expert, at one node or for one new row.

        Parameters
        ----------
        points : Points
            The nodes.
        node : int or None
            The node, None for a new row.
        X : object
            The new row.
        """
        if node is None:
            return {expert.name: expert.at_rows(X)[0] for expert in self.experts}
        nodes = np.array([node])
        return {expert.name: expert.at_nodes(points, nodes)[0] for expert in self.experts}


def shares_of_labels(
    vectors: FloatArray, problem: Problem, *, keeps_labels: bool = True
) -> FloatArray:
    """Return label vectors as shares that sum to 1; given labels may be kept."""
    shares: FloatArray = vectors / vectors.sum(axis=1, keepdims=True)
    if keeps_labels:
        given = problem.count > 0
        shares[given] = problem.labels[given]
    return shares


def reach_of(forest: LeadingForest) -> float:
    """Return the largest distance over which a point of the forest is led."""
    links = forest.tree.delta[~forest.is_root]
    return float(links.max()) if len(links) else float(forest.tree.bandwidth or 1.0)


def named_classes(
    given: ClassLabels, distributions: FloatArray, min_confidence: float | None
) -> AnyArray:
    """Return the most probable class of every row, missing where it is not probable enough."""
    best, confidence = most_probable(distributions)
    found: AnyArray = given.classes[best]
    if min_confidence is None:
        return found
    return with_missing(found, confidence < min_confidence, given.missing)


def most_probable(distributions: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the most probable class of every row, as a number, and its probability."""
    best = distributions.argmax(axis=1)
    return best, distributions[np.arange(len(best)), best]
