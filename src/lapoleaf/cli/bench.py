"""``lapoleaf bench``: measure on real data, print tables, write them to a folder."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from lapoleaf.bench import BENCHMARKS

HELP = "measure accuracy, time and coverage on real data, as tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks and their arguments."""
    subparsers = parser.add_subparsers(metavar="BENCHMARK", required=True, title="benchmarks")
    for name in BENCHMARKS:
        benchmark = importlib.import_module(f"lapoleaf.bench.{name}")
        subparser = subparsers.add_parser(name, help=benchmark.HELP, description=benchmark.HELP)
        subparser.add_argument(
            "--data",
            type=Path,
            default=None,
            metavar="DIR",
            help="folder of data sets (default: only those that scikit-learn brings)",
        )
        folder = getattr(benchmark, "OUTPUT", None)
        subparser.add_argument(
            "--output",
            type=Path,
            default=folder,
            metavar="FOLDER",
            help="write the tables there too, as a page (HTML, Markdown) and CSV"
            + ("" if folder is None else f" (default: {folder})"),
        )
        subparser.add_argument(
            "--quick", action="store_true", help="a minute's worth of small data, to see it work"
        )
        benchmark.add_arguments(subparser)
        subparser.set_defaults(benchmark=name)


def run(arguments: argparse.Namespace) -> None:
    """Run a benchmark; what is finished when it is interrupted has been written."""
    from lapoleaf.bench.tables import machine_line, write_tables

    if arguments.output is not None and arguments.output.is_file():
        raise ValueError(f"--output {arguments.output} is a file: name a folder.")
    benchmark = importlib.import_module(f"lapoleaf.bench.{arguments.benchmark}")
    command = (
        f"lapoleaf bench {arguments.benchmark}"
        + " --data DIR" * (arguments.data is not None)
        + " --quick" * arguments.quick
    )
    title = benchmark.HELP[0].upper() + benchmark.HELP[1:]
    print(machine_line() + "\n", flush=True)
    tables = []
    for table in benchmark.run(arguments):
        print(table.markdown(), flush=True)
        tables.append(table)
        if arguments.output is not None:
            write_tables(arguments.output, arguments.benchmark, title, command, tables)
    if arguments.output is not None:
        print(f"The tables are in {arguments.output}: open {arguments.benchmark}.html")
