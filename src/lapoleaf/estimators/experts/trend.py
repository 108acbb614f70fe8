"""The trend: kernel regression in closed form for numbers, without parameters.

Kernels are sums of a kernel for every column and one of all columns together, in several widths and
with several amounts of noise. Their predictions are averaged, weighted by the marginal likelihood
of the given targets, with the scale of the targets profiled out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from scipy.special import softmax

from lapoleaf._lazy import Value, computed_once
from lapoleaf._parallel import block_product, for_each_block, one_blas_thread, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.kernel_matrices import (
    bounded,
    eigen_decomposition,
    exponents_of,
    inverse_with_ridge,
    root_mean_square,
    solve,
    subset_of,
)
from lapoleaf.estimators.experts.protocol import Estimate
from lapoleaf.estimators.problem import Problem

# Inverse squared widths of the kernels relative to the variance of the points, and variances of
# noise.
_NARROWNESS = tuple(4.0**power for power in range(-4, 3))
_NOISES = tuple(10.0**power for power in range(-6, 2))
# Weights, beside the mean of the columns' kernels, of the kernel of all columns and of the product
# over columns each of which may be left out.
_TOGETHER = ((0.1, 0.0), (1.0, 0.0), (0.0, 0.1))
# Prior variance of the constant: large, so that it is practically unconstrained.
_CONSTANT = 100.0
# With more columns than this, there are no kernels of single columns.
_MAX_COLUMNS = 100
# Maximum number of targets on which kernels are chosen, and for which the trend is solved; the
# others are predicted, and only the forests use them.
MAX_CHOSEN_ON = 500
MAX_SOLVED = 1000
# Kernels whose likelihood is less than this share of the best are dropped.
_MIN_RELATIVE_EVIDENCE = 0.01
# With fewer targets than this there is no trend, only the forests.
MIN_TARGETS = 3


class Kernel(NamedTuple):
    """A kernel: its inverse squared width, and the weights of its joint terms."""

    narrowness: float
    together: float
    product: float


class Model(NamedTuple):
    """A kernel with a noise variance, and its marginal likelihood."""

    evidence: float
    kernel: Kernel
    noise: float
    scale: float


class Trend:
    """Kernel regression, averaged over kernels by their marginal likelihood."""

    name: ClassVar[str] = "trend"
    usual_share: ClassVar[float] = 0.7
    score_unit: ClassVar[float] = 1.0

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether there are enough targets for a trend."""
        return int((problem.count > 0).sum()) >= MIN_TARGETS

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedTrend:
        """Fit the given targets of a problem.

        Parameters
        ----------
        points : Points
            All points.
        problem : Problem
            Numbers of nodes.
        threads : int, default=1
            Number of threads; the linear algebra uses one.
        """
        nodes = problem.nodes
        targets, count = problem.labels[nodes, 0], problem.count[nodes]
        center, spread = center_and_spread(targets, count)
        if spread == 0.0:
            return _constant(nodes, points, center)
        wanted = (targets - center) / spread
        some = subset_of(points.take(nodes), MAX_CHOSEN_ON)
        chosen_on = points.take(nodes[some])
        unit = root_mean_square(chosen_on.measure(chosen_on.at(np.arange(chosen_on.n))))
        models, honest = _probable(chosen_on, unit, wanted[some], count[some])
        trend = _solved(points, problem, unit, models)
        if len(some) < len(nodes):
            return trend
        without = trend.leave_one_out._replace(values=center + spread * honest)
        return replace(trend, leave_one_out=without)


