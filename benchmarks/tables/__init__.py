"""``python -m benchmarks tables``: tables with everything in them, and texts, from few labels."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_measuring_arguments

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "tables with categories, dates and holes, and texts: accuracy from few labels"

PARTS = ("tables", "texts")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_measuring_arguments(parser, PARTS)


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``tables-runs.csv``."""
    from benchmarks.tables.measuring import measured
    from benchmarks.tables.results import mean_table, set_table

    for part in arguments.only:
        pairs = measured(part, arguments)
        if pairs is not None:
            yield mean_table(pairs)
            yield set_table(pairs)
