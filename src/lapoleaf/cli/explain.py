"""``lapoleaf explain``: why a row has its label."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.cli.arguments import add_input, add_labels
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf.cli.problems import Problem
    from lapoleaf.estimators.explanation import Explanation

HELP = "why a row has its label: the given labels behind it, and how much each counts"
EXAMPLES = (
    ("lapoleaf explain birds.csv 2 --label species",
     "the second row below the header"),
    ("lapoleaf explain birds.csv B002 --label species --id ring",
     "the row whose ring is B002; of pictures, the name of the file"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_input(parser)
    parser.add_argument(
        "row", metavar="ROW",
        help="number of the row, from 1 without the header; with --id its name; of pictures the "
        "name of the file, as seen from the folder",
    )  # fmt: skip
    add_labels(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    import numpy as np

    from lapoleaf.cli.models import fitted
    from lapoleaf.cli.problems import check_labels, read_problem

    problem = read_problem(arguments)
    row = _row(problem, arguments.row)
    check_labels(problem)
    if not problem.usable[row]:
        raise ValueError(f"ROW {shown(arguments.row)} is a picture that cannot be read.")
    place = int(np.count_nonzero(problem.usable[:row]))
    found = fitted(problem, arguments.jobs).explain(place)
    rows = np.flatnonzero(problem.usable).tolist()
    print(_counted_from_1(found, rows))
    return problem.exit_code


def _row(problem: Problem, text: str) -> int:
    """Return the number of a row, from 0; raise for an invalid one."""
    data = problem.data
    if data.id is not None or data.kind == "images":
        names = [str(name) for name in data.names]
        if text in names:
            return names.index(text)
        what = "file" if data.kind == "images" else data.id
        raise ValueError(
            f"ROW {shown(text)}: there is no {what} of that name; the first is {shown(names[0])}."
        )
    if not text.isdecimal() or not 1 <= int(text) <= len(data):
        raise ValueError(
            f"ROW {shown(text)} must be a number from 1, the first row below the header, to "
            f"{len(data):,}; --id names a column of names."
        )
    return int(text) - 1


def _counted_from_1(found: Explanation, rows: list[int]) -> Explanation:
    """Return an explanation whose rows are counted from 1, as in a table.

    Control characters are removed from names and cells.

    Parameters
    ----------
    found : Explanation
        Of a model.
    rows : list of int
        Rows of the model as rows of the table.
    """
    import numpy as np

    def number(row: int) -> int:
        return rows[row] + 1

    reasons = tuple(
        replace(reason, row=number(reason.row), path=tuple(map(number, reason.path)))
        for reason in found.reasons
    )
    return replace(
        found,
        row=None if found.row is None else number(found.row),
        reasons=reasons,
        deciders=np.array([number(row) for row in found.deciders.tolist()], dtype=np.int64),
        path=np.array([number(row) for row in found.path.tolist()], dtype=np.int64),
        borrowed_from=None if found.borrowed_from is None else number(found.borrowed_from),
        names={number(row): printable(name) for row, name in found.names.items()},
        cells={
            number(row): {printable(name): _plain(cell) for name, cell in cells.items()}
            for row, cells in found.cells.items()
        },
        others=None if found.others is None else _counted_from_1(found.others, rows),
    )


def _plain(cell: Any) -> Any:
    return printable(" ".join(cell.split())) if isinstance(cell, str) else cell
