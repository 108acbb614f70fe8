"""Extremely randomised trees fitted to the given numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lapoleaf._decision_trees import Entries, RandomTrees
from lapoleaf._lazy import Value, computed_once
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.groups import left_out_by, random_groups, trees_without
from lapoleaf.estimators.experts.kernel_matrices import subset_of
from lapoleaf.estimators.experts.protocol import Estimate
from lapoleaf.estimators.problem import Problem

# Number of trees for predictions, and for leave-one-out of each group of targets.
N_TREES, N_TREES_WITHOUT = 100, 20
# Maximum number of targets that trees are grown from; the others are predicted, and the forests use
# them.
MAX_GROWN_FROM = 1000
# Trees are not used with more columns than this, or with fewer targets.
_MAX_COLUMNS, _MIN_TARGETS = 3000, 4
# Columns tried at a node: all, at most this number.
_MAX_TRIED = 100
_ROWS_AT_A_TIME = 4096


class NumberTrees:
    """Extra trees with leave-one-out from trees that are grown without a tenth of the targets."""

    name: ClassVar[str] = "trees"
    usual_share: ClassVar[float] = 0.3
    score_unit: ClassVar[float] = 1.0

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether rows have no missing values, and there are enough distinct targets."""
        if not isinstance(points, DensePoints) or len(points.columns) > _MAX_COLUMNS:
            return False
        # Under a metric for missing values, new rows may have some even if these have none.
        if points.kind.allows_nan:
            return False
        targets = problem.labels[problem.nodes, 0]
        return len(targets) >= _MIN_TARGETS and bool(np.ptp(targets) > 0)

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedNumberTrees:
        """Grow trees from the given targets.

        Parameters
        ----------
        points : Points
            All points.
        problem : Problem
            Numbers of nodes.
        threads : int, default=1
            Number of threads.
        """
        nodes = problem.nodes
        used = subset_of(points.take(nodes), MAX_GROWN_FROM)
        order = points.take(nodes[used]).canonical_order()
        used = used if order is None else used[order]
        grown_from = nodes[used]
        rows = points.at(grown_from)
        columns = np.ascontiguousarray(rows.T)
        targets, count = problem.labels[grown_from, 0], problem.count[grown_from]
        center = float(np.average(targets, weights=count))
        # Centred first, so that no precision is lost if all targets are large.
        entries = Entries.of((targets - center)[:, None], count)
        n_tried = min(len(columns), _MAX_TRIED)
        without = _without(columns, rows, entries, n_tried, threads)
        residual = float(np.average((targets - center - without.values) ** 2, weights=count))
        spread = float(np.average(without.variances, weights=count))
        # Scaled so that the mean variance equals the mean squared error of leave-one-out.
        factor = residual / (residual + spread) if residual > 0 else 0.0
        trees = RandomTrees.grown(columns, entries, range(N_TREES), n_tried, threads=threads)
        m = len(nodes)
        held_out = Estimate(np.full(m, center), np.full(m, residual))
        found = FittedNumberTrees(points, trees, entries, center, factor, residual, held_out)
        held_out.values[used] = center + without.values
        held_out.variances[used] = factor * (without.variances + residual)
        others = np.setdiff1d(np.arange(m), used)
        if len(others):
            answers = found.at_nodes(points, nodes[others], threads)
            held_out.values[others], held_out.variances[others] = answers
        return found


def _without(
    columns: FloatArray, rows: FloatArray, entries: Entries, n_tried: int, threads: int
) -> Estimate:
    """Return the mean and the variance over the trees that were grown without each target."""
    m = len(rows)
    found = Estimate(np.zeros(m), np.zeros(m))
    group = random_groups(m)
    seeds = range(N_TREES, N_TREES + N_TREES_WITHOUT * (int(group.max()) + 1))
    trees = trees_without(group, columns, entries, seeds, n_tried, threads)
    for left_out, which in left_out_by(trees, group):
        answers = _over_trees(trees, rows[left_out], entries, which)
        found.values[left_out], found.variances[left_out] = answers
    return found


def _over_trees(
    trees: RandomTrees, rows: FloatArray, entries: Entries, which: IntArray
) -> Estimate:
    """Return the mean and the variance of the predictions of some trees."""
    total, squares = np.zeros(len(rows)), np.zeros(len(rows))
    for tree in which:
        answer = trees.answers(rows, entries, np.array([tree]))[:, 0]
        total += answer
        squares += answer**2
    mean = total / len(which)
    return Estimate(mean, np.maximum(squares / len(which) - mean**2, 0.0))


@dataclass(frozen=True, eq=False)
class FittedNumberTrees(Value):
    """Extra trees fitted to the given targets.

    Attributes
    ----------
    points : Points
        All points: new rows are prepared as they were.
    trees : RandomTrees
        The trees.
    entries : Entries
        Targets of the rows that they were grown from, centred.
    center : float
        The mean of these targets.
    factor, residual : float
        The variance of a target is ``factor`` times the sum of the variance over trees and
        ``residual``, the squared error of leave-one-out; the factor calibrates it to the errors of
        leave-one-out.
    leave_one_out : Estimate
        Value and variance of every given target without it, (n_given,).
    """

    name: ClassVar[str] = NumberTrees.name
    description: ClassVar[str] = "trees that ask for one column after the other"
    logarithms_of: ClassVar[float] = 1.0
    points: Points
    trees: RandomTrees
    entries: Entries
    center: float
    factor: float
    residual: float
    leave_one_out: Estimate

    @computed_once
    def _one_point(self) -> Points:
        return self.points.take(np.zeros(1, dtype=np.int64))

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Estimate:
        """Return values and variances of some of the points, all if ``nodes`` is None."""
        wanted = np.arange(points.n) if nodes is None else nodes
        return self._answers(len(wanted), lambda block: points.at(wanted[block]), threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Estimate:
        """Return values and variances of new rows, in the form the points were made from."""
        return self._answers(
            X.shape[0], lambda block: self._one_point.prepare(X[block]), threads, verbose
        )

    def _answers(
        self, n: int, rows: Callable[[slice], FloatArray], threads: int, verbose: int
    ) -> Estimate:
        values, variances = np.empty(n), np.empty(n)
        every_tree = np.arange(len(self.trees.roots))

        def work(block: slice) -> None:
            found = _over_trees(self.trees, rows(block), self.entries, every_tree)
            values[block] = self.center + found.values
            variances[block] = self.factor * (found.variances + self.residual)

        n_numbers = int(self._one_point.work) + 1
        blocks = row_blocks(n, n_numbers, float(len(self.trees.roots)), threads, _ROWS_AT_A_TIME)
        for_each_block(work, blocks, threads, Progress("trees", n, verbose))
        return Estimate(values, variances)
