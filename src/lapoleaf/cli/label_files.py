"""Files of labels: the table that was read, with labels filled in, or a table of its own."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapoleaf._writing import write_whole

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset
    from lapoleaf.inputs.layout import Layout
    from lapoleaf.inputs.sources import Source


def label_texts(data: Dataset) -> list[str | None]:
    """Return labels as they are written in the table; None for missing ones.

    Parameters
    ----------
    data : Dataset
        Rows with labels.
    """
    from lapoleaf.inputs.labels import is_missing

    labels = data.labels
    if labels is None:
        return [None] * len(data)
    values, missing = labels.tolist(), is_missing(labels).tolist()
    texts: dict[Any, str] = {value: str(value) for value in values if isinstance(value, str)}
    if labels.dtype.kind in "iuf":
        texts = {value: _number(value) for value in values}
        # 1,50 and 2e3 are written as they are in the file.
        place = _place(data)
        if place is not None:
            for value, cells in zip(values, _rows(data), strict=True):
                texts[value] = cells[place].strip()
    return [
        None if hole else texts.get(value, str(value))
        for value, hole in zip(values, missing, strict=True)
    ]


def _number(value: float) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else repr(value)


def write_filled(
    target: Path,
    data: Dataset,
    given: Sequence[str | None],
    labels: Sequence[str],
    further: Mapping[str, Sequence[Any]],
) -> None:
    """Write a table with all labels filled in and further columns at the end.

    A text file is written as it was: its encoding, separators, ends of lines and cells. Any other
    table becomes a CSV file.

    Parameters
    ----------
    target : Path
        Where to write.
    data : Dataset
        The table.
    given : sequence of str or None
        Labels before.
    labels : sequence of str
        Labels of all rows.
    further : mapping of str to sequence
        Columns to add.
    """
    place = _place(data)
    if place is None:
        write_table(target, {**_plain_columns(data, labels), **further})
        return
    source, layout = _text_of(data)

    def rows() -> Iterator[list[Any]]:
        if layout.header:
            yield [*layout.header, *further]
        columns = zip(*further.values(), strict=True)
        for cells, known, label, added in zip(_rows(data), given, labels, columns, strict=True):
            if known is None:
                cells[place] = label
            yield [*cells, *added]

    write_whole(target, _encoded(_titles(source, layout), rows(), layout))


def write_table(target: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns as a CSV file."""
    rows = zip(*columns.values(), strict=True)
    writer = csv.writer(_Lines(), lineterminator="\n")
    lines: Iterable[Any] = (writer.writerow(row) for row in ([*columns], *rows))
    write_whole(target, (line.encode("utf-8", "surrogateescape") for line in lines))


def _plain_columns(data: Dataset, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return all columns of a table that is no text file, with labels filled in."""
    from lapoleaf.inputs.showing import shown_cells

    frame = data.table.frame if data.table is not None else data.frame
    rows = [shown_cells(frame, row) for row in range(len(frame))]
    columns = {
        str(name): ["" if row[str(name)] is None else row[str(name)] for row in rows]
        for name in frame.columns
    }
    return {**columns, data.label or "label": list(labels)}


def _text_of(data: Dataset) -> tuple[Source, Layout]:
    table = data.table
    if table is None or table.source is None or table.layout is None:
        raise ValueError(f"{data.source} is no text file.")
    return table.source, table.layout


def _place(data: Dataset) -> int | None:
    """Return the place of the column of labels in a text file; None if it is no text file."""
    if data.table is None or data.table.layout is None or data.label is None:
        return None
    return data.table.layout.columns.index(data.label)


def _rows(data: Dataset) -> Iterator[list[str]]:
    """Return the rows of a text file as cells, without empty lines."""
    from lapoleaf.inputs.encodings import text_of
    from lapoleaf.inputs.quotes import large_cells, quoting_of

    source, layout = _text_of(data)
    with text_of(source, layout.encoding) as (text, _), large_cells():
        for _ in range(layout.n_lines):
            text.readline()
        quoting = quoting_of(layout.quotes)
        for cells in csv.reader(text, delimiter=layout.separator, quoting=quoting):
            if cells:
                yield cells


def _titles(source: Source, layout: Layout) -> list[str]:
    """Return the lines above the header."""
    from lapoleaf.inputs.encodings import text_of

    with text_of(source, layout.encoding) as (text, _):
        return [text.readline() for _ in range(layout.n_titles)]


class _Lines:
    """A file that keeps nothing: csv hands over a line, and it comes back."""

    def write(self, line: str) -> str:
        return line


def _encoded(titles: Iterable[str], rows: Iterable[list[Any]], layout: Layout) -> Iterator[bytes]:
    from lapoleaf.inputs.quotes import quoting_of

    encoder = codecs.getincrementalencoder(layout.encoding)()
    writer = csv.writer(
        _Lines(),
        delimiter=layout.separator,
        lineterminator=layout.newline,
        quoting=quoting_of(layout.quotes),
        quotechar='"' if layout.quotes else None,
    )
    for title in titles:
        yield encoder.encode(title)
    for row in rows:
        line: Any = writer.writerow(row)
        yield encoder.encode(line)
