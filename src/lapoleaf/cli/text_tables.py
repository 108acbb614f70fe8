"""Output tables as text files, in the format of the input."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lapoleaf.cli.originals import Original
from lapoleaf.inputs.quotes import quoting_of
from lapoleaf.inputs.typed import written

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray

# Bytes written at a time.
_BLOCK = 1 << 16
_TABS = (".tsv", ".tab")


class _HasTexts(Protocol):
    @property
    def name(self) -> str: ...

    def texts(self, decimal: str) -> Iterator[str]: ...


@dataclass(frozen=True)
class TextLayout:
    """Format of a text file.

    Attributes
    ----------
    encoding : str
        Name of the encoding.
    separator : str
        Between cells.
    newline : str
        End of a line.
    quotes : bool
        Whether cells may be quoted; if not, quotes are ordinary characters.
    decimal : str
        Decimal mark.
    """

    encoding: str = "utf-8"
    separator: str = ","
    newline: str = "\n"
    quotes: bool = True
    decimal: str = "."


def layout_for(ending: str, original: Original, columns: Sequence[_HasTexts]) -> TextLayout:
    """Return the format of an output table, that of the input for text files.

    Parameters
    ----------
    ending : str
        Extension of the file: ``.tsv`` and ``.tab`` are separated by tabs, and ``.csv`` is not,
        even if the input was.
    original : Original
        The table that was read.
    columns : sequence of columns
        Columns to add; if they cannot be encoded in the encoding of the input, the output is in
        UTF-8.
    """
    found = original.layout
    tabs = ending in _TABS
    if found is None:
        return TextLayout(separator="\t" if tabs else ",")
    separator, quotes = found.separator, found.quotes
    if tabs or (ending == ".csv" and original.ending in _TABS):
        separator = "\t" if tabs else ","
        quotes = quotes or separator != found.separator
    encoding = found.encoding
    try:
        for column in columns:
            "".join({column.name, *column.texts(".")}).encode(encoding)
    except UnicodeEncodeError:
        encoding = "utf-8-sig"
    return TextLayout(encoding, separator, found.newline, quotes, original.decimal)


class _Lines:
    """A file object for csv that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


def text_parts(
    original: Original,
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    layout: TextLayout,
    order: IntArray | None,
) -> Iterator[bytes]:
    """Return a table with further columns as blocks of bytes.

    Parameters
    ----------
    original : Original
        The table that was read.
    names : sequence of str
        Names of the columns to add.
    columns : sequence of sequences of str
        Their cells.
    layout : TextLayout
        The format.
    order : ndarray of int or None
        The rows in the order in which they are written.
    """
    encoder = codecs.getincrementalencoder(layout.encoding)("surrogateescape")
    block: list[str] = []
    size = 0
    for line in _lines(original, names, columns, layout, order):
        block.append(line)
        size += len(line)
        if size > _BLOCK:
            yield encoder.encode("".join(block))
            block, size = [], 0
    yield encoder.encode("".join(block), final=True)


def _lines(
    original: Original,
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    layout: TextLayout,
    order: IntArray | None,
) -> Iterator[str]:
    line = _writer(layout)
    end = len(layout.newline)
    yield from original.titles
    if original.header:
        yield line([*original.header, *names])
    # Followed by an empty cell, so that the title cannot be confused with another line.
    before = (line([*map(_text, cells), ""])[:-end] for cells in original.rows())
    after: Any = zip(*columns, strict=True)
    if order is not None:
        # Lines take less memory than cells.
        lines, added, places = list(before), list(after), order.tolist()
        before, after = (lines[row] for row in places), (added[row] for row in places)
    for first, cells in zip(before, after, strict=True):
        yield first + line(["", *cells])[len(layout.separator) :]


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return "" if cell is None else written(cell)


def _writer(layout: TextLayout) -> Any:
    writer = csv.writer(
        _Lines(),
        delimiter=layout.separator,
        lineterminator=layout.newline,
        quoting=quoting_of(layout.quotes),
        quotechar='"' if layout.quotes else None,
    )
    if layout.quotes:
        return writer.writerow
    # Without quoting, cells must not contain separators or line ends.
    plain = str.maketrans(dict.fromkeys((layout.separator, "\n", "\r"), " "))
    return lambda cells: writer.writerow([cell.translate(plain) for cell in cells])
