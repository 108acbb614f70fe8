"""Choice of the scaling, from the spread of columns and leave-one-out on the given labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from lapoleaf._messages import shown
from lapoleaf._numbers import units_of
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.kernel_matrices import eigen_decomposition, root_mean_square
from lapoleaf.estimators.row_sample import sampled_rows
from lapoleaf.estimators.rows import TreeSettings
from lapoleaf.estimators.scaling import SCALINGS, RankScaling, Scaling, StandardScaling
from lapoleaf.estimators.state import Given

# Metrics that sum a power of the differences of columns, and the power.
_POWERS = {
    **dict.fromkeys(("euclidean", "l2", "sqeuclidean", "minkowski"), 2.0),
    **dict.fromkeys(("manhattan", "cityblock", "l1"), 1.0),
    "chebyshev": np.inf,
}
# Tables with more columns are taken for pixels, spectra or embeddings, with one unit for all.
_MAX_COLUMNS = 100
# Columns have the same unit if their ranges, or standard deviations, differ by a smaller factor.
_MAX_RATIO_OF_RANGES, _MAX_RATIO_OF_DEVIATIONS = 4.0, 2.0
# A share of columns may be smaller, such as pixels in the corners of images.
_SHARE_OF_SMALL_COLUMNS = 0.2
# Maximum number of rows that scalings are fitted to.
_MAX_LEARNT_FROM = 50_000
# With fewer rows the spread of columns is not reliable, and columns are not scaled.
MIN_ROWS = 50
# If most columns have a larger kurtosis, standard deviations depend on a few rows (an exponential
# distribution has 9).
_LARGEST_KURTOSIS = 12.0
# Maximum number of given labels that scalings are compared on, and the minimum for a comparison.
_MAX_COMPARED, _MIN_COMPARED = 300, 20
# Standard errors by which another scaling, or none, must improve on the default.
_ERRORS_FOR_OTHER, _ERRORS_FOR_NONE = 1.0, 2.0
# Kernels and ridges of the comparison.
_NARROWNESS = (0.5, 2.0, 8.0)
_RIDGES = (0.1, 1.0)


def scaling_to_fit(
    wanted: Any,
    X: Any,
    weight: FloatArray,
    trees: TreeSettings,
    given: Given | None,
    *,
    encoded: bool,
) -> Scaling | None:
    """Return the scaling of the columns of X; None where rows are used as they are.

    Parameters
    ----------
    wanted : str or None
        The parameter of the estimator.
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
        The rows.
    weight : ndarray of shape (n_rows,)
        Their weights.
    trees : TreeSettings
        Parameters of the trees.
    given : ClassLabels, Targets or None
        The labels as given; None where there are none.
    encoded : bool
        Whether an encoder has scaled the rows already.
    """
    if wanted is None:
        return None
    if wanted == "auto":
        if encoded or not _can_differ(X, trees) or _are_alike(X, weight):
            return None
        rows, weights = _learnt_from(X, weight)
        standard = StandardScaling.of(rows, weights)
        if _is_standard(rows[weights > 0], standard):
            return None
        ranks = RankScaling.of(rows, weights)
        has_tails = _has_long_tails(standard.apply(rows), weights)
        usual, other = (ranks, standard) if has_tails else (standard, ranks)
        return usual if given is None else _best(X, weight, trees, usual, other, given)
    if sp.issparse(X) or trees.metric == "precomputed":
        what = "distances" if trees.metric == "precomputed" else "sparse rows"
        raise ValueError(
            f"scaling={shown(wanted)} is for dense rows of numbers, but X has {what}: leave it at "
            f"'auto', or set scaling=None."
        )
    return SCALINGS[wanted].of(*_learnt_from(X, weight))


def _learnt_from(X: Any, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rows, all or a sample, that scalings are fitted to, and their weights."""
    if len(X) <= _MAX_LEARNT_FROM:
        return X, weight
    rows = sampled_rows(X, weight, _MAX_LEARNT_FROM)
    return X[rows], np.ones(len(rows))


def check_scaling(wanted: Any) -> None:
    """Raise for an unknown scaling."""
    known = ("auto", *SCALINGS)
    if wanted is not None and not (isinstance(wanted, str) and wanted in known):
        raise ValueError(f"scaling={shown(wanted)} must be 'auto', None, 'standard' or 'ranks'.")


def _can_differ(X: Any, trees: TreeSettings) -> bool:
    """Whether the units of columns matter and were not chosen by the user."""
    metric = trees.metric
    return (
        not sp.issparse(X)
        and isinstance(metric, str)
        and metric in _POWERS
        and "w" not in (trees.metric_params or {})
        and trees.bandwidth is None
        and 1 < X.shape[1] <= _MAX_COLUMNS
    )


