r"""The exact minimiser of the paper's objective on a forest, in two passes.

.. math:: \tfrac12 \sum_i W_i |L_i - L_{p(i)}|^2 + \mu \sum_{given} |L_i - Y_i|^2

Eliminating leaves upwards is Gaussian elimination without fill-in, so one pass up and one pass down
solve it exactly; the same passes give the variance of every label and the label every given node
would have without its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation import kernels
from lapoleaf.propagation.result import Settings
from lapoleaf.propagation.weights import link_weights


@dataclass(frozen=True, eq=False)
class ExactSolver:
    """One forest with its weights, ready for labels. All arrays in density order.

    Parameters
    ----------
    parent : ndarray of shape (n,)
        Place of every node's leader in the order, -1 for the first.
    weight : ndarray of shape (n,)
        Weight of the link to it; 0 where nothing may pass.
    count : ndarray of shape (n,)
        Weight of the given label of every node (2 mu times their number), 0 where not given.
    given, clamped : ndarray of shape (n,), bool
        Nodes with a given label; those of them that keep it.
    pull : ndarray of shape (n,)
        Weight of the pull to zero.
    """

    parent: IntArray
    weight: FloatArray
    count: FloatArray
    given: BoolArray
    clamped: BoolArray
    pull: FloatArray

    @classmethod
    def on(cls, forest: LeadingForest, count: FloatArray, settings: Settings) -> ExactSolver:
        """Make the solver of a forest.

        Parameters
        ----------
        forest : LeadingForest
            The forest.
        count : ndarray of shape (n_nodes,)
            Number of labels given to every node.
        settings : Settings
            Weights of links and labels.
        """
        tree = forest.tree
        order = tree.order
        parent = np.where(tree.parent[order] < 0, -1, tree.rank[tree.parent[order]])
        strength = link_weights(tree, settings.weights)
        weight = np.where(forest.is_root, settings.coupling * strength, strength)[order]
        weight[0] = 0.0
        given = count[order] > 0
        kept = bool(np.isinf(settings.mu))
        degree = weight + np.bincount(parent[1:], weight[1:], len(weight))
        return cls(
            parent=parent,
            weight=weight,
            count=np.zeros(len(given)) if kept else 2.0 * settings.mu * count[order],
            given=given,
            clamped=given & kept,
            pull=settings.pull * degree,
        )

    @cached_property
    def _messages(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        return kernels.weigh_messages(self.parent, self.weight, self.count, self.clamped, self.pull)

    @property
    def others(self) -> FloatArray:
        """Weight of all that bears on a node besides its own label; 0 if nothing does."""
        _, down, _, _, below = self._messages
        return below + down

    @property
    def precision(self) -> FloatArray:
        """Inverse variance of every label, in units of the inverse variance of a link."""
        return np.where(self.clamped, np.inf, self.others + self.count)

    def solve(self, labels: FloatArray) -> FloatArray:
        """Give the exact labels (n, K)."""
        _, _, rise, _, below = self._messages
        return kernels.carry_labels(
            self.parent, self.weight, self.count, self.clamped, rise, below, labels
        )

    def leave_one_out(self, labels: FloatArray) -> FloatArray:
        """Give the labels (n, K) of given nodes without their own; NaN where there is none."""
        _, _, rise, fall, _ = self._messages
        return kernels.labels_without_own(
            self.parent, self.weight, self.count, self.clamped, self.given, rise, fall,
            self.others, labels,
        )  # fmt: skip

    def shares(self, node: int) -> FloatArray:
        """Give the share of every given label in the label of ``node``; they sum to 1."""
        up, down, _, _, below = self._messages
        shares = kernels.exact_shares(
            self.parent, self.count, self.clamped, up, down, below, self.pull, node
        )
        total = shares.sum()
        return shares / total if total > 0 else shares
