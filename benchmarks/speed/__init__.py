"""``python -m benchmarks speed``: seconds and megabytes, ours and those of baselines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "seconds and megabytes of lapoleaf and baselines, their growth, and the first call"

PARTS = ("fashion", "full", "million", "again", "approximate", "sizes", "clicks", "sparse", "first")
_FEWEST = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only",
        choices=PARTS,
        nargs="+",
        default=PARTS,
        metavar="PART",
        help=f"measure these parts only: {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=None,
        metavar="N",
        help="numbers of points of the parts million (default: 125000 to 1000000), sizes (1000 to "
        "10000000), approximate (70000) and clicks (10000, 100000)",
    )
    parser.add_argument(
        "--fashion",
        type=Path,
        default=Path("/usr/share/datasets/fashion-mnist"),
        metavar="DIR",
        help="folder with the four files of Fashion-MNIST (default: %(default)s, where Debian's "
        "package dataset-fashion-mnist puts them)",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=1800.0,
        metavar="SECONDS",
        help="end a run that takes more seconds of processor time (default: %(default)g)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``speed-runs.csv``."""
    from benchmarks.plots.growth import write_growth_plot
    from benchmarks.runner.tables import illustrated
    from benchmarks.speed.parts import TABLES
    from benchmarks.speed.session import Session

    if arguments.sizes is not None and min(arguments.sizes) < _FEWEST:
        raise ValueError(f"--sizes {min(arguments.sizes)} must be {_FEWEST} or more.")
    if not arguments.limit > 0:
        raise ValueError(f"--limit {arguments.limit:g} must be more than 0 seconds.")
    session = Session(arguments)
    for name in arguments.only:
        for table in TABLES[name](session):
            folder = arguments.output if table.name.endswith("-growth") else None
            draw = partial(write_growth_plot, lines=session.growth)
            yield illustrated(table, folder, f"speed-{table.name}.png", draw)
