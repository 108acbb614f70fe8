"""Extremely randomised trees fitted to the given labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lapoleaf._decision_trees import Entries, RandomTrees
from lapoleaf._points import Points
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.experts.columns import ScoresByColumns, has_columns, learnt_from
from lapoleaf.estimators.experts.groups import groups_of, left_out_by, trees_without
from lapoleaf.estimators.mixture import GivenClasses, log_shares
from lapoleaf.estimators.problem import Problem

# Number of trees for predictions, and for leave-one-out of each group of labels.
N_TREES, N_TREES_WITHOUT = 100, 20
# With more columns than this, the number of columns tried at a node is not tuned; a step from one
# candidate to the next is penalised in units of log-loss.
_MAX_COLUMNS_TO_CHOOSE, _PRICE_OF_STEP = 150, 2.0
# Maximum number of labels that trees are grown from; the others are predicted, and the forests use
# them.
MAX_GROWN_FROM = 2000
# Trees are not used with more columns than this, or with fewer labels.
_MAX_COLUMNS, _MIN_LABELS = 3000, 3


class ExtraTrees:
    """Extra trees with leave-one-out from trees that are grown without a tenth of the labels."""

    name: ClassVar[str] = "trees"
    usual_share: ClassVar[float] = 0.5
    score_unit: ClassVar[float] = 1.0

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether rows have columns, and there are at least three labels of two classes."""
        if not has_columns(points, _MAX_COLUMNS):
            return False
        nodes = problem.nodes
        is_there = (problem.labels[nodes] > 0).any(axis=0)
        return len(nodes) >= _MIN_LABELS and int(is_there.sum()) > 1

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedTrees:
        """Grow trees from the given labels.

        Parameters
        ----------
        points : Points
            All points.
        problem : Problem
            Labels of nodes.
        threads : int, default=1
            Number of threads.
        """
        nodes = problem.nodes
        used = learnt_from(points, nodes, MAX_GROWN_FROM)
        grown_from = nodes[used]
        rows = points.at(grown_from)
        columns = np.ascontiguousarray(rows.T)
        labels, count = problem.labels[grown_from], problem.count[grown_from]
        entries = Entries.of(labels, count)
        n_tried, without = _chosen(columns, rows, labels, entries, threads)
        trees = RandomTrees.grown(columns, entries, range(N_TREES), n_tried, threads=threads)
        shares = np.full((len(nodes), labels.shape[1]), 1.0 / labels.shape[1])
        shares[used] = without
        found = FittedTrees(points, trees, entries, log_shares(shares))
        others = np.setdiff1d(np.arange(len(nodes)), used)
        if len(others):
            found.leave_one_out[others] = found.at_nodes(points, nodes[others], threads)
        return found


def _chosen(
    columns: FloatArray, rows: FloatArray, labels: FloatArray, entries: Entries, threads: int
) -> tuple[int, FloatArray]:
    """Choose the number of columns tried at a node by leave-one-out.

    The default is the square root of the number of columns. If a single column of many is
    informative, more of them must be tried; each step away from the default is penalised in units
    of log-loss.

    Returns
    -------
    n_tried : int
        The number of columns.
    without : ndarray of shape (m, K)
        Shares of the classes of every label, by trees that were grown without it.
    """
    d = len(columns)
    candidates = [int(np.sqrt(d)), d // 3, d] if d <= _MAX_COLUMNS_TO_CHOOSE else [int(np.sqrt(d))]
    given = GivenClasses.of_labels(labels, entries.count)
    least, found = np.inf, (1, labels)
    for place, n_tried in enumerate(dict.fromkeys(max(1, number) for number in candidates)):
        without = _without(columns, rows, labels, entries, n_tried, threads)
        loss = given.loss(log_shares(without)) + place * _PRICE_OF_STEP
        if loss < least:
            least, found = loss, (n_tried, without)
    return found


def _without(
    columns: FloatArray,
    rows: FloatArray,
    labels: FloatArray,
    entries: Entries,
    n_tried: int,
    threads: int,
) -> FloatArray:
    """Return the shares (m, K) of the classes of labels by trees that were grown without them."""
    group = groups_of(labels.argmax(axis=1))
    seeds = range(N_TREES, N_TREES + N_TREES_WITHOUT * (int(group.max()) + 1))
    # Without its only label a class is unknown: all classes get equal shares.
    shares = np.full(labels.shape, 1.0 / labels.shape[1])
    if len(seeds):
        trees = trees_without(group, columns, entries, seeds, n_tried, threads)
        for left_out, which in left_out_by(trees, group):
            shares[left_out] = trees.answers(rows[left_out], entries, which)
    return shares


@dataclass(frozen=True, eq=False)
class FittedTrees(ScoresByColumns):
    """Extra trees fitted to the given labels.

    Attributes
    ----------
    points : Points
        All points: new rows are prepared as they were.
    trees : RandomTrees
        The trees.
    entries : Entries
        Labels of the rows that they were grown from.
    leave_one_out : ndarray of shape (n_given, K)
        Scores of every given label without it.
    """

    name: ClassVar[str] = ExtraTrees.name
    stage: ClassVar[str] = "decision trees"
    description: ClassVar[str] = "an average of decision trees"
    logarithms_of: ClassVar[float] = 1.0
    points: Points
    trees: RandomTrees
    entries: Entries
    leave_one_out: FloatArray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.entries.n_columns

    @property
    def _work(self) -> float:
        return float(len(self.trees.roots))

    def _scores_of(self, rows: FloatArray) -> FloatArray:
        return log_shares(self.trees.answers(rows, self.entries))
