"""How much nearer the neighbours of a row are than chance: whether near means alike.

In images, spectra and other rows of few degrees of freedom, neighbours are much nearer than in a
table whose columns have nothing to do with each other; there labels follow the forests. It takes no
label to see the difference: neighbours are compared with those in a table whose columns were
permuted, each by itself.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._typing import FloatArray

# Rows that are compared, and how many neighbours of each.
_N_ROWS, _N_NEIGHBOURS = 300, 5
# In few columns neighbours are near whatever the columns have to do with each other: their distance
# relative to that of two rows counts so many times.
_NEAR_WEIGHT = 4.0
# What is assumed of rows without columns.
USUAL_CONTRAST = 0.6


def contrast_of(points: Points) -> float:
    """Return the distance of neighbours relative to chance: about 0.4 in images, 0.9 in tables.

    Parameters
    ----------
    points : Points
        All points.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._points.dense import DensePoints
    >>> from lapoleaf.estimators.contrast import contrast_of
    >>> numbers = np.random.default_rng(0).normal(size=(300, 20))
    >>> contrast_of(DensePoints(numbers, "euclidean")) > 0.9
    True
    >>> contrast_of(DensePoints(np.repeat(numbers[:, :4], 5, axis=1), "euclidean")) < 0.6
    True
    """
    if not isinstance(points, DensePoints):
        return USUAL_CONTRAST
    nodes = np.argsort(points.identity(), kind="stable")[:_N_ROWS]
    rows = points.at(nodes)
    if not np.isfinite(rows).all():
        return USUAL_CONTRAST
    rows = rows / (float(np.abs(rows).max()) or 1.0)
    rows = rows - rows.mean(axis=0)
    rows = rows[:, rows.any(axis=0)]
    if len(rows) <= _N_NEIGHBOURS or not rows.size:
        return USUAL_CONTRAST
    generator = np.random.default_rng(0)
    permuted = np.stack([generator.permutation(column) for column in rows.T], axis=1)
    near, by_chance = _neighbour_distance(rows), _neighbour_distance(permuted)
    of_two = float(np.sqrt(2.0 * rows.var(axis=0).sum()))
    if not (by_chance > 0.0 and of_two > 0.0):
        return USUAL_CONTRAST
    return min(near / by_chance, _NEAR_WEIGHT * near / of_two)


def _neighbour_distance(rows: FloatArray) -> float:
    """Return the mean distance of rows to their nearest neighbours."""
    squares = (rows**2).sum(axis=1)
    distances = squares[:, None] + squares - 2.0 * rows @ rows.T
    np.fill_diagonal(distances, np.inf)
    nearest = np.partition(distances, _N_NEIGHBOURS - 1, axis=1)[:, :_N_NEIGHBOURS]
    return float(np.sqrt(np.maximum(nearest, 0.0)).mean())
