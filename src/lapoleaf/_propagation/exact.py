r"""The exact minimiser of the paper's objective on a forest, in two passes.

.. math:: \tfrac{1}{2} \sum_i W_i |L_i - L_{p(i)}|^2 + \mu \sum_{given} |L_i - Y_i|^2

Eliminating leaves upwards is Gaussian elimination without fill-in, so one pass up and one pass down
solve it exactly; the same passes give the variance of every label and the label every given node
would have without its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._messages import shown
from lapoleaf._propagation import exact_kernels
from lapoleaf._propagation.result import Settings
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._typing import BoolArray, FloatArray, IntArray

WEIGHTS = ("inverse", "self-tuned")
# Minimum length of links relative to the longest, so that weights are finite.
_MIN_RELATIVE_LENGTH = 1e-200


def link_weights(tree: LeadingTree, weights: str) -> FloatArray:
    """Return the dimensionless weight of the link from every node to its leader.

    Parameters
    ----------
    tree : LeadingTree
        The tree.
    weights : {"inverse", "self-tuned"}
        ``"inverse"``: population times the mean delta over delta. ``"self-tuned"``: population
        times ``exp(-2 delta**2 / (s t))``, with s and t the distances of the node and its leader to
        their 10th neighbours.
    """
    if weights not in WEIGHTS:
        raise ValueError(f"weights={shown(weights)} is not known: use one of {WEIGHTS}.")
    if tree.n_nodes == 1:
        return np.ones(1)
    if weights == "inverse":
        return tree.population * _inverse(tree)
    if tree.scale is None:
        raise ValueError(
            "weights='self-tuned' needs a tree built from data, or one with scale=...; use "
            "weights='inverse'."
        )
    return tree.population * link_strengths(tree.delta, tree.scale, tree.scale[tree.parent])


def _inverse(tree: LeadingTree) -> FloatArray:
    """Return mean delta over delta, ignoring the root's delta, which is not a distance."""
    largest = float(tree.delta.max())
    delta = np.maximum(tree.delta / largest, _MIN_RELATIVE_LENGTH)
    linked = np.delete(delta, tree.root)
    inverse: FloatArray = linked.mean() / delta
    return inverse


@dataclass(frozen=True, eq=False)
class ExactSolver:
    """Solver of one forest: weights of links and of given labels, factorised for any labels.

    Attributes are in density order; arguments and results of methods are in the order of nodes.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The nodes, densest first.
    parent : ndarray of shape (n,)
        Place of every node's leader in the order, -1 for the first.
    weight : ndarray of shape (n,)
        Weight of the link to it; 0 for cut links.
    count : ndarray of shape (n,)
        Weight of the given label of every node (2 mu times their number); 0 where there is none,
        and where it is kept.
    clamped : ndarray of shape (n,), bool
        Nodes that keep their given label.
    pull : ndarray of shape (n,)
        Weight of the pull to zero.
    """

    order: IntArray
    parent: IntArray
    weight: FloatArray
    count: FloatArray
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
        degree = weight + np.bincount(parent[1:], weight[1:], len(weight))
        own = np.zeros(len(order))
        # Weights that overflow are treated as infinite.
        with np.errstate(over="ignore"):
            np.multiply(count[order], 2.0 * settings.mu, out=own, where=count[order] > 0)
        clamped = np.isinf(own)
        return cls(
            order=order,
            parent=parent,
            weight=weight,
            count=np.where(clamped, 0.0, own),
            clamped=clamped,
            pull=settings.pull * degree,
        )

    @cached_property
    def _messages(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        return exact_kernels.message_weights(
            self.parent, self.weight, self.count, self.clamped, self.pull
        )

    @cached_property
    def _own(self) -> FloatArray:
        """Weight of a node's own label in its message up."""
        rise = self._messages[2]
        return np.where(self.clamped, self.weight, rise * self.count)

    def _to_nodes(self, values: FloatArray) -> FloatArray:
        """Return values in density order in the order of nodes."""
        out = np.empty_like(values)
        out[self.order] = values
        return out

    @cached_property
    def others(self) -> FloatArray:
        """Weight of all influences on a node except its own label; 0 if there are none."""
        _, down, _, _, below = self._messages
        return self._to_nodes(below + down)

    @property
    def precision(self) -> FloatArray:
        """Inverse variance of every label, in units of the inverse variance of a link."""
        own = np.where(self.clamped, np.inf, self.count)
        return self.others + self._to_nodes(own)

    def solve(self, labels: FloatArray) -> FloatArray:
        """Return the exact labels (n, K)."""
        _, _, rise, _, below = self._messages
        return exact_kernels.solve_labels(
            self.order, self.parent, self.weight, self.count, self.clamped, rise, self._own, below,
            labels,
        )  # fmt: skip

    def leave_one_out(self, labels: FloatArray) -> FloatArray:
        """Return the labels (n, K) of given nodes without their own; NaN where there is none."""
        out = np.full_like(labels, np.nan)
        given, found = self.leave_one_out_of_given(labels)
        out[given] = found
        return out

    def leave_one_out_of_given(self, labels: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the given nodes, (m,), and their labels (m, K) without their own."""
        _, down, rise, fall, below = self._messages
        given = self.clamped | (self.count > 0)
        # Only given nodes and those above them, since no other node sends a message.
        kept = np.flatnonzero(exact_kernels.at_or_above(self.parent, given))
        number = np.empty(len(given), dtype=np.int64)
        number[kept] = np.arange(len(kept))
        parent = np.append(-1, number[self.parent[kept[1:]]])
        found = exact_kernels.labels_without_own(
            parent, self.weight[kept], self.count[kept], self.clamped[kept], rise[kept],
            self._own[kept], fall[kept], (below + down)[kept], labels[self.order[kept]],
        )  # fmt: skip
        return self.order[kept[given[kept]]], found[given[kept]]

    def shares(self, node: int) -> FloatArray:
        """Return the share of every given label in the label of ``node``; they sum to 1."""
        up, down, _, _, below = self._messages
        place = int(np.flatnonzero(self.order == node)[0])
        shares = exact_kernels.exact_shares(
            self.parent, self.count, self.clamped, up, down, below, self.pull, place
        )
        total = shares.sum()
        return self._to_nodes(shares / total if total > 0 else shares)


def label_scale(errors: FloatArray, expected: FloatArray) -> FloatArray:
    """Estimate sigma^2 for every column from errors of leave-one-out, (m, K).

    ``expected`` is the expectation of the squared error of a given label in units of sigma^2: the
    variance of its prediction from the others plus its own noise.
    """
    if not len(errors):
        return np.full(errors.shape[1], np.inf)
    scale: FloatArray = (errors**2 / expected[:, None]).mean(axis=0)
    return scale
