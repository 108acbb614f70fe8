"""Plain trees from nodes: bandwidths, densities, leaders; in full or approximately."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from lapoleaf._density import (
    Effort,
    Neighbourhoods,
    gaussian_neighbourhoods,
    percentile_bandwidths,
    sampled_neighbourhoods,
)
from lapoleaf._points import FatNodes, Points
from lapoleaf._points.cell_search import make_search
from lapoleaf._points.dense import DensePoints
from lapoleaf._tree.cell_leaders import leaders_in_cells
from lapoleaf._tree.leaders import find_leaders
from lapoleaf._tree.quality import measured_quality
from lapoleaf._tree.structure import BuildReport, LeadingTree, with_report
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf._warnings import warn_user

_OVERFLOW = (
    "X holds numbers so large that distances between its rows overflow: divide it by a constant, "
    "or scale its columns with sklearn.preprocessing.StandardScaler."
)
# Self-tuned weights take the distance to this neighbour as their width.
SCALE_NEIGHBOUR = 10


def grow_fully(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    """Build the plain trees: bandwidths, densities, leaders."""
    began = time.perf_counter()
    bandwidths = _bandwidths(nodes, percents, bandwidth, threads, verbose)
    spent = time.perf_counter() - began
    near = gaussian_neighbourhoods(
        nodes.points, nodes.population, bandwidths, unit, threads, verbose
    )
    report = BuildReport("full", _metric_name(nodes.points), {"bandwidth": spent, **near.seconds})
    leaders = partial(find_leaders, nodes.points)
    trees = [
        _tree_of(nodes, width, density, near, report, leaders, threads, verbose)
        for width, density in zip(bandwidths, near.densities, strict=True)
    ]
    return trees, near


def grow_approximately(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
    effort: Effort,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    """Build the plain trees from neighbours and a sample, and check them on some nodes."""
    if nodes.points.n <= effort.sample:
        trees, near = grow_fully(nodes, unit, percents, bandwidth, threads, verbose)
    else:
        trees, near = _grow_in_cells(nodes, unit, percents, bandwidth, threads, verbose, effort)
    checked = []
    for tree in trees:
        began = time.perf_counter()
        quality = measured_quality(
            nodes.points, nodes.population, unit, tree, near, threads, verbose
        )
        report = cast(BuildReport, tree.report)
        seconds = {**report.seconds, "check": time.perf_counter() - began}
        checked.append(
            with_report(tree, BuildReport("approximate", report.metric, seconds, *quality))
        )
    return checked, near


def _grow_in_cells(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
    effort: Effort,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    clock = [time.perf_counter()]
    bandwidths = _bandwidths(nodes, percents, bandwidth, threads, verbose)
    clock.append(time.perf_counter())
    search = make_search(cast(DensePoints, nodes.points), threads, verbose)
    clock.append(time.perf_counter())
    near = sampled_neighbourhoods(
        search, nodes.population, bandwidths, unit, effort, threads, verbose
    )
    seconds = {"bandwidth": clock[1] - clock[0], **near.seconds}
    seconds["distances"] += clock[2] - clock[1]
    report = BuildReport("approximate", _metric_name(nodes.points), seconds)
    leaders = partial(leaders_in_cells, search)
    trees = [
        _tree_of(nodes, width, density, near, report, leaders, threads, verbose)
        for width, density in zip(bandwidths, near.densities, strict=True)
    ]
    # New rows will look for their neighbours in these cells.
    for tree in trees:
        tree.__dict__["cells"] = search
    return trees, near


def _bandwidths(
    nodes: FatNodes,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
) -> list[float]:
    if bandwidth:
        return [bandwidth]
    found = percentile_bandwidths(nodes.points, nodes.population, percents, threads, verbose)
    if not np.isfinite(found).all():
        raise ValueError(_OVERFLOW)
    return found


def _tree_of(
    nodes: FatNodes,
    bandwidth: float,
    density: FloatArray,
    near: Neighbourhoods,
    report: BuildReport,
    leaders: Callable[..., tuple[IntArray, FloatArray]],
    threads: int,
    verbose: int,
) -> LeadingTree:
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


def single_node(nodes: FatNodes, bandwidth: float | None, unit: float, build: str) -> LeadingTree:
    """Give the tree of one node, with a warning."""
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
        report=BuildReport(build, _metric_name(nodes.points), {}),
    )


def _refuse_overflow(delta: FloatArray) -> None:
    if not np.isfinite(delta).all():
        raise ValueError(_OVERFLOW)


def _metric_name(points: Points) -> str:
    metric = getattr(points, "metric", "precomputed")
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
