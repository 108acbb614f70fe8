"""The supervised part: kernel ridge on the given labels, in closed form, with leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from lapoleaf._parallel import block_product, for_each_block, one_blas_thread, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Widths of the kernel, the widest first: the root mean square distance over the root of each.
_NARROWNESS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# Metrics that are Euclidean distances, perhaps of other columns.
EUCLIDEAN = ("euclidean", "nan_euclidean", "seuclidean", "mahalanobis", "l2")
# Rows whose scores are computed at a time.
_MOST_ROWS = 512
# With more columns than this a matrix product is worth its overhead, unless squares get too large.
_MANY_COLUMNS = 64
_SMALL, _LARGE = 1e-100, 1e100
# Weights of the ridge.
_RIDGES = (0.01, 0.1, 1.0, 10.0)
# Negative eigenvalues are made up for so many times.
_MISSING = 2.0
# Width and ridge are chosen on so many given labels, and the ridge is solved for so many: the
# others are predicted, and only the forests know them.
MOST_CHOSEN_ON = 1000
MOST_SOLVED = 2000


@dataclass(frozen=True, eq=False)
class Ridge:
    """A fitted kernel ridge.

    Attributes
    ----------
    landmarks : Points
        The points that the kernel is measured to.
    width : float
        The kernel is ``exp(-(d / width)**2)``, or ``exp(-d / width)`` for metrics that are not
        Euclidean.
    ridge : float
        Weight of the ridge: the larger, the smoother.
    coefficients : ndarray of shape (n_landmarks, K)
        What every landmark adds, times the kernel.
    offset : ndarray of shape (K,)
        What is said far from everything.
    leave_one_out : ndarray of shape (n_given, K)
        What would be said of every given label without it.
    """

    landmarks: Points
    width: float
    ridge: float
    coefficients: FloatArray
    offset: FloatArray
    leave_one_out: FloatArray

    def at_nodes(self, points: Points, threads: int = 1, verbose: int = 0) -> FloatArray:
        """Give the scores (n, K) of points."""
        return self._scores(points.n, lambda block: points.at(_numbers(block)), threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> FloatArray:
        """Give the scores (m, K) of new rows, in the form the points were made from."""
        return self._scores(
            X.shape[0], lambda block: self.landmarks.prepare(X[block]), threads, verbose
        )

    def at_one(self, points: Points, node: int) -> FloatArray:
        """Give the scores (1, K) of one of the points."""
        return self._scores(1, lambda _: points.at(np.array([node])), 1, 0)

    def _scores(self, n: int, queries: Any, threads: int, verbose: int) -> FloatArray:
        out = np.empty((n, len(self.offset)))
        measure = measuring(self.landmarks)

        def work(block: slice) -> None:
            kernel = np.exp(-_relative(self.landmarks, measure(queries(block)), self.width))
            out[block] = block_product(kernel, self.coefficients) + self.offset

        blocks = row_blocks(n, self.landmarks.n, self.landmarks.work, threads, _MOST_ROWS)
        with one_blas_thread():
            for_each_block(work, blocks, threads, Progress("ridge", n, verbose))
        return out


def fit_ridge(
    points: Points,
    nodes: IntArray,
    labels: FloatArray,
    count: FloatArray,
    compared: BoolArray,
    offset: FloatArray,
) -> Ridge:
    """Fit a kernel ridge, its width and weight chosen by leave-one-out.

    Parameters
    ----------
    points : Points
        All points.
    nodes : ndarray of shape (n_given,)
        Those whose label was given.
    labels : ndarray of shape (n_given, K)
        Their labels.
    count : ndarray of shape (n_given,)
        How many labels each was given.
    compared : ndarray of shape (n_given,), bool
        Labels that count in leave-one-out.
    offset : ndarray of shape (K,)
        What is said far from everything.
    """
    wanted = labels - offset
    some = some_of(points.take(nodes), MOST_CHOSEN_ON)
    chosen_on = points.take(nodes[some])
    among = chosen_on.at(np.arange(chosen_on.n))
    unit = root_mean_square(chosen_on.measure(among))
    trials: list[tuple[float, float, float]] = []
    for narrow in _NARROWNESS:
        width = unit / narrow**0.5
        eigen = decomposed(_kernel(chosen_on, among, width), count[some])
        for ridge in _RIDGES:
            without = _without(eigen, wanted[some], count[some], ridge)
            errors = ((wanted[some] - without)[compared[some]] ** 2).sum(axis=1)
            trials.append((float(count[some][compared[some]] @ errors), width, ridge))
    _, width, ridge = min(trials, key=lambda trial: trial[0])
    solved = some_of(points.take(nodes), MOST_SOLVED)
    landmarks = points.take(nodes[solved])
    kernel = _kernel(landmarks, landmarks.at(np.arange(landmarks.n)), width)
    coefficients, without = solve(kernel, wanted[solved], count[solved], ridge)
    found = Ridge(landmarks, width, ridge, coefficients, offset, without + offset)
    if len(solved) < len(nodes):
        said = found.at_nodes(points.take(nodes))
        said[solved] = found.leave_one_out
        found = replace(found, leave_one_out=said)
    return found


def some_of(given: Points, most: int) -> IntArray:
    """Choose among given points: all, or as many as allowed, whatever their order.

    Points that have no coordinates are chosen evenly by their order.
    """
    if given.n <= most:
        return np.arange(given.n)
    known_by = given.identity()
    if known_by is None:
        return np.unique(np.linspace(0, given.n - 1, most).round().astype(np.int64))
    return np.sort(np.argsort(known_by, kind="stable")[:most])


def solve(
    kernel: FloatArray, wanted: FloatArray, count: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Give coefficients and leave-one-out, both of the shape of ``wanted``, (m, ...).

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
    inverse, _ = inverse_with(kernel, count, ridge)
    weights: FloatArray = inverse @ wanted
    return weights, wanted - (weights.T / np.diag(inverse)).T


def inverse_with(kernel: FloatArray, count: FloatArray, ridge: float) -> tuple[FloatArray, float]:
    """Give the inverse of a kernel with a ridge on it, and the ridge.

    Not every metric makes a kernel without negative eigenvalues: where there are some the ridge
    grows by what is missing, as it does in :func:`decomposed`.

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
        ridge = ridge - _MISSING * float(np.linalg.eigvalsh(weighted)[0])
    inverse: FloatArray = np.linalg.inv(kernel + np.diag(ridge / count))
    return inverse, ridge


