"""Quotes in text files: around cells, or ordinary characters."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from lapoleaf.inputs.encodings import text_of
from lapoleaf.inputs.sources import Source

# Lines that may stand above a header.
_MOST_TITLES = 5


def quoting_of(quotes: bool) -> Literal[0, 3]:
    """Return the quoting option of csv for a file with, or without, quoted cells."""
    return csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE


@contextmanager
def large_cells() -> Iterator[None]:
    """Remove csv's limit on the length of cells in this context."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def quotes_enclose_cells(source: Source, encoding: str, separator: str) -> bool:
    """Whether quotes enclose cells; raise if the file is inconsistent either way.

    They are ordinary characters if tabs split all lines into the same number of cells, and quotes
    would join lines or end inside of cells.

    Parameters
    ----------
    source : Source
        The file.
    encoding : str
        Its encoding.
    separator : str
        Between its cells.
    """
    begin = n_joined = 0
    problem = None
    with text_of(source, encoding) as (text, _), large_cells():
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            for cells in reader:
                n_joined += bool(cells) and reader.line_num > begin + 1
                begin = reader.line_num
        except csv.Error as error:
            problem = error
    if separator == "\t" and (problem or n_joined) and _is_even(source, encoding, separator):
        return False
    if problem is not None:
        raise ValueError(
            f"the cells of {source.name} cannot be told apart from line {begin + 1} on: a quote is "
            f"not closed, or is followed by other characters; write a quote in a cell twice."
        ) from problem
    return True


def _is_even(source: Source, encoding: str, separator: str) -> bool:
    """Whether all lines except titles have the same number of cells if quotes are ignored."""
    usual, n_titles = 0, 0
    with text_of(source, encoding) as (text, _):
        for line in text:
            if not line.strip("\r\n"):
                continue
            count = line.count(separator)
            if not usual and not count and n_titles < _MOST_TITLES:
                n_titles += 1
                continue
            usual = usual or count
            if count != usual:
                return False
    return usual > 0
