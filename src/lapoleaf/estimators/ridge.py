"""The supervised part: kernel ridge on the given labels, in closed form, with leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from lapoleaf._parallel import block_product, for_each_block, row_blocks
from lapoleaf._progress import Progress
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.points import Points

# Widths of the kernel, the widest first: the root mean square distance over the root of each.
_NARROWNESS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# Weights of the ridge.
_RIDGES = (0.01, 0.1, 1.0, 10.0)
# With more given labels than this the kernel is spanned by so many of them.
MOST_LANDMARKS = 1000


@dataclass(frozen=True, eq=False)
class Ridge:
    """A fitted kernel ridge.

    Attributes
    ----------
    landmarks : Points
        The points that the kernel is measured to.
    width : float
        The kernel is ``exp(-(d / width)**2)``.
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

        def work(block: slice) -> None:
            kernel = _kernel(self.landmarks.measure(queries(block)), self.width)
            out[block] = block_product(kernel, self.coefficients) + self.offset

        blocks = row_blocks(n, self.landmarks.n, self.landmarks.work, threads)
        for_each_block(work, blocks, threads, Progress("trend", n, verbose))
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
    chosen = landmarks_among(points.take(nodes), MOST_LANDMARKS)
    landmarks = points.take(nodes[chosen])
    distances = landmarks.measure(landmarks.at(np.arange(landmarks.n)))
    wanted = labels - offset
    unit = root_mean_square(distances)
    trials: list[tuple[float, float, float]] = []
    for narrow in _NARROWNESS:
        width = unit / narrow**0.5
        eigen = _decomposed(_kernel(distances, width), count[chosen])
        for ridge in _RIDGES:
            without = _solved(eigen, wanted[chosen], count[chosen], ridge)[1]
            errors = ((wanted[chosen] - without)[compared[chosen]] ** 2).sum(axis=1)
            trials.append((float(count[chosen][compared[chosen]] @ errors), width, ridge))
    _, width, ridge = min(trials, key=lambda trial: trial[0])
    if len(chosen) == len(nodes):
        eigen = _decomposed(_kernel(distances, width), count)
        coefficients, without = _solved(eigen, wanted, count, ridge)
    else:
        across = landmarks.measure(points.at(nodes))
        coefficients, without = spanned(
            _kernel(across, width), _kernel(distances, width), wanted, count, ridge
        )
    return Ridge(landmarks, width, ridge, coefficients, offset, without + offset)


def root_mean_square(distances: FloatArray) -> float:
    """Give the root mean square distance between different points; 1 if there is none."""
    n, largest = len(distances), float(distances.max())
    if not 0.0 < largest < np.inf:
        return 1.0
    return largest * float(np.sqrt(((distances / largest) ** 2).sum() / (n * (n - 1))))


def _numbers(block: slice) -> IntArray:
    return np.arange(block.start, block.stop)


def landmarks_among(given: Points, most: int) -> IntArray:
    """Choose landmarks among given points: all, or as many as allowed, whatever their order."""
    if given.n <= most:
        return np.arange(given.n)
    known_by = given.identity()
    order = np.arange(given.n) if known_by is None else np.argsort(known_by, kind="stable")
    return np.sort(order[:most])


def _kernel(distances: FloatArray, width: float) -> FloatArray:
    # Far from everything the square may overflow: the kernel is 0 there.
    with np.errstate(over="ignore"):
        kernel: FloatArray = np.exp(-((distances / width) ** 2))
    return kernel


def _decomposed(kernel: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Decompose the kernel, every label weighted; a metric may leave it with negative parts."""
    root = np.sqrt(count)
    values, vectors = eigh(root[:, None] * kernel * root)
    return np.maximum(values, 0.0), vectors


def _solved(
    eigen: tuple[FloatArray, FloatArray], wanted: FloatArray, count: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Give coefficients and leave-one-out, both (n_given, K)."""
    values, vectors = eigen
    root = np.sqrt(count)[:, None]
    inverse = 1.0 / (values + ridge)
    weights = vectors @ (inverse[:, None] * (vectors.T @ (root * wanted)))
    diagonal = (vectors**2) @ inverse
    return root * weights, wanted - weights / (root * diagonal[:, None])


def spanned(
    across: FloatArray, among: FloatArray, wanted: FloatArray, count: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Give coefficients of landmarks and leave-one-out of all labels (Nyström).

    ``across`` is the kernel from given labels to landmarks, ``among`` that of landmarks.
    """
    values, vectors = eigh(among)
    kept = values > 1e-10 * values[-1]
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    features = across @ whiten
    weighted = count[:, None] * features
    gram = cho_factor(features.T @ weighted + ridge * np.eye(features.shape[1]))
    solution = cho_solve(gram, weighted.T @ wanted)
    # Share of a label in its own prediction.
    own = (weighted * cho_solve(gram, features.T).T).sum(axis=1)[:, None]
    found = features @ solution
    return whiten @ solution, wanted - (wanted - found) / np.maximum(1.0 - own, 1e-12)
