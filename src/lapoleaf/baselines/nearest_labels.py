"""Labels of the nearest labelled rows, for rows that no label reaches."""

from __future__ import annotations

from typing import Any

from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.neighbours import Neighbours


class NearestLabels:
    """Nearest labelled rows, for rows that a method does not label.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)
        All rows.
    given : ndarray of shape (n,), bool
        Rows with a label.
    labels : ndarray of shape (n, K)
        Their labels, as rows of 0 and 1.
    """

    def __init__(self, rows: Any, given: BoolArray, labels: FloatArray) -> None:
        self.rows = rows[given]
        self.labels = labels[given]

    def instead_of(self, scores: FloatArray, lost: BoolArray, rows: Any) -> FloatArray:
        """Return scores with those of lost rows replaced by the one-hot nearest label.

        Parameters
        ----------
        scores : ndarray of shape (m, K)
            Scores of the classes.
        lost : ndarray of shape (m,), bool
            Rows without scores.
        rows : ndarray or csr_array of shape (m, d)
            The rows.
        """
        if not lost.any():
            return scores
        nearest = Neighbours(self.rows, 1).of(rows[lost])[1][:, 0]
        filled = scores.copy()
        filled[lost] = self.labels[nearest]
        return filled
