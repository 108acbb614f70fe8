"""Contrast: how near the neighbours of a row are, compared with chance.

In images, spectra and other data of few degrees of freedom, neighbours are much nearer than in a
table of independent columns, and labels follow the forests. This needs no labels: distances to
neighbours are compared with those in the same table with every column permuted independently.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._typing import FloatArray

# Number of rows that are compared, and of their neighbours.
_N_ROWS, _N_NEIGHBOURS = 300, 5
# In few columns neighbours are near even if columns are independent: the distance to neighbours,
# relative to that between two rows, is multiplied by this.
_NEAR_WEIGHT = 4.0
# The contrast of rows without columns.
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
    rows = rows_to_look_at(points)
    if rows is None:
        return USUAL_CONTRAST
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


def rows_to_look_at(points: Points) -> FloatArray | None:
    """Return at most 300 rows in units of their largest number; None without columns or values.

    Which rows are taken does not depend on their order.

    Parameters
    ----------
    points : Points
        All points.
    """
    if not isinstance(points, DensePoints):
        return None
    rows = points.at(np.argsort(points.identity(), kind="stable")[:_N_ROWS])
    if not np.isfinite(rows).all():
        return None
    units: FloatArray = rows / (float(np.abs(rows).max()) or 1.0)
    return units


def _neighbour_distance(rows: FloatArray) -> float:
    """Return the mean distance of rows to their nearest neighbours."""
    squares = (rows**2).sum(axis=1)
    distances = squares[:, None] + squares - 2.0 * rows @ rows.T
    np.fill_diagonal(distances, np.inf)
    nearest = np.partition(distances, _N_NEIGHBOURS - 1, axis=1)[:, :_N_NEIGHBOURS]
    return float(np.sqrt(np.maximum(nearest, 0.0)).mean())
