"""Kernel ridge fitted to the given labels, with closed-form leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lapoleaf._lazy import Value, computed_once
from lapoleaf._parallel import (
    block_product,
    for_each_block,
    one_blas_thread,
    row_blocks,
    threads_worth,
)
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.kernel_columns import KernelColumns
from lapoleaf.estimators.experts.kernel_matrices import (
    eigen_decomposition,
    exponents_of,
    root_mean_square,
    scaled_distances,
    solve,
    subset_of,
)
from lapoleaf.estimators.mixture import GivenClasses
from lapoleaf.estimators.problem import Problem

# Widths of the kernel, the widest first: the root mean square distance divided by the square root
# of each.
_NARROWNESS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# Weights of the ridge.
_RIDGES = (0.01, 0.1, 1.0, 10.0)
# Prior variance of the constant of every class, relative to that of the kernel.
_CONSTANT = 1.0
# Maximum number of labels on which width and ridge are chosen, and for which the ridge is solved;
# the others are predicted, and only the forests use them.
MAX_CHOSEN_ON = 1000
MAX_SOLVED = 2000
# Operations of a decomposition of m points, over m cubed.
_OPERATIONS_OF_EIGEN = 10.0
# With more classes than this, errors are measured on this number of random projections of the
# classes: squared errors are the same on average, and the cost is bounded.
_MAX_SCORES_COMPARED = 128
# Rows whose scores are computed at a time.
_ROWS_AT_A_TIME = 512
# With more columns than this distances are computed by matrix products, unless squares get too
# large.
_MIN_COLUMNS_FOR_PRODUCTS = 64
_SMALLEST_SQUARE, _LARGEST_SQUARE = 1e-100, 1e100


class KernelRidge:
    """Kernel ridge whose kernel width and regularisation are chosen by leave-one-out."""

    name: ClassVar[str] = "ridge"
    usual_share: ClassVar[float] = 0.5
    score_unit: ClassVar[float] = 6.0

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether there is at least one label."""
        return True

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedRidge:
        """Fit the given classes of a problem.

        Far from all given labels, the score of a class is a constant, which is fitted as well:
        points far from a narrow and a wide class belong to the wide one.

        Parameters
        ----------
        points : Points
            All points.
        problem : Problem
            Labels of nodes.
        threads : int, default=1
            Number of threads; the linear algebra uses one.
        """
        given = GivenClasses.of(problem)
        given = replace(given, count=_relative(given.count))
        wanted = given.labels - _offset(problem)
        width, ridge = _width_and_ridge(points, problem.nodes, wanted, given, threads)
        return _solved(points, problem, width, ridge)


def _offset(problem: Problem) -> FloatArray:
    """Return the scores that are subtracted from labels: the same for every class."""
    n_classes = problem.labels.shape[1]
    return np.full(n_classes, 1.0 / n_classes)


def _relative(count: FloatArray) -> FloatArray:
    """Return counts relative to their mean, so that the ridge does not depend on their unit."""
    relative: FloatArray = count / count.mean()
    return relative


def _solved(points: Points, problem: Problem, width: float, ridge: float) -> FittedRidge:
    """Solve the kernel ridge of a given width and regularisation."""
    nodes, offset = problem.nodes, _offset(problem)
    count = _relative(problem.count[nodes])
    solved = subset_of(points.take(nodes), MAX_SOLVED)
    wanted = problem.labels[nodes[solved]] - offset
    landmarks = points.take(nodes[solved])
    kernel = _CONSTANT + _kernel(landmarks, landmarks.at(np.arange(landmarks.n)), width)
    coefficients, without = solve(kernel, wanted, count[solved], ridge)
    far = offset + _CONSTANT * coefficients.sum(axis=0)
    found = FittedRidge(nodes[solved], points, width, ridge, coefficients, far, without + offset)
    if len(solved) < len(nodes):
        held_out = found.at_nodes(points, nodes)
        held_out[solved] = found.leave_one_out
        found = replace(found, leave_one_out=held_out)
    return found


def _width_and_ridge(
    points: Points, nodes: IntArray, wanted: FloatArray, given: GivenClasses, threads: int
) -> tuple[float, float]:
    """Choose the width of the kernel and the regularisation by leave-one-out."""
    some = subset_of(points.take(nodes), MAX_CHOSEN_ON)
    chosen_on = points.take(nodes[some])
    distances = chosen_on.measure(chosen_on.at(np.arange(chosen_on.n)))
    widths = root_mean_square(distances) / np.sqrt(_NARROWNESS)
    wanted, count, compared = _projected(wanted[some]), given.count[some], given.compared[some]
    losses = np.empty((len(widths), len(_RIDGES)))

    def attempt(one: slice) -> None:
        kernel = np.exp(-scaled_distances(chosen_on, distances, float(widths[one.start])))
        eigen = eigen_decomposition(_CONSTANT + kernel, count)
        for place, ridge in enumerate(_RIDGES):
            without = _leave_one_out(eigen, wanted, count, ridge)
            errors = ((wanted - without)[compared] ** 2).sum(axis=1)
            losses[one.start, place] = count[compared] @ errors

    threads = threads_worth(threads, _OPERATIONS_OF_EIGEN * float(chosen_on.n) ** 3)
    for_each_block(attempt, [slice(k, k + 1) for k in range(len(widths))], threads)
    # Of equal ones the first: the widest kernel, then the least weight.
    width, ridge = np.unravel_index(losses.argmin(), losses.shape)
    return float(widths[width]), _RIDGES[ridge]


