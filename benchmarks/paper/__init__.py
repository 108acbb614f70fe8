"""``python -m benchmarks paper``: the paper's tables, measured again beside its numbers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.runner.arguments import add_measuring_arguments
from lapoleaf._progress import tell

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

HELP = "the paper's tables, measured again with its baselines, and the published figures"
# This benchmark always writes its tables, beside its pictures.
OUTPUT = Path("lapoleaf-paper")

PARTS = ("complexity", "stages", "accuracy", "water", "small")
_SPLITS, _ROWS = 20, 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this benchmark, besides those of all."""
    add_measuring_arguments(parser, PARTS)
    parser.set_defaults(splits=_SPLITS, rows=_ROWS)


def run(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield one table after the other; results are kept in ``paper-*.csv``."""
    from benchmarks.data.loaders import small_sets
    from benchmarks.paper.accuracy import accuracy_tables, small_tables
    from benchmarks.paper.complexity import complexity_tables
    from benchmarks.paper.selection import Selection
    from benchmarks.paper.stages import stage_tables
    from benchmarks.paper.water import water_tables
    from benchmarks.runner.runner import Runner

    if arguments.quick and arguments.data is not None:
        tell(f"--quick measures scikit-learn's own data: --data {arguments.data} is not read.")
    sets = small_sets(arguments.data, quick=arguments.quick, rows=arguments.rows)
    arguments.output.mkdir(parents=True, exist_ok=True)
    selection = Selection(Runner.from_arguments(arguments))
    yield _grid_table()
    tables: dict[str, Callable[[argparse.Namespace], Iterator[Table]]] = {
        "complexity": complexity_tables,
        "stages": stage_tables,
        "accuracy": partial(accuracy_tables, selection),
        "water": water_tables,
        "small": partial(small_tables, selection, sets),
    }
    for name in arguments.only:
        yield from tables[name](arguments)


def _grid_table() -> Table:
    """Return the parameters that every method may choose from."""
    from benchmarks.methods.method import grid_text
    from benchmarks.paper.selection import METHODS
    from benchmarks.runner.tables import Table

    rows: list[tuple[object, ...]] = []
    for name, method in METHODS.items():
        rows.append((name, grid_text(method.grid) or "default", len(method.grid)))
    return Table(
        "grids",
        "Methods, and the grids they choose from",
        ("method", "parameters", "candidates"),
        rows,
        "All other parameters have their defaults. FLP and RGSSL-MCC are reconstructions, because "
        "their equations are not publicly available: see `lapoleaf.baselines`. Every baseline, and "
        "a tuned version of the published algorithm, chooses one of four candidates by "
        "cross-validation, once per data set. LaPOLeaF has no candidates, because it chooses mu, "
        "the correction of class sizes and the weights of its experts by leave-one-out within "
        "every fit.",
    )
