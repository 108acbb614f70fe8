"""``lapoleaf doubt``: given labels that the others contradict."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lapoleaf.cli.arguments import add_input, add_labels, add_output
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray
    from lapoleaf.cli.problems import Problem

HELP = "given labels that the others contradict"
EXAMPLES = (
    ("lapoleaf doubt birds.csv --label species",
     "list labels that may be wrong, the most doubtful first"),
    ("lapoleaf doubt birds.csv --label species -o check.xlsx",
     "the whole table, doubtful labels on top, to be corrected there"),
)  # fmt: skip
_MOST_LINES = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_input(parser)
    add_labels(parser)
    add_output(
        parser,
        "where to write the whole table, doubtful labels on top, with the columns lapoleaf_doubt "
        "and lapoleaf_instead, .csv, .tsv, .xlsx or .parquet (- for standard output; default: only "
        "the list is printed)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    import numpy as np

    from lapoleaf.cli.models import fitted
    from lapoleaf.cli.outputs import destination_of
    from lapoleaf.cli.problems import check_labels, read_problem
    from lapoleaf.cli.tables import check_size, write_table

    destination = destination_of(arguments)
    problem = read_problem(arguments)
    check_size(destination, len(problem.data))
    check_labels(problem)
    found = fitted(problem, arguments.jobs).suspicious_labels()
    rows = np.flatnonzero(problem.usable)[found.ids]
    if arguments.output is not None:
        columns, order = _columns(found, rows, len(problem.data))
        write_table(destination, problem.data, columns, order)
    if arguments.output != "-":
        _report(problem, found, rows)
    if destination.path is not None:
        where = printable(destination.name)
        print(f"\nThey are on top of {where}: correct the column {problem.name_of_label} there.")
    return problem.exit_code


def _columns(found: Any, rows: IntArray, n_rows: int) -> tuple[list[Any], IntArray]:
    """Return the columns to add, and the rows in order: doubtful ones first."""
    import numpy as np

    from lapoleaf.cli.tables import Column

    doubt, instead = np.full(n_rows, np.nan), np.full(n_rows, None, dtype=object)
    doubt[rows] = found.doubt
    instead[rows] = found.instead
    others = np.ones(n_rows, dtype=bool)
    others[rows] = False
    columns = [
        Column("lapoleaf_doubt", doubt.tolist()),
        Column("lapoleaf_instead", instead.tolist(), ".6g"),
    ]
    return columns, np.concatenate([rows, np.flatnonzero(others)])


def _report(problem: Problem, found: Any, rows: IntArray) -> None:
    from lapoleaf.cli.reports import aligned, shown_row

    n_given = problem.given.n
    if not len(rows):
        print(f"None of the {n_given:,} given labels is contradicted by the others.")
        return
    print(f"{len(rows):,} of {n_given:,} given labels are contradicted by the others:\n")
    names, data = problem.names(), problem.data
    measure = "deviations" if problem.task.kind == "numbers" else "doubt"
    lines = [[measure, "given", "instead", printable(problem.name_of_names), ""]]
    for place, row in enumerate(rows[:_MOST_LINES].tolist()):
        doubt = float(found.doubt[place])
        lines.append(
            [
                f"{doubt:.1f}" if problem.task.kind == "numbers" else f"{doubt:.0%}",
                printable(str(problem.given.texts[row])),
                _label(found.instead[place]),
                printable(names[row]),
                shown_row(data, row),
            ]
        )
    print("\n".join(aligned(lines, left=1)))
    if len(rows) > _MOST_LINES:
        print(f"and {len(rows) - _MOST_LINES:,} more, less doubtful")


def _label(label: Any) -> str:
    import numpy as np

    return f"{label:.6g}" if isinstance(label, float | np.floating) else printable(str(label))
