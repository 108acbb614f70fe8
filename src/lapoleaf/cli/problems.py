"""The input of a subcommand: rows, given labels, and their kind."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._progress import tell
from lapoleaf.cli.further_labels import merged_labels
from lapoleaf.cli.given import Given, Task, given_labels, task_of
from lapoleaf.cli.outputs import watching

if TYPE_CHECKING:
    from lapoleaf._typing import AnyArray, BoolArray
    from lapoleaf.inputs import Dataset

_USUAL = "label"
_FIRST_LABELS = "'lapoleaf suggest' finds the rows to label first"


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and their labels.

    Attributes
    ----------
    data : Dataset
        All rows.
    given : Given
        Their labels.
    task : Task
        Whether these are classes or numbers.
    usable : ndarray of bool
        Rows that can be used; pictures that cannot be read are not.
    n_unusable : int
        Number of parts of the input that cannot be used: broken pictures, labels of missing rows.
    """

    data: Dataset
    given: Given
    task: Task
    usable: BoolArray
    n_unusable: int = 0

    @property
    def name_of_label(self) -> str:
        """The column of labels."""
        return self.data.label or _USUAL

    @property
    def exit_code(self) -> int:
        """1 if some of the input cannot be used, else 0."""
        return int(self.n_unusable > 0)

    def names(self, order: AnyArray | None = None) -> list[str]:
        """Return the names of rows: their ids or files, else their numbers from 1.

        Parameters
        ----------
        order : ndarray of int or None
            The rows in the order in which they are written, by which they are counted.
        """
        if self.data.id is not None or self.data.kind == "images":
            return [str(name) for name in self.data.names]
        numbers = np.arange(1, len(self.data) + 1)
        if order is not None:
            numbers = np.empty(len(order), dtype=np.int64)
            numbers[order] = np.arange(1, len(order) + 1)
        return [str(number) for number in numbers.tolist()]

    @property
    def name_of_names(self) -> str:
        """The header of a column of names."""
        return "file" if self.data.kind == "images" else self.data.id or "row"

    @property
    def things(self) -> str:
        """The noun for rows in messages."""
        return {"images": "pictures", "texts": "texts"}.get(self.data.kind, "rows")


def read_rows(arguments: argparse.Namespace) -> Dataset:
    """Read INPUT."""
    from lapoleaf.inputs import read

    return read(arguments.input, verbose=watching(), **read_options(arguments))


def read_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options for reading INPUT that are set."""
    sheet = arguments.sheet
    if sheet is not None and sheet.isdecimal():
        sheet = int(sheet) - 1
    missing = {arguments.label or _USUAL: arguments.missing} if arguments.missing else None
    options = {
        "label": arguments.label,
        "id": arguments.id,
        "ignore": arguments.ignore,
        "kinds": dict(arguments.kind),
        "sheet": sheet,
        "missing": missing,
    }
    return {name: value for name, value in options.items() if value not in (None, [], {})}


def read_problem(arguments: argparse.Namespace) -> Problem:
    """Read INPUT and all labels."""
    data = read_rows(arguments)
    given, n_unusable = given_labels(data), 0
    if arguments.labels is not None:
        merged = merged_labels(data, arguments.labels, arguments.label)
        given, n_unusable = merged.given, merged.n_lost
        replaced = f", {merged.n_replaced:,} in place of another" if merged.n_replaced else ""
        lost = f"; {merged.n_lost:,} belong to rows that are not there" if merged.n_lost else ""
        by = ", ".join(map(shown, merged.by[:5])) + ", ..." * (len(merged.by) > 5)
        tell(
            f"lapoleaf: {merged.n_taken:,} labels of {shown(arguments.labels)} taken{replaced}, "
            f"rows found by {by}{lost}"
        )
    task = task_of(given, arguments.task)
    if task.why:
        tell(f"lapoleaf: labels are taken for {task.kind}: {task.why}")
    usable = usable_rows_of(data)
    n_unusable += int((~usable).sum())
    return Problem(data, given, task, usable, n_unusable)


def usable_rows_of(data: Dataset) -> BoolArray:
    """Return the mask of rows that can be used: all except pictures that cannot be read.

    Those have zeros as features, and were listed in a warning.
    """
    if data.kind != "images":
        return np.ones(len(data), dtype=bool)
    return np.asarray(data.X.any(axis=1))


def check_labels(problem: Problem, all_may_be_given: bool = True) -> None:
    """Raise if the labels are not sufficient to fit a model.

    Parameters
    ----------
    problem : Problem
        Rows and labels.
    all_may_be_given : bool
        Whether it is valid that all rows have a label.
    """
    data, usable = problem.data, problem.usable.tolist()
    texts = [text for text, there in zip(problem.given.texts, usable, strict=True) if there]
    classes = {text for text in texts if text is not None}
    if not classes and data.label is None and data.table is not None:
        columns = ", ".join(map(shown, data.table.frame.columns[:12]))
        raise ValueError(
            f"{data.source} has no column {shown(_USUAL)}; its columns are {columns}: name "
            f"the column of labels with --label."
        )
    if not classes:
        raise ValueError(
            f"{data.source} has no labels at all: give a few of every class; {_FIRST_LABELS}."
        )
    if not all_may_be_given and None not in texts:
        raise ValueError(
            f"{data.source} has no row without a label: there is nothing to do. 'lapoleaf "
            f"doubt' lists labels that may be wrong."
        )
    if problem.task.kind == "classes" and len(classes) == 1:
        raise ValueError(
            f"{data.source} has labels of one class only, {shown(classes.pop())}: give some of "
            f"every class; {_FIRST_LABELS}."
        )
