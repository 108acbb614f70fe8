"""A bounded sample of rows that does not depend on their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._numbers import units_of
from lapoleaf._typing import FloatArray, IntArray


def sampled_rows(X: Any, weight: FloatArray, most: int) -> IntArray:
    """Return about ``most`` places of rows, drawn in proportion to their weights.

    Rows are sorted along a random direction, and taken at equal steps of their cumulative weight.
    The sample does not depend on the order of rows or on powers of two in their units. A row of
    large weight may occur several times.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows; NaN count as 0.
    weight : ndarray of shape (n_rows,)
        Their weights, not all 0.
    most : int
        Size of the sample.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.row_sample import sampled_rows
    >>> X = np.array([[3.0], [0.0], [2.0], [1.0]])
    >>> np.sort(X[sampled_rows(X, np.ones(4), 2), 0])
    array([0., 2.])
    """
    keys = _keys(X)
    # Sorted by their keys; the order of equal rows does not matter.
    order = np.argsort(keys)
    total = np.cumsum(weight[order])
    wanted = (np.arange(most) + 0.5) / most * total[-1]
    rows: IntArray = order[np.searchsorted(total, wanted)]
    return rows


def _keys(X: Any) -> FloatArray:
    """Return the positions of rows along a random direction, with columns of similar scale."""
    direction = np.random.default_rng(0).normal(size=X.shape[1])
    keys = np.zeros(len(X))
    # Column by column, so that the sum of a row does not depend on its position.
    for k, unit in enumerate(units_of(X)):
        column = np.nan_to_num(X[:, k].astype(np.float64) / unit, nan=0.0)
        keys += direction[k] * column
    return keys
