"""Rigid alignment of one map with another."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray


def turned_onto(places: FloatArray, wanted: FloatArray, known: BoolArray) -> FloatArray:
    """Return places rotated, mirrored and shifted, without scaling, to match others.

    Orthogonal Procrustes analysis over the points that have a wanted place.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        The places.
    wanted : ndarray of shape (n, 2)
        The places to match; ignored where not ``known``.
    known : ndarray of shape (n,), bool
        Mask of the points with a place to match.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._layout.alignment import turned_onto
    >>> places = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> wanted = np.array([[1.0, 1.0], [1.0, 3.0], [0.0, 1.0]])
    >>> turned_onto(places, wanted, np.ones(3, dtype=bool)).round(6) + 0.0
    array([[1., 1.],
           [1., 3.],
           [0., 1.]])
    """
    if not known.any():
        return places
    mine, theirs = places[known].astype(np.float64), wanted[known].astype(np.float64)
    centre, target = mine.mean(axis=0), theirs.mean(axis=0)
    # Products of two columns, summed without BLAS, so that bits do not depend on threads.
    product = np.array(
        [[((mine[:, a] - centre[a]) * (theirs[:, b] - target[b])).sum() for b in range(2)]
         for a in range(2)]
    )  # fmt: skip
    left, _, right = np.linalg.svd(product)
    turned: FloatArray = (places - centre) @ (left @ right) + target
    return turned.astype(places.dtype)
