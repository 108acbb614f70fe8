"""Arguments of the benchmarks on many data sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

_QUICK_SPLITS = 2


def add_measuring_arguments(parser: argparse.ArgumentParser, parts: Sequence[str]) -> None:
    """Declare which parts to measure, on how many rows and draws, and in how many processes.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the benchmark.
    parts : sequence of str
        The parts there are.
    """
    parser.add_argument(
        "--only",
        choices=parts,
        nargs="+",
        default=parts,
        metavar="PART",
        help=f"measure these parts only: {', '.join(parts)} (default: all)",
    )
    parser.add_argument(
        "--rows",
        type=int,
        default=2000,
        help="take so many rows of a larger data set (default: %(default)s)",
    )
    parser.add_argument(
        "--splits",
        type=int,
        default=10,
        help="draws of the given labels, where there is chance (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="number of processes (default: %(default)s)"
    )


def checked_splits(arguments: argparse.Namespace) -> int:
    """Return the number of draws; raise for numbers that make no sense.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """
    for name in ("rows", "splits", "jobs"):
        if getattr(arguments, name) < 1:
            raise ValueError(f"--{name} {getattr(arguments, name)} must be 1 or more.")
    splits: int = arguments.splits
    return min(splits, _QUICK_SPLITS) if arguments.quick else splits
