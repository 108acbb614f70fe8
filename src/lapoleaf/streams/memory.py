"""Online learning in bounded memory."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from lapoleaf._forest import lodog
from lapoleaf._messages import shown
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._typing import AnyArray, BoolArray, FloatArray
from lapoleaf.estimators.classification import ForestClassifier
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.estimators.rows import WARM_UP
from lapoleaf.streams.granules import collapsed, collapsed_classes

# Rows with a smaller weight relative to a new row are dropped.
_MIN_RELATIVE_WEIGHT = 2.0**-10
# Weights of new rows grow up to this value before all are rescaled.
_MAX_NEW_WEIGHT = 2.0**10
_MIN_BOUND = 50


class Memory:
    """An estimator with the rows it was fitted on: the last ones, merged ones, or weighted ones.

    Targets are numbers, NaN where missing, or classes numbered from 0 on, -1 where missing.

    Parameters
    ----------
    estimator : regressor or classifier of lapoleaf
        The unfitted estimator, which is cloned.
    window_size : int or None
        Maximum number of rows, the last ones.
    max_points : int or None
        Maximum number of distinct points; beyond it, granules of the forest are merged into half as
        many weighted points.
    half_life : float or None
        Number of rows after which the weight of a row is halved; after ten to twenty half-lives it
        is dropped.
    """

    def __init__(
        self,
        estimator: ForestRegressor | ForestClassifier,
        window_size: int | None = None,
        max_points: int | None = None,
        half_life: float | None = None,
    ) -> None:
        check_bounds(window_size, max_points, half_life)
        self.blank = estimator
        self.window_size = window_size
        self.max_points = max_points
        self.half_life = half_life
        self.bandwidth = estimator.bandwidth
        self.newest = 1.0
        self.rows: FloatArray = np.empty((0, 0))
        self.targets: AnyArray = np.empty(0)
        self.weight: FloatArray = np.empty(0)
        self.fitted: Any = None

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def can_answer(self) -> bool:
        """Whether any stored row has a target."""
        return self.fitted is not None and bool(self._given().any())

    def _given(self) -> BoolArray:
        """Mask of the targets that are not missing."""
        targets = self.targets
        return targets >= 0 if targets.dtype.kind == "i" else ~np.isnan(targets)

    def fit(self, rows: FloatArray, targets: AnyArray) -> None:
        """Fit these rows, the oldest first, and discard earlier ones."""
        if self.window_size is not None:
            rows, targets = rows[-self.window_size :], targets[-self.window_size :]
        self.rows, self.targets, self.newest = rows, targets, 1.0
        age = np.arange(len(rows))[::-1]
        self.weight = (
            np.ones(len(rows)) if self.half_life is None else 2.0 ** (-age / self.half_life)
        )
        self.bandwidth = self.blank.bandwidth
        self.rebuild()
        self._stay_within()

    def learn(self, rows: FloatArray, targets: AnyArray) -> None:
        """Update with more rows, the oldest first."""
        if not len(self):
            self.fit(rows, targets)
            return
        weight = np.ones(len(rows))
        if self.half_life is not None:
            weight = self.newest * 2.0 ** (np.arange(1, len(rows) + 1) / self.half_life)
            self.newest = float(weight[-1])
        if self.fitted is not None:
            with _quietly():
                self.fitted.partial_fit(rows, targets, sample_weight=weight)
        self.rows = np.concatenate([self.rows, rows])
        self.targets = np.concatenate([self.targets, targets])
        self.weight = np.concatenate([self.weight, weight])
        if self.fitted is None:
            self.rebuild()
        self._stay_within()

    def predict(self, rows: FloatArray) -> FloatArray:
        """Return the predictions for rows; 0 before the first fit."""
        if not self.can_answer:
            return np.zeros(len(rows))
        return np.asarray(self.fitted.predict(rows))

    def rebuild(self) -> None:
        """Rebuild the forests from the stored rows.

        The bandwidth is fixed once it was estimated from enough points. Without any target nothing
        is built.
        """
        if self.half_life is not None:
            self.weight = self.weight / self.newest
            self.newest = 1.0
            kept = self.weight >= _MIN_RELATIVE_WEIGHT
            self.rows, self.targets = self.rows[kept], self.targets[kept]
            self.weight = self.weight[kept]
        if not self._given().any():
            self.fitted = None
            return
        estimator = clone(self.blank).set_params(bandwidth=self.bandwidth)
        with _quietly():
            self.fitted = estimator.fit(self.rows, self.targets, sample_weight=self.weight)
        if self.fitted.tree_.n_nodes >= WARM_UP:
            self.bandwidth = self.fitted.bandwidth_

    def _stay_within(self) -> None:
        """Drop rows beyond the limits."""
        excess = 0 if self.window_size is None else len(self) - self.window_size
        if excess > 0:
            if self.fitted is not None:
                self.fitted.forget(self.fitted.ids_[:excess])
            self._drop(excess)
        if self.max_points is not None and self.fitted is None:
            # Without a forest there are no granules, so the last rows are kept.
            self._drop(max(0, len(self) - self.max_points))
        if self.max_points is not None and len(self) > self.max_points:
            self._collapse(self.max_points)
        elif self.newest > _MAX_NEW_WEIGHT:
            self.rebuild()

    def _drop(self, n: int) -> None:
        self.rows, self.targets = self.rows[n:], self.targets[n:]
        self.weight = self.weight[n:]

    def _collapse(self, most: int) -> None:
        """Merge granules into weighted points."""
        tree = self.fitted.tree_
        granule = tree.node_of
        roots = np.arange(tree.n_nodes)
        if tree.n_nodes > most // 2:
            forest = lodog(tree, n_trees=most // 2)
            granule, roots = forest.tree_of[tree.node_of], forest.roots
        first = tree.first_rows
        merge = collapsed_classes if self.targets.dtype.kind == "i" else collapsed
        self.rows, self.targets, self.weight = merge(
            self.rows[first[roots]], granule, self.targets, self.weight
        )
        self.rebuild()

    def widen(self, columns: int) -> None:
        """Add columns, 0 for the stored rows, and fit these again."""
        more = np.zeros((len(self.rows), columns - self.rows.shape[1]))
        self.rows = np.hstack([self.rows, more])
        self.rebuild()

    def state(self) -> dict[str, FloatArray]:
        """Return the stored rows as arrays, from which the forests can be rebuilt."""
        bandwidth = np.nan if self.bandwidth is None else self.bandwidth
        return {
            "rows": self.rows,
            "targets": self.targets,
            "weight": self.weight,
            "numbers": np.array([bandwidth, self.newest]),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state, and rebuild the forests."""
        self.rows, self.targets = state["rows"], state["targets"]
        self.weight = state["weight"]
        bandwidth, self.newest = (float(part) for part in state["numbers"])
        self.bandwidth = None if np.isnan(bandwidth) else bandwidth
        if len(self):
            self.rebuild()


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Silence warnings about few points or classes, -1, and unpredictable labels, usual in streams.

    Targets here are residuals of a linear forecast, which may be unpredictable.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X has one distinct point only")
        warnings.filterwarnings("ignore", message="y has one class only")
        warnings.filterwarnings("ignore", message="y holds -1")
        warnings.filterwarnings("ignore", message="The [0-9]+ given labels hardly predict")
        yield


def check_bounds(window_size: Any, max_points: Any, half_life: Any) -> None:
    """Raise for invalid bounds of a memory."""
    for name, value in (("window_size", window_size), ("max_points", max_points)):
        if value is not None and (not is_whole(value) or value < _MIN_BOUND):
            raise ValueError(
                f"{name}={shown(value)} must be None or a whole number from {_MIN_BOUND} on."
            )
    if half_life is not None and not (is_real(half_life) and 1.0 <= half_life < np.inf):
        raise ValueError(
            f"half_life={shown(half_life)} must be None or a number from 1 on, in readings."
        )
