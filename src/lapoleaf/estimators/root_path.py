"""The leaders of a point, up to the root of its tree in the plain forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import Propagation
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.attribution import Asked
from lapoleaf.estimators.rows import Rows


class RootPath(NamedTuple):
    """The leaders of a point in the plain forest, up to the root of its tree.

    Attributes
    ----------
    path, layers : ndarray of shape (n_steps + 1,), int
        Rows, -1 for a new one, and their layers.
    distances : ndarray of shape (n_steps + 1,)
        Distance from each to the next; 0 for the root.
    borrowed_from : int or None
        The row at the root of the tree that lent its label, if this tree had none.
    """

    path: IntArray
    layers: IntArray
    distances: FloatArray
    borrowed_from: int | None


def root_path(rows: Rows, asked: Asked, result: Propagation) -> RootPath:
    """Return the leaders of a row in the plain forest, from the node that counts most for it."""
    forest, voters = rows.forest, asked.voters
    most = int(voters.weights[0].argmax())
    node, distance = int(voters.nodes[0, most]), float(voters.distances[0, most])
    first_rows = rows.tree.first_rows
    own = int(forest.tree_of[node])
    lender = int(result.lender[result.lender[own]])
    lent = None if lender == own else int(first_rows[forest.roots[lender]])
    return RootPath(*_path_up(forest, node, first_rows, asked.row, distance), lent)


def _path_up(
    forest: LeadingForest, node: int, first_rows: IntArray, row: int, distance: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return rows, layers and step lengths from a point to the root of its tree.

    ``row`` is the row of the point, -1 for a new one; it is led by ``node`` at ``distance``, or is
    that node where the distance is 0.
    """
    nodes = forest.path(node)
    path, layers, steps = first_rows[nodes], forest.layer[nodes], forest.tree.delta[nodes].copy()
    steps[-1] = 0.0
    if distance == 0.0 and row >= 0:
        path[0] = row
        return path, layers, steps
    return (
        np.concatenate([[row], path]),
        np.concatenate([[layers[0] + 1], layers]),
        np.concatenate([[distance], steps]),
    )
