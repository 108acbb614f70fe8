"""``python -m benchmarks``: measure on real data, print tables, write them to a folder."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from benchmarks import BENCHMARKS

# Arguments that change nothing that is measured.
_NOT_MEASURED = {"only", "output", "jobs", "benchmark", "default_of", "run"}

HELP = "measure accuracy, time and coverage on real data, as tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks and their arguments."""
    subparsers = parser.add_subparsers(metavar="BENCHMARK", required=True, title="benchmarks")
    for name in BENCHMARKS:
        benchmark = importlib.import_module(f"benchmarks.{name}")
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
        subparser.set_defaults(benchmark=name, default_of=subparser.get_default)


def run(arguments: argparse.Namespace) -> None:
    """Run a benchmark; what is finished when it is interrupted has been written."""
    from benchmarks.runner.report import Report
    from benchmarks.runner.tables import machine_line

    if arguments.output is not None and arguments.output.is_file():
        raise ValueError(f"--output {arguments.output} is a file: name a folder.")
    if arguments.data is not None and not arguments.data.is_dir():
        raise ValueError(f"--data {arguments.data} is not a folder: name one, or leave it out.")
    benchmark = importlib.import_module(f"benchmarks.{arguments.benchmark}")
    report = None
    if arguments.output is not None:
        title = benchmark.HELP[0].upper() + benchmark.HELP[1:]
        report = Report(arguments.output, arguments.benchmark, title, repeating_command(arguments))
    print(machine_line() + "\n", flush=True)
    for table in benchmark.run(arguments):
        print(table.markdown(), flush=True)
        if report is not None:
            report.add(table)
    if arguments.output is not None:
        print(f"The tables are in {arguments.output}: open {arguments.benchmark}.html")


def repeating_command(arguments: argparse.Namespace) -> str:
    """Return the command that measures the same, all parts of it; DIR stands for paths."""
    words = ["python -m benchmarks", arguments.benchmark]
    for name, value in vars(arguments).items():
        if name in _NOT_MEASURED or value == arguments.default_of(name):
            continue
        words.append(f"--{name.replace('_', '-')}")
        if isinstance(value, Path):
            words.append("DIR")
        elif isinstance(value, list | tuple):
            words += map(str, value)
        elif value is not True:
            words.append(str(value))
    return " ".join(words)
