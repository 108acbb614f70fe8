"""Layout of a delimited text file: separator, lines above the header, names of columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lapoleaf._messages import shown
from lapoleaf.inputs.encodings import Encoding, encoding_of, text_of
from lapoleaf.inputs.headers import is_header, is_title, named_columns
from lapoleaf.inputs.quotes import large_cells, quotes_enclose_cells, quoting_of
from lapoleaf.inputs.sources import Source

SEPARATORS = ",;\t|"
_SAMPLE_LINES = 300
_LONGEST_SAMPLE = 1 << 20
_HINT = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Layout:
    """Layout of a delimited text file.

    Attributes
    ----------
    encoding : str
        Name of the encoding.
    separator : str
        Between cells.
    quotes : bool
        Whether cells may be quoted; if not, quotes are ordinary characters.
    newline : str
        End of the first line.
    header : list of str
        Cells of the header as in the file; empty if there is none.
    columns : list of str
        Names of the columns: cells of the header, no two of them equal and none empty.
    n_titles : int
        Lines above the header.
    n_lines : int
        Lines above the first row.
    notes : tuple of str
        Notes on how the file was read.
    """

    encoding: str
    separator: str
    quotes: bool
    newline: str
    header: list[str]
    columns: list[str]
    n_titles: int
    n_lines: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Record:
    """Cells of a record, and the numbers of lines before it and up to its end."""

    cells: list[str]
    begin: int
    end: int


def layout_of(source: Source, label: str | None = None) -> Layout:
    """Return the layout of a text file.

    Parameters
    ----------
    source : Source
        The file.
    label : str or None
        Name of a column: a line that has it is the header.
    """
    encoding = encoding_of(source)
    lines = _first_lines(source, encoding)
    if not any(line.strip() for line in lines):
        raise ValueError(f"{source.name} is empty: it needs a header and rows.")
    # Excel reads the separator from such a line.
    hint = _HINT.fullmatch(lines[0].strip())
    separator = hint.group(1) if hint else _separator(lines, source.ending)
    # Without any quote in the file, quoting may be assumed.
    quotes = not encoding.has_quotes or quotes_enclose_cells(source, encoding.name, separator)
    records = _records(lines, separator, quotes)
    width = _usual_width(records)
    notes = []
    if encoding.name in ("cp1252", "latin-1"):
        notes.append(f"not in UTF-8: read as {_encoding_in_words(encoding.name)}")
    if not quotes:
        notes.append("quotes are taken as part of the cells")
    begin = first = int(hint is not None and len(records) > 1)
    while first < len(records) - 1 and is_title(records[first].cells, _cells(records[first + 1 :])):
        first += 1
    if first > begin:
        titles = ", ".join(shown(" ".join(record.cells).strip()) for record in records[begin:first])
        notes.append(f"above the header, left out: {titles}")
    record, following = records[first], _cells(records[first + 1 :])
    newline = re.search(r"\r?\n|\r|$", lines[0])
    end = newline.group() if newline and newline.group() else "\n"
    if is_header(record.cells, following, label):
        columns = named_columns(record.cells)
        n_lines, header = record.end, record.cells
    else:
        columns = [f"column_{number}" for number in range(1, max(width, len(record.cells)) + 1)]
        notes.append("no header: columns are called column_1, column_2, ...")
        n_lines, header = record.begin, []
    return Layout(
        encoding=encoding.name,
        separator=separator,
        quotes=quotes,
        newline=end,
        header=header,
        columns=columns,
        n_titles=record.begin,
        n_lines=n_lines,
        notes=tuple(notes),
    )


def separator_in_words(separator: str) -> str:
    """Return the name of a separator."""
    return _NAMES.get(separator, shown(separator))


def _encoding_in_words(name: str) -> str:
    return {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(name, name)


def _first_lines(source: Source, encoding: Encoding) -> list[str]:
    """Return the first lines of a file."""
    lines: list[str] = []
    n_letters = 0
    with text_of(source, encoding.name) as (text, _):
        while len(lines) < _SAMPLE_LINES and n_letters < _LONGEST_SAMPLE:
            line = text.readline(_LONGEST_SAMPLE)
            if not line:
                break
            lines.append(line)
            n_letters += len(line)
    return lines


def _records(lines: Sequence[str], separator: str, quotes: bool) -> list[_Record]:
    reader = csv.reader(lines, delimiter=separator, quoting=quoting_of(quotes))
    found, begin = [], 0
    with large_cells():
        for cells in reader:
            if cells:
                found.append(_Record(cells, begin, reader.line_num))
            begin = reader.line_num
    return found


def _cells(records: Sequence[_Record]) -> list[list[str]]:
    return [record.cells for record in records]


def _usual_width(records: Sequence[_Record]) -> int:
    return Counter(len(record.cells) for record in records).most_common(1)[0][0]


def _separator(lines: Sequence[str], ending: str) -> str:
    """Return the separator that cuts most lines into the same number of cells, of two or more."""
    usual = "\t" if ending in (".tsv", ".tab", ".txt") else ","
    best, best_score = usual, (0.5, 0.0, 0.0, 0)
    for separator in SEPARATORS:
        widths = [len(record.cells) for record in _records(lines, separator, quotes=True)]
        width, count = Counter(widths).most_common(1)[0]
        if width < 2:
            if separator in lines[0] and best_score[0] <= 0.5:
                best = separator
            continue
        blanks = sum(line.count(f"{separator} ") for line in lines)
        score = (count / len(widths), float(separator == usual and separator == "\t"),
                 -blanks / len(lines), width)  # fmt: skip
        if score > best_score:
            best, best_score = separator, score
    return best
