"""``lapoleaf stream``: forecast the next reading after each reading."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf._writing import check_writable, target_of
from lapoleaf.cli.arguments import add_force
from lapoleaf.cli.outputs import refuse_existing

if TYPE_CHECKING:
    from lapoleaf._typing import FloatArray

HELP = "forecast a sensor's next reading, from a file or standard input, one reading a line"
EXAMPLES = (
    ("lapoleaf stream readings.csv --column do -o forecasts.csv --horizon 4",
     "after every reading a forecast of the next four, with intervals"),
    ("tail -f readings.csv | lapoleaf stream - --column do --journal state",
     "live; after any interruption the same command continues where it was"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this command."""
    parser.add_argument(
        "input",
        metavar="FILE",
        help="CSV, with column names or without, or JSON lines; - for standard input. The first "
        "good lines fix the format; bad lines are reported, counted and skipped",
    )
    parser.add_argument(
        "--column", metavar="NAME", help="column of the readings, by name or number from 1 on"
    )
    parser.add_argument(
        "--time",
        metavar="NAME",
        help="column of the timestamps (default: one called timestamp, time, datetime or date)",
    )
    parser.add_argument(
        "--decimal",
        choices=("point", "comma"),
        help="what stands before decimals (default: commas where cells are not separated by "
        "commas, as far as the first lines have them)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write there, not to standard output"
    )
    parser.add_argument(
        "--journal",
        type=Path,
        metavar="FOLDER",
        help="keep there all that is needed to resume: after any interruption, the same command "
        "continues where it was, loses nothing and writes nothing twice; one run at a time",
    )
    parser.add_argument(
        "--snapshot",
        type=int,
        default=1000,
        metavar="N",
        help="rebuild and store the model after this number of lines (default: %(default)s)",
    )
    parser.add_argument("--window", type=int, default=12, help="readings in a window (default: 12)")
    parser.add_argument(
        "--horizon", type=int, default=1, metavar="H",
        help="forecast the next H readings, each with an interval (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--coverage", type=float, default=0.9, help="share that intervals hold (default: 0.9)"
    )
    parser.add_argument(
        "--max-points",
        type=int,
        default=5000,
        metavar="N",
        help="store at most this number of points (default: %(default)s)",
    )
    parser.add_argument(
        "--window-size", type=int, metavar="N", help="store only this number of last windows"
    )
    parser.add_argument(
        "--half-life", type=float, metavar="N", help="halve the weight of a window after N readings"
    )
    add_force(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="draw the last 1,000 readings and forecasts"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read to the end of the input."""
    from lapoleaf.cli.journal import Journal
    from lapoleaf.cli.session import Session, tell
    from lapoleaf.cli.streaming import Streaming
    from lapoleaf.streams import SeriesForecaster
    from lapoleaf.streams.lines import LineReader

    _check(arguments)
    settings = {
        name: getattr(arguments, name)
        for name in ("window", "coverage", "max_points", "window_size", "half_life")
    }
    decimal = {"point": ".", "comma": ",", None: None}[arguments.decimal]
    streaming = Streaming(
        SeriesForecaster(**settings),
        LineReader(arguments.column, arguments.time, decimal),
        arguments.horizon,
    )
    is_file = arguments.input != "-"
    kept = {
        "input": Path(arguments.input).name if is_file else "standard input",
        **settings,
        **{
            name: getattr(arguments, name)
            for name in ("horizon", "column", "time", "decimal", "snapshot")
        },
        "output": None if arguments.output is None else "file",
    }
    with ExitStack() as stack:
        journal = None
        if arguments.journal is not None:
            journal = Journal(arguments.journal, durable=not is_file, settings=kept)
            stack.callback(journal.close)
        source = sys.stdin.buffer
        if is_file:
            source = stack.enter_context(Path(arguments.input).open("rb"))
        session = Session(streaming, source, is_file, arguments.output, journal, arguments.snapshot)
        session.run()
    tell(streaming.summary())
    if arguments.horizon > 1:
        print("\n".join(streaming.path_lines()), file=sys.stderr)
    if arguments.plot is not None:
        _draw(arguments.plot, streaming.drawn)
    return 0


def _draw(path: Path, drawn: FloatArray) -> None:
    """Draw readings and their forecasts."""
    from lapoleaf.plots.forecasts import plot_forecasts

    if len(drawn) < 2:
        raise ValueError(f"--plot {path} needs more than 1 reading, got {len(drawn)}.")
    forecasts, low, high = drawn[:-1, 1:].T
    axes = plot_forecasts(drawn[1:, 0], forecasts, low, high)
    axes.figure.savefig(path, dpi=150)  # type: ignore[union-attr]


def _check(arguments: argparse.Namespace) -> None:
    if arguments.horizon < 1:
        raise ValueError(f"--horizon {arguments.horizon} must be 1 or more.")
    if arguments.snapshot < 1:
        raise ValueError(f"--snapshot {arguments.snapshot} must be 1 or more.")
    if arguments.input != "-" and not Path(arguments.input).is_file():
        raise ValueError(f"There is no file {arguments.input}.")
    if arguments.output is not None and arguments.output.is_dir():
        raise ValueError(f"-o {arguments.output} is a folder: name a file in it.")
    names = (arguments.input, arguments.output)
    if None not in names and "-" not in names and len({Path(name).resolve() for name in names}) < 2:
        raise ValueError(f"-o {arguments.output} is the input: name another file.")
    journal, output = arguments.journal, arguments.output
    # An existing journal continues its output, even if that has no line yet.
    goes_on = journal is not None and journal.is_dir() and any(journal.iterdir())
    if output is not None and not goes_on:
        target = target_of(output)
        refuse_existing(target, f"-o {output}", arguments.force)
        check_writable(target)
    if arguments.journal is not None and arguments.journal.is_file():
        raise ValueError(f"--journal {arguments.journal} is a file: name a folder.")
