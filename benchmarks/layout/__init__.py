"""``python -m benchmarks layout``: maps in two dimensions, beside PCA, UMAP, PaCMAP, openTSNE."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_fashion, add_limit, check_limit

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "maps in two dimensions: seconds, trustworthiness, purity and memory, with baselines"

SETS = ("digits", "table", "texts", "usps", "fashion", "million")
# With --quick: every map is made in a process of its own, which compiles first.
QUICK_SETS = ("digits", "table")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    parser.add_argument(
        "--only",
        choices=SETS,
        nargs="+",
        default=SETS,
        metavar="SET",
        help=f"map these data sets only: {', '.join(SETS)} (default: all; with --quick "
        f"{' and '.join(QUICK_SETS)})",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=None,
        metavar="METHOD",
        help="measure these methods only (default: all that are installed)",
    )
    add_fashion(parser)
    add_limit(parser)


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``layout-runs.csv``."""
    from benchmarks.layout.colours import coloured_table, keep_coloured
    from benchmarks.layout.first_call import first_table
    from benchmarks.layout.results import installed_methods, map_table
    from benchmarks.plots.maps import write_coloured_maps, write_maps
    from benchmarks.runner.tables import illustrated

    check_limit(arguments)
    arguments = argparse.Namespace(**{**vars(arguments), "only": sets_to_map(arguments)})
    methods = installed_methods(arguments.methods)
    yield first_table(arguments.limit)
    table = map_table(arguments, methods)
    if arguments.output is None:
        yield table
        return
    draw = partial(write_maps, folder=arguments.output / "layout-places")
    yield illustrated(table, arguments.output, "layout-maps.png", draw)
    folder = arguments.output / "layout-coloured"
    keep_coloured(arguments, folder)
    draw = partial(write_coloured_maps, folder=folder)
    yield illustrated(coloured_table(folder), arguments.output, "layout-coloured.png", draw)


def sets_to_map(arguments: argparse.Namespace) -> Sequence[str]:
    """Return the names of the data sets to map: those asked for; else all, or a few if quick.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """
    only: Sequence[str] = arguments.only
    return QUICK_SETS if arguments.quick and only == SETS else only
