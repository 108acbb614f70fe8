"""``python -m benchmarks water``: a sensor's next reading, few targets, and bounded memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_parts

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "one reading ahead: the paper's protocol, many series, few targets, bounded memory"

PARTS = ("protocol", "paired", "few", "bounds")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_parts(parser, PARTS)
    parser.add_argument(
        "--readings",
        type=int,
        default=200_000,
        metavar="N",
        help="length of the series of the part bounds (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other."""
    from benchmarks.water.bounded_memory import bounds_tables
    from benchmarks.water.few_targets import few_tables
    from benchmarks.water.paired import paired_tables
    from benchmarks.water.protocol import protocol_tables

    if arguments.readings < 20_000:
        raise ValueError(f"--readings {arguments.readings} must be 20000 or more.")
    tables = {
        "protocol": protocol_tables,
        "paired": paired_tables,
        "few": few_tables,
        "bounds": bounds_tables,
    }
    for part in arguments.only:
        yield from tables[part](arguments)
