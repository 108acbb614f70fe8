"""All maps as a table."""

from __future__ import annotations

import argparse

from benchmarks.layout.sets import Source, count_rows, missing
from benchmarks.layout.work import map_once
from benchmarks.methods import select
from benchmarks.methods.method import MAPS
from benchmarks.runner.isolated import Job
from benchmarks.runner.runner import Runner, runs_path
from benchmarks.runner.tables import Table
from lapoleaf._progress import tell
from lapoleaf._version import __version__

_FIGURES = ("prepare", "seconds", "processor", "trustworthiness", "purity", "peak", "above")


def map_table(arguments: argparse.Namespace, methods: list[str]) -> Table:
    """Return seconds, quality and memory of all methods on all data sets.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    methods : list of str
        The methods to measure.
    """
    runner = Runner(runs_path(arguments), limit=arguments.limit)
    data = None if arguments.data is None else str(arguments.data)
    source = Source(data, str(arguments.fashion), bool(arguments.quick))
    folder = None if arguments.output is None else str(arguments.output / "layout-places")
    rows = []
    for name in arguments.only:
        trouble = missing(name, source)
        if trouble:
            tell(trouble)
            continue
        n = count_rows(name, source)
        for method in methods:
            work = (method, name, *source, folder)
            job = Job("maps", f"{name} {__version__}", n, method, map_once, work)
            result = runner.isolated(job)[0]
            rows.append((name, method, *map(result.get, _FIGURES)))
    return Table(
        "maps",
        "Maps in two dimensions",
        ("data", "method", "before, s", "map, s", "processor, s", "trustworthiness", "purity",
         "peak MB", "MB above start"),
        rows,
        "Before: trees (lapoleaf), 15 neighbours (UMAP), affinities (openTSNE); PaCMAP finds its "
        "neighbours within the map. Seconds of the map are wall-clock time, and processor time of "
        "all cores; UMAP with a fixed seed uses one core. Trustworthiness of 15 neighbours, from a "
        "sample of 500 rows; purity: the share of the 10 nearest rows in the map that are of the "
        "same class. Each method runs in its own process, after a warm-up on 1,000 rows.",
    )  # fmt: skip


def installed_methods(wanted: list[str] | None) -> list[str]:
    """Return the methods asked for, or raise; those that are not installed are left out."""
    known = select(MAPS, "layout")
    unknown = set(wanted or ()) - known.keys()
    if unknown:
        raise ValueError(f"--methods {min(unknown)} is not known: use some of {', '.join(known)}.")
    found = []
    for name, method in known.items():
        if wanted is not None and name not in wanted:
            continue
        if method.make().is_installed:
            found.append(name)
        else:
            tell(f"{name} is not installed (pip install '.[bench]'): it is left out.")
    return found
