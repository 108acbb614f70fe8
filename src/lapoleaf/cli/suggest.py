"""``lapoleaf suggest``: the rows to label first, or next."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf.cli.arguments import add_input, add_into, add_labels, add_output
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray
    from lapoleaf.cli.outputs import Destination
    from lapoleaf.cli.problems import Problem

HELP = "the rows that are worth labelling first, or next"
EXAMPLES = (
    ("lapoleaf suggest birds.csv --label species -n 20 -o todo.xlsx",
     "the whole table, the 20 rows to label first on top"),
    ("lapoleaf suggest photos -n 30 -o sheet.png",
     "a contact sheet of the 30 photos to sort by hand"),
)  # fmt: skip
PICTURES = (".png", ".jpg", ".jpeg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_input(parser)
    parser.add_argument(
        "-n", "--number", type=int, default=10, metavar="N",
        help="number of rows (default: %(default)s)",
    )  # fmt: skip
    add_labels(parser)
    add_output(
        parser,
        "where to write the whole table, the rows to label first on top and counted in a column "
        "lapoleaf_rank, .csv, .tsv, .xlsx or .parquet (default: standard output); of pictures also "
        "a contact sheet, .png or .jpg",
    )
    add_into(parser, "copy the pictures to label first into FOLDER, 01-... the first")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from lapoleaf.cli.copies import check_folder
    from lapoleaf.cli.outputs import TABLES, destination_of
    from lapoleaf.cli.problems import read_problem
    from lapoleaf.cli.tables import Column, check_size, write_table

    destination = destination_of(arguments, (*TABLES, *PICTURES))
    if arguments.into is not None:
        check_folder(arguments.into, Path(arguments.input), arguments.force)
    problem = read_problem(arguments)
    _check_pictures(problem, destination)
    check_size(destination, len(problem.data))
    rows = suggested(problem, arguments.number, arguments.jobs)
    if destination.ending in PICTURES:
        from lapoleaf.cli.contact_sheet import contact_sheet

        destination.write([contact_sheet(problem.data, rows, arguments.input, destination.ending)])
    elif arguments.into is None or arguments.output is not None:
        ranks, order = _ranked(rows, len(problem.data))
        columns = [Column("lapoleaf_rank", ranks)]
        empty = problem.name_of_label if _lacks_labels(problem) else None
        write_table(destination, problem.data, columns, order, empty)
    if arguments.into is not None:
        _copy(problem, rows, arguments.into)
    _report(destination, problem, rows, arguments)
    return problem.exit_code


def _check_pictures(problem: Problem, destination: Destination) -> None:
    if problem.data.kind != "images" and destination.ending in PICTURES:
        raise ValueError(
            f"-o {destination.name}: contact sheets are for pictures; write a .csv or .xlsx file."
        )


def _lacks_labels(problem: Problem) -> bool:
    """Whether the table has no column of labels."""
    return problem.data.label is None and problem.data.kind != "images"


def suggested(problem: Problem, n: int, jobs: int | None) -> IntArray:
    """Return the rows to label first; without labels these cover the data.

    Parameters
    ----------
    problem : Problem
        Rows and labels, if any.
    n : int
        Number of rows.
    jobs : int or None
        Number of threads.
    """
    import numpy as np

    from lapoleaf.cli.models import fitted, make_model, usable_rows

    if n < 1:
        raise ValueError(f"-n {n} must be 1 or more.")
    given = problem.given.mask[problem.usable]
    classes = {text for text in problem.given.texts if text is not None}
    if len(classes) > 1:
        found = fitted(problem, jobs).suggest(n)
    else:
        # Labels of a single class are not propagated, but labelled rows are not suggested.
        most = min(n + int(given.sum()), len(given))
        found = make_model(problem, jobs).suggest(most, X=usable_rows(problem))
        found = found[~given[found]][:n]
    rows: IntArray = np.flatnonzero(problem.usable)[found]
    return rows


def _ranked(rows: IntArray, n_rows: int) -> tuple[list[int | None], IntArray]:
    """Return the rank of every row, and the rows in order, ranked ones first."""
    import numpy as np

    ranks: list[int | None] = [None] * n_rows
    for rank, row in enumerate(rows.tolist(), 1):
        ranks[row] = rank
    others = np.ones(n_rows, dtype=bool)
    others[rows] = False
    return ranks, np.concatenate([rows, np.flatnonzero(others)])


def _copy(problem: Problem, rows: IntArray, folder: Path) -> None:
    from lapoleaf.cli.copies import copy_files

    digits = max(2, len(str(len(rows))))
    names = problem.data.frame["image"].tolist()
    files = [
        (names[row], f"{rank:0{digits}d}-{Path(names[row]).name}")
        for rank, row in enumerate(rows.tolist(), 1)
    ]
    copy_files(problem.data.folder or Path(), files, folder)


def _report(
    destination: Destination, problem: Problem, rows: IntArray, arguments: argparse.Namespace
) -> None:
    from lapoleaf.cli.outputs import Destination
    from lapoleaf.cli.reports import aligned, shown_row

    if arguments.into is not None and destination.path is None:
        destination = Destination(arguments.into, str(arguments.into))
    tell = destination.tell
    n_given = problem.given.n
    first = "next" if n_given else "first"
    tell(f"{len(rows):,} of {len(problem.data):,} {problem.things} to label {first}:\n")
    names = problem.names()
    lines = [["rank", printable(problem.name_of_names), ""]]
    lines += [
        [str(rank), printable(names[row]), shown_row(problem.data, row)]
        for rank, row in enumerate(rows.tolist(), 1)
    ]
    for line in aligned(lines, left=1):
        tell(line)
    if destination.path is None or arguments.into == destination.path:
        tell(f"\nCopies are in {printable(destination.name)}")
        return
    where = printable(destination.name)
    if destination.ending in PICTURES:
        tell(f"\nThe contact sheet is {where}")
        return
    column = "label" if problem.data.kind == "images" else problem.name_of_label
    tell(f"\nThey are on top of {where}: type labels into the column {printable(column)}, then")
    label = f" --label {problem.data.label}" if problem.data.label not in (None, "label") else ""
    label += f" --id {problem.data.id}" if problem.data.id is not None else ""
    if problem.data.kind == "images":
        tell(f"  lapoleaf label {printable(arguments.input)} --labels {where}")
    else:
        tell(f"  lapoleaf label {where}{printable(label)}")
