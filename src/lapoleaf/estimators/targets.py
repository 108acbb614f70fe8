"""Numbers as given: which rows have one, and how they change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from lapoleaf._lazy import Value
from lapoleaf._numbers import as_floats, units_of
from lapoleaf._points import check_sample_weight
from lapoleaf._propagation.kernels import means_of_given
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf._warnings import warn_user
from lapoleaf.estimators.problem import Problem

if TYPE_CHECKING:
    from lapoleaf.estimators.rows import RowNodes


@dataclass(frozen=True, eq=False)
class Targets(Value):
    """Targets as given.

    Attributes
    ----------
    values : ndarray of shape (n,) or (n, n_targets)
        The numbers, NaN where missing.
    """

    values: FloatArray

    @property
    def given(self) -> BoolArray:
        """Mask of the given targets, in the shape of ``values``."""
        return ~np.isnan(self.values)

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]

    @property
    def columns(self) -> FloatArray:
        """The numbers as (n, n_targets)."""
        return self.values.reshape(len(self.values), -1)

    @cached_property
    def scales(self) -> FloatArray:
        """A power of two for every target, about as large as its largest number.

        Targets are divided by it before propagation to prevent overflow and underflow; powers of
        two do not change digits.
        """
        return units_of(self.columns)

    def in_shape(self, columns: FloatArray) -> FloatArray:
        """Return columns (m, n_targets) in the shape of the targets."""
        return columns[:, 0] if self.values.ndim == 1 else columns

    def are_there(self, weight: FloatArray) -> bool:
        """Whether every target is given for some row of positive weight."""
        return all(weight[~np.isnan(column)].any() for column in self.columns.T)

    def vectors(self, rows: IntArray) -> FloatArray:
        """Return the standardised targets of rows that have all of them."""
        columns = self.columns[rows] / self.scales
        columns -= columns.mean(axis=0)
        spread = columns.std(axis=0)
        standardised: FloatArray = columns / np.where(spread > 0, spread, 1.0)
        return standardised

    def problems(self, rows: RowNodes, *, with_disagreement: bool = True) -> list[Problem]:
        """Return one problem for every target, from the rows that have it, in units of its scale.

        Nodes get the mean of the numbers of their rows. Only the exact solver uses their
        disagreement.
        """
        problems = []
        for column in (self.columns / self.scales).T:
            means, count = means_of_given(
                rows.node_of, rows.weight, np.ascontiguousarray(column), rows.n_nodes
            )
            if not count.any():
                raise ValueError("sample_weight is 0 for every row that has a target in y.")
            spread = _disagreement(rows, column, means) if with_disagreement else 0.0
            problems.append(Problem(means[:, None], count, spread))
        return problems

    def of_row(self, row: int, target: int = 0) -> float:
        """Return a target of a row that has it."""
        return float(self.columns[row, target])

    def changed(self, rows: IntArray, y: Any) -> Targets:
        """Return the targets with those of ``rows`` replaced by ``y``; NaN removes one."""
        values = self.values.copy()
        shape = (len(rows), *values.shape[1:])
        new = as_floats(y, "y", "targets, NaN to take one back")
        if new.size != np.prod(shape, dtype=int):
            raise ValueError(f"y must hold targets of shape {shape}, got {new.shape}.")
        values[rows] = new.reshape(shape)
        changed = checked_targets(values)
        if (new == -1).any():
            _warn_of_minus_one(changed, self)
        return changed

    def fits_choices_of(self, before: Targets) -> bool:
        """Whether choices made for other targets can be kept: their units are the same."""
        return bool(np.array_equal(self.scales, before.scales))

    def n_different(self, before: Targets) -> int:
        """Return how many targets were added, changed or removed."""
        both_missing = np.isnan(self.values) & np.isnan(before.values)
        return int(((self.values != before.values) & ~both_missing).sum())

    def joined(self, y: Any, m: int) -> Targets:
        """Return the targets with those of ``m`` more rows appended; ``y`` may be None."""
        so_far = self.values
        if y is None:
            new = np.full((m, *so_far.shape[1:]), np.nan)
        else:
            new = checked_targets(y, allow_empty=True).values
        if len(new) != m:
            raise ValueError(f"y has {len(new)} targets, but X has {m} rows.")
        if np.isnan(so_far).all() and so_far.ndim == 1:
            nothing = np.full((len(so_far), *new.shape[1:]), np.nan)
            first = Targets(np.concatenate([nothing, new]))
            _warn_of_minus_one(first)
            return first
        if new.shape[1:] != so_far.shape[1:]:
            raise ValueError(
                f"y must hold targets of shape {(m, *so_far.shape[1:])}, as before, got "
                f"{new.shape}."
            )
        joined = Targets(np.concatenate([so_far, new]))
        if (new == -1).any():
            _warn_of_minus_one(joined, self)
        return joined

    def without(self, rows: IntArray) -> Targets:
        """Return the targets without those of some rows."""
        return Targets(np.delete(self.values, rows, axis=0))

    def remark(self, rows: RowNodes, among: IntArray | None = None) -> str | None:
        """Return None: targets of equal rows may differ, since they are measured with noise."""
        return None


NO_TARGETS = Targets(np.empty(0))


def _disagreement(rows: RowNodes, column: FloatArray, means: FloatArray) -> float:
    """Return the variance of targets given to the same node; weight 2 is two targets."""
    given = np.flatnonzero(~np.isnan(column) & (rows.node_of >= 0))
    weight = rows.weight
    nodes, times = rows.node_of[given], weight[given] / weight[weight > 0].min()
    more = float(times.sum()) - len(np.unique(nodes))
    errors = (column[given] - means[nodes]) ** 2
    return float(times @ errors) / more if more > 0 else 0.0


def targets_to_fit(y: Any) -> Targets:
    """Return the targets of a fit, and warn if -1 may mark missing ones."""
    targets = checked_targets(y)
    _warn_of_minus_one(targets)
    return targets


def _warn_of_minus_one(targets: Targets, before: Targets | None = None) -> None:
    """Warn if a target is -1 and not negative otherwise, as -1 marks missing classes."""
    for place, column in enumerate(targets.columns.T):
        minus = column == -1
        others = column[~minus & ~np.isnan(column)]
        known = before is not None and (before.columns[:, place] == -1).any()
        if minus.any() and len(others) and (others >= 0).all() and not known:
            warn_user(
                f"y holds -1 in {int(minus.sum())} of {len(column)} rows and is not negative "
                f"elsewhere: -1 was taken as a number. If it marks missing targets, use NaN for "
                f"them, as in np.where(y == -1, np.nan, y)."
            )
            return


def checked_targets(y: Any, allow_empty: bool = False) -> Targets:
    """Return targets as float64, NaN where missing; all may be missing if ``allow_empty``."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: give numbers, with "
            "NaN where they are missing."
        )
    values = as_floats(y, "y", "numbers, with NaN where missing")
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise ValueError(f"y must have one or two dimensions, got shape {values.shape}.")
    if np.isinf(values).any():
        row = int(np.argwhere(np.isinf(values))[0][0])
        raise ValueError(f"y contains infinity, first in row {row}; use NaN for missing targets.")
    empty = np.isnan(values.reshape(len(values), -1)).all(axis=0)
    if empty.any() and not allow_empty:
        which = "" if values.ndim == 1 else f" in column {int(np.flatnonzero(empty)[0])}"
        raise ValueError(f"y has no target{which}: all are NaN. At least one must be given.")
    return Targets(values)


def score_on_targets(found: FloatArray, y: Any, sample_weight: Any) -> float:
    """Return R² on the rows that have all targets in ``y``, the mean over the targets.

    Parameters
    ----------
    found : ndarray of shape (n,) or (n, n_targets)
        Predicted numbers.
    y : array-like of the same shape
        True targets; rows with NaN do not count.
    sample_weight : array-like of shape (n,) or None
        Weights of the rows.
    """
    truth = checked_targets(y).values
    check_consistent_length(found, truth)
    known = ~np.isnan(truth.reshape(len(truth), -1)).any(axis=1)
    weight = check_sample_weight(sample_weight, len(found))
    if not weight[known].any():
        raise ValueError("y has no row with all targets: there is nothing to compare with.")
    # Imported here, since scikit-learn's metrics are slow to import.
    from sklearn.metrics import r2_score

    return float(r2_score(truth[known], found[known], sample_weight=weight[known]))
