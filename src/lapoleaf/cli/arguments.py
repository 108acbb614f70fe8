"""Arguments that several subcommands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from lapoleaf._messages import shown

INPUT = (
    "a table (CSV, TSV, Excel, Parquet, JSON lines; - for standard input), texts, a folder of "
    "pictures, or an .npz file"
)


def add_input(parser: argparse.ArgumentParser, what: str = INPUT) -> None:
    """Declare INPUT, and the roles of its columns."""
    parser.add_argument("input", metavar="INPUT", help=what)
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Declare the roles of the columns of INPUT."""
    columns = parser.add_argument_group("columns of a table")
    columns.add_argument(
        "--label", metavar="NAME", help="the column of labels, of which some are empty "
        "(default: label)",
    )  # fmt: skip
    columns.add_argument(
        "--id", metavar="NAME", help="the column of names of rows (default: rows are counted from "
        "1, without the header)",
    )  # fmt: skip
    columns.add_argument(
        "--ignore", action="append", default=[], metavar="NAME",
        help="a column that has nothing to do with the label; may be given repeatedly",
    )  # fmt: skip
    columns.add_argument(
        "--kind", action="append", default=[], metavar="NAME=KIND", type=_kind,
        help="what a column holds, if the guess is wrong: number, boolean, category, date, string, "
        "text or ignore; may be given repeatedly",
    )  # fmt: skip
    columns.add_argument(
        "--missing", action="append", default=[], metavar="TEXT",
        help="what marks a missing label (default: an empty cell, NA, N/A, NaN, null or ?); may be "
        "given repeatedly",
    )  # fmt: skip
    columns.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file (default: first)")


def _kind(text: str) -> tuple[str, str]:
    name, equals, kind = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not NAME=KIND, as in zone=category")
    return name, kind


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Declare further sources of labels, and the kind of labels."""
    parser.add_argument(
        "--labels", metavar="FILE",
        help="take labels from a project of 'lapoleaf studio', or from another table: its rows "
        "are found in INPUT by the column of --id (pictures: by a column 'file'), else by what is "
        "in the columns of both",
    )  # fmt: skip
    parser.add_argument(
        "--task", choices=("classes", "numbers"),
        help="what labels are (default: numbers if there are decimals or more than 20 different "
        "whole numbers, else classes)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="number of threads (default: all cores)"
    )


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare -o, and --force."""
    parser.add_argument("-o", "--output", metavar="OUT", help=what)
    add_force(parser)


def add_force(parser: argparse.ArgumentParser) -> None:
    """Declare --force."""
    parser.add_argument(
        "--force", action="store_true", help="replace files that exist"
    )  # fmt: skip


def add_into(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare --into."""
    parser.add_argument("--into", type=Path, metavar="FOLDER", help=what)


def epilog(examples: Sequence[tuple[str, str]]) -> str:
    """Return the examples of a command for its help."""
    lines = [f"  {command}\n      {what}" for command, what in examples]
    return "\n".join(["examples:", *lines])
