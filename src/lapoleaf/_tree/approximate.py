"""The approximate build: near neighbours through cells, and a sample of all other points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import cast

from lapoleaf._density import Effort, Neighbourhoods, sampled_neighbourhoods
from lapoleaf._points import FatNodes
from lapoleaf._points.cell_search import make_search
from lapoleaf._points.dense import DensePoints
from lapoleaf._tree.cell_leaders import leaders_in_cells
from lapoleaf._tree.exact import (
    build_exact_trees,
    choose_bandwidths,
    metric_name,
    tree_of_densities,
)
from lapoleaf._tree.quality import measure_quality
from lapoleaf._tree.report import BuildReport
from lapoleaf._tree.structure import LeadingTree, with_report


def build_approximate_trees(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
    effort: Effort,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    """Build the plain trees from neighbours and a sample, and check them on some nodes.

    Parameters
    ----------
    nodes, unit, percents, bandwidth, threads, verbose
        As in :func:`build_exact_trees`.
    effort : Effort
        Effort of the search. If there are fewer nodes than the sample has, all are used.

    Returns
    -------
    trees : list of LeadingTree
        The trees.
    near : Neighbourhoods
        Neighbours of all nodes.
    """
    if nodes.points.n <= effort.sample:
        trees, near = build_exact_trees(nodes, unit, percents, bandwidth, threads, verbose)
    else:
        trees, near = _build_in_cells(nodes, unit, percents, bandwidth, threads, verbose, effort)
    checked = []
    for tree in trees:
        began = time.perf_counter()
        quality = measure_quality(
            nodes.points, nodes.population, unit, tree, near, threads, verbose
        )
        report = cast(BuildReport, tree.report)
        seconds = {**report.seconds, "check": time.perf_counter() - began}
        checked.append(
            with_report(tree, BuildReport("approximate", report.metric, seconds, *quality))
        )
    return checked, near


def _build_in_cells(
    nodes: FatNodes,
    unit: float,
    percents: Sequence[float],
    bandwidth: float | None,
    threads: int,
    verbose: int,
    effort: Effort,
) -> tuple[list[LeadingTree], Neighbourhoods]:
    clock = [time.perf_counter()]
    bandwidths = choose_bandwidths(nodes, percents, bandwidth, threads, verbose)
    clock.append(time.perf_counter())
    search = make_search(cast(DensePoints, nodes.points), threads, verbose)
    clock.append(time.perf_counter())
    near = sampled_neighbourhoods(
        search, nodes.population, bandwidths, unit, effort, threads, verbose
    )
    seconds = {"bandwidth": clock[1] - clock[0], **near.seconds}
    seconds["distances"] += clock[2] - clock[1]
    report = BuildReport("approximate", metric_name(nodes.points), seconds)
    leaders = partial(leaders_in_cells, search)
    trees = [
        tree_of_densities(nodes, width, density, near, report, leaders, threads, verbose)
        for width, density in zip(bandwidths, near.densities, strict=True)
    ]
    # Neighbours of new rows are searched in these cells.
    for tree in trees:
        tree.__dict__["cells"] = search
    return trees, near
