"""The exact build: every distance is looked at."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from lapoleaf._density import Neighbourhoods, gaussian_neighbourhoods
from lapoleaf._points import FatNodes
from lapoleaf._tree.leaders import find_leaders
from lapoleaf._tree.plain_tree import choose_bandwidths, metric_name, tree_of_densities
from lapoleaf._tree.report import BuildReport
from lapoleaf._tree.structure import LeadingTree


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
        Percentages of pair distances, each of which gives a bandwidth.
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
