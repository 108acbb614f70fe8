"""Labels from another table, whose rows are matched by names or by cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.cli.given import Given, given_labels
from lapoleaf.inputs.matching import (
    CellKey,
    cells_of,
    column_of_labels,
    columns_of_both,
    frame_with_names,
)
from lapoleaf.inputs.projects import is_project, labels_of_rows, read_project

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset


@dataclass(frozen=True)
class Merged:
    """Labels of both tables.

    Attributes
    ----------
    given : Given
        Labels of all rows.
    n_taken, n_replaced, n_lost : int
        Numbers of labels that the other table has for rows of the data set, of those that replace
        another label, and of those whose row does not exist.
    by : tuple of str
        The columns by which rows were matched.
    """

    given: Given
    n_taken: int
    n_replaced: int
    n_lost: int
    by: tuple[str, ...]


def merged_labels(data: Dataset, name: str, label: str | None) -> Merged:
    """Return the labels of a data set, overridden by those of another table.

    Parameters
    ----------
    data : Dataset
        The rows.
    name : str
        The file of the other table.
    label : str or None
        Column of labels set by the user.
    """
    from lapoleaf.inputs import read

    if is_project(name):
        return _merged_project(data, name)
    other = read(name)
    what = f"--labels {shown(name)}"
    if other.table is None:
        raise ValueError(f"--labels {shown(name)} must be a table with a column of labels.")
    theirs, ours = other.table.frame, frame_with_names(data)
    column = column_of_labels(what, theirs, ours, label)
    further = given_labels(read(theirs, label=column))
    by = columns_of_both(what, theirs, ours, column, data)
    wanted: dict[CellKey, int] = {}
    for row, key in enumerate(cells_of(theirs, by)):
        text = further.texts[row]
        if text is None:
            continue
        known = wanted.setdefault(key, row)
        if further.texts[known] != text:
            raise ValueError(
                f"--labels {shown(name)} has two labels for the same row, "
                f"{shown(further.texts[known])} and {shown(text)} "
                f"({', '.join(map(str, key))}): keep one of them."
            )
    return _merged(data, further, wanted, by, cells_of(ours, by))


def _merged(
    data: Dataset,
    further: Given,
    wanted: dict[CellKey, int],
    by: tuple[str, ...],
    keys: list[CellKey],
) -> Merged:
    given = given_labels(data)
    texts = list(given.texts)
    both = given.numbers is not None and further.numbers is not None
    numbers = np.array(given.numbers) if both else None
    taken, replaced = set(), 0
    for row, key in enumerate(keys):
        place = wanted.get(key)
        if place is None:
            continue
        taken.add(key)
        replaced += texts[row] is not None and texts[row] != further.texts[place]
        texts[row] = further.texts[place]
        if numbers is not None and further.numbers is not None:
            numbers[row] = further.numbers[place]
    return Merged(Given(texts, numbers), len(taken), replaced, len(wanted) - len(taken), by)


def _merged_project(data: Dataset, name: str) -> Merged:
    """Return the labels of a data set, overridden by those of a project of the studio."""
    project = read_project(name)
    found = labels_of_rows(data, project)
    texts, replaced = list(given_labels(data).texts), 0
    for row, text in found.known.items():
        replaced += texts[row] is not None and texts[row] != text
        texts[row] = text
    taken = sum(text is not None for text in found.known.values())
    by = (data.id,) if data.id is not None else tuple(map(str, project.meta.get("columns", ())))
    return Merged(Given(texts, None), taken, replaced, len(found.lost), by)
