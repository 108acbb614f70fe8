"""Local anchor embedding: a row as the best convex combination of its nearest anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from lapoleaf._typing import FloatArray, IntArray

# Maximum doublings of the step's curvature, and rows processed at once.
_DOUBLINGS, _BLOCK = 100, 4096


def local_anchor_embedding(
    X: Any, anchors: FloatArray, nearest: IntArray, n_steps: int = 10, tol: float = 1e-4
) -> FloatArray:
    """Minimise |x - U z|² / 2 over the simplex for every row, by accelerated projected gradients.

    Rows and anchors are first scaled to length 1, as in the authors' code (Liu et al., 2010).

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    anchors : ndarray of shape (m, d)
        The anchors.
    nearest : ndarray of shape (n, s)
        The anchors that may represent each row: the columns of its U.
    n_steps : int, default=10
        Maximum number of steps.
    tol : float, default=1e-4
        A row is done when its shares change by less, in sum.

    Returns
    -------
    ndarray of shape (n, s)
        Shares of the anchors, not negative, of sum 1.
    """
    centres = normalize(anchors)
    among = centres @ centres.T
    shares = []
    for start in range(0, X.shape[0], _BLOCK):
        which = nearest[start : start + _BLOCK]
        with_all = normalize(X[start : start + _BLOCK]) @ centres.T
        with_row = np.take_along_axis(with_all, which, axis=1)
        products = among[which[:, :, None], which[:, None, :]]
        shares.append(_minimise(products, with_row, n_steps, tol))
    return np.concatenate(shares)


def _minimise(products: FloatArray, with_row: FloatArray, n_steps: int, tol: float) -> FloatArray:
    """Minimise z'Gz / 2 - h'z over the simplex for every G = U'U and h = U'x."""
    n, s = with_row.shape

    def value(which: IntArray, z: FloatArray) -> FloatArray:
        quadratic = np.einsum("ni,nij,nj->n", z, products[which], z)
        return np.asarray(0.5 * quadratic - (with_row[which] * z).sum(axis=1))

    now = np.full((n, s), 1.0 / s)
    before, steepness = now.copy(), np.ones(n)
    momentum, last_momentum = 1.0, 0.0
    active = np.arange(n)
    for _ in range(n_steps):
        push = (last_momentum - 1.0) / momentum
        ahead = now[active] + push * (now[active] - before[active])
        slope = np.einsum("nij,nj->ni", products[active], ahead) - with_row[active]
        start = value(active, ahead)
        found = np.empty_like(ahead)
        # Rows whose step does not decrease the objective are tried again with twice the curvature.
        left = np.arange(len(active))
        for _ in range(_DOUBLINGS):
            steep = steepness[active[left]][:, None]
            found[left] = on_simplex(ahead[left] - slope[left] / steep)
            step = found[left] - ahead[left]
            most = start[left] + (slope[left] * step).sum(axis=1)
            most += 0.5 * steep[:, 0] * (step**2).sum(axis=1)
            # Tolerance, so that rounding errors do not count as an increase.
            left = left[value(active[left], found[left]) > most + 1e-15]
            if len(left) == 0:
                break
            steepness[active[left]] *= 2.0
        before[active], now[active] = now[active], found
        last_momentum, momentum = momentum, (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        active = active[np.abs(now[active] - before[active]).sum(axis=1) > tol]
        if len(active) == 0:
            break
    return now


def on_simplex(points: FloatArray) -> FloatArray:
    """Return the nearest point of the simplex (no coordinate negative, of sum 1) to every row.

    Parameters
    ----------
    points : ndarray of shape (n, s)
        Any rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.baselines.embedding import on_simplex
    >>> on_simplex(np.array([[0.2, 0.2], [3.0, 1.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    s = points.shape[1]
    falling = -np.sort(-points, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, s + 1)
    last = s - 1 - (falling - excess > 0.0)[:, ::-1].argmax(axis=1)
    shift = np.take_along_axis(excess, last[:, None], axis=1)
    return np.maximum(points - shift, 0.0)
