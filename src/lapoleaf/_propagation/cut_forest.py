"""The exact solver for uncoupled trees."""

from __future__ import annotations

import dataclasses

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import kernels
from lapoleaf._propagation.exact import ExactSolver
from lapoleaf._propagation.stages import nearest_lender_of_top
from lapoleaf._typing import BoolArray, FloatArray, IntArray


class CutForest:
    """A forest of uncoupled trees.

    Trees with a label are solved separately. A tree without one is constant: it takes the label of
    the leader of its root, and an unlabelled top tree that of the nearest labelled root.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    solver : ExactSolver
        Its solver, with a coupling of 0.
    given : ndarray of shape (n_nodes,), bool
        Nodes with a given label.

    Attributes
    ----------
    solver : ExactSolver
        The same, without a pull to zero in trees that have no label.
    lender : ndarray of shape (n_trees,)
        For every tree, the labelled tree its label comes from.
    alone : ndarray of shape (n_nodes,), bool
        Nodes whose given label is the only one in their tree.
    """

    def __init__(self, forest: LeadingForest, solver: ExactSolver, given: BoolArray) -> None:
        tree = forest.tree
        self.forest = forest
        self.given = given
        in_tree = np.bincount(forest.tree_of[given], minlength=forest.n_trees)
        self.labelled: BoolArray = in_tree > 0
        self.alone: BoolArray = given & (in_tree == 1)[forest.tree_of]
        pulled = self.labelled[forest.tree_of[solver.order]]
        self.solver = dataclasses.replace(solver, pull=np.where(pulled, solver.pull, 0.0))
        self.lender = self._lenders(np.argsort(tree.rank[forest.roots]))

    def _lenders(self, by_rank: IntArray) -> IntArray:
        forest, labelled = self.forest, self.labelled
        above = kernels.lenders_above(
            forest.roots, by_rank, forest.tree.parent, forest.tree_of, labelled
        )
        lender = np.where(labelled, np.arange(forest.n_trees), above)
        if not labelled[0]:
            top = nearest_lender_of_top(forest.roots, labelled, forest.distance)
            lender = np.where(lender < 0, top, lender)
        return lender

    def source_of(self, node: int) -> int:
        """Return the node in a labelled tree whose label ``node`` has."""
        tree_of, roots = self.forest.tree_of, self.forest.roots
        while not self.labelled[tree_of[node]]:
            if tree_of[node] == 0:
                return int(roots[self.lender[0]])
            node = int(self.forest.tree.parent[roots[tree_of[node]]])
        return node

    def lends_to_top(self, node: int) -> bool:
        """Whether the label of ``node`` was lent to the top tree by another."""
        tree_of, roots = self.forest.tree_of, self.forest.roots
        while not self.labelled[tree_of[node]] and tree_of[node] != 0:
            node = int(self.forest.tree.parent[roots[tree_of[node]]])
        return not bool(self.labelled[tree_of[node]])

    def solve(self, labels: FloatArray) -> FloatArray:
        """Return the labels (n_nodes, K) of all nodes."""
        solution = self.solver.solve(labels)
        if self.labelled[0]:
            return solution
        # Solve again with the label of the top tree.
        seeded, clamped = labels.copy(), self.solver.clamped.copy()
        seeded[self.forest.tree.root] = solution[self.forest.roots[self.lender[0]]]
        clamped[0] = True
        return dataclasses.replace(self.solver, clamped=clamped).solve(seeded)

    def leave_one_out(self, labels: FloatArray, solution: FloatArray) -> FloatArray:
        """Return the labels (n_nodes, K) of given nodes without their own, NaN for others."""
        without = self.solver.leave_one_out(labels)
        alone = np.flatnonzero(self.alone)
        tree = self.forest.tree_of[alone]
        # Without its label a tree takes that of the leader of its root ...
        without[alone] = solution[self.forest.tree.parent[self.forest.roots[tree]]]
        # ... but the label of the top tree may depend on the one left out.
        for node in alone[(tree == 0) | (tree == self.lender[0])]:
            without[node] = self._again_without(labels, int(node))
        return without

    def _again_without(self, labels: FloatArray, node: int) -> FloatArray:
        """Return the label of ``node`` after solving without its own."""
        given = self.given.copy()
        given[node] = False
        if not given.any():
            return np.full(labels.shape[1], np.nan)
        kept = given[self.solver.order]
        fewer = dataclasses.replace(
            self.solver,
            clamped=self.solver.clamped & kept,
            count=np.where(kept, self.solver.count, 0.0),
        )
        answer: FloatArray = CutForest(self.forest, fewer, given).solve(labels)[node]
        return answer
