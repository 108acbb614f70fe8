"""Rows at the edge of an estimator: checked once, and what was learnt assigned as the last step."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from lapoleaf._parallel import check_n_jobs
from lapoleaf._points.checks import refuse_non_finite
from lapoleaf._points.metrics import allows_nan
from lapoleaf._typing import Metric
from lapoleaf.estimators.rows import TreeSettings


@functools.cache
def _parameter_names(estimator: Any) -> tuple[str, ...]:
    return tuple(estimator._get_param_names())


class RowsEstimator(BaseEstimator):
    """An estimator of rows under a metric."""

    bandwidth: float | None
    metric: Metric
    metric_params: dict[str, Any] | None
    build: str
    n_jobs: int | None
    verbose: int

    def __dir__(self) -> list[str]:
        """Return the names of all attributes; unlike scikit-learn's, it computes none of them."""
        names = list(object.__dir__(self))
        if self.__sklearn_is_fitted__():
            return names
        return [name for name in names if name[0] == "_" or name[-1] != "_"]

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is something to read."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = allows_nan(self.metric)
        return tags

    def _parameters(self) -> dict[str, Any]:
        """Return all parameters as they are now; quicker than ``get_params``."""
        kind: Any = type(self)
        return {name: getattr(self, name) for name in _parameter_names(kind)}

    def _tree_settings(self) -> TreeSettings:
        check_n_jobs(self.n_jobs)
        return TreeSettings(
            self.metric,
            self.metric_params,
            self.build,
            self.bandwidth,
            self.n_jobs,
            self.verbose,
        )

    def _checked_rows(self, X: Any) -> Any:
        """Return rows in the form of those of the fit, or raise for what is not."""
        if not self._is_plain(X):
            X = self._validated(self, X, reset=False)
        refuse_non_finite(X, allow_nan=allows_nan(self.metric))
        return X

    def _rows_to_fit(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """Return rows for a fit, and the attributes that describe their columns.

        An unfitted twin is what scikit-learn writes the columns into: a fit that fails leaves this
        estimator as it was.
        """
        twin = type(self)(**self._parameters())
        rows = self._validated(twin, X, reset=True)
        refuse_non_finite(rows, allow_nan=allows_nan(self.metric))
        described = ("n_features_in_", "feature_names_in_")
        return rows, {name: vars(twin)[name] for name in described if name in vars(twin)}

    @staticmethod
    def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )

    def _is_plain(self, X: Any) -> bool:
        """Whether there is nothing to convert or to warn of: a single row should not take long."""
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0
        known = vars(self).get("n_features_in_")
        return plain and X.shape[1] == known and "feature_names_in_" not in vars(self)

    def _keep(self, learnt: Mapping[str, Any], columns: Mapping[str, Any] | None = None) -> Self:
        """Assign what a method has learnt, as its last step."""
        self.__dict__.update({**learnt, **(columns or {})})
        if columns is not None and "feature_names_in_" not in columns:
            self.__dict__.pop("feature_names_in_", None)
        return self
