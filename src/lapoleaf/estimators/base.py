"""What classifier, regressor and clustering share: rows become a forest, new rows find a leader."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._typing import FloatArray, IntArray, Metric
from lapoleaf.estimators.explanation import Explanation, shares_of_rows, way_up
from lapoleaf.forest import LeadingForest, lodog
from lapoleaf.forest.costs import Cost
from lapoleaf.points.checks import refuse_non_finite
from lapoleaf.propagation import Propagation, label_shares
from lapoleaf.tree import LeadingTree, join, tree_of_rows

_P = ParamSpec("_P")
_T = TypeVar("_T")


def all_or_nothing(fit: Callable[_P, _T]) -> Callable[_P, _T]:
    """Make a method that fails leave the estimator as it was."""

    @functools.wraps(fit)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        estimator = args[0]
        before = dict(vars(estimator))
        try:
            return fit(*args, **kwargs)
        except BaseException:
            vars(estimator).clear()
            vars(estimator).update(before)
            raise

    return guarded


@dataclass(frozen=True, eq=False)
class Given:
    """Which labels were given.

    Attributes
    ----------
    count : ndarray of shape (n_nodes,)
        How many labels, counted by weight, every node was given.
    weight : ndarray of shape (n_rows,)
        Weight of every row with a given label, 0 for the others.
    """

    count: FloatArray
    weight: FloatArray


class ForestEstimator(BaseEstimator):
    """An estimator with a leading forest in it.

    The tree's parameters are those of :func:`lapoleaf.leading_tree`, the forest's those of
    :func:`lapoleaf.lodog`.
    """

    percent: float
    bandwidth: float | None
    metric: Metric
    metric_params: dict[str, Any] | None
    alpha: float
    cost: Cost
    n_jobs: int | None
    verbose: int
    tree_: LeadingTree
    forest_: LeadingForest
    _nodes: IntArray
    _distances: FloatArray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        return tags

    def _checked_rows(self, X: Any, *, reset: bool) -> Any:
        """Give X as checked rows; ``reset`` remembers its columns."""
        rows = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        refuse_non_finite(rows, allow_nan=self.metric == "nan_euclidean")
        return rows

    def _grow(self, rows: Any, sample_weight: Any) -> LeadingTree:
        return tree_of_rows(
            rows,
            percent=self.percent,
            bandwidth=self.bandwidth,
            metric=self.metric,
            metric_params=self.metric_params,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _fit_forest(self, rows: Any, sample_weight: Any, n_trees: int | None) -> None:
        """Grow the tree, cut it, and keep both."""
        tree = self._grow(rows, sample_weight)
        forest = lodog(tree, alpha=self.alpha, cost=self.cost, n_trees=n_trees)
        self._keep_forest(forest, rows)

    def _keep_forest(self, forest: LeadingForest, rows: Any) -> None:
        """Keep a forest and the nodes that answer for its training rows."""
        self.tree_ = forest.tree
        self.forest_ = forest
        self.bandwidth_ = forest.tree.bandwidth
        self.ids_ = np.arange(forest.tree.n_rows)
        self._find_nodes(rows)

    def _leaders(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Give the node that answers for every new row, and the distance to it."""
        check_is_fitted(self)
        rows = self._checked_rows(X, reset=False)
        return join(self.tree_, rows, n_threads(self.n_jobs), self.verbose)

    def _answering(self, row: Any) -> tuple[int, int, float]:
        """Give number (-1 if new), answering node and distance to it, for a row or its number."""
        check_is_fitted(self)
        if np.ndim(row) > 0 or sp.issparse(row):
            new = row if sp.issparse(row) or np.ndim(row) == 2 else np.asarray(row).reshape(1, -1)
            nodes, distances = self._leaders(new)
            if len(nodes) != 1:
                raise ValueError(f"row must be one row, got {len(nodes)}.")
            return -1, int(nodes[0]), float(distances[0])
        if not is_whole(row) or not 0 <= row < self.tree_.n_rows:
            raise ValueError(
                f"row={row!r} must be the number of a training row, from 0 to "
                f"{self.tree_.n_rows - 1}, or a new row."
            )
        return int(row), int(self._nodes[row]), float(self._distances[row])

    def _explanation(
        self,
        row: Any,
        result: Propagation,
        given: Given,
        label_at: Callable[[int, float], tuple[Any, float | None]],
        given_label: Callable[[int], Any],
    ) -> Explanation:
        """Explain a row by one propagation.

        ``label_at`` gives label and confidence for a node and a distance to it, ``given_label`` the
        given label of a row.
        """
        number, node, distance = self._answering(row)
        label, confidence = label_at(node, distance)
        shares = label_shares(self.forest_, given.count, result, node)
        deciders, split = shares_of_rows(shares, self.tree_.node_of, given.weight)
        path, layers, steps = way_up(self.forest_, node, self._first_rows(), number, distance)
        tree = int(self.forest_.tree_of[node])
        lender = int(result.lender[result.lender[tree]])
        lender_row = int(self._first_rows()[self.forest_.roots[lender]])
        return Explanation(
            row=None if number < 0 else number,
            label=label,
            confidence=confidence,
            path=path,
            layers=layers,
            distances=steps,
            deciders=deciders,
            shares=split,
            decider_labels=[given_label(int(decider)) for decider in deciders],
            borrowed_from=None if lender == tree else lender_row,
        )

    def _find_nodes(self, rows: Any) -> None:
        """Find the node that answers for every training row, and the distance to it.

        A row of the tree is answered by its node; a row of weight 0, which is in no node, like a
        new row.
        """
        self._nodes, self._distances = self.tree_.node_of.copy(), np.zeros(self.tree_.n_rows)
        outside = np.flatnonzero(self._nodes < 0)
        if len(outside):
            self._nodes[outside], self._distances[outside] = join(self.tree_, rows[outside])

    def _first_rows(self) -> IntArray:
        """Give the first row of every node."""
        node_of = self.tree_.node_of
        counted = np.flatnonzero(node_of >= 0)
        return counted[np.unique(node_of[counted], return_index=True)[1]]


def reach(forest: LeadingForest) -> float:
    """Give the largest distance over which a point of the forest is led.

    Nearer than this a new point is as well led as those the forest was built from.
    """
    links = forest.tree.delta[~forest.is_root]
    return float(links.max()) if len(links) else float(forest.tree.bandwidth or 1.0)
