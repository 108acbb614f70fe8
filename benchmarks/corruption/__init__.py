"""``python -m benchmarks corruption``: what faults of a sensor cost its forecasts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "faults of a sensor in lapoleaf stream: errors and intervals before, during and after each"

PARTS = ("sine", "water")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only", choices=PARTS, default=None, help="measure these series only (default: both)"
    )
    parser.add_argument(
        "--places",
        type=int,
        default=3,
        metavar="N",
        help="inject each fault at N places of a series (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other."""
    from benchmarks.corruption.tables import sine_table, water_tables

    if arguments.places < 1:
        raise ValueError(f"--places {arguments.places} must be 1 or more.")
    if arguments.only != "water":
        yield sine_table(arguments.places, quick=arguments.quick)
    if arguments.only != "sine":
        yield from water_tables(arguments.data, arguments.places, quick=arguments.quick)
