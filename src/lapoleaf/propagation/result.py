"""What a propagation gives back."""

from __future__ import annotations

from dataclasses import dataclass

from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Propagation:
    """Labels of all nodes of a forest.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,) or (n_nodes, K)
        A number or a label vector for every node, in the shape they were given.
    lender : ndarray of shape (n_trees,)
        For every tree: itself if it was labelled from within, else the tree whose root lent it its
        label.
    """

    labels: FloatArray
    lender: IntArray