def _are_alike(X: Any, weight: FloatArray) -> bool:
    """Whether columns have similar ranges, apart from a few small ones.

    True if fewer than two columns vary.
    """
    rows = np.asarray(X if weight.all() else X[weight > 0], dtype=np.float64)
    unit = units_of(rows)
    widths = rows.max(axis=0) / unit - rows.min(axis=0) / unit
    varies = widths > 0
    if varies.sum() < 2:
        return True
    ranges = np.sort(np.log(widths[varies]) + np.log(unit[varies]))
    small = int(_SHARE_OF_SMALL_COLUMNS * len(ranges))
    return bool(ranges[-1] - ranges[small] < np.log(_MAX_RATIO_OF_RANGES))


def _is_standard(X: Any, standard: StandardScaling) -> bool:
    """Whether columns have similar standard deviations, as after standardisation."""
    varies = (X != X[0]).any(axis=0)
    deviations = (np.log(standard.unit) + np.log(standard.scale))[varies]
    return bool(np.ptp(deviations) < np.log(_MAX_RATIO_OF_DEVIATIONS))


def _has_long_tails(standardised: FloatArray, weight: FloatArray) -> bool:
    """Whether most columns have long tails, for which ranks are the default."""
    with np.errstate(over="ignore"):
        kurtosis = (weight / weight.sum()) @ standardised**4
    return bool((kurtosis > _LARGEST_KURTOSIS).mean() > 0.5)


def _best(
    X: Any,
    weight: FloatArray,
    trees: TreeSettings,
    usual: Scaling,
    other: Scaling,
    given: Given,
) -> Scaling | None:
    """Return the scaling with the best leave-one-out on the given labels, in doubt the default."""
    has_label = given.given.reshape(len(weight), -1).all(axis=1)
    labelled = np.flatnonzero(has_label & (weight > 0))
    if len(labelled) < _MIN_COMPARED:
        return usual
    if len(labelled) > _MAX_LEARNT_FROM:
        labelled = np.unique(
            labelled[sampled_rows(X[labelled], weight[labelled], _MAX_LEARNT_FROM)]
        )
    first, node_of = _distinct(usual.apply(X[labelled]))
    if len(first) < _MIN_COMPARED:
        return usual
    chosen = node_of < len(first)
    rows = labelled[chosen]
    count: FloatArray = np.bincount(node_of[chosen], weight[rows]).astype(np.float64)
    labels = given.vectors(rows)
    sums = np.zeros((len(first), labels.shape[1]))
    np.add.at(sums, node_of[chosen], weight[rows, None] * labels)
    wanted, some = sums / count[:, None], X[labelled[first]].astype(np.float64)
    errors = _errors(usual.apply(some), wanted, count, trees)
    others: list[tuple[Scaling | None, FloatArray, float]] = [
        (other, other.apply(some), _ERRORS_FOR_OTHER),
        (None, some / units_of(some).max(), _ERRORS_FOR_NONE),
    ]
    best: Scaling | None = usual
    lead = 0.0
    for scaling, scaled, needed in others:
        gain = _standard_errors(errors - _errors(scaled, wanted, count, trees)) - needed
        if gain > lead:
            best, lead = scaling, gain
    return best


def _distinct(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return some distinct rows, and the index of every row among them.

    The selection does not depend on the order of rows. Rows that are not selected have indices past
    the end.
    """
    direction = np.random.default_rng(0).normal(size=rows.shape[1])
    # Not a matrix product, so that the sum of a row does not depend on its position.
    keys = (np.ascontiguousarray(rows) * direction).sum(axis=1)
    keys, first, node_of = np.unique(keys, return_index=True, return_inverse=True)
    if len(keys) <= _MAX_COMPARED:
        return first, node_of
    order = np.argsort(np.modf(keys * 2.0**20)[0], kind="stable")
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = np.arange(len(keys))
    place[order[_MAX_COMPARED:]] = _MAX_COMPARED
    return first[order[:_MAX_COMPARED]], place[node_of]


def _errors(
    rows: FloatArray, wanted: FloatArray, count: FloatArray, trees: TreeSettings
) -> FloatArray:
    """Return the contribution of every point to the leave-one-out error of a kernel ridge.

    For the best one of a few kernels and regularisations.
    """
    power = (trees.metric_params or {}).get("p", _POWERS[str(trees.metric)])
    distances: FloatArray = cdist(rows, rows, "minkowski", p=power)
    distances /= root_mean_square(distances)
    exponents = distances**2 if power == 2 else distances
    mean = count @ wanted / count.sum()
    root = np.sqrt(count)[:, None]
    trials = []
    for narrowness in _NARROWNESS:
        values, vectors = eigen_decomposition(np.exp(-narrowness * exponents), count)
        projected = vectors.T @ (root * (wanted - mean))
        for ridge in _RIDGES:
            inverse = 1.0 / (values + ridge)
            # Leave-one-out residuals times the square root of the weight (Rasmussen 2006, 5.4.2).
            missed = vectors @ (inverse[:, None] * projected) / (vectors**2 @ inverse)[:, None]
            trials.append((missed**2).sum(axis=1))
    return min(trials, key=lambda errors: float(errors.sum()))


def _standard_errors(gains: FloatArray) -> float:
    """Return the sum of gains in units of its standard error."""
    error = np.sqrt(len(gains)) * float(gains.std())
    return float(gains.sum()) / error if error > 0 else 0.0
