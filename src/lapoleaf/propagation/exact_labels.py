"""Exact labels of a forest, their variance, and what they would be without themselves."""

from __future__ import annotations

import dataclasses

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation.exact import ExactSolver
from lapoleaf.propagation.result import Propagation, Settings
from lapoleaf.propagation.stages import nearest_lender_of_top


def exact_labels(
    forest: LeadingForest, labels: FloatArray, count: FloatArray, settings: Settings
) -> Propagation:
    """Propagate label vectors (n_nodes, K) exactly."""
    tree = forest.tree
    solver = ExactSolver.on(forest, count, settings)
    sorted_labels = labels[tree.order]
    if settings.coupling > 0.0:
        lender: IntArray = np.arange(forest.n_trees)
        solution = solver.solve(sorted_labels)
        without = solver.leave_one_out(sorted_labels)
    else:
        cut = _CutForest(forest, solver)
        lender = cut.lenders()
        solution = cut.solve(sorted_labels)
        without = cut.leave_one_out(sorted_labels, solution)
    return Propagation(
        labels=solution[tree.rank],
        settings=settings,
        lender=lender,
        leave_one_out=without[tree.rank],
        precision=solver.precision[tree.rank],
        others=solver.others[tree.rank],
        noise=0.0 if np.isinf(settings.mu) else 0.5 / settings.mu,
        sigma2=_scale(solver, sorted_labels, without),
    )


def exact_shares(
    forest: LeadingForest, count: FloatArray, result: Propagation, node: int
) -> FloatArray:
    """Give the share of every given label in the exact label of ``node``; they sum to 1."""
    tree = forest.tree
    solver = ExactSolver.on(forest, count, result.settings)
    start = int(tree.rank[node])
    if result.settings.coupling == 0.0:
        start = _CutForest(forest, solver).source_of(start)
    return solver.shares(start)[tree.rank]


def _scale(solver: ExactSolver, labels: FloatArray, without: FloatArray) -> FloatArray:
    """Estimate sigma^2 for every column from the errors of leave-one-out.

    In units of sigma^2, a given label deviates from what the others say of it by the variance of
    what they say and its own noise.
    """
    used = solver.given & (solver.others > 0)
    if not used.any():
        return np.full(labels.shape[1], np.inf)
    with np.errstate(divide="ignore"):
        own = np.where(solver.clamped, 0.0, 1.0 / solver.count)[used]
    expected = 1.0 / solver.others[used] + own
    errors = (labels[used] - without[used]) ** 2
    scale: FloatArray = (errors / expected[:, None]).mean(axis=0)
    return scale


class _CutForest:
    """The rule for trees that are not coupled at all; everything in density order.

    Labelled trees solve alone. A tree without a label is constant: it takes the label of the leader
    of its root, and an unlabelled top that of the nearest labelled root.
    """

    def __init__(self, forest: LeadingForest, solver: ExactSolver) -> None:
        tree = forest.tree
        self.forest = forest
        self.solver = solver
        self.tree_of: IntArray = forest.tree_of[tree.order]
        self.roots: IntArray = tree.rank[forest.roots]
        self.labelled: BoolArray = np.zeros(forest.n_trees, dtype=bool)
        self.labelled[self.tree_of[solver.given]] = True

    def _top_lender(self, labelled: BoolArray) -> int:
        """Give the tree whose root's label the top has."""
        if labelled[0]:
            return 0
        return nearest_lender_of_top(self.forest.roots, labelled, self.forest.distance)

    def lenders(self) -> IntArray:
        """Give, for every tree, the labelled tree its label comes from."""
        lender = np.arange(self.forest.n_trees)
        lender[0] = self._top_lender(self.labelled)
        for place in np.sort(self.roots):
            tree = self.tree_of[place]
            if not self.labelled[tree] and place > 0:
                lender[tree] = lender[self.tree_of[self.solver.parent[place]]]
        return lender

    def source_of(self, place: int) -> int:
        """Give the place whose label ``place`` has, in a labelled tree."""
        while not self.labelled[self.tree_of[place]]:
            root = self.roots[self.tree_of[place]]
            if root == 0:
                return int(self.roots[self._top_lender(self.labelled)])
            place = int(self.solver.parent[root])
        return place

    def solve(self, labels: FloatArray) -> FloatArray:
        solution = self.solver.solve(labels)
        if self.labelled[0]:
            return solution
        lender = self.roots[self._top_lender(self.labelled)]
        return self._with_top(labels, solution[lender])

    def _with_top(self, labels: FloatArray, label: FloatArray) -> FloatArray:
        """Solve with the top's label known."""
        seeded, clamped = labels.copy(), self.solver.clamped.copy()
        seeded[0], clamped[0] = label, True
        return dataclasses.replace(self.solver, clamped=clamped).solve(seeded)

    def leave_one_out(self, labels: FloatArray, solution: FloatArray) -> FloatArray:
        without = self.solver.leave_one_out(labels)
        alone = np.flatnonzero(self.solver.given & (self.solver.others == 0))
        lender_of_top = self._top_lender(self.labelled)
        for place in alone:
            tree = int(self.tree_of[place])
            if tree in (0, lender_of_top):
                # What the top has depends on this label: take it away and solve again.
                without[place] = self._again_without(labels, int(place))
            else:
                without[place] = solution[self.solver.parent[self.roots[tree]]]
        return without

    def _again_without(self, labels: FloatArray, place: int) -> FloatArray:
        given = self.solver.given.copy()
        given[place] = False
        if not given.any():
            return np.full(labels.shape[1], np.nan)
        fewer = dataclasses.replace(
            self.solver,
            given=given,
            clamped=self.solver.clamped & given,
            count=np.where(given, self.solver.count, 0.0),
        )
        answer: FloatArray = _CutForest(self.forest, fewer).solve(labels)[place]
        return answer
