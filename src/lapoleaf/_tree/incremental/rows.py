"""The rows of a tree that grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray, IntArray


class Rows(NamedTuple):
    """The rows of a growing tree; arrays are immutable.

    Attributes
    ----------
    node_of : ndarray of shape (n_rows,)
        The node of every row, -1 for rows of weight 0.
    weight : ndarray of shape (n_rows,)
        Their weights.
    ids : ndarray of shape (n_rows,)
        Their ids, ascending.
    next_id : int
        The id of the next row; ids are never reused.
    """

    node_of: IntArray
    weight: FloatArray
    ids: IntArray
    next_id: int

    @property
    def unit(self) -> float:
        """The smallest positive weight."""
        return float(self.weight[self.weight > 0].min())

    def with_rows(self, node_of: IntArray, weight: FloatArray) -> Rows:
        """Return the rows with more at the end."""
        m = len(node_of)
        return Rows(
            np.append(self.node_of, node_of),
            np.append(self.weight, weight),
            np.append(self.ids, self.next_id + np.arange(m)),
            self.next_id + m,
        )

    def with_row(self, node: int, weight: float) -> Rows:
        """Return the rows with one more at the end."""
        return Rows(
            np.append(self.node_of, node),
            np.append(self.weight, weight),
            np.append(self.ids, self.next_id),
            self.next_id + 1,
        )

    def without(self, places: IntArray | int) -> Rows:
        """Return the rows without those at some places."""
        return Rows(
            np.delete(self.node_of, places),
            np.delete(self.weight, places),
            np.delete(self.ids, places),
            self.next_id,
        )
