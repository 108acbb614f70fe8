"""Rows under any other metric of scikit-learn and SciPy, or under a user-defined function."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

from lapoleaf._messages import reason_of, shown
from lapoleaf._points import kernels, scaling
from lapoleaf._points.base import Points, first_of_each
from lapoleaf._typing import AnyArray, FloatArray, IntArray, Metric
from lapoleaf._warnings import warn_user

# One minus a quotient: parallel rows are about 1e-16 apart by rounding.
_ROUNDED_ZERO = {"correlation": 1e-12}


class MetricPoints(Points):
    """Rows of numbers under a named metric or a callable.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    metric : str or callable
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    metric_params : dict
        Further arguments of the metric.
    counts : ndarray of shape (n,)
        Counts of the rows in the variances of ``"seuclidean"`` and ``"mahalanobis"``.
    """

    def __init__(
        self, X: FloatArray, metric: Metric, metric_params: dict[str, Any], counts: FloatArray
    ) -> None:
        rows = np.asarray(X, dtype=np.float64) + 0.0
        if metric in PAIRWISE_BOOLEAN_FUNCTIONS:
            if not np.isin(rows, (0, 1)).all():
                warn_user(
                    f"metric={shown(metric)} compares true and false: every entry of X other than "
                    f"0 counts as true.",
                    DataConversionWarning,
                )
            rows = rows.astype(bool)
        self._set(rows, metric, _with_variances(rows, metric, metric_params, counts))
        self.measure(self.rows_of_X[:1])

    def _set(self, rows: AnyArray, metric: Metric, params: dict[str, Any]) -> None:
        self.rows_of_X = rows
        self.metric = metric
        self.params = params
        self.n = len(rows)
        self.work = 1000.0 if callable(metric) else 4.0 * rows.shape[1]
        self.zero = _ROUNDED_ZERO.get(metric, 0.0) if isinstance(metric, str) else 0.0

    def take(self, nodes: AnyArray) -> Self:
        taken = object.__new__(type(self))
        taken._set(self.rows_of_X[nodes], self.metric, self.params)
        return taken

    def joined(self, queries: AnyArray) -> Self:
        joined = object.__new__(type(self))
        joined._set(np.concatenate([self.rows_of_X, queries]), self.metric, self.params)
        return joined

    def at(self, nodes: AnyArray) -> AnyArray:
        return self.rows_of_X[nodes]

    def prepare(self, X: FloatArray) -> AnyArray:
        return X.astype(self.rows_of_X.dtype)

    def measure(self, queries: AnyArray) -> FloatArray:
        try:
            out = pairwise_distances(queries, self.rows_of_X, metric=self.metric, **self.params)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"metric={shown(self.metric)} cannot measure these rows with metric_params="
                f"{shown(self.params or None)}: {reason_of(error)}."
            ) from error
        out = np.asarray(out, dtype=np.float64)
        if self.metric == "russellrao":
            # The only metric of SciPy under which a row is not at distance 0 from itself.
            out[pairwise_distances(queries, self.rows_of_X, metric="hamming") == 0] = 0.0
        bad = ~((out >= 0) & np.isfinite(out))
        if self.zero:
            # A distance of 0 may be slightly negative by rounding.
            bad &= ~(np.abs(out) <= self.zero)
            np.maximum(out, 0.0, out=out, where=~bad)
        if bad.any():
            value = out[bad][0]
            raise ValueError(
                f"metric={shown(self.metric)} gives {value} as the distance of two rows of X; "
                f"distances must be finite and not negative. Choose another metric, or leave out "
                f"rows it is not defined for."
            )
        return out

    def identical(self) -> IntArray:
        groups = np.unique(self.rows_of_X, axis=0, return_inverse=True)[1]
        return first_of_each(groups.ravel())

    def identity(self, exponent: int | None = None) -> AnyArray:
        columns = np.ascontiguousarray(self.rows_of_X.T, dtype=np.float64)
        unit = scaling.exponent_of(columns) if exponent is None else exponent
        return kernels.hash_rows(scaling.bits(columns, unit))


def _with_variances(
    X: FloatArray, metric: Metric, params: dict[str, Any], counts: FloatArray
) -> dict[str, Any]:
    """Return the parameters with the variances that some metrics estimate from the data."""
    if metric in ("seuclidean", "mahalanobis") and (X == X[0]).all():
        # A single distinct point has no variance.
        d = X.shape[1]
        return (
            {"V": np.ones(d), **params} if metric == "seuclidean" else {"VI": np.eye(d), **params}
        )
    if metric == "seuclidean" and "V" not in params:
        center = np.average(X, axis=0, weights=counts)
        variance = (counts[:, None] * (X - center) ** 2).sum(axis=0) / (counts.sum() - 1.0)
        # A constant column has no effect for any divisor.
        return {**params, "V": np.where(variance > 0, variance, 1.0)}
    if metric == "mahalanobis" and "VI" not in params:
        center = np.average(X, axis=0, weights=counts)
        centred = X - center
        covariance = (counts[:, None] * centred).T @ centred / (counts.sum() - 1.0)
        return {**params, "VI": _inverse(covariance)}
    return params


def _inverse(covariance: FloatArray) -> FloatArray:
    if np.linalg.matrix_rank(covariance, hermitian=True) < len(covariance):
        raise ValueError(
            "metric='mahalanobis' needs columns that are not combinations of each other: the "
            "covariance of X has no inverse. Pass metric_params={'VI': ...} or drop columns."
        )
    return np.linalg.inv(covariance)