def _solved(points: Points, problem: Problem, unit: float, models: Sequence[Model]) -> FittedTrend:
    """Solve the average of models for the given targets, which are not all the same."""
    nodes = problem.nodes
    targets, count = problem.labels[nodes, 0], problem.count[nodes]
    center, spread = center_and_spread(targets, count)
    solved = subset_of(points.take(nodes), MAX_SOLVED)
    wanted = (targets - center) / spread
    landmarks = points.take(nodes[solved])
    found = _average(landmarks, unit, wanted[solved], count[solved], models)
    without = Estimate(center + spread * found.without, spread**2 * found.variance)
    trend = FittedTrend(
        nodes=nodes[solved],
        points=points,
        unit=unit,
        center=center,
        spread=spread,
        models=tuple(models),
        kernels=tuple(found.kernels),
        coefficients=found.coefficients,
        inverse=found.inverse,
        noise=found.noise,
        scale=models[0].scale,
        leave_one_out=without,
    )
    if len(solved) < len(nodes):
        held_out = trend.at_nodes(points, nodes)
        held_out.values[solved], held_out.variances[solved] = without
        trend = replace(trend, leave_one_out=held_out)
    return trend


def center_and_spread(targets: FloatArray, count: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation of targets (m,)."""
    center = float(np.average(targets, weights=count))
    return center, float(np.sqrt(np.average((targets - center) ** 2, weights=count)))


def _constant(
    nodes: IntArray,
    points: Points,
    center: float,
    unit: float = 1.0,
    models: tuple[Model, ...] = (),
) -> FittedTrend:
    """Return the trend of constant targets; models may be kept for later ones."""
    solved = nodes[subset_of(points.take(nodes), MAX_SOLVED)]
    m = len(solved)
    without = Estimate(np.full(len(nodes), center), np.zeros(len(nodes)))
    nothing = np.zeros((m, 0)), np.zeros((m, m))
    return FittedTrend(
        solved, points, unit, center, 0.0, models, (), *nothing, noise=1.0, scale=1.0,
        leave_one_out=without,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class FittedTrend(Value):
    """A trend fitted to the given targets.

    Attributes
    ----------
    nodes : ndarray of shape (n_landmarks,)
        The nodes that are landmarks, ascending.
    points : Points
        All points, including the landmarks.
    unit : float
        Root mean square distance between the points, the unit of kernel widths.
    center, spread : float
        Mean and standard deviation of the given targets.
    models : tuple of Model
        The models that are averaged, the most probable first; empty if all targets are equal.
    kernels : tuple of Kernel
        The kernels, the most probable first.
    coefficients : ndarray of shape (n_landmarks, n_kernels)
        Dual coefficients of the landmarks.
    inverse : ndarray of shape (n_landmarks, n_landmarks)
        Inverse of the first kernel between landmarks, noise added, over the scale of variances.
    noise, scale : float
        Variance of a target around the truth, and of the truth, in units of ``spread**2``.
    leave_one_out : Estimate
        Value and variance of every given target without it, (n_given,).
    """

    name: ClassVar[str] = Trend.name
    description: ClassVar[str] = "a smooth trend through the given numbers"
    logarithms_of: ClassVar[float] = 1.0
    nodes: IntArray
    points: Points
    unit: float
    center: float
    spread: float
    models: tuple[Model, ...]
    kernels: tuple[Kernel, ...]
    coefficients: FloatArray
    inverse: FloatArray
    noise: float
    scale: float
    leave_one_out: Estimate

    @computed_once
    def landmarks(self) -> Points:
        """The points that kernels are measured to."""
        return self.points.take(self.nodes)

    def with_labels(self, problem: Problem) -> FittedTrend:
        """Return the trend fitted to other targets, with the same models and weights."""
        nodes = problem.nodes
        center, spread = center_and_spread(problem.labels[nodes, 0], problem.count[nodes])
        if spread == 0.0 or not self.models:
            return _constant(nodes, self.points, center, self.unit, self.models)
        with one_blas_thread():
            return _solved(self.points, problem, self.unit, self.models)

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Estimate:
        """Return values and variances of some of the points, all if ``nodes`` is None."""
        wanted = np.arange(points.n) if nodes is None else nodes
        return self._answers(len(wanted), lambda block: points.at(wanted[block]), threads, verbose)

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Estimate:
        """Return values and variances of new rows, in the form the points were made from."""
        return self._answers(
            X.shape[0], lambda block: self.landmarks.prepare(X[block]), threads, verbose
        )

    def _answers(
        self, n: int, queries: Callable[[slice], Any], threads: int, verbose: int
    ) -> Estimate:
        values, variances = np.full(n, self.center), np.full(n, self.noise * self.spread**2)
        if not self.kernels:
            return Estimate(values, variances)

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
        return Estimate(values, variances)


class _Solved(NamedTuple):
    """The average over models, in units of the spread of the targets."""

    kernels: list[Kernel]
    coefficients: FloatArray
    inverse: FloatArray
    noise: float
    without: FloatArray
    variance: FloatArray


def matrices(
    landmarks: Points, queries: Any, unit: float, kernels: Sequence[Kernel]
) -> Iterator[tuple[Kernel, FloatArray]]:
    """Yield every kernel with its matrix from queries to landmarks, those of one width in a row."""
    squares = exponents_of(landmarks, queries, unit)
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
    """Return the mean of the columns' kernels, that of all together, and the product."""
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
    """Whether points have few enough columns for kernels of single columns."""
    return (
        isinstance(points, DensePoints)
        and points.kind.is_euclidean
        and 1 < points.columns.shape[0] <= _MAX_COLUMNS
    )


def _probable(
    landmarks: Points, unit: float, wanted: FloatArray, count: FloatArray
) -> tuple[list[Model], FloatArray]:
    """Return the models of sufficient likelihood, the best first.

    Also returns the leave-one-out average over all models: for every target, neither the models nor
    their weights depend on that target.
    """
    families = _TOGETHER if has_columns(landmarks) else _TOGETHER[1:2]
    kernels = [Kernel(narrow, *family) for narrow in _NARROWNESS for family in families]
    root = np.sqrt(count)
    models, evidences, answers = [], [], []
    among = landmarks.at(np.arange(landmarks.n))
    for kernel, matrix in matrices(landmarks, among, unit, kernels):
        values, vectors = eigen_decomposition(matrix, count)
        turned = vectors.T @ (root * wanted)
        for noise in _NOISES:
            found = _evidence(values, vectors, turned, noise)
            models.append(Model(float(found[0]), kernel, noise, float(found[1])))
            evidences.append(found[2])
            answers.append(wanted - found[3] / root)
    shares = softmax(np.array(evidences), axis=0)
    without: FloatArray = (shares * np.array(answers)).sum(axis=0)
    models.sort(key=lambda model: -model.evidence)
    least = models[0].evidence + np.log(_MIN_RELATIVE_EVIDENCE)
    return [model for model in models if model.evidence >= least], without


def _evidence(
    values: FloatArray, vectors: FloatArray, turned: FloatArray, noise: float
) -> tuple[float, float, FloatArray, FloatArray]:
    """Return the marginal likelihood of targets under an eigendecomposed kernel.

    Returns
    -------
    evidence, scale : float
        Logarithm of the probability, up to a constant, and the scale of variances.
    evidence_without : ndarray of shape (m,)
        The same without each target in turn, in closed form.
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
    models: Sequence[Model],
) -> _Solved:
    """Solve every model for the targets of the landmarks and average."""
    shares = softmax([model.evidence for model in models])
    kernels = list(dict.fromkeys(model.kernel for model in models))
    among = landmarks.at(np.arange(landmarks.n))
    found = dict(matrices(landmarks, among, unit, kernels))
    coefficients = np.zeros((landmarks.n, len(kernels)))
    without = np.zeros(landmarks.n)
    for model, share in zip(models, shares, strict=True):
        weights, held_out = solve(found[model.kernel], wanted, count, model.noise)
        coefficients[:, kernels.index(model.kernel)] += share * weights
        without += share * held_out
    best = models[0]
    inverse, noise = inverse_with_ridge(found[best.kernel], count, best.noise)
    variance = best.scale / np.diag(inverse)
    return _Solved(kernels, coefficients, inverse, best.scale * noise, without, variance)
