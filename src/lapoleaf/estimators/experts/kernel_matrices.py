"""Kernel matrices and their linear systems, used by the experts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from lapoleaf._points import Points
from lapoleaf._points.metrics import is_squared_in_kernels
from lapoleaf._typing import FloatArray, IntArray

# Negative eigenvalues are compensated by this multiple.
_COMPENSATION = 2.0
# Exponents are clipped here, where the kernel is 0, so that nothing overflows.
_LARGEST_EXPONENT = 1e100


def subset_of(given: Points, most: int) -> IntArray:
    """Return a subset of given points of limited size, independent of their order.

    Points without coordinates are taken at equal steps of their order.
    """
    if given.n <= most:
        return np.arange(given.n)
    identity = given.identity()
    if identity is None:
        return np.unique(np.linspace(0, given.n - 1, most).round().astype(np.int64))
    return np.sort(np.argsort(identity, kind="stable")[:most])


def scaled_distances(points: Points, distances: FloatArray, width: float) -> FloatArray:
    """Return the exponents of a kernel, from distances to points and its width.

    Squares of ``distance / width`` under Euclidean metrics. For others the quotients themselves:
    for most of them, such as ``"manhattan"`` and ``"cosine"``, it is ``exp(-d)`` that is a kernel.
    """
    with np.errstate(over="ignore"):
        exponents = distances / width
        if is_squared_in_kernels(getattr(points, "metric", None)):
            exponents = exponents**2
    return bounded(exponents)


def exponents_of(points: Points, queries: Any, width: float) -> FloatArray:
    """Return the exponents (m, n) of a kernel between queries and points."""
    return scaled_distances(points, points.measure(queries), width)


def bounded(exponents: FloatArray) -> FloatArray:
    """Return exponents clipped so that nothing overflows."""
    return np.minimum(exponents, _LARGEST_EXPONENT)


def root_mean_square(distances: FloatArray) -> float:
    """Return the root mean square distance between distinct points; 1 if all are equal."""
    n, largest = len(distances), float(distances.max())
    if not 0.0 < largest < np.inf:
        return 1.0
    return largest * float(np.sqrt(((distances / largest) ** 2).sum() / (n * (n - 1))))


def solve(
    kernel: FloatArray, wanted: FloatArray, count: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients and leave-one-out, both of the shape of ``wanted``, (m, ...).

    Parameters
    ----------
    kernel : ndarray of shape (m, m)
        The kernel between given labels.
    wanted : ndarray of shape (m, ...)
        The labels.
    count : ndarray of shape (m,)
        How many labels each point was given.
    ridge : float
        Weight of the ridge for one label.
    """
    inverse, _ = inverse_with_ridge(kernel, count, ridge)
    weights: FloatArray = inverse @ wanted
    return weights, wanted - (weights.T / np.diag(inverse)).T


def inverse_with_ridge(
    kernel: FloatArray, count: FloatArray, ridge: float
) -> tuple[FloatArray, float]:
    """Return the inverse of a kernel with a ridge on its diagonal, and the ridge.

    The kernel of some metrics has negative eigenvalues: the ridge is then increased to compensate
    them, as in :func:`eigen_decomposition`.

    Parameters
    ----------
    kernel : ndarray of shape (m, m)
        The kernel between given labels.
    count : ndarray of shape (m,)
        How many labels each point was given.
    ridge : float
        Weight of the ridge for one label.
    """
    weighted = _weighted(kernel, count)
    try:
        np.linalg.cholesky(weighted + _rounding(weighted) * np.eye(len(weighted)))
    except np.linalg.LinAlgError:
        ridge = ridge - _COMPENSATION * float(np.linalg.eigvalsh(weighted)[0])
    inverse: FloatArray = np.linalg.inv(kernel + np.diag(ridge / count))
    return inverse, ridge


def eigen_decomposition(kernel: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and eigenvectors of a kernel with weighted labels.

    If some are negative, all eigenvalues are shifted well above 0, with a margin for new points.
    """
    weighted = _weighted(kernel, count)
    values, vectors = eigh(weighted)
    missing = -_COMPENSATION * values[0] if values[0] < -_rounding(weighted) else 0.0
    return np.maximum(values + missing, 0.0), vectors


def _weighted(kernel: FloatArray, count: FloatArray) -> FloatArray:
    root = np.sqrt(count)
    weighted: FloatArray = root[:, None] * kernel * root
    return weighted


def _rounding(weighted: FloatArray) -> float:
    """Return the rounding error of an eigenvalue of 0."""
    return 1e-12 * float(np.trace(weighted))
