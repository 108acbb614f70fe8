"""Whether rows are a table of categories and counts: how much of their variance takes few values.

In such tables single columns decide the class, and the distance of two rows says little: decision
trees and a kernel of all columns label them better than forests, however near neighbours are.
Neighbours are near there because categories repeat, not because near rows are alike.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._points import Points
from lapoleaf.estimators.contrast import rows_to_look_at

# Largest number of different values in a column of few values, also relative to the number of rows,
# because among ten rows every column has few.
_FEW_VALUES, _LARGEST_SHARE = 10, 0.3
# Largest share of the most frequent value: pixels at the edge of pictures are nearly always 0.
_MOST_FREQUENT = 0.8
# Rows are entirely a table from this share of the variance on.
_ENOUGH_VARIANCE = 0.1
# Binary pixels and counts of words have more columns, and neighbours that are alike.
_MAX_COLUMNS = 150


def discreteness_of(points: Points) -> float:
    """Return how far rows are a table, from 0 (measurements, pixels) to 1 (categories, counts).

    Parameters
    ----------
    points : Points
        All points.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._points.dense import DensePoints
    >>> from lapoleaf.estimators.discreteness import discreteness_of
    >>> numbers = np.random.default_rng(0).normal(size=(300, 4))
    >>> discreteness_of(DensePoints(numbers, "euclidean"))
    0.0
    >>> discreteness_of(DensePoints(np.column_stack([numbers, numbers > 0]), "euclidean"))
    1.0
    """
    rows = rows_to_look_at(points)
    if rows is None or rows.shape[1] > _MAX_COLUMNS:
        return 0.0
    variance = rows.var(axis=0)
    if not variance.any():
        return 0.0
    most = min(_FEW_VALUES, int(_LARGEST_SHARE * len(rows)))
    counts = [np.unique(column, return_counts=True)[1] for column in rows.T]
    varied = [len(n) <= most and n.max() <= _MOST_FREQUENT * len(rows) for n in counts]
    share = float(variance[varied].sum() / variance.sum())
    return min(share / _ENOUGH_VARIANCE, 1.0)
