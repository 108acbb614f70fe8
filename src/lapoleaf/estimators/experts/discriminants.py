"""Shrunken linear discriminants fitted to the given labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import softmax

from lapoleaf._parallel import block_product
from lapoleaf._points import Points
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.columns import ScoresByColumns, has_columns, learnt_from
from lapoleaf.estimators.experts.groups import shares_without
from lapoleaf.estimators.mixture import log_shares
from lapoleaf.estimators.problem import Problem

# Covariances are not estimated from more columns than this, or fewer labels per class.
_MAX_COLUMNS, _MIN_LABELS_A_CLASS = 150, 2
# Number of labels that the prior of the variances and covariances counts for.
_PRIOR_LABELS = 4.0
# Rows that the variances of the columns are computed from.
_N_ROWS_OF_VARIANCES = 2000
# Maximum number of labels that discriminants are fitted to; the others are predicted.
MAX_LEARNT_FROM = 2000
# Standardised values are clipped to this magnitude, so that nothing overflows.
_FURTHEST = 1e100
# Columns whose standard deviation is less than this share of their largest number are constant.
_ROUNDING = 1e-12
# Prior share of a class without labels.
_LEAST_SHARE = 1e-9


class Discriminants:
    """Linear discriminants with shrunken covariance; leave-one-out by groups of labels.

    With few labels, variances within classes are chance, and a category that no label has would
    have none: they are shrunken towards those of all rows.
    """

    name: ClassVar[str] = "discriminants"
    usual_share: ClassVar[float] = 0.25
    score_unit: ClassVar[float] = 1.0

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether rows have few enough columns, and at least two classes have several labels."""
        if not has_columns(points, _MAX_COLUMNS):
            return False
        is_there = np.asarray((problem.labels[problem.nodes] > 0).any(axis=0))
        enough = len(problem.nodes) >= _MIN_LABELS_A_CLASS * is_there.size
        return int(is_there.sum()) > 1 and enough

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedDiscriminants:
        """Learn means of the classes and the covariance within them.

        Parameters
        ----------
        points : Points
            All points.
        problem : Problem
            Labels of nodes.
        threads : int, default=1
            Number of threads; the linear algebra uses one.
        """
        nodes = problem.nodes
        used = learnt_from(points, nodes, MAX_LEARNT_FROM)
        rows = points.at(nodes[used])
        labels, count = problem.labels[nodes[used]], problem.count[nodes[used]]
        some = points.at(learnt_from(points, np.arange(points.n), _N_ROWS_OF_VARIANCES))

        def shares_by(kept: IntArray, left_out: IntArray, group: int) -> FloatArray:
            found = discriminants(rows[kept], labels[kept], count[kept], some)
            shares: FloatArray = softmax(found.scores(rows[left_out]), axis=1)
            return shares

        shares = np.full((len(nodes), labels.shape[1]), 1.0 / labels.shape[1])
        shares[used] = shares_without(labels, shares_by)
        learnt = discriminants(rows, labels, count, some)
        found = FittedDiscriminants(
            points, learnt.center, learnt.units, learnt.weights, learnt.offsets, log_shares(shares)
        )
        others = np.setdiff1d(np.arange(len(nodes)), used)
        if len(others):
            found.leave_one_out[others] = found.at_nodes(points, nodes[others], threads)
        return found


