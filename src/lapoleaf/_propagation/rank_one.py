r"""Rank-one updates of all labels after a label is added, changed or removed.

With A the matrix of the objective of a forest, without the own label of node i, and
:math:`c = A^{-1} e_i`, labels with an own label Y of weight g are

.. math:: L = L_0 + c \, g \, (Y - L_{0,i}) / (1 + g \, c_i)

where :math:`L_0` are those without. c takes one scalar pass for any number of classes, and the mean
over F forests changes by a product of rank F. Nothing is subtracted from A, so removing a label
loses no precision; an infinite g keeps the label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._propagation import rank_one_kernels
from lapoleaf._propagation.forest_stack import ForestStack
from lapoleaf._typing import FloatArray

# Blocks of forests that threads share.
_MAX_BLOCKS = 8


class OwnLabel(NamedTuple):
    """The own label of a node.

    Attributes
    ----------
    weight : float
        Its weight, see :func:`own_weights`: infinite if it is kept, 0 if there is none.
    label : ndarray of shape (K,)
        The label; ignored if the weight is 0.
    """

    weight: float
    label: FloatArray


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence of the own label of a node on all labels, in every forest.

    Attributes
    ----------
    columns : ndarray of shape (n_forests, n_nodes)
        Response of every node to a pull at the node: c above.
    at_node : ndarray of shape (n_forests,)
        Response of the node itself.
    without : ndarray of shape (n_forests, K)
        Label of the node without its own.
    """

    columns: FloatArray
    at_node: FloatArray
    without: FloatArray

    def change(self, before: OwnLabel, after: OwnLabel) -> FloatArray:
        """Return the change (n_nodes, K) of the mean labels.

        Parameters
        ----------
        before, after : OwnLabel
            The own label of the node before and after.
        """
        steps = self._pull(after) - self._pull(before)
        with one_blas_thread():
            change: FloatArray = self.columns.T @ (steps / len(self.columns))
        return change

    def _strength(self, weight: float) -> FloatArray:
        """Return the pull of a label by one, in every forest."""
        if np.isinf(weight):
            return 1.0 / self.at_node
        return weight / (1.0 + weight * self.at_node)

    def _pull(self, own: OwnLabel) -> FloatArray:
        """Return the pull of a label in every forest, (n_forests, K)."""
        if own.weight == 0.0:
            return np.zeros_like(self.without)
        pull: FloatArray = self._strength(own.weight)[:, None] * (own.label - self.without)
        return pull


def influence_of(
    stack: ForestStack, labels: FloatArray, own: FloatArray, node: int, threads: int = 1
) -> Influence:
    """Return the influence of the own label of a node on all labels.

    Parameters
    ----------
    stack : ForestStack
        The forests, with coupled trees.
    labels : ndarray of shape (n_nodes, K)
        The given labels.
    own : ndarray of shape (n_nodes,)
        Their weights, 0 where not given: see :func:`own_weights`. That of ``node`` is ignored; at
        least one other node has a label.
    node : int
        The node.
    threads : int, default=1
        Number of threads.

    Examples
    --------
    The label at one end of a chain is kept. Another one, of the same weight as the links, is added
    at the other end.

    >>> import numpy as np
    >>> from lapoleaf import LeadingForest, LeadingTree
    >>> from lapoleaf._propagation import Settings
    >>> from lapoleaf._propagation.forest_stack import ForestStack
    >>> from lapoleaf._propagation.rank_one import OwnLabel, influence_of
    >>> tree = LeadingTree(density=[3, 2, 1], delta=[2, 1, 1], parent=[-1, 0, 1])
    >>> stack = ForestStack.of([LeadingForest(tree, roots=[0])], Settings())
    >>> labels, own = np.array([[6.0], [0.0], [0.0]]), np.array([np.inf, 0.0, 0.0])
    >>> found = influence_of(stack, labels, own, 2)
    >>> found.without, found.columns
    (array([[6.]]), array([[0., 1., 2.]]))
    >>> found.change(OwnLabel(0.0, np.zeros(1)), OwnLabel(1.0, np.array([9.0])))[:, 0]
    array([0., 1., 2.])
    """
    others = own.copy()
    others[node] = 0.0
    shape = stack.order.shape
    columns, at_node = np.empty(shape), np.empty(shape[0])
    without = np.zeros((shape[0], labels.shape[1]))

    def fill(some: slice) -> None:
        part = stack.part(some)
        rank_one_kernels.fill_influence(
            part.order, part.parent, part.weight, others, labels, node, columns[some],
            at_node[some], without[some],
        )  # fmt: skip

    blocks = list(gen_batches(shape[0], -(-shape[0] // _MAX_BLOCKS)))
    for_each_block(fill, blocks, threads)
    return Influence(columns, at_node, without)
