"""The trend under the forest, for numbers: kernel regression in closed form, nothing to set.

Kernels are sums of a kernel for every column and one of all columns together, in several widths and
with several amounts of noise. All of them answer, each weighted by how probable it makes the given
targets (their marginal likelihood, the scale of the targets profiled out).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import softmax

from lapoleaf._parallel import block_product, for_each_block, one_blas_thread, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.ridge import (
    apartness,
    bounded,
    decomposed,
    inverse_with,
    root_mean_square,
    solve,
    some_of,
)

# Narrowness of the kernels relative to the variance of the points, and variances of noise.
_NARROWNESS = tuple(4.0**power for power in range(-4, 3))
_NOISES = tuple(10.0**power for power in range(-6, 2))
# Beside the mean of the columns' kernels: how much of all columns together, and of the product of
# columns that each may be left out.
_TOGETHER = ((0.1, 0.0), (1.0, 0.0), (0.0, 0.1))
# A constant is as good as free.
_CONSTANT = 100.0
# More columns than this have no kernel of their own.
_MOST_COLUMNS = 100
# Kernels are chosen on so many given targets, and the trend is solved for so many: the others are
# predicted, and only the forests know them.
MOST_CHOSEN_ON = 500
MOST_SOLVED = 1000
# A kernel that makes the targets less probable than this share of the best is left out.
_LEAST_SHARE = 0.01
# Fewer targets than this have no trend: the forests answer alone.
FEWEST = 3


class Kernel(NamedTuple):
    """A kernel: its narrowness, and how much it looks at columns together."""

    narrowness: float
    together: float
    product: float


class _Model(NamedTuple):
    """A kernel with an amount of noise, and how probable it makes the given targets."""

    evidence: float
    kernel: Kernel
    noise: float
    scale: float


@dataclass(frozen=True, eq=False)
class Trend:
    """A fitted trend.

    Attributes
    ----------
    landmarks : Points
        The points that kernels are measured to.
    unit : float
        Root mean square distance between the points, which kernels are relative to.
    center, spread : float
        Mean and standard deviation of the given targets.
    kernels : list of Kernel
        The kernels, the most probable first.
    coefficients : ndarray of shape (n_landmarks, n_kernels)
        What every landmark adds, times a kernel.
    inverse : ndarray of shape (n_landmarks, n_landmarks)
        Inverse of the first kernel between landmarks, noise added, over the scale of variances.
    noise, scale : float
        Variance of a target around the truth, and of the truth, in units of ``spread**2``.
    leave_one_out, variance_without : ndarray of shape (n_given,)
        What would be said of every given target without it, and its variance.
    """

    landmarks: Points
    unit: float
    center: float
    spread: float
    kernels: list[Kernel]
    coefficients: FloatArray
    inverse: FloatArray
    noise: float
    scale: float
    leave_one_out: FloatArray
    variance_without: FloatArray

    def at_nodes(
        self, points: Points, threads: int = 1, verbose: int = 0
    ) -> tuple[FloatArray, FloatArray]:
        """Give values and variances (n,) of points."""

        def rows(block: slice) -> Any:
            return points.at(np.arange(block.start, block.stop))

        return self._answers(points.n, rows, threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> tuple[FloatArray, FloatArray]:
        """Give values and variances (m,) of new rows, in the form the points were made from."""

        def rows(block: slice) -> Any:
            return self.landmarks.prepare(X[block])

        return self._answers(X.shape[0], rows, threads, verbose)

    def at_one(self, points: Points, node: int) -> tuple[FloatArray, FloatArray]:
        """Give value and variance (1,) of one of the points."""
        return self._answers(1, lambda _: points.at(np.array([node])), 1, 0)

    def _answers(
        self, n: int, queries: Callable[[slice], Any], threads: int, verbose: int
    ) -> tuple[FloatArray, FloatArray]:
        values, variances = np.full(n, self.center), np.full(n, self.noise * self.spread**2)
        if not self.kernels:
            return values, variances

        def work(block: slice) -> None:
            for which, (kernel, matrix) in enumerate(
                matrices(self.landmarks, queries(block), self.unit, self.kernels)
            ):
                found = block_product(matrix, self.coefficients[:, [which]])[:, 0]
                values[block] += self.spread * found
                if which == 0:
                    known = (block_product(matrix, self.inverse) * matrix).sum(axis=1)
                    left = np.maximum(self.scale * (_diagonal(kernel) - known), 0.0)
                    variances[block] += self.spread**2 * left

        blocks = row_blocks(n, 4 * self.landmarks.n, self.landmarks.work, threads)
        with one_blas_thread():
            for_each_block(work, blocks, threads, Progress("trend", n, verbose))
        return values, variances


def fit_trend(points: Points, nodes: IntArray, targets: FloatArray, count: FloatArray) -> Trend:
    """Fit a trend to given targets.

    Parameters
    ----------
    points : Points
        All points.
    nodes : ndarray of shape (n_given,)
        Those whose target was given.
    targets : ndarray of shape (n_given,)
        Their targets.
    count : ndarray of shape (n_given,)
        How many targets each was given.
    """
    center = float(np.average(targets, weights=count))
    spread = float(np.sqrt(np.average((targets - center) ** 2, weights=count)))
    solved = some_of(points.take(nodes), MOST_SOLVED)
    landmarks = points.take(nodes[solved])
    if spread == 0.0:
        nothing = np.zeros((landmarks.n, 0)), np.zeros((landmarks.n, landmarks.n))
        said = np.full(len(nodes), center), np.full(len(nodes), spread**2)
        return Trend(landmarks, 1.0, center, spread, [], *nothing, 1.0, 1.0, *said)
    wanted = (targets - center) / spread
    some = some_of(points.take(nodes), MOST_CHOSEN_ON)
    chosen_on = points.take(nodes[some])
    unit = root_mean_square(chosen_on.measure(chosen_on.at(np.arange(chosen_on.n))))
    models, honest = _probable(chosen_on, unit, wanted[some], count[some])
    found = _average(landmarks, unit, wanted[solved], count[solved], models)
    trend = Trend(
        landmarks=landmarks,
        unit=unit,
        center=center,
        spread=spread,
        kernels=found.kernels,
        coefficients=found.coefficients,
        inverse=found.inverse,
        noise=found.noise,
        scale=models[0].scale,
        leave_one_out=center + spread * (honest if len(some) == len(nodes) else found.without),
        variance_without=spread**2 * found.variance,
    )
    if len(solved) < len(nodes):
        values, variances = trend.at_nodes(points.take(nodes))
        values[solved], variances[solved] = trend.leave_one_out, trend.variance_without
        trend = replace(trend, leave_one_out=values, variance_without=variances)
    return trend


class _Solved(NamedTuple):
    """The average over models, in units of the spread of the targets."""

    kernels: list[Kernel]
    coefficients: FloatArray
    inverse: FloatArray
    noise: float
    without: FloatArray
    variance: FloatArray


def matrices(
    landmarks: Points, queries: Any, unit: float, kernels: list[Kernel]
) -> Iterator[tuple[Kernel, FloatArray]]:
    """Give every kernel with its matrix from queries to landmarks; those of one width in a row."""
    squares = apartness(landmarks, queries, unit)
    parts: tuple[FloatArray, FloatArray, FloatArray] | None = None
    width = np.nan
    for kernel in kernels:
        if parts is None or kernel.narrowness != width:
            width = kernel.narrowness
            parts = _parts(landmarks, queries, squares, unit, width)
        columns, together, product = parts
        yield kernel, _CONSTANT + columns + kernel.together * together + kernel.product * product


def _diagonal(kernel: Kernel) -> float:
    return _CONSTANT + 1.0 + kernel.together + kernel.product


def _parts(
    landmarks: Points, queries: Any, squares: FloatArray, unit: float, narrowness: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the mean of the columns' kernels, that of all together, and the product."""
    together = np.exp(-2.0 * narrowness * squares)
    if not has_columns(landmarks):
        return together, together, together
    own = cast(DensePoints, landmarks).columns
    columns, product = np.zeros_like(together), np.ones_like(together)
    d = own.shape[0]
    for c in range(d):
        with np.errstate(over="ignore"):
            square = bounded(((queries[:, c, None] - own[c]) / unit) ** 2)
        one = np.exp(-narrowness * d * square)
        columns += one / d
        product *= 0.5 * (1.0 + one)
    return columns, together, product


