"""Stacked forests of the same nodes, for kernels over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import stack_kernels
from lapoleaf._propagation.exact import link_weights
from lapoleaf._propagation.result import Settings
from lapoleaf._typing import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ForestStack:
    """Forests of the same nodes, one a row, each in its own density order.

    Attributes
    ----------
    order : ndarray of shape (n_forests, n_nodes)
        The nodes of every forest, densest first.
    parent : ndarray of shape (n_forests, n_nodes)
        Place of every node's leader in the order, -1 for the first.
    weight : ndarray of shape (n_forests, n_nodes)
        Weight of the link to it; 0 for cut links.
    """

    order: IntArray
    parent: IntArray
    weight: FloatArray

    @classmethod
    def of(cls, forests: Sequence[LeadingForest], settings: Settings) -> ForestStack:
        """Return the stack of forests.

        Parameters
        ----------
        forests : sequence of LeadingForest
            Forests of the same nodes.
        settings : Settings
            Weighting of links, and coupling of trees.
        """
        shape = (len(forests), forests[0].tree.n_nodes)
        whole = np.int32 if shape[1] < 2**31 else np.int64
        order, parent = np.empty((2, *shape), dtype=whole)
        weight = np.empty(shape)
        for f, forest in enumerate(forests):
            tree = forest.tree
            strength = link_weights(tree, settings.weights)
            if settings.coupling != 1.0:
                strength[forest.roots] *= settings.coupling
            stack_kernels.fill_forest(
                tree.order, tree.rank, tree.parent, strength, order[f], parent[f], weight[f]
            )
        return cls(order, parent, weight)

    @property
    def n_forests(self) -> int:
        """Number of forests."""
        return len(self.order)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of each."""
        return int(self.order.shape[1])

    def part(self, some: slice) -> ForestStack:
        """Return some of the forests; they share the arrays."""
        return ForestStack(self.order[some], self.parent[some], self.weight[some])


def own_weights(count: FloatArray, mu: float) -> FloatArray:
    """Return the weight of every node's own label: 2 mu times the count, infinite if kept.

    Parameters
    ----------
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    mu : float
        Weight of a given label relative to the links.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._propagation.forest_stack import own_weights
    >>> own_weights(np.array([0.0, 1.0, 3.0]), 0.5)
    array([0., 1., 3.])
    """
    own: AnyArray = np.zeros(len(count))
    # Weights that overflow are treated as infinite.
    with np.errstate(over="ignore"):
        np.multiply(count, 2.0 * mu, out=own, where=count > 0)
    return own
