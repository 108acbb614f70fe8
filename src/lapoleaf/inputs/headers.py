"""Whether a record is a title, a header or a row; names of columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_YEARS = range(1800, 2200)


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with a point or a comma."""
    return NUMBER.fullmatch(cell.strip()) is not None


def is_title(cells: Sequence[str], following: Sequence[Sequence[str]]) -> bool:
    """Whether a record is a title above a header: one cell, and then a table of several columns.

    Parameters
    ----------
    cells : sequence of str
        Cells of the record.
    following : sequence of sequences of str
        Cells of the records after it.
    """
    filled = [cell for cell in cells if cell.strip()]
    widths = Counter(len(record) for record in following)
    width = widths.most_common(1)[0][0]
    if width < 2 or len(filled) > 1:
        return False
    if not filled:
        return len(cells) in (1, width)
    if is_number(filled[0]):
        return False
    if len(cells) > 1:
        # As exported by spreadsheet programs: the title, then separators of empty cells.
        if len(cells) != width or not cells[0].strip():
            return False
        return width > 2 or _looks_like_header(following[0], following[1:])
    while following and len(following[0]) < width:
        if len([cell for cell in following[0] if cell.strip()]) > 1:
            return False
        following = following[1:]
    if not following or not _looks_like_header(following[0], following[1:]):
        return False
    # One word above columns of words may be a header with too few cells.
    return " " in filled[0].strip() or any(map(is_number, _first_row(following)))


def _first_row(records: Sequence[Sequence[str]]) -> Sequence[str]:
    return records[1] if len(records) > 1 else ()


def _looks_like_header(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells are distinct words, without numbers other than years."""
    words = [cell.strip() for cell in cells]
    return all(words) and len(set(words)) == len(words) and is_header(cells, rows)


def is_header(
    cells: Sequence[str], rows: Sequence[Sequence[str]], label: str | None = None
) -> bool:
    """Whether a record has the names of columns.

    A record with numbers is a row, unless it names the column of labels, or its numbers can be
    names: years, or 0, 1, 2, ... as written from an array.

    Parameters
    ----------
    cells : sequence of str
        Cells of the first record.
    rows : sequence of sequences of str
        Cells of the records after it.
    label : str or None
        Name of the column of labels.
    """
    words = [cell.strip() for cell in cells]
    numbers = [word for word in words if is_number(word)]
    if not numbers or (label is not None and label in words):
        return True
    if len(set(numbers)) < len(numbers) or not all(number.isdecimal() for number in numbers):
        return False
    values = [int(number) for number in numbers]
    if not rows or any(str(value) != number for value, number in zip(values, numbers, strict=True)):
        return False
    counts_up = values == list(range(values[0], values[0] + len(values)))
    return counts_up and (
        (values[0] == 0 and len(values) > 2 and len(values) == len(words))
        or (values[0] in _YEARS and len(words) > len(values) > 1)
    )


def named_columns(cells: Sequence[str]) -> list[str]:
    """Return unique and non-empty names of columns.

    Examples
    --------
    >>> from lapoleaf.inputs.headers import named_columns
    >>> named_columns(["size", "", " size", "size.1"])
    ['size', 'column_2', 'size.2', 'size.1']
    """
    stripped = [cell.strip() for cell in cells]
    taken = set(stripped)
    names: list[str] = []
    for number, name in enumerate(stripped, 1):
        wanted = name or f"column_{number}"
        if not name or wanted in names:
            new, count = wanted if not name else f"{wanted}.1", 1
            while new in taken or new in names:
                count += 1
                new = f"{wanted}.{count}"
            wanted = new
        names.append(wanted)
    return names
