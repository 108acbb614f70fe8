"""``lapoleaf label``: labels for the rows that have none, from those that have one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf.cli.arguments import add_input, add_into, add_labels, add_output
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray
    from lapoleaf.cli.models import Answers
    from lapoleaf.cli.outputs import Destination
    from lapoleaf.cli.problems import Problem
    from lapoleaf.cli.tables import Column

HELP = "labels for all rows of a table, all texts, all pictures of a folder"
EXAMPLES = (
    ("lapoleaf label birds.xlsx --label species -o labelled.xlsx",
     "add the columns lapoleaf_label, _confidence, _given and _leader"),
    ("lapoleaf label photos --into sorted",
     "copy every photo into a folder of its class"),
)  # fmt: skip
_LEAST_SURE = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_input(parser)
    add_labels(parser)
    add_output(
        parser,
        "where to write the table with labels, .csv, .tsv, .xlsx or .parquet (default: standard "
        "output)",
    )
    parser.add_argument(
        "--sort", choices=("confidence",), help="order of the rows: the least sure first"
    )
    add_into(parser, "copy pictures into folders of their class in FOLDER; none is moved")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from lapoleaf.cli.copies import check_folder, copy_by_class
    from lapoleaf.cli.models import answers_of, fitted, leaders_of
    from lapoleaf.cli.outputs import destination_of
    from lapoleaf.cli.problems import check_labels, read_problem
    from lapoleaf.cli.tables import check_size, write_table

    destination = destination_of(arguments)
    if arguments.into is not None:
        check_folder(arguments.into, Path(arguments.input), arguments.force)
    problem = read_problem(arguments)
    check_size(destination, len(problem.data))
    check_labels(problem, all_may_be_given=False)
    model = fitted(problem, arguments.jobs)
    answers = answers_of(model, problem)
    order = _order(answers, problem) if arguments.sort else None
    columns = _columns(answers, problem, leaders_of(model, problem), order)
    if arguments.into is not None:
        copies = copy_by_class(problem.data, answers.labels, arguments.into)
        if arguments.output is None:
            # The copies are the output.
            _report(_to_screen(arguments.into), answers, problem, order)
            print(f"\n{copies:,} copies are in {printable(str(arguments.into))}")
            return problem.exit_code
    write_table(destination, problem.data, columns, order)
    _report(destination, answers, problem, order)
    destination.tell(f"\nThe labels are in {printable(destination.name)}")
    if arguments.into is not None:
        destination.tell(f"{copies:,} copies are in {printable(str(arguments.into))}")
    return problem.exit_code


def _to_screen(folder: Path) -> Destination:
    from lapoleaf.cli.outputs import Destination

    return Destination(folder, str(folder))


def _order(answers: Answers, problem: Problem) -> IntArray:
    """Return the rows, the least certain first and labelled ones last."""
    import numpy as np

    given = problem.given.mask
    return np.lexsort((np.where(np.isnan(answers.confidence), -1.0, answers.confidence), given))


def _columns(
    answers: Answers, problem: Problem, leaders: IntArray, order: IntArray | None
) -> list[Column]:
    from lapoleaf.cli.tables import Column

    names, given = problem.names(order), problem.given.mask.tolist()
    by_name = problem.data.id is not None or problem.data.kind == "images"
    led = [None if row < 0 else names[row] for row in leaders.tolist()]
    columns = [Column("lapoleaf_label", answers.labels, ".6g")]
    if answers.lower is not None and answers.upper is not None:
        columns.append(Column("lapoleaf_low", answers.lower.tolist(), ".6g"))
        columns.append(Column("lapoleaf_high", answers.upper.tolist(), ".6g"))
    return [
        *columns,
        Column("lapoleaf_confidence", answers.confidence.tolist()),
        Column("lapoleaf_given", ["yes" if known else "no" for known in given]),
        Column("lapoleaf_leader", led if by_name else [row and int(row) for row in led]),
    ]


def _report(
    destination: Destination, answers: Answers, problem: Problem, order: IntArray | None
) -> None:
    import numpy as np

    from lapoleaf.cli.reports import report_of_classes, report_of_numbers

    tell = destination.tell
    found = ~problem.given.mask & problem.usable
    n_given = problem.given.n
    tell(f"Labelled     {int(found.sum()):,} {problem.things} that had no label")
    tell(f"From         {n_given:,} given label{'s' * (n_given != 1)}")
    if not problem.usable.all():
        tell(f"Left out     {int((~problem.usable).sum()):,} that cannot be read")
    report = report_of_numbers if problem.task.kind == "numbers" else report_of_classes
    for line in report(answers, problem):
        tell(line)
    tell("\nLeast sure, worth a look:")
    names = problem.names(order)
    by_number = problem.data.id is None and problem.data.kind != "images"
    least = np.argsort(np.where(found, answers.confidence, np.inf), kind="stable")
    for row in least[: min(_LEAST_SURE, int(found.sum()))].tolist():
        label = answers.labels[row]
        text = f"{label:.6g}" if isinstance(label, float) else printable(str(label))
        name = f"row {names[row]}" if by_number else printable(names[row])
        tell(f"  {answers.confidence[row]:>4.0%}  {text}  {name}")