def decomposed(kernel: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Decompose a kernel, every label weighted, into eigenvalues and eigenvectors.

    Where some are negative all eigenvalues are raised, well above 0: new points may miss more.
    """
    weighted = _weighted(kernel, count)
    values, vectors = eigh(weighted)
    missing = -_MISSING * values[0] if values[0] < -_rounding(weighted) else 0.0
    return np.maximum(values + missing, 0.0), vectors


def _weighted(kernel: FloatArray, count: FloatArray) -> FloatArray:
    root = np.sqrt(count)
    weighted: FloatArray = root[:, None] * kernel * root
    return weighted


def _rounding(weighted: FloatArray) -> float:
    """Give what an eigenvalue of 0 may be by rounding."""
    return 1e-12 * float(np.trace(weighted))


def root_mean_square(distances: FloatArray) -> float:
    """Give the root mean square distance between different points; 1 if there is none."""
    n, largest = len(distances), float(distances.max())
    if not 0.0 < largest < np.inf:
        return 1.0
    return largest * float(np.sqrt(((distances / largest) ** 2).sum() / (n * (n - 1))))


def _numbers(block: slice) -> IntArray:
    return np.arange(block.start, block.stop)


def _kernel(points: Points, queries: Any, width: float) -> FloatArray:
    kernel: FloatArray = np.exp(-apartness(points, queries, width))
    return kernel


def apartness(points: Points, queries: Any, width: float) -> FloatArray:
    """Give squared Euclidean distances of queries to points over ``width**2``.

    Of other metrics the distances over the width: for most of them, such as ``"manhattan"`` and
    ``"cosine"``, it is ``exp(-d)`` that is a kernel.
    """
    return _relative(points, points.measure(queries), width)


def _relative(points: Points, distances: FloatArray, width: float) -> FloatArray:
    with np.errstate(over="ignore"):
        apart = distances / width
        if getattr(points, "metric", None) in EUCLIDEAN:
            apart = apart**2
    return bounded(apart)


def measuring(points: Points) -> Callable[[Any], FloatArray]:
    """Give a function that measures queries against points.

    For Euclidean distances of many columns by a matrix product, which is several times as fast; its
    errors are those of rounding, and the same for a row whoever else is asked for.
    """
    if not isinstance(points, DensePoints) or points.metric != "euclidean":
        return points.measure
    if len(points.columns) <= _MANY_COLUMNS:
        return points.measure
    columns = np.asarray(points.columns, dtype=np.float64)
    centre = columns.mean(axis=1, keepdims=True)
    columns = columns - centre
    norms = (columns * columns).sum(axis=0)
    if not _SMALL < norms.max() < _LARGE:
        return points.measure

    def measure(queries: FloatArray) -> FloatArray:
        rows = queries - centre.T
        squares = (rows * rows).sum(axis=1)[:, None] + norms
        squares -= 2.0 * block_product(rows, columns)
        distances: FloatArray = np.sqrt(np.maximum(squares, 0.0))
        return distances

    return measure


def bounded(apart: FloatArray) -> FloatArray:
    """Give what a kernel takes: beyond this it is 0 anyway, and nothing may overflow."""
    return np.minimum(apart, 1e100)


def _without(
    eigen: tuple[FloatArray, FloatArray], wanted: FloatArray, count: FloatArray, ridge: float
) -> FloatArray:
    """Give leave-one-out (m, K) from the decomposed kernel."""
    values, vectors = eigen
    root = np.sqrt(count)[:, None]
    inverse = 1.0 / (values + ridge)
    weights = vectors @ (inverse[:, None] * (vectors.T @ (root * wanted)))
    diagonal = (vectors**2) @ inverse
    without: FloatArray = wanted - weights / (root * diagonal[:, None])
    return without
