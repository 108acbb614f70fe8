"""Delimited text files, read by pyarrow without converting cells."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import reason_of, shown
from lapoleaf._progress import Progress
from lapoleaf.inputs.encodings import text_of
from lapoleaf.inputs.layout import Layout, separator_in_words
from lapoleaf.inputs.quotes import large_cells, quoting_of
from lapoleaf.inputs.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes read at a time, which is also the maximum length of a row.
_BLOCK = 1 << 22
_LARGEST_BLOCK = 1 << 30


def read_cells(source: Source, layout: Layout, verbose: int = 0) -> dict[str, pa.ChunkedArray]:
    """Return the columns of a text file: strings, exactly as in the file.

    Parameters
    ----------
    source : Source
        The file.
    layout : Layout
        Its layout.
    verbose : int
        Report progress if 1 or more.

    Raises
    ------
    ValueError
        If a row has more or fewer cells than the header; the message names its line.
    """
    arrow = imported("pyarrow")
    block = _BLOCK
    while True:
        try:
            table = _read(source, layout, block, verbose)
            break
        except arrow.ArrowInvalid as error:
            if "straddl" in str(error) and block < _LARGEST_BLOCK:
                block *= 16
                continue
            _check_widths(source, layout)
            raise ValueError(f"{source.name} cannot be read: {reason_of(error)}.") from error
    if table is None or not table.num_rows:
        raise ValueError(f"{source.name} has a header but no rows.")
    return dict(zip(layout.columns, table.columns, strict=True))


def _read(source: Source, layout: Layout, block: int, verbose: int) -> pa.Table | None:
    arrow, reading = imported("pyarrow"), imported("pyarrow.csv")
    places = [str(place) for place in range(len(layout.columns))]
    try:
        reader = reading.open_csv(
            arrow.BufferReader(_bytes(source, layout, verbose)),
            reading.ReadOptions(column_names=places, block_size=block, use_threads=False),
            reading.ParseOptions(
                delimiter=layout.separator,
                quote_char='"' if layout.quotes else False,
                newlines_in_values=layout.quotes,
            ),
            reading.ConvertOptions(
                column_types=dict.fromkeys(places, arrow.string()), strings_can_be_null=False
            ),
        )
    except arrow.ArrowInvalid as error:
        if "Empty CSV file" in str(error):
            return None
        raise
    with reader:
        batches = list(reader)
    return arrow.Table.from_batches(batches) if batches else None


def _bytes(source: Source, layout: Layout, verbose: int) -> pa.Buffer:
    """Return the rows of a file in UTF-8.

    They are copied to memory of pyarrow, whose threads must not read or free Python objects: a
    thread that does so while the interpreter exits aborts the process.
    """
    found = imported("pyarrow").BufferOutputStream()
    with text_of(source, layout.encoding) as (text, stored):
        for _ in range(layout.n_lines):
            text.readline()
        progress = Progress(f"Reading {source.name}", max(source.size, 1), verbose)
        while part := text.read(_BLOCK):
            found.write(part.encode())
            if (read := min(stored.tell(), progress.total)) > progress.done:
                progress.advance(read - progress.done)
        progress.finish()
    return found.getvalue()


def _check_widths(source: Source, layout: Layout) -> None:
    """Raise for the first row that has more or fewer cells than the header."""
    width = len(layout.columns)
    whom = "the header has" if layout.header else "others have"
    with text_of(source, layout.encoding) as (text, _), large_cells():
        for _ in range(layout.n_lines):
            text.readline()
        reader = csv.reader(text, delimiter=layout.separator, quoting=quoting_of(layout.quotes))
        begin = 0
        for cells in reader:
            if cells and len(cells) != width:
                more = len(cells) > width
                way_out = (
                    f"put cells that hold {separator_in_words(layout.separator)} into quotes, or "
                    f"name all columns in the header"
                    if more
                    else "add what is missing, or the separators of empty cells"
                )
                raise ValueError(
                    f"line {layout.n_lines + begin + 1} of {source.name} has {len(cells)} "
                    f"cell{'s' * (len(cells) != 1)}, {whom} {width} "
                    f"(the {'first' if more else 'last'} is {shown(cells[0 if more else -1])}): "
                    f"{way_out}."
                )
            begin = reader.line_num
