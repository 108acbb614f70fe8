"""Merging of granules into weighted points that preserve sums."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import FloatArray, IntArray


def collapsed(
    points: FloatArray, granule: IntArray, targets: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the rows of fat nodes, their targets and their weights.

    A fat node keeps its granule's population, and of the targets that were given their sum and
    their count: it is a row with the mean target that weighs as much as all rows with a target,
    and, if there are others, a second row at the same point without a target.

    Parameters
    ----------
    points : ndarray of shape (m, n_columns)
        Coordinates of the fat nodes.
    granule : ndarray of shape (n,)
        The granule, 0 to m - 1, that every row goes to.
    targets : ndarray of shape (n,)
        Targets of the rows, NaN where missing.
    weight : ndarray of shape (n,)
        Weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.granules import collapsed
    >>> rows, targets, weight = collapsed(
    ...     np.array([[0.0], [5.0]]), np.array([0, 0, 1]), np.array([1.0, 3.0, np.nan]), np.ones(3)
    ... )
    >>> rows.ravel(), targets, weight
    (array([0., 5.]), array([ 2., nan]), array([2., 1.]))
    """
    m = len(points)
    given = ~np.isnan(targets)
    count = np.bincount(granule[given], weight[given], m)
    sums = np.bincount(granule[given], weight[given] * targets[given], m)
    rest = np.bincount(granule[~given], weight[~given], m)
    means = np.full(m, np.nan)
    np.divide(sums, count, out=means, where=count > 0)
    labelled, others = np.flatnonzero(count > 0), np.flatnonzero(rest > 0)
    return (
        points[np.concatenate([labelled, others])],
        np.concatenate([means[labelled], np.full(len(others), np.nan)]),
        np.concatenate([count[labelled], rest[others]]),
    )


def collapsed_classes(
    points: FloatArray, granule: IntArray, codes: IntArray, weight: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the rows of fat nodes, their classes and their weights.

    A fat node is a row for every class in its granule, missing ones (-1) too, that weighs as much
    as all rows of this class.

    Parameters
    ----------
    points : ndarray of shape (m, n_columns)
        Coordinates of the fat nodes.
    granule : ndarray of shape (n,)
        The granule, 0 to m - 1, that every row goes to.
    codes : ndarray of shape (n,)
        Classes of the rows, as numbers; -1 where missing.
    weight : ndarray of shape (n,)
        Weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.granules import collapsed_classes
    >>> rows, codes, weight = collapsed_classes(
    ...     np.array([[0.0], [5.0]]), np.array([0, 0, 0, 1]), np.array([1, 0, 1, -1]), np.ones(4)
    ... )
    >>> rows.ravel(), codes, weight
    (array([0., 0., 5.]), array([ 0,  1, -1]), array([1., 2., 1.]))
    """
    pairs, place = np.unique(np.column_stack([granule, codes]), axis=0, return_inverse=True)
    total: FloatArray = np.bincount(place.ravel(), weight, len(pairs)).astype(np.float64)
    return points[pairs[:, 0]], pairs[:, 1], total
