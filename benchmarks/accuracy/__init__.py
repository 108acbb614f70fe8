"""``python -m benchmarks accuracy``: against baselines, on many data sets and few labels."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_measuring_arguments

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "accuracy against baselines: few labels, wrong ones, unbalanced classes, numbers"

PARTS = ("clean", "noise", "unbalanced", "images", "regression", "parts", "calibration")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_measuring_arguments(parser, PARTS)
    parser.add_argument(
        "--methods",
        nargs="+",
        default=None,
        metavar="NAME",
        help="measure these methods only; others are shown as far as accuracy-runs.csv in the "
        "output folder has them (default: all)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``accuracy-runs.csv``."""
    from benchmarks.accuracy.measuring import Measuring
    from benchmarks.accuracy.tables import part_tables
    from benchmarks.plots.ranks import write_rank_plot

    measuring = Measuring(arguments)
    for name in arguments.only:
        found = measuring.scores(name)
        if found is None:
            continue
        yield from part_tables(name, found)
        if name == "clean" and arguments.output is not None:
            write_rank_plot(arguments.output / "accuracy-ranks.png", found)
