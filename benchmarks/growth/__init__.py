"""``python -m benchmarks growth``: time of adding new rows, one by one and in batches."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "milliseconds to predict and insert a new row, and batches against a refit"

PARTS = ("single", "batch")
_FEWEST = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only", choices=PARTS, default=None, help="measure this part only (default: both)"
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=None,
        metavar="N",
        help="numbers of rows of the part single (default: 1000 to 200000)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other, the first with a picture."""
    from benchmarks.growth.batches import batch_table
    from benchmarks.growth.single_rows import PUBLISHED, single_table
    from benchmarks.plots.growth import write_growth_plot
    from benchmarks.runner.tables import illustrated

    if arguments.sizes is not None and min(arguments.sizes) < _FEWEST:
        raise ValueError(f"--sizes {min(arguments.sizes)} must be {_FEWEST} or more.")
    if arguments.only != "batch":
        table = single_table(arguments.data, arguments.sizes, quick=arguments.quick)
        lines = [(n, median / 1000.0) for name, n, median, *_ in table.rows if name == PUBLISHED]
        yield illustrated(
            table,
            arguments.output,
            "growth-single.png",
            lambda path: write_growth_plot(path, {PUBLISHED: lines}),
        )
    if arguments.only != "single":
        yield batch_table(quick=arguments.quick)
