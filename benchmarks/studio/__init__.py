"""``python -m benchmarks studio``: the studio in a browser, controlled by keys."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_fashion, add_parts
from lapoleaf._progress import tell

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = (
    "the studio: answers during a fit, from a key press to new colours, twenty labels on digits, "
    "ten thousand photos"
)

PARTS = ("requests", "colours", "digits", "photos")
SIZES = (10_000, 100_000, 1_000_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_parts(parser, PARTS)
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=SIZES,
        metavar="N",
        help="numbers of points of 'colours' (default: 10000 100000 1000000)",
    )
    parser.add_argument(
        "--chromium",
        type=Path,
        default=Path("/usr/bin/chromium"),
        metavar="FILE",
        help="the browser (default: %(default)s)",
    )
    add_fashion(parser)
    parser.add_argument(
        "--photos", type=int, default=10_000, metavar="N", help="number of photos (default: 10000)"
    )
    parser.add_argument(
        "--answers", type=int, default=900, metavar="N", help="answers of 'photos' (default: 900)"
    )
    parser.add_argument(
        "--pause",
        type=float,
        default=2.0,
        metavar="SECONDS",
        help="seconds an answer of 'photos' takes (default: %(default)g)",
    )


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other."""
    if "requests" in arguments.only:
        from benchmarks.studio.requests import requests_table

        yield requests_table(*((2_000, 100) if arguments.quick else (100_000, 1_500)))
    if set(arguments.only) == {"requests"}:
        return
    if not arguments.chromium.is_file():
        tell(
            f"There is no browser {arguments.chromium} (--chromium): all but requests is left out."
        )
        return
    if "colours" in arguments.only:
        from benchmarks.studio.colours import colours_tables

        sizes = [2_000] if arguments.quick else list(arguments.sizes)
        yield from colours_tables(arguments.chromium, sizes)
    if "digits" in arguments.only:
        from benchmarks.studio.digits import digits_table

        yield digits_table(arguments.chromium, 3 if arguments.quick else 20)
    if "photos" in arguments.only:
        from benchmarks.data.fashion import fashion_is_in
        from benchmarks.studio.photos import photos_table

        if not fashion_is_in(arguments.fashion):
            tell(f"There is no Fashion-MNIST in {arguments.fashion} (--fashion): no photos.")
            return
        n, answers, pause = arguments.photos, arguments.answers, arguments.pause
        if arguments.quick:
            n, answers, pause = 200, 40, 0.1
        yield photos_table(arguments.chromium, arguments.fashion, n, answers, pause)