def has_columns(points: Points) -> bool:
    """Whether points have a few columns that can be looked at one by one."""
    return (
        isinstance(points, DensePoints)
        and points.metric == "euclidean"
        and 1 < points.columns.shape[0] <= _MOST_COLUMNS
    )


def _probable(
    landmarks: Points, unit: float, wanted: FloatArray, count: FloatArray
) -> tuple[list[_Model], FloatArray]:
    """Give the models that make the targets probable enough, the best first.

    And what the average over all models would say of every target without it: neither fitted nor
    weighted by that target.
    """
    families = _TOGETHER if has_columns(landmarks) else _TOGETHER[1:2]
    kernels = [Kernel(narrow, *family) for narrow in _NARROWNESS for family in families]
    root = np.sqrt(count)
    models, evidences, answers = [], [], []
    among = landmarks.at(np.arange(landmarks.n))
    for kernel, matrix in matrices(landmarks, among, unit, kernels):
        values, vectors = decomposed(matrix, count)
        turned = vectors.T @ (root * wanted)
        for noise in _NOISES:
            found = _evidence(values, vectors, turned, noise)
            models.append(_Model(found[0], kernel, noise, found[1]))
            evidences.append(found[2])
            answers.append(wanted - found[3] / root)
    shares = softmax(np.array(evidences), axis=0)
    without: FloatArray = (shares * np.array(answers)).sum(axis=0)
    models.sort(key=lambda model: -model.evidence)
    least = models[0].evidence + np.log(_LEAST_SHARE)
    return [model for model in models if model.evidence >= least], without


