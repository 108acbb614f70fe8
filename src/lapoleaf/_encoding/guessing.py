"""Guesses of the kind of a column from its cells and its name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lapoleaf._encoding.cells import (
    TRUTHS,
    BooleanCells,
    Cells,
    DateCells,
    NumberCells,
    StringCells,
)
from lapoleaf._encoding.extras import imported
from lapoleaf._encoding.number_forms import form_of
from lapoleaf._typing import IntArray

KINDS = ("number", "boolean", "category", "date", "string", "text", "ignore")
# Maximum number of distinct strings of a category.
_MOST_CATEGORIES = 40
_MOST_DECLARED_CATEGORIES = 100
# Minimum average number of words of distinct texts.
_LEAST_WORDS = 5.0
# Minimum number of consecutive numbers for an id without a typical name.
_LEAST_COUNTED = 10
_ID_NAME = re.compile(r"(?:^|.*[^a-z])(?:id|ids|uuid|guid|idx|index|rownames?)$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LIKE_A_DATE = re.compile(r".*[0-9]{1,4}[-/. :T].*[0-9].*|.*[0-9]{4}.*", re.DOTALL)
_LONGEST_DATE = 40


def kind_of(cells: Cells) -> str:
    """Return the kind of a column's cells, as one of ``KINDS``."""
    if isinstance(cells, NumberCells):
        return "number"
    if isinstance(cells, BooleanCells):
        return "boolean"
    if isinstance(cells, DateCells):
        return "date"
    if cells.declared:
        return (
            "category" if len(cells.strings) <= _MOST_DECLARED_CATEGORIES else _kind_of_many(cells)
        )
    if all(text.strip() in TRUTHS for text in cells.strings):
        return "boolean"
    if form_of(cells.strings) is not None:
        return "number"
    if date_format(cells) is not None:
        return "date"
    n_held = int((~cells.missing).sum())
    if len(cells.strings) <= min(_MOST_CATEGORIES, max(2, n_held // 2)):
        return "category"
    return _kind_of_many(cells)


def _kind_of_many(cells: StringCells) -> str:
    words = np.mean([len(text.split()) for text in cells.strings])
    return "text" if words >= _LEAST_WORDS else "string"


def date_format(cells: StringCells) -> str | None:
    """Return the date format of all strings, as found by skrub, or None."""
    strings = [text.strip() for text in cells.strings]
    if not strings or any(
        len(text) > _LONGEST_DATE or not _LIKE_A_DATE.fullmatch(text) for text in strings
    ):
        return None
    finder = imported("skrub").ToDatetime()
    try:
        finder.fit_transform(imported("pandas").Series(strings, dtype="str"))
    except imported("skrub").core.RejectColumn:
        return None
    return None if finder.format_ is None else str(finder.format_)


def is_id(cells: Cells, name: str) -> bool:
    """Whether strings or integers are distinct, and named like an id or consecutive.

    Parameters
    ----------
    cells : Cells
        The cells.
    name : str
        Name of the column.
    """
    numbers = _whole_numbers(cells)
    if numbers is None and not isinstance(cells, StringCells):
        return False
    held = int((~cells.missing).sum())
    distinct = len(cells.strings) if isinstance(cells, StringCells) else len(np.unique(numbers))
    if held < 2 or distinct < held:
        return False
    if _ID_NAME.fullmatch(_CAMEL.sub("_", name.strip()).casefold()):
        return True
    counts = numbers is not None and len(numbers) >= _LEAST_COUNTED
    return bool(counts and held == len(cells.missing) and (np.diff(numbers) == 1).all())


def _whole_numbers(cells: Cells) -> Any:
    """Return the whole numbers of cells, in the order of rows; None if they are something else."""
    if isinstance(cells, NumberCells):
        if cells.duration or not cells.whole:
            return None
        return cells.values[~cells.missing]
    if isinstance(cells, StringCells):
        return _trailing_numbers(cells)
    return None


def _trailing_numbers(cells: StringCells) -> IntArray | None:
    """Return the numbers at the end of strings that are otherwise the same, such as row17."""
    found = [re.fullmatch(r"(.*?)([0-9]{1,15})", text, re.DOTALL) for text in cells.strings]
    if not found or len({match.group(1) if match else None for match in found}) > 1:
        return None
    numbers = np.array([int(match.group(2)) for match in found if match], dtype=np.int64)
    held = ~cells.missing
    return numbers[cells.codes[held]] if len(numbers) else None
