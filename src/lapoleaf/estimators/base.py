"""What classifier, regressor and clustering share: rows become a forest, new rows find a leader."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from lapoleaf._forest import LeadingForest
from lapoleaf._forest.costs import Cost
from lapoleaf._parallel import n_threads
from lapoleaf._points.checks import refuse_non_finite
from lapoleaf._tree import LeadingTree, Trees, leaders_of_rows, trees_of_rows
from lapoleaf._typing import FloatArray, IntArray, Metric

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


class ForestEstimator(BaseEstimator):
    """An estimator with a leading forest in it.

    The tree's parameters are those of :func:`lapoleaf.leading_tree`, the forest's those of
    :func:`lapoleaf.lodog`.
    """

    percent: Any
    bandwidth: float | None
    metric: Metric
    metric_params: dict[str, Any] | None
    build: str
    alpha: Any
    cost: Cost
    n_jobs: int | None
    verbose: int
    tree_: LeadingTree
    forest_: LeadingForest
    _nodes: IntArray
    _distances: FloatArray
    _left_out: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        return tags

    def _checked_rows(self, X: Any, *, reset: bool) -> Any:
        """Give X as checked rows; ``reset`` remembers its columns."""
        if not reset and self._is_as_fitted(X):
            refuse_non_finite(X, allow_nan=self.metric == "nan_euclidean")
            return X
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

    def _is_as_fitted(self, X: Any) -> bool:
        """Whether there is nothing to convert or to warn of: a single row should not take long."""
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0
        known = vars(self).get("n_features_in_")
        return plain and X.shape[1] == known and "feature_names_in_" not in vars(self)

    def _grow(
        self,
        rows: Any,
        sample_weight: Any,
        percents: Sequence[float],
        n_random: int = 0,
        seed: int = 0,
        bandwidth: float | None = None,
    ) -> Trees:
        """Grow a tree for every percentage, or for one bandwidth, and random ones."""
        return trees_of_rows(
            rows,
            percents=percents,
            bandwidth=self.bandwidth if bandwidth is None else bandwidth,
            metric=self.metric,
            metric_params=self.metric_params,
            sample_weight=sample_weight,
            build=self.build,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            n_random=n_random,
            seed=seed,
        )

    def _keep_forest(
        self, forest: LeadingForest, left_out: Any, ids: IntArray | None = None
    ) -> None:
        """Keep a forest and the nodes that answer for its training rows.

        ``left_out`` are the rows of weight 0, if there are any.
        """
        self.tree_ = forest.tree
        self.forest_ = forest
        self.bandwidth_ = forest.tree.bandwidth
        self.build_report_ = forest.tree.report
        self.ids_ = np.arange(forest.tree.n_rows) if ids is None else ids
        self._find_nodes(left_out)

    def _leaders(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Give the node that answers for every new row, and the distance to it."""
        check_is_fitted(self)
        rows = self._checked_rows(X, reset=False)
        return leaders_of_rows(self.tree_, rows, n_threads(self.n_jobs), self.verbose)

    def _find_nodes(self, left_out: Any) -> None:
        """Find the node that answers for every training row, and the distance to it.

        A row of the tree is answered by its node; a row of weight 0, which is in no node, like a
        new row.
        """
        self._nodes, self._distances = self.tree_.node_of.copy(), np.zeros(self.tree_.n_rows)
        outside = np.flatnonzero(self._nodes < 0)
        self._left_out = left_out
        if len(outside):
            found = leaders_of_rows(self.tree_, left_out, n_threads(self.n_jobs), self.verbose)
            self._nodes[outside], self._distances[outside] = found

    def _first_rows(self) -> IntArray:
        """Give the first row of every node."""
        node_of = self.tree_.node_of
        counted = np.flatnonzero(node_of >= 0)
        return counted[np.unique(node_of[counted], return_index=True)[1]]


def rows_at(rows: Any, numbers: IntArray) -> Any:
    """Give some of the rows; sparse ones of one class, with indices of the usual size."""
    part = rows[numbers]
    if isinstance(part, np.ndarray):
        return part
    return sp.csr_matrix((part.data, part.indices, part.indptr), shape=part.shape)


def rows_outside(rows: Any, tree: LeadingTree) -> Any:
    """Give the rows that are in no node of the tree, None if there are none."""
    outside = np.flatnonzero(tree.node_of < 0)
    return rows_at(rows, outside) if len(outside) else None


def reach(forest: LeadingForest) -> float:
    """Give the largest distance over which a point of the forest is led.

    Nearer than this a new point is as well led as those the forest was built from.
    """
    links = forest.tree.delta[~forest.is_root]
    return float(links.max()) if len(links) else float(forest.tree.bandwidth or 1.0)
