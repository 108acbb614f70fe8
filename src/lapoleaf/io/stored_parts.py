"""What estimators with many forests hold, in the form that files hold it.

What a part shares with the rest of the estimator is left out: random forests have the rows, points
and widths of the plain one, and the landmarks of a ridge are some of the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lapoleaf._forest import LeadingForest
from lapoleaf._points import Points
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.choosing import Problem
from lapoleaf.estimators.numbers import Target
from lapoleaf.estimators.ridge import Ridge, some_of
from lapoleaf.estimators.trend import Kernel, Trend


@dataclass(frozen=True, eq=False)
class OtherForests:
    """All forests but the plain one: one row a forest.

    Attributes
    ----------
    density, delta, parent : ndarray of shape (n_forests - 1, n_nodes)
        See :class:`lapoleaf.LeadingTree`.
    bandwidth, report : float, BuildReport
        Of the tree they grew from, which need not be the one that was chosen.
    """

    density: FloatArray
    delta: FloatArray
    parent: IntArray
    bandwidth: float | None
    report: BuildReport | None

    @classmethod
    def of(cls, forests: Sequence[LeadingForest]) -> Self | None:
        """Give the stored form of forests of the same nodes; None of a single one."""
        trees = [forest.tree for forest in forests[1:]]
        if not trees:
            return None
        return cls(
            density=np.stack([tree.density for tree in trees]),
            delta=np.stack([tree.delta for tree in trees]),
            parent=np.stack([tree.parent for tree in trees]),
            bandwidth=trees[0].bandwidth,
            report=trees[0].report,
        )

    def with_plain(self, plain: LeadingForest) -> list[LeadingForest]:
        """Give all forests, the plain one first."""
        return [plain, *(self._forest(plain.tree, which) for which in range(len(self.density)))]

    def _forest(self, plain: LeadingTree, which: int) -> LeadingForest:
        tree = LeadingTree(
            density=self.density[which],
            delta=self.delta[which],
            parent=self.parent[which],
            population=plain.population,
            bandwidth=self.bandwidth,
            node_of=plain.node_of,
            scale=plain.scale,
            points=plain.points,
            report=self.report,
        )
        return LeadingForest(tree, np.array([tree.root]))


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse rows as a user gave them: columns in any order, also twice, also of zeros.

    Attributes
    ----------
    n_columns : int
        Number of columns.
    indptr, indices, data : ndarray
        The parts of a CSR matrix.
    """

    n_columns: int
    indptr: IntArray
    indices: IntArray
    data: FloatArray

    @classmethod
    def of(cls, rows: sp.csr_matrix) -> Self:
        """Give the stored form of rows."""
        return cls(int(rows.shape[1]), rows.indptr, rows.indices, rows.data)

    def matrix(self) -> sp.csr_matrix:
        """Give the rows."""
        shape = (len(self.indptr) - 1, self.n_columns)
        return sp.csr_matrix((self.data, self.indices, self.indptr), shape=shape)


@dataclass(frozen=True, eq=False)
class RidgeParts:
    """A ridge without its points: see :class:`lapoleaf.estimators.ridge.Ridge`.

    Attributes
    ----------
    nodes : ndarray of shape (n_landmarks,)
        The nodes that are landmarks, ascending.
    width, ridge, coefficients, offset, leave_one_out
        As there.
    """

    nodes: IntArray
    width: float
    ridge: float
    coefficients: FloatArray
    offset: FloatArray
    leave_one_out: FloatArray

    @classmethod
    def of(cls, ridge: Ridge, points: Points, problem: Problem) -> Self:
        """Give the stored form of a ridge."""
        return cls(
            _landmark_nodes(ridge.landmarks, points, problem),
            ridge.width,
            ridge.ridge,
            ridge.coefficients,
            ridge.offset,
            ridge.leave_one_out,
        )

    def with_points(self, landmarks: Points) -> Ridge:
        """Give the ridge."""
        return Ridge(
            landmarks, self.width, self.ridge, self.coefficients, self.offset, self.leave_one_out
        )


_OF_TREND = (
    "coefficients", "inverse", "unit", "center", "spread", "noise", "scale", "leave_one_out",
    "variance_without",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TrendParts:
    """A trend without its points: see :class:`lapoleaf.estimators.trend.Trend`.

    Attributes
    ----------
    nodes : ndarray of shape (n_landmarks,)
        The nodes that are landmarks, ascending.
    kernels : ndarray of shape (n_kernels, 3)
        The kernels.
    forest_share : float
        Weight of the forests against the trend.
    coefficients, inverse, unit, center, spread, noise, scale, leave_one_out, variance_without
        As there.
    """

    nodes: IntArray
    kernels: FloatArray
    forest_share: float
    coefficients: FloatArray
    inverse: FloatArray
    unit: float
    center: float
    spread: float
    noise: float
    scale: float
    leave_one_out: FloatArray
    variance_without: FloatArray

    @classmethod
    def of(cls, trend: Trend, share: float, points: Points, problem: Problem) -> Self:
        """Give the stored form of a trend."""
        return cls(
            nodes=_landmark_nodes(trend.landmarks, points, problem),
            kernels=np.array(trend.kernels, dtype=np.float64).reshape(-1, 3),
            forest_share=share,
            **{name: getattr(trend, name) for name in _OF_TREND},
        )

    def with_points(self, landmarks: Points) -> Trend:
        """Give the trend."""
        kernels = [Kernel(*numbers) for numbers in self.kernels.tolist()]
        state: dict[str, Any] = {name: getattr(self, name) for name in _OF_TREND}
        return Trend(landmarks=landmarks, kernels=kernels, **state)


def trends_of(models: Sequence[Target], points: Points) -> list[TrendParts] | None:
    """Give the stored form of the trends of all targets; None where they have none."""
    if all(model.trend is None for model in models):
        return None
    return [
        TrendParts.of(model.trend, model.forest_share, points, model.problem)
        for model in models
        if model.trend is not None
    ]


def rows_left_out(rows: Any) -> AnyArray | SparseRows | None:
    """Give the stored form of the rows of weight 0, if there are any."""
    return SparseRows.of(rows) if isinstance(rows, sp.csr_matrix) else rows


def _landmark_nodes(landmarks: Points, points: Points, problem: Problem) -> IntArray:
    """Give the nodes that landmarks are: the same are chosen among given nodes every time."""
    given = np.flatnonzero(problem.count > 0)
    return given[some_of(points.take(given), landmarks.n)]
