"""The exact build from all distances, and functions shared with the approximate one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from lapoleaf._density import Neighbourhoods, gaussian_neighbourhoods, percentile_bandwidths
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import FatNodes, Points
from lapoleaf._progress import Progress
from lapoleaf._tree import kernels
from lapoleaf._tree.report import BuildReport
from lapoleaf._tree.structure import LeadingTree, density_order, ranks
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf._warnings import warn_user

_OVERFLOW = (
    "X holds numbers so large that distances between its rows overflow: divide it by a constant, "
    "or scale its columns with sklearn.preprocessing.StandardScaler."
)
# The width of self-tuned weights is the distance to this neighbour.
SCALE_NEIGHBOUR = 10


def choose_bandwidths(
    nodes: FatNodes,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
) -> list[float]:
    """Return the given bandwidth, or the bandwidths of all percentages."""
    if bandwidth:
        return [bandwidth]
    found = percentile_bandwidths(nodes.points, nodes.population, percents, threads, verbose)
    if not np.isfinite(found).all():
        raise ValueError(_OVERFLOW)
    return found


def tree_of_densities(
    nodes: FatNodes,
    bandwidth: float,
    density: FloatArray,
    near: Neighbourhoods,
    report: BuildReport,
    leaders: Callable[..., tuple[IntArray, FloatArray]],
    threads: int,
    verbose: int,
) -> LeadingTree:
    """Return the tree of nodes with known densities and neighbours.

    Parameters
    ----------
    nodes : FatNodes
        The nodes.
    bandwidth : float
        Width of the kernel behind the densities.
    density : ndarray of shape (n,)
        The densities.
    near : Neighbourhoods
        Neighbours of all nodes.
    report : BuildReport
        Times of the stages before this one.
    leaders : callable
        Finds the leaders: ``leaders(density, near, threads, verbose)``.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    began = time.perf_counter()
    parent, delta = leaders(density, near, threads, verbose)
    _refuse_overflow(delta)
    spent = {**report.seconds, "leaders": time.perf_counter() - began}
    return LeadingTree(
        density=density,
        delta=delta,
        parent=parent,
        population=nodes.population,
        bandwidth=bandwidth,
        node_of=nodes.node_of,
        scale=near.lengths[:, min(SCALE_NEIGHBOUR, near.lengths.shape[1]) - 1],
        points=nodes.points,
        report=replace(report, seconds=spent),
    )


def single_node_tree(
    nodes: FatNodes, bandwidth: float | None, unit: float, build: str
) -> LeadingTree:
    """Return the tree of one node, with a warning."""
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
        report=BuildReport(build, metric_name(nodes.points), {}),
    )


def _refuse_overflow(delta: FloatArray) -> None:
    if not np.isfinite(delta).all():
        raise ValueError(_OVERFLOW)


def metric_name(points: Points) -> str:
    """Return the name of the metric, for reports."""
    metric = getattr(points, "metric", "precomputed")
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))


def build_exact_trees(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    """Build the plain trees, one for every bandwidth, from all distances.

    Parameters
    ----------
    nodes : FatNodes
        The nodes.
    unit : float
        Smallest weight of a row.
    percents : sequence of float
        Percentages of pair distances, one for each bandwidth.
    bandwidth : float or None
        The bandwidth, if it was given.
    threads, verbose : int
        Number of threads; whether to report progress.

    Returns
    -------
    trees : list of LeadingTree
        The trees.
    near : Neighbourhoods
        Neighbours of all nodes.
    """
    began = time.perf_counter()
    bandwidths = choose_bandwidths(nodes, percents, bandwidth, threads, verbose)
    spent = time.perf_counter() - began
    near = gaussian_neighbourhoods(
        nodes.points, nodes.population, bandwidths, unit, threads, verbose
    )
    report = BuildReport("full", metric_name(nodes.points), {"bandwidth": spent, **near.seconds})
    leaders = partial(find_leaders, nodes.points)
    trees = [
        tree_of_densities(nodes, width, density, near, report, leaders, threads, verbose)
        for width, density in zip(bandwidths, near.densities, strict=True)
    ]
    return trees, near


def find_leaders(
    points: Points,
    density: FloatArray,
    near: Neighbourhoods,
    threads: int = 1,
    verbose: int = 0,
) -> tuple[IntArray, FloatArray]:
    """Return the leader of every node and the distance to it.

    Nearly all leaders are found among the neighbours; for the others all distances are searched.
    Both give the same result.

    Parameters
    ----------
    points : Points
        The nodes.
    density : ndarray of shape (n,)
        Their densities.
    near : Neighbourhoods
        Their neighbours.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    rank = ranks(density_order(density))
    parent = np.empty(points.n, dtype=np.int64)
    delta = np.empty(points.n)
    kernels.leaders_among_neighbours(rank, near.neighbours, near.lengths, parent, delta)
    alone = np.flatnonzero(parent < 0)

    def search(block: slice) -> None:
        nodes = alone[block]
        kernels.nearest_denser(points.rows(nodes), nodes, rank, parent, delta)

    blocks = row_blocks(len(alone), points.n, points.work, threads)
    for_each_block(search, blocks, threads, Progress("leaders", len(alone), verbose))
    return parent, delta