@dataclass(frozen=True, eq=False)
class Linear:
    """Scores of classes that are linear in the columns.

    Attributes
    ----------
    center, units : ndarray of shape (d,)
        Columns are divided by ``units``, then ``center`` is subtracted.
    weights : ndarray of shape (d, K)
        Coefficient of every column in the score of every class.
    offsets : ndarray of shape (K,)
        Scores at the center.
    """

    center: FloatArray
    units: FloatArray
    weights: FloatArray
    offsets: FloatArray

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the scores (m, K) of rows (m, d)."""
        away = measured_from(rows, self.center, self.units)
        return block_product(away, self.weights) + self.offsets


def measured_from(rows: FloatArray, center: FloatArray, units: FloatArray) -> FloatArray:
    """Return rows (m, d) divided by units and centred, without infinities.

    Missing values are replaced by the center.
    """
    with np.errstate(over="ignore"):
        away = rows / units - center
    return np.nan_to_num(np.clip(away, -_FURTHEST, _FURTHEST))


def discriminants(
    rows: FloatArray, labels: FloatArray, count: FloatArray, some: FloatArray
) -> Linear:
    """Return linear discriminants of classes.

    The covariance within classes is that of all residuals together, in units of their standard
    deviations, shrunken by the formula of Ledoit and Wolf (2004). The standard deviations are
    shrunken towards those of all rows, and the correlations towards none, by a prior that counts as
    four labels. A class without labels gets a very small prior share.

    Parameters
    ----------
    rows : ndarray of shape (m, d)
        The labelled rows.
    labels : ndarray of shape (m, K)
        Shares of the classes in their labels.
    count : ndarray of shape (m,)
        Their weights.
    some : ndarray of shape (n, d)
        Rows, labelled or not, that the variances of the columns are computed from.
    """
    units = _powers_of_two(np.concatenate([rows, some]))
    scaled = rows / units
    center = scaled.mean(axis=0)
    scaled = scaled - center
    share = count / count.sum()
    weight = share[:, None] * labels
    total = weight.sum(axis=0)
    # Divided first, so that the mean of a class of tiny weight does not underflow.
    within = weight / np.where(total > 0.0, total, 1.0)
    means = within.T @ scaled
    row, column = np.nonzero(weight)
    residuals, of_entry = scaled[row] - means[column], weight[row, column]
    n_effective = 1.0 / float(of_entry @ of_entry)
    n_free = max(0.0, n_effective - int((total > 0).sum()))
    squares = n_effective * (of_entry @ residuals**2) + _PRIOR_LABELS * (some / units).var(axis=0)
    spread = np.sqrt(squares / (n_free + _PRIOR_LABELS))
    spread = np.where(spread > _ROUNDING, spread, 1.0)
    residuals, means = residuals / spread, means / spread
    shape: FloatArray = _PRIOR_LABELS * np.eye(rows.shape[1])
    if n_free > 0.0:
        shape += n_effective * shrunken_covariance(residuals, of_entry)
    shape /= n_free + _PRIOR_LABELS
    weights = np.linalg.lstsq(shape, means.T, rcond=None)[0]
    prior = np.log(np.maximum(total, _LEAST_SHARE))
    offsets = prior - (means.T * weights).sum(axis=0) / 2.0
    return Linear(center / spread, units * spread, weights, offsets)


def _powers_of_two(rows: FloatArray) -> FloatArray:
    """Return a power of two for every column of the size of its numbers; 1 if all are 0."""
    largest = np.abs(rows).max(axis=0)
    _, exponent = np.frexp(largest)
    # Bounded, so that the inverse is finite.
    found: FloatArray = np.ldexp(1.0, np.clip(exponent, -1000, 1000))
    return np.where(largest > 0.0, found, 1.0)


def shrunken_covariance(residuals: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the covariance (d, d) of residuals, shrunken towards a sphere (Ledoit, Wolf 2004).

    The shrinkage is the estimated error of the covariance relative to its distance from the sphere.

    Parameters
    ----------
    residuals : ndarray of shape (m, d)
        Residuals, whose mean is 0.
    weight : ndarray of shape (m,)
        Their weights, which sum to 1.
    """
    d = residuals.shape[1]
    plain: FloatArray = (residuals * weight[:, None]).T @ residuals
    level = float(np.trace(plain)) / d
    sphere = level * np.eye(d)
    squares = float((plain**2).sum())
    error = float(weight @ weight) * (float(weight @ (residuals**2).sum(axis=1) ** 2) - squares)
    distance = float(((plain - sphere) ** 2).sum())
    shrinkage = float(np.clip(error / distance, 0.0, 1.0)) if distance > 0.0 else 0.0
    shrunken: FloatArray = (1.0 - shrinkage) * plain + shrinkage * sphere
    return shrunken


@dataclass(frozen=True, eq=False)
class FittedDiscriminants(ScoresByColumns):
    """Linear discriminants fitted to the given labels.

    Attributes
    ----------
    points : Points
        All points: new rows are prepared as they were.
    center, units, weights, offsets : ndarray
        See :class:`Linear`.
    leave_one_out : ndarray of shape (n_given, K)
        Scores of every given label without it.
    """

    name: ClassVar[str] = Discriminants.name
    stage: ClassVar[str] = "discriminants"
    description: ClassVar[str] = "a weighted sum of the columns"
    logarithms_of: ClassVar[float] = 1.0
    points: Points
    center: FloatArray
    units: FloatArray
    weights: FloatArray
    offsets: FloatArray
    leave_one_out: FloatArray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.offsets)

    @property
    def _work(self) -> float:
        return float(len(self.units))

    def _scores_of(self, rows: FloatArray) -> FloatArray:
        linear = Linear(self.center, self.units, self.weights, self.offsets)
        return log_shares(softmax(linear.scores(rows), axis=1))
