"""Arguments that several benchmarks share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

_QUICK_SPLITS = 2


def add_measuring_arguments(parser: argparse.ArgumentParser, parts: Sequence[str]) -> None:
    """Declare which parts to measure, on how many rows and draws, and in how many processes.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the benchmark.
    parts : sequence of str
        The parts of the benchmark.
    """
    add_parts(parser, parts)
    parser.add_argument(
        "--rows",
        type=int,
        default=2000,
        help="use at most this number of rows of a data set (default: %(default)s)",
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
    """Return the number of draws; raise for invalid numbers.

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


def add_parts(parser: argparse.ArgumentParser, parts: Sequence[str]) -> None:
    """Declare which parts to measure.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the benchmark.
    parts : sequence of str
        The parts of the benchmark.
    """
    parser.add_argument(
        "--only",
        choices=parts,
        nargs="+",
        default=parts,
        metavar="PART",
        help=f"measure these parts only: {', '.join(parts)} (default: all)",
    )


def add_fashion(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of Fashion-MNIST.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the benchmark.
    """
    parser.add_argument(
        "--fashion",
        type=Path,
        default=Path("/usr/share/datasets/fashion-mnist"),
        metavar="DIR",
        help="folder with the four files of Fashion-MNIST (default: %(default)s, where Debian's "
        "package dataset-fashion-mnist puts them)",
    )


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Declare the limit of the time of a run.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the benchmark.
    """
    parser.add_argument(
        "--limit",
        type=float,
        default=1800.0,
        metavar="SECONDS",
        help="end a run that takes more seconds of processor time (default: %(default)g)",
    )


def check_limit(arguments: argparse.Namespace) -> None:
    """Raise unless the limit of time is positive.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """
    if not arguments.limit > 0:
        raise ValueError(f"--limit {arguments.limit:g} must be more than 0 seconds.")
