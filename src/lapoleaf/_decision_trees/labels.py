"""Labels of rows in sparse form: the nonzero entries of every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Entries(Value):
    """Labels of rows, without the zeros.

    Attributes
    ----------
    start : ndarray of shape (m + 1,)
        Where the entries of every row begin, and where the last ones end.
    column : ndarray of shape (n_entries,)
        The class or target of every entry.
    amount : ndarray of shape (n_entries,)
        Its amount, times the weight of the row.
    count : ndarray of shape (m,)
        Weight of every row.
    n_columns : int
        Number of classes or targets.
    """

    start: IntArray
    column: IntArray
    amount: FloatArray
    count: FloatArray
    n_columns: int

    @classmethod
    def of(cls, labels: FloatArray, count: FloatArray) -> Self:
        """Return the entries of labels (m, K) of rows of some weight.

        Examples
        --------
        >>> import numpy as np
        >>> from lapoleaf._decision_trees import Entries
        >>> entries = Entries.of(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([1.0, 4.0]))
        >>> entries.start, entries.column, entries.amount
        (array([0, 1, 3]), array([0, 0, 1]), array([1., 2., 2.]))
        """
        rows, column = np.nonzero(labels)
        start = np.searchsorted(rows, np.arange(len(labels) + 1))
        amount = labels[rows, column] * count[rows]
        return cls(start, column, amount, np.asarray(count, dtype=np.float64), labels.shape[1])