def _evidence(
    values: FloatArray, vectors: FloatArray, turned: FloatArray, noise: float
) -> tuple[float, float, FloatArray, FloatArray]:
    """Give how probable targets are by a kernel, given by its eigenvalues and eigenvectors.

    Returns
    -------
    evidence, scale : float
        Logarithm of the probability, up to a constant, and the scale of variances.
    evidence_without : ndarray of shape (m,)
        The same for all targets but one: closed form, as for leave-one-out.
    errors : ndarray of shape (m,)
        Errors of leave-one-out.
    """
    m = len(values)
    inverse = 1.0 / (values + noise)
    total = max(float(inverse @ turned**2), 1e-300)
    volume = -float(np.log(inverse).sum())
    diagonal = (vectors**2) @ inverse
    weights = vectors @ (inverse * turned)
    left = np.maximum(total - weights**2 / diagonal, 1e-300)
    without = -0.5 * ((m - 1) * np.log(left) + volume + np.log(diagonal))
    return -0.5 * (m * np.log(total) + volume), total / m, without, weights / diagonal


def _average(
    landmarks: Points,
    unit: float,
    wanted: FloatArray,
    count: FloatArray,
    models: list[_Model],
) -> _Solved:
    """Solve every model for the targets of the landmarks and average."""
    shares = softmax([model.evidence for model in models])
    kernels = list(dict.fromkeys(model.kernel for model in models))
    among = landmarks.at(np.arange(landmarks.n))
    found = dict(matrices(landmarks, among, unit, kernels))
    coefficients = np.zeros((landmarks.n, len(kernels)))
    without = np.zeros(landmarks.n)
    for model, share in zip(models, shares, strict=True):
        weights, said = solve(found[model.kernel], wanted, count, model.noise)
        coefficients[:, kernels.index(model.kernel)] += share * weights
        without += share * said
    best = models[0]
    inverse, noise = inverse_with(found[best.kernel], count, best.noise)
    variance = best.scale / np.diag(inverse)
    return _Solved(kernels, coefficients, inverse, best.scale * noise, without, variance)
