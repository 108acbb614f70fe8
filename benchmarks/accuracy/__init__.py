"""``python -m benchmarks accuracy``: against baselines, on many data sets and few labels."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_measuring_arguments

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "accuracy with few and wrong labels on numeric data, tables and texts, with baselines"

PARTS = (
    "clean", "tables", "noise", "shares", "tables-shares", "unbalanced", "images", "texts",
    "regression", "tables-regression", "parts", "calibration", "tables-calibration",
)  # fmt: skip

_WITH_PICTURE = ("clean", "tables")


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
    parser.add_argument(
        "--seeds",
        type=int,
        default=1,
        help="mean over this number of values of random_state, from 0 on (default: %(default)s)",
    )
    parser.add_argument(
        "--against",
        type=Path,
        default=None,
        metavar="FILE",
        help="an earlier accuracy-runs.csv: baselines are taken from it, and ours now is compared "
        "with ours then, draw by draw",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``accuracy-runs.csv``."""
    from benchmarks.accuracy.measuring import Measuring
    from benchmarks.accuracy.tables import part_tables
    from benchmarks.plots.ranks import write_rank_plot
    from benchmarks.runner.tables import illustrated

    measuring = Measuring(arguments)
    for name in arguments.only:
        found = measuring.draws(name)
        if found is None:
            continue
        folder = arguments.output if name in _WITH_PICTURE else None
        draw = partial(write_rank_plot, scores=found.scores())
        for table in part_tables(name, found, measuring.earlier(name, found)):
            ranked = table.name == f"{name}-ranks"
            yield illustrated(table, folder if ranked else None, f"accuracy-{table.name}.png", draw)
