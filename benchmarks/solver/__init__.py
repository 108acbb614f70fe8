"""``python -m benchmarks solver``: the exact solver against the paper's three stages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "the exact solver against the three stages: accuracy, time, and coverage of its intervals"

PARTS = ("accuracy", "time", "coverage")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only", choices=PARTS, default=None, help="measure this part only (default: all three)"
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other."""
    from benchmarks.solver.accuracy import accuracy_tables
    from benchmarks.solver.coverage import coverage_tables
    from benchmarks.solver.timing import time_tables

    parts = dict(zip(PARTS, (accuracy_tables, time_tables, coverage_tables), strict=True))
    for name in PARTS if arguments.only is None else [arguments.only]:
        yield from parts[name](arguments.data, quick=arguments.quick)
