"""From data to the leading tree, by an exact or an approximate build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._density import Effort
from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._parallel import n_threads
from lapoleaf._points import (
    FatNodes,
    Points,
    check_rows,
    check_sample_weight,
    make_points,
    merge_duplicates,
)
from lapoleaf._points.cell_search import first_in_cells
from lapoleaf._points.dense import is_searchable
from lapoleaf._points.metrics import searchable_metrics
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._progress import tell
from lapoleaf._tree.approximate import build_approximate_trees
from lapoleaf._tree.density_peaks import DensityPeaks, density_peaks
from lapoleaf._tree.exact import build_exact_trees, single_node_tree
from lapoleaf._tree.numbering import in_numbering, renumbered_nodes
from lapoleaf._tree.random_trees import random_trees
from lapoleaf._tree.report import BuildReport
from lapoleaf._tree.structure import LeadingTree, ranks
from lapoleaf._typing import IntArray, Metric
from lapoleaf._warnings import warn_user

# Cost of a pair in addition to its columns, in columns; and the maximum work, about 4 seconds of
# one core, for which ``"auto"`` computes all distances.
_PAIR_OVERHEAD, _MAX_AUTO_WORK = 150.0, 1e11
# A poor approximate build is repeated in full up to this multiple of the work.
_MAX_RETRY_FACTOR = 30.0
# Minimum shares of neighbours and leaders found, and maximum error of densities.
_MIN_SHARE_FOUND, _MAX_DENSITY_ERROR = 0.7, 0.3
DEFAULT_EFFORT = Effort()
_BUILDS = ("auto", "full", "approximate")


def choose_build(build: Any, points: Points, metric: Metric) -> str:
    """Return ``"full"`` or ``"approximate"``; raise for a build that is not possible.

    Parameters
    ----------
    build : str
        The parameter of the user.
    points : Points
        The rows.
    metric : str or callable
        The metric set by the user.
    """
    if not isinstance(build, str) or build not in _BUILDS:
        raise ValueError(f"build={shown(build)} is not known: use one of {_BUILDS}.")
    possible = is_searchable(points)
    if build == "approximate" and not possible:
        raise ValueError(
            f"build='approximate' is for dense rows under one of the metrics "
            f"{searchable_metrics()}, not for {_kind(points)} under metric={shown(metric)}: use "
            f"build='full'."
        )
    if build == "auto":
        return "approximate" if possible and _work(points) > _MAX_AUTO_WORK else "full"
    return build


def is_poor(report: BuildReport | None) -> bool:
    """Whether an approximate build is too inaccurate."""
    if report is None or report.n_checked is None:
        return False
    found = min(float(report.neighbours_found or 0.0), float(report.leaders_found or 0.0))
    return found < _MIN_SHARE_FOUND or float(report.density_error or 0.0) > _MAX_DENSITY_ERROR


def full_is_affordable(points: Points) -> bool:
    """Whether a full build takes at most a minute or two."""
    return _work(points) <= _MAX_RETRY_FACTOR * _MAX_AUTO_WORK


def _work(points: Points) -> float:
    return float(points.n) ** 2 * (points.work + _PAIR_OVERHEAD)


def _kind(points: Points) -> str:
    return "sparse ones" if isinstance(points, SparsePoints) else "rows"


def leading_tree(
    X: Any,
    *,
    percent: float = 2.0,
    bandwidth: float | None = None,
    metric: Metric = "euclidean",
    metric_params: dict[str, Any] | None = None,
    sample_weight: Any = None,
    build: str = "auto",
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LeadingTree:
    """Return the leading tree of data, in which every point is led by its nearest denser point.

    A full build computes all distances in blocks: memory is linear in the number of rows, time
    quadratic. Dense rows under Euclidean, squared Euclidean and cosine distances are the fastest;
    blocks of other metrics keep within scikit-learn's ``working_memory``. In an approximate build,
    time is nearly linear in the number of rows. Results do not depend on the size of blocks or the
    number of threads.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        The data. With ``metric="precomputed"`` a square matrix of distances, or a sparse graph of
        some of them: then the smaller of both directions counts, and a pair that is not stored is
        at twice the largest stored distance.
    percent : float, default=2.0
        The bandwidth is the distance that this percentage of the pairs of rows do not exceed.
        In (0, 100].
    bandwidth : float, default=None
        Width of the Gaussian kernel of the density, in units of distance; overrides ``percent``.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows. A sparse X takes ``"euclidean"``, ``"sqeuclidean"``, ``"manhattan"``,
        ``"chebyshev"`` and ``"cosine"``. Under ``"euclidean"`` and ``"nan_euclidean"`` numbers
        that are smaller than the largest by a factor of more than 1e282 count as 0.
    metric_params : dict, default=None
        Further arguments of the metric, for example ``{"p": 3}`` for ``"minkowski"``.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows: weight 2 is the same as the row twice, weight 0 leaves it out.
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` computes all distances. ``"approximate"`` finds nearly all near neighbours, and
        estimates densities from them and a sample; for dense rows under ``"euclidean"``,
        ``"sqeuclidean"`` and ``"cosine"``. ``"auto"`` is approximate for these where a full build
        would take more than a few seconds (above 24,500 rows of 16 columns, 10,300 of 784), else
        full. ``tree.report`` has the build and its accuracy.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Returns
    -------
    LeadingTree
        The tree of the nodes, which are the distinct points. ``tree.to_rows(values)`` converts
        values of nodes to values of rows.

    See Also
    --------
    lodog : Cut the tree into the optimal forest.

    Examples
    --------
    Two groups on a line, with a bandwidth of 1. The densest point of all, 1.0, leads the densest
    point of the other group.

    >>> from lapoleaf import leading_tree
    >>> tree = leading_tree([[0.0], [1.0], [1.9], [7.0], [8.0]], bandwidth=1.0)
    >>> tree.parent
    array([ 1, -1,  1,  2,  3])
    >>> tree.delta
    array([1. , 7. , 0.9, 5.1, 1. ])
    """
    return tree_of_rows(
        check_rows(X, metric),
        percent=percent,
        bandwidth=bandwidth,
        metric=metric,
        metric_params=metric_params,
        sample_weight=sample_weight,
        build=build,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def tree_of_rows(rows: Any, *, percent: float, **settings: Any) -> LeadingTree:
    """Return the leading tree of validated rows."""
    return trees_of_rows(rows, percents=[percent], **settings).plain[0]


class Trees(NamedTuple):
    """Trees from one pass over the distances.

    Attributes
    ----------
    plain : list of LeadingTree
        A tree for every percentage.
    random : list of LeadingTree
        Trees from randomised densities.
    peaks : DensityPeaks or None
        The peaks of a density of neighbours; None if not asked for, or of one node.
    """

    plain: list[LeadingTree]
    random: list[LeadingTree]
    peaks: DensityPeaks | None = None


def _in_numbering(found: Trees, nodes: FatNodes, numbering: IntArray) -> Trees:
    """Return trees over the nodes with their own numbers."""
    plain, random = (
        [in_numbering(tree, nodes, numbering) for tree in trees]
        for trees in (found.plain, found.random)
    )
    peaks = found.peaks
    if peaks is not None:
        tree = in_numbering(peaks.tree, nodes, numbering)
        prominence = peaks.prominence[ranks(numbering)]
        peaks = peaks._replace(tree=tree, prominence=prominence)
    return Trees(plain, random, peaks)


def trees_of_rows(
    rows: Any,
    *,
    percents: Sequence[float],
    bandwidth: float | None,
    metric: Metric,
    metric_params: dict[str, Any] | None,
    sample_weight: Any,
    n_jobs: int | None,
    verbose: int,
    build: str = "auto",
    n_random: int = 0,
    seed: int = 0,
    peaks: bool = False,
    effort: Effort = DEFAULT_EFFORT,
) -> Trees:
    """Build a tree for every percentage, random ones and peaks, from one pass over the distances.

    A ``bandwidth`` overrides the percentages, and there is one plain tree.
    """
    percents = [_check_percent(percent) for percent in percents]
    bandwidth = _check_bandwidth(bandwidth)
    threads = n_threads(n_jobs)
    weight = check_sample_weight(sample_weight, rows.shape[0])
    points = make_points(rows, metric, metric_params, weight, threads)
    chosen = choose_build(build, points, metric)
    if verbose:
        tell(f"build: {chosen}, {points.n} rows")
    unit = float(weight[weight > 0].min())
    approximate = chosen == "approximate"
    at_zero = first_in_cells if approximate else None
    nodes = merge_duplicates(points, weight, threads, verbose, at_zero)
    if nodes.points.n == 1:
        single = single_node_tree(nodes, bandwidth, unit, chosen)
        return Trees([single] * (1 if bandwidth else len(percents)), [])
    # Ties are broken by number: if numbers follow from the points, so do random trees.
    numbering = nodes.points.canonical_order() if n_random and not approximate else None
    numbered = nodes if numbering is None else renumbered_nodes(nodes, numbering)
    how = (numbered, unit, percents, bandwidth, threads, verbose)
    plain, near = build_approximate_trees(*how, effort) if approximate else build_exact_trees(*how)
    if approximate and is_poor(plain[0].report):
        if build == "auto" and full_is_affordable(points):
            if verbose:
                tell(f"{plain[0].report}: too little, so in full")
            plain, near = build_exact_trees(*how)
        else:
            warn_user(
                f"The tree is not a good one: {plain[0].report}. Distances in many columns may "
                f"say little: use build='full', or fewer columns (sklearn.decomposition.PCA)."
            )
    random = random_trees(plain[0], near, unit, n_random, seed, threads, verbose)
    found = Trees(plain, random, density_peaks(plain[0], near, unit) if peaks else None)
    return found if numbering is None else _in_numbering(found, nodes, numbering)


def _check_percent(percent: Any) -> float:
    if not is_real(percent) or not 0 < percent <= 100:
        raise ValueError(
            f"percent={shown(percent)} must be a number in (0, 100]: the percentage of pair "
            f"distances that the bandwidth exceeds. 2.0 is a good start."
        )
    return float(percent)


def _check_bandwidth(bandwidth: Any) -> float | None:
    if bandwidth is None:
        return None
    if not is_real(bandwidth) or not 0 < bandwidth < np.inf:
        raise ValueError(
            f"bandwidth={shown(bandwidth)} must be a positive number in units of distance, or "
            f"None to take it from percent."
        )
    return float(bandwidth)
