"""The command: arguments, tables on the screen and in a folder, exit codes."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import BENCHMARKS

_PROGRAM = "python -m benchmarks"
# Arguments that do not affect measurements.
_NOT_MEASURED = {"only", "output", "jobs", "benchmark", "default_of"}


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command and of all benchmarks."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Measure accuracy, time and coverage on real data, as tables.",
        epilog=f"'{_PROGRAM} BENCHMARK --help' explains a benchmark.",
    )
    subparsers = parser.add_subparsers(metavar="BENCHMARK", required=True, title="benchmarks")
    for name in BENCHMARKS:
        benchmark = importlib.import_module(f"benchmarks.{name}")
        subparser = subparsers.add_parser(name, help=benchmark.HELP, description=benchmark.HELP)
        _add_shared_arguments(subparser, getattr(benchmark, "OUTPUT", None))
        benchmark.add_arguments(subparser)
        subparser.set_defaults(benchmark=name, default_of=subparser.get_default)
    return parser


def _add_shared_arguments(parser: argparse.ArgumentParser, folder: Path | None) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder of data sets (default: only those that scikit-learn brings)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=folder,
        metavar="FOLDER",
        help="write the tables there too, as a page (HTML, Markdown) and CSV"
        + ("" if folder is None else f" (default: {folder})"),
    )
    parser.add_argument(
        "--quick", action="store_true", help="a minute's worth of small data, to see it work"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run a benchmark and return the exit code: 0 done, 2 bad input, 130 interrupted."""
    arguments = make_parser().parse_args(argv)
    try:
        run(arguments)
    except KeyboardInterrupt:
        print("benchmarks: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    return 0


def run(arguments: argparse.Namespace) -> None:
    """Run a benchmark; every table is written as soon as it is finished."""
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
    words = [_PROGRAM, arguments.benchmark]
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
