"""``lapoleaf fit``: fit a model to a table and save it."""

from __future__ import annotations

import argparse

from lapoleaf.cli.arguments import add_force, add_input, add_labels
from lapoleaf.cli.names import printable

HELP = "learn from rows and labels, and keep the model in a file"
EXAMPLES = (
    ("lapoleaf fit birds.csv --label species --save birds.lapoleaf",
     "keep a model for 'lapoleaf predict', and for lapoleaf.load in Python"),
    ("lapoleaf fit prices.csv --label price --ignore address --save prices.lapoleaf",
     "numbers as labels: a model with intervals"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_input(parser)
    add_labels(parser)
    parser.add_argument("--save", required=True, metavar="MODEL", help="where to keep the model")
    add_force(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from lapoleaf.cli.models import fitted, save_model
    from lapoleaf.cli.outputs import destination_of
    from lapoleaf.cli.problems import check_labels, read_problem

    destination = destination_of(arguments, (), "save")
    if destination.path is None:
        raise ValueError("--save - is not a file: name one.")
    problem = read_problem(arguments)
    check_labels(problem)
    model = fitted(problem, arguments.jobs)
    save_model(model, destination)
    print(
        f"Learnt       {int(problem.usable.sum()):,} {problem.things}, {problem.given.n:,} labels"
    )
    if problem.task.kind == "classes":
        print(f"Classes      {', '.join(printable(str(name)) for name in model.classes_[:12])}")
    if model.encoder_ is not None:
        print("\n".join(printable(line) for line in model.encoder_.summary().splitlines()))
    print(f"\nThe model is in {printable(destination.name)}")
    return problem.exit_code
