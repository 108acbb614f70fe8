"""The numbers a user hands over, and which of them are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from lapoleaf._points import check_sample_weight
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.choosing import Problem


def target_scales(targets: FloatArray) -> FloatArray:
    """Give a power of two for every target, of the size of its largest number.

    Targets are propagated divided by it, so that squares and sums neither overflow nor vanish;
    powers of two change no digit.
    """
    columns = targets.reshape(len(targets), -1)
    # NaN is neither the largest nor the least.
    largest = np.maximum(np.fmax.reduce(columns, axis=0), -np.fmin.reduce(columns, axis=0))
    return np.where(largest > 0, 2.0 ** (np.frexp(largest)[1] - 1.0), 1.0)


def target_problems(tree: LeadingTree, targets: FloatArray, weight: FloatArray) -> list[Problem]:
    """Give one problem for every target, from the rows that have it, in units of its scale."""
    problems = []
    for column in (targets.reshape(len(targets), -1) / target_scales(targets)).T:
        given = ~np.isnan(column)
        values, count = tree.to_nodes(np.where(given, column, 0.0)[:, None], given, weight)
        if not count.any():
            raise ValueError("sample_weight is 0 for every row that has a target in y.")
        problems.append(Problem(values, count, _disagreement(tree, column, values[:, 0], weight)))
    return problems


def _disagreement(
    tree: LeadingTree, column: FloatArray, means: FloatArray, weight: FloatArray
) -> float:
    """Give the variance of targets that were given to the same node; weight 2 is two targets."""
    rows = np.flatnonzero(~np.isnan(column) & (tree.node_of >= 0))
    nodes, times = tree.node_of[rows], weight[rows] / weight[weight > 0].min()
    more = float(times.sum()) - len(np.unique(nodes))
    errors = (column[rows] - means[nodes]) ** 2
    return float(times @ errors) / more if more > 0 else 0.0


def checked_targets(y: Any, allow_empty: bool = False) -> FloatArray:
    """Give targets as float64, NaN where missing; all may be, if ``allow_empty``."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: give numbers, with "
            "NaN where they are missing."
        )
    try:
        targets = np.array(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers, with NaN where missing: {error}") from error
    if targets.ndim not in (1, 2) or (targets.ndim == 2 and targets.shape[1] == 0):
        raise ValueError(f"y must have one or two dimensions, got shape {targets.shape}.")
    if np.isinf(targets).any():
        row = int(np.argwhere(np.isinf(targets))[0][0])
        raise ValueError(f"y contains infinity, first in row {row}; use NaN for missing targets.")
    empty = np.isnan(targets.reshape(len(targets), -1)).all(axis=0)
    if empty.any() and not allow_empty:
        which = "" if targets.ndim == 1 else f" in column {int(np.flatnonzero(empty)[0])}"
        raise ValueError(f"y has no target{which}: all are NaN. At least one must be given.")
    return targets


def score_on_targets(found: FloatArray, y: Any, sample_weight: Any) -> float:
    """Give R² on the rows that have all targets in ``y``, the mean over the targets.

    Parameters
    ----------
    found : ndarray of shape (n,) or (n, n_targets)
        Numbers that were found.
    y : array-like of the same shape
        True targets; rows with NaN do not count.
    sample_weight : array-like of shape (n,) or None
        Weights of the rows.
    """
    truth = checked_targets(y)
    check_consistent_length(found, truth)
    known = ~np.isnan(truth.reshape(len(truth), -1)).any(axis=1)
    weight = check_sample_weight(sample_weight, len(found))
    if not weight[known].any():
        raise ValueError("y has no row with all targets: there is nothing to compare with.")
    # Loaded when it is needed: scikit-learn's metrics are slow to import.
    from sklearn.metrics import r2_score

    return float(r2_score(truth[known], found[known], sample_weight=weight[known]))
