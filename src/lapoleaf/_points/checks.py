"""Validation of rows, weights and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from lapoleaf._messages import reason_of, shown
from lapoleaf._numbers import as_floats
from lapoleaf._points.base import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.metrics import METRICS, allows_nan, sparse_metrics, without_aliases
from lapoleaf._points.precomputed import GraphPoints, MatrixPoints, refuse_negative
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._points.tables import refuse_no_numbers
from lapoleaf._typing import AnyArray, FloatArray, Metric

_LARGEST_COUNT = 2.0**26
# Arrays of at most this size are checked element by element.
_FEW_NUMBERS = 4096
_LARGEST_WEIGHT = 1e250
_LARGEST_RATIO = 1e100


def check_rows(X: Any, metric: Metric) -> Any:
    """Return ``X`` as a two-dimensional array of numbers or as CSR; raise if it is neither."""
    _refuse_no_table(X)
    try:
        rows = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name="X",
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must be a table of real numbers: {reason_of(error)}.") from error
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise ValueError(
            f"X is empty (shape {rows.shape}): there must be at least one row and one column."
        )
    refuse_non_finite(rows, allow_nan=allows_nan(metric))
    return rows


def _refuse_no_table(X: Any) -> None:
    sparse = sp.issparse(X)
    try:
        shape = X.shape if sparse else np.shape(X)
    except ValueError as error:
        raise ValueError("X must be a table, but its rows have different lengths.") from error
    if len(shape) != 2 and shape != (0,):
        raise ValueError(
            f"X must be a table with rows and columns, but its shape is {shape}; a single column "
            f"is X.reshape(-1, 1), a single row X.reshape(1, -1)."
        )
    if shape == (0,):
        raise ValueError("X is empty: there must be at least one row and one column.")
    refuse_no_numbers(X)


def refuse_non_finite(
    rows: Any,
    allow_nan: bool,
    advice: str = ", or use metric='nan_euclidean'",
    names: AnyArray | None = None,
) -> None:
    """Raise for NaN or infinity in ``rows``, naming the first place.

    ``advice`` is a further way out for NaN, ``names`` are those of the columns, if any.
    """
    sparse = sp.issparse(rows)
    values = rows.data if sparse else rows
    if values.size <= _FEW_NUMBERS and np.isfinite(values).all():
        return
    # A finite sum proves that all entries are finite, which is a cheap test.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values)):
            return
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return
    if sparse:
        entry = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        column, value = int(rows.indices[entry]), rows.data[entry]
    else:
        row, column = (int(index) for index in np.argwhere(bad)[0])
        value = rows[row, column]
    name = "NaN" if np.isnan(value) else "infinity"
    place = column if names is None else shown(names[column])
    raise ValueError(
        f"X contains {name}: the first is in row {row}, column {place}. Fill in or drop such "
        f"rows first{'' if name == 'infinity' else advice}."
    )


def check_sample_weight(
    sample_weight: Any, n_rows: int, *, all_may_be_zero: bool = False
) -> FloatArray:
    """Return one weight for each row, 1 where none were given.

    ``all_may_be_zero`` is for rows that are added to others.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weight = as_floats(sample_weight, "sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but X has {n_rows} rows: give one weight a "
            f"row."
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"sample_weight must be finite and not negative, but row {row} has {weight[row]}."
        )
    positive = weight[weight > 0]
    largest = positive.max(initial=0.0)
    if largest > _LARGEST_WEIGHT or largest / _LARGEST_RATIO > positive.min(initial=np.inf):
        raise ValueError(
            f"sample_weight goes from {positive.min():g} to {largest:g}: weights must not "
            f"exceed {_LARGEST_WEIGHT:g}, nor {_LARGEST_RATIO:g} times the smallest."
        )
    if not (all_may_be_zero or weight.any()):
        raise ValueError("sample_weight is zero for every row: at least one must be positive.")
    return weight


def as_counts(weight: FloatArray) -> FloatArray:
    """Return weights as numbers of rows.

    Integers are used as they are. Others, and those too large for exact products, have no natural
    unit: the smallest positive weight is one row.
    """
    if (weight == np.rint(weight)).all() and weight.max() <= _LARGEST_COUNT:
        return weight
    counts: FloatArray = weight / weight[weight > 0].min()
    return counts


def make_points(
    rows: Any,
    metric: Metric,
    metric_params: dict[str, Any] | None,
    weight: FloatArray,
    threads: int = 1,
) -> Points:
    """Return the points for checked ``rows``: the class for their metric."""
    if not isinstance(metric_params, Mapping | None):
        raise ValueError(
            f"metric_params={shown(metric_params)} must be a dict of arguments of the metric, "
            f"as in {{'p': 3}}, or None."
        )
    params = dict(metric_params or {})
    if not (isinstance(metric, str) or callable(metric)):
        raise ValueError(
            f"metric={shown(metric)} must be the name of a metric, 'precomputed', or a function "
            f"of two rows."
        )
    name, params = without_aliases(metric, params)
    if name == "precomputed":
        return _precomputed(rows)
    sparse = sp.issparse(rows)
    if sparse:
        if name not in sparse_metrics():
            raise ValueError(
                f"metric={shown(metric)} does not take a sparse X: use one of {sparse_metrics()}, "
                f"or X.toarray()."
            )
        return SparsePoints(rows, str(name))
    if isinstance(name, str) and name in METRICS and not params:
        return DensePoints(rows, name, threads)
    # Imported here, since scikit-learn's metrics are slow to import.
    from lapoleaf._points.pairwise import MetricPoints

    return MetricPoints(rows, name, params, as_counts(weight))


def _precomputed(rows: Any) -> Points:
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(
            f"metric='precomputed' takes a square matrix of distances, but X has shape "
            f"{rows.shape}."
        )
    sparse = sp.issparse(rows)
    refuse_negative(rows.data if sparse else rows)
    if sparse:
        if not rows.data.any():
            raise ValueError("X, a sparse graph of distances, stores no positive distance.")
        return GraphPoints(rows)
    _refuse_asymmetric(rows)
    return MatrixPoints(rows)


def _refuse_asymmetric(distances: AnyArray) -> None:
    """Compare a matrix with its transpose, a stripe at a time."""
    tolerance = 1e-6 * float(distances.max())
    stripe = max(1, 2**22 // len(distances))
    for start in range(0, len(distances), stripe):
        part = np.abs(distances[start : start + stripe] - distances[:, start : start + stripe].T)
        if part.max() > tolerance:
            row, j = np.unravel_index(int(part.argmax()), part.shape)
            i = int(row) + start
            raise ValueError(
                f"metric='precomputed' takes a symmetric matrix, but X[{i}, {j}] = "
                f"{distances[i, j]} and X[{j}, {i}] = {distances[j, i]}; (X + X.T) / 2 is one."
            )