def _projected(wanted: FloatArray) -> FloatArray:
    """Return random projections of many columns that preserve sums of squares on average."""
    n_classes = wanted.shape[1]
    if n_classes <= _MAX_SCORES_COMPARED:
        return wanted
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(n_classes, _MAX_SCORES_COMPARED))
    sums: FloatArray = wanted @ signs / np.sqrt(_MAX_SCORES_COMPARED)
    return sums


@dataclass(frozen=True, eq=False)
class FittedRidge(Value):
    """A kernel ridge fitted to the given labels.

    Attributes
    ----------
    nodes : ndarray of shape (n_landmarks,)
        The nodes that are landmarks, ascending.
    points : Points
        All points, including the landmarks.
    width : float
        The kernel is ``exp(-(d / width)**2)``, or ``exp(-d / width)`` for metrics that are not
        Euclidean.
    ridge : float
        Weight of the ridge: the larger, the smoother.
    coefficients : ndarray of shape (n_landmarks, K)
        Dual coefficients of the landmarks.
    offset : ndarray of shape (K,)
        Scores far from everything.
    leave_one_out : ndarray of shape (n_given, K)
        Scores of every given label without it.
    """

    name: ClassVar[str] = KernelRidge.name
    description: ClassVar[str] = "a smooth boundary between the given labels"
    # Scores of classes differ by about 1; this factor turns them into log-probabilities.
    logarithms_of: ClassVar[float] = 4.0
    nodes: IntArray
    points: Points
    width: float
    ridge: float
    coefficients: FloatArray
    offset: FloatArray
    leave_one_out: FloatArray

    @computed_once
    def landmarks(self) -> Points:
        """The points that the kernel is measured to."""
        return self.points.take(self.nodes)

    @computed_once
    def columns(self) -> KernelColumns:
        """Cached kernels to all points; empty until scores are computed."""
        return KernelColumns(self.points, self.width)

    def with_labels(self, problem: Problem) -> FittedRidge:
        """Return the ridge fitted to other labels, with the same width and regularisation."""
        with one_blas_thread():
            found = _solved(self.points, problem, self.width, self.ridge)
        vars(found)["columns"] = self.columns
        return found

    def at_all(self, threads: int = 1) -> FloatArray:
        """Return the scores (n_nodes, K) of all points, from cached kernels."""
        scores = self.columns.product(self.nodes, self.coefficients, threads)
        scores += self.offset
        return scores

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> FloatArray:
        """Return the scores (n, K) of some of the points, all if ``nodes`` is None."""
        wanted = np.arange(points.n) if nodes is None else nodes
        return self._scores(len(wanted), lambda block: points.at(wanted[block]), threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> FloatArray:
        """Return the scores (m, K) of new rows, in the form the points were made from."""
        return self._scores(
            X.shape[0], lambda block: self.landmarks.prepare(X[block]), threads, verbose
        )

    def _scores(self, n: int, queries: Any, threads: int, verbose: int) -> FloatArray:
        out = np.empty((n, len(self.offset)))
        measure = _measuring(self.landmarks)

        def work(block: slice) -> None:
            distances = measure(queries(block))
            kernel = np.exp(-scaled_distances(self.landmarks, distances, self.width))
            out[block] = block_product(kernel, self.coefficients) + self.offset

        blocks = row_blocks(n, self.landmarks.n, self.landmarks.work, threads, _ROWS_AT_A_TIME)
        with one_blas_thread():
            for_each_block(work, blocks, threads, Progress("ridge", n, verbose))
        return out


def _kernel(points: Points, queries: Any, width: float) -> FloatArray:
    kernel: FloatArray = np.exp(-exponents_of(points, queries, width))
    return kernel


def _measuring(points: Points) -> Callable[[Any], FloatArray]:
    """Return a function that computes distances from queries to points.

    Euclidean distances in many columns are computed by a matrix product, which is several times as
    fast; rounding errors for a row do not depend on the other rows.
    """
    if not isinstance(points, DensePoints) or not points.kind.is_euclidean:
        return points.measure
    if len(points.columns) <= _MIN_COLUMNS_FOR_PRODUCTS:
        return points.measure
    columns = np.asarray(points.columns, dtype=np.float64)
    centre = columns.mean(axis=1, keepdims=True)
    columns = columns - centre
    norms = (columns * columns).sum(axis=0)
    if not _SMALLEST_SQUARE < norms.max() < _LARGEST_SQUARE:
        return points.measure

    def measure(queries: FloatArray) -> FloatArray:
        rows = queries - centre.T
        squares = (rows * rows).sum(axis=1)[:, None] + norms
        squares -= 2.0 * block_product(rows, columns)
        distances: FloatArray = np.sqrt(np.maximum(squares, 0.0))
        return distances

    return measure


def _leave_one_out(
    eigen: tuple[FloatArray, FloatArray], wanted: FloatArray, count: FloatArray, ridge: float
) -> FloatArray:
    """Return leave-one-out (m, K) from the decomposed kernel."""
    values, vectors = eigen
    root = np.sqrt(count)[:, None]
    inverse = 1.0 / (values + ridge)
    weights = vectors @ (inverse[:, None] * (vectors.T @ (root * wanted)))
    diagonal = (vectors**2) @ inverse
    without: FloatArray = wanted - weights / (root * diagonal[:, None])
    return without
