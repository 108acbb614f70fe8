"""``python -m benchmarks suggest``: suggestions of rows to label, and detection of wrong labels."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_measuring_arguments

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "rows suggested for labelling, wrong labels found, and the time of suggestions"

PARTS = ("start", "rounds", "doubt", "time")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_measuring_arguments(parser, PARTS)
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=(10_000, 100_000, 1_000_000),
        metavar="N",
        help="numbers of points whose suggestions are timed (default: 10000 100000 1000000)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``suggest-runs.csv``."""
    from benchmarks.data.forests import FEWEST
    from benchmarks.plots.learning_curves import write_curve_plot
    from benchmarks.runner.tables import illustrated
    from benchmarks.suggest.measuring import Measuring
    from benchmarks.suggest.tables import TABLES
    from benchmarks.suggest.timing import time_table

    if min(arguments.sizes) < FEWEST:
        raise ValueError(f"--sizes {min(arguments.sizes)} must be {FEWEST} or more.")
    measuring = Measuring(arguments)
    for name in arguments.only:
        if name == "time":
            yield time_table(arguments.sizes, quick=arguments.quick)
            continue
        found = measuring.scores(name)
        if not found:
            continue
        for table in TABLES[name](found):
            if table.name == "rounds":
                draw = partial(write_curve_plot, scores=found["rounds"])
                yield illustrated(table, arguments.output, "suggest-curves.png", draw)
            else:
                yield table
