"""Given labels as written in the input, and whether they are classes or numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.inputs.labels import are_classes, is_missing

if TYPE_CHECKING:
    from lapoleaf._typing import BoolArray, FloatArray
    from lapoleaf.inputs import Dataset


@dataclass(frozen=True, eq=False)
class Given:
    """Labels of all rows.

    Attributes
    ----------
    texts : list of str or None
        Labels as written; None where missing.
    numbers : ndarray of float or None
        The labels as numbers, NaN where missing; None if some are not numbers.
    """

    texts: list[str | None]
    numbers: FloatArray | None

    @property
    def mask(self) -> BoolArray:
        """Mask of the rows with a label."""
        return np.array([text is not None for text in self.texts], dtype=bool)

    @property
    def n(self) -> int:
        """Number of labels."""
        return sum(text is not None for text in self.texts)


@dataclass(frozen=True)
class Task:
    """The kind of labels.

    Attributes
    ----------
    kind : {"classes", "numbers"}
        The kind.
    why : str
        A short reason; empty if it is obvious.
    """

    kind: str
    why: str = ""


def given_labels(data: Dataset) -> Given:
    """Return the labels of a data set."""
    labels = data.labels
    if labels is None:
        return Given([None] * len(data), np.full(len(data), np.nan))
    missing = is_missing(labels)
    if data.kind == "array" and labels.dtype.kind in "iu":
        # In arrays, -1 marks a missing label.
        missing = labels == -1
    values = labels.tolist()
    texts: dict[Any, str] = {}
    numbers = None
    if labels.dtype.kind in "iuf":
        numbers = np.where(missing, np.nan, labels.astype(np.float64))
        texts = {value: number_text(value) for value in values}
        # Numbers such as 1,50 and 2e3 keep the notation of the file.
        for value, cell in zip(values, _cells(data), strict=False):
            texts[value] = cell.strip()
    found = [
        None if hole else texts.get(value, str(value))
        for value, hole in zip(values, missing.tolist(), strict=True)
    ]
    if all(text is None for text in found):
        numbers = np.full(len(data), np.nan)
    return Given(found, numbers)


def number_text(value: float) -> str:
    """Return a number as text, integers without a decimal point."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else repr(value)


def _cells(data: Dataset) -> Iterator[str]:
    """Return the cells of the column of labels in a text file; None for other files."""
    from lapoleaf.inputs.encodings import text_of
    from lapoleaf.inputs.quotes import large_cells, quoting_of

    table = data.table
    if table is None or table.layout is None or table.source is None or data.label is None:
        return
    layout = table.layout
    place = layout.columns.index(data.label)
    with text_of(table.source, layout.encoding) as (text, _), large_cells():
        for _ in range(layout.n_lines):
            text.readline()
        reader = csv.reader(text, delimiter=layout.separator, quoting=quoting_of(layout.quotes))
        for cells in reader:
            if cells:
                yield cells[place]


def task_of(given: Given, asked: str | None) -> Task:
    """Return the kind of labels: that set by the user, else a guess.

    Parameters
    ----------
    given : Given
        The labels.
    asked : {"classes", "numbers"} or None
        The kind set by the user.
    """
    numbers = given.numbers
    if asked == "numbers" and numbers is None:
        bad = next(text for text in given.texts if text is not None and not _is_number(text))
        raise ValueError(f"--task numbers: the label {shown(bad)} is not a number.")
    if asked is not None or numbers is None:
        return Task(asked or "classes", "as asked for" if asked else "")
    values = np.unique(numbers[~np.isnan(numbers)])
    if not len(values):
        return Task("classes")
    if are_classes(numbers):
        few = "one whole number" if len(values) == 1 else f"{len(values)} different whole numbers"
        return Task("classes", f"{few}; --task numbers takes them for amounts")
    if (values == np.floor(values)).all():
        many = f"{len(values)} different whole numbers"
        return Task("numbers", f"{many}; --task classes takes them for classes")
    return Task("numbers", "they have decimals; --task classes takes them for classes")


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text.replace(",", "."))))
    except ValueError:
        return False
