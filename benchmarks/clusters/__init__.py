"""``python -m benchmarks clusters``: clusters without any label, against the classes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "clusters found by every cut of LoDOG, HDBSCAN and the decision graph; seconds of a fit"

PARTS = ("agreement", "time")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only", choices=PARTS, default=None, help="measure this part only (default: both)"
    )
    parser.add_argument(
        "--rows",
        type=int,
        default=5000,
        help="use at most this number of rows of a data set (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other."""
    from benchmarks.clusters.agreement import agreement_tables
    from benchmarks.clusters.timing import time_table

    if arguments.rows < 1:
        raise ValueError(f"--rows {arguments.rows} must be 1 or more.")
    if arguments.only != "time":
        yield from agreement_tables(arguments.data, arguments.rows, quick=arguments.quick)
    if arguments.only != "agreement":
        yield time_table(quick=arguments.quick)
