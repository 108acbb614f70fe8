"""From data to the leading tree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._numbers import is_real
from lapoleaf._parallel import n_threads
from lapoleaf._typing import FloatArray, Metric
from lapoleaf._warnings import warn_user
from lapoleaf.density import Neighbourhoods, gaussian_neighbourhoods, percentile_bandwidths
from lapoleaf.points import (
    FatNodes,
    Points,
    check_rows,
    check_sample_weight,
    make_points,
    merge_duplicates,
)
from lapoleaf.tree.leaders import find_leaders
from lapoleaf.tree.many import random_trees
from lapoleaf.tree.structure import BuildReport, LeadingTree

_OVERFLOW = (
    "X holds numbers so large that distances between its rows overflow: divide it by a constant, "
    "or scale its columns with sklearn.preprocessing.StandardScaler."
)
# Self-tuned weights take the distance to this neighbour as their width.
SCALE_NEIGHBOUR = 10


def leading_tree(
    X: Any,
    *,
    percent: float = 2.0,
    bandwidth: float | None = None,
    metric: Metric = "euclidean",
    metric_params: dict[str, Any] | None = None,
    sample_weight: Any = None,
    build: str = "full",
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LeadingTree:
    """Give every point a leader: the nearest point that is denser.

    Every distance is looked at, a block at a time: memory grows with the number of rows, time with
    its square. Dense rows under Euclidean, squared Euclidean and cosine distances are the fastest;
    blocks of other metrics keep within scikit-learn's ``working_memory``. The result does not
    depend on the size of the blocks or the number of threads.

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
        ``"chebyshev"`` and ``"cosine"``.
    metric_params : dict, default=None
        Further arguments of the metric, for example ``{"p": 3}`` for ``"minkowski"``.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows: weight 2 is the same as the row twice, weight 0 leaves it out.
    build : {"full"}, default="full"
        How the tree is built: ``"full"`` looks at every distance.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Returns
    -------
    LeadingTree
        Over nodes: the distinct points. ``tree.to_rows(values)`` goes back to rows.

    See Also
    --------
    lodog : Cut the tree into the optimal forest.

    Examples
    --------
    Two groups on a line; a bandwidth of 1. The densest point of all, 1.0, leads the densest point
    of the other group from afar.

    >>> from lapoleaf import leading_tree
    >>> tree = leading_tree([[0.0], [1.0], [1.9], [7.0], [8.0]], bandwidth=1.0)
    >>> tree.parent
    array([ 1, -1,  1,  2,  3])
    >>> tree.delta
    array([1. , 7. , 0.9, 5.1, 1. ])
    """
    if build != "full":
        raise ValueError(f"build={build!r} is not known; use build='full'.")
    return tree_of_rows(
        check_rows(X, metric),
        percent=percent,
        bandwidth=bandwidth,
        metric=metric,
        metric_params=metric_params,
        sample_weight=sample_weight,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def tree_of_rows(rows: Any, *, percent: float, **settings: Any) -> LeadingTree:
    """Do what :func:`leading_tree` does, for rows that have been checked already."""
    return trees_of_rows(rows, percents=[percent], **settings).plain[0]


class Trees(NamedTuple):
    """Trees that grew from one pass over the distances.

    Attributes
    ----------
    plain : list of LeadingTree
        A tree for every percentage.
    random : list of LeadingTree
        Trees by randomised densities.
    """

    plain: list[LeadingTree]
    random: list[LeadingTree]


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
    n_random: int = 0,
    seed: int = 0,
) -> Trees:
    """Build a tree for every percentage, and random ones, all from one pass over the distances.

    A ``bandwidth`` overrides the percentages, and there is one plain tree.
    """
    percents = [_check_percent(percent) for percent in percents]
    bandwidth = _check_bandwidth(bandwidth)
    threads = n_threads(n_jobs)
    weight = check_sample_weight(sample_weight, rows.shape[0])
    points = make_points(rows, metric, metric_params, weight)
    unit = float(weight[weight > 0].min())
    nodes = merge_duplicates(points, weight, threads, verbose)
    if nodes.points.n == 1:
        single = _single_node(nodes, bandwidth, unit)
        return Trees([single] * (1 if bandwidth else len(percents)), [])
    plain, near = _grow(nodes, unit, percents, bandwidth, threads, verbose)
    return Trees(plain, random_trees(plain[0], near, unit, n_random, seed, threads, verbose))


def _grow(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    """Build the plain trees: bandwidths, densities, leaders."""
    clock = [time.perf_counter()]
    bandwidths = (
        [bandwidth]
        if bandwidth
        else percentile_bandwidths(nodes.points, nodes.population, percents, threads, verbose)
    )
    clock.append(time.perf_counter())
    if not np.isfinite(bandwidths).all():
        raise ValueError(_OVERFLOW)
    near = gaussian_neighbourhoods(
        nodes.points, nodes.population, bandwidths, unit, threads, verbose
    )
    seconds = {"bandwidth": clock[1] - clock[0], **near.seconds}
    trees = [
        _tree_of(nodes, width, density, near, seconds, threads, verbose)
        for width, density in zip(bandwidths, near.densities, strict=True)
    ]
    return trees, near


def _tree_of(
    nodes: FatNodes,
    bandwidth: float,
    density: FloatArray,
    near: Neighbourhoods,
    seconds: dict[str, float],
    threads: int,
    verbose: int,
) -> LeadingTree:
    began = time.perf_counter()
    parent, delta = find_leaders(nodes.points, density, near, threads, verbose)
    _refuse_overflow(delta)
    spent = {**seconds, "leaders": time.perf_counter() - began}
    return LeadingTree(
        density=density,
        delta=delta,
        parent=parent,
        population=nodes.population,
        bandwidth=bandwidth,
        node_of=nodes.node_of,
        scale=near.lengths[:, min(SCALE_NEIGHBOUR, near.lengths.shape[1]) - 1],
        points=nodes.points,
        report=BuildReport("full", _metric_name(nodes.points), spent),
    )


def _single_node(nodes: FatNodes, bandwidth: float | None, unit: float) -> LeadingTree:
    warn_user(
        "X has one distinct point only: the tree is a single node, and all rows will get the same "
        "label."
    )
    return LeadingTree(
        density=nodes.population - unit,
        delta=np.zeros(1),
        parent=np.array([-1]),
        population=nodes.population,
        bandwidth=1.0 if bandwidth is None else bandwidth,
        node_of=nodes.node_of,
        points=nodes.points,
        report=BuildReport("full", _metric_name(nodes.points), {}),
    )


def _refuse_overflow(delta: FloatArray) -> None:
    if not np.isfinite(delta).all():
        raise ValueError(_OVERFLOW)


def _metric_name(points: Points) -> str:
    metric = getattr(points, "metric", "precomputed")
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))


def _check_percent(percent: Any) -> float:
    if not is_real(percent) or not 0 < percent <= 100:
        raise ValueError(
            f"percent={percent!r} must be a number in (0, 100]: the percentage of pair distances "
            f"that the bandwidth exceeds. 2.0 is a good start."
        )
    return float(percent)


def _check_bandwidth(bandwidth: Any) -> float | None:
    if bandwidth is None:
        return None
    if not is_real(bandwidth) or not 0 < bandwidth < np.inf:
        raise ValueError(
            f"bandwidth={bandwidth!r} must be a positive number in units of distance, or None to "
            f"take it from percent."
        )
    return float(bandwidth)
