"""``python -m benchmarks speed``: seconds and megabytes of ours and of baselines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_fashion, add_limit, add_parts, check_limit

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "seconds and megabytes of lapoleaf and baselines, their growth, and the first call"

PARTS = ("fashion", "full", "million", "again", "approximate", "sizes", "clicks", "sparse", "first")
_FEWEST = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_parts(parser, PARTS)
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=None,
        metavar="N",
        help="numbers of points of the parts million (default: 125000 to 1000000), sizes (1000 to "
        "10000000), approximate (70000) and clicks (10000, 100000)",
    )
    add_fashion(parser)
    add_limit(parser)


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``speed-runs.csv``."""
    from benchmarks.plots.growth import write_growth_plot
    from benchmarks.runner.tables import illustrated
    from benchmarks.speed.parts import TABLES
    from benchmarks.speed.session import Session

    if arguments.sizes is not None and min(arguments.sizes) < _FEWEST:
        raise ValueError(f"--sizes {min(arguments.sizes)} must be {_FEWEST} or more.")
    check_limit(arguments)
    session = Session(arguments)
    for name in arguments.only:
        for table in TABLES[name](session):
            folder = arguments.output if table.name.endswith("-growth") else None
            draw = partial(write_growth_plot, lines=session.growth)
            yield illustrated(table, folder, f"speed-{table.name}.png", draw)
