"""The original table, row by row, with unconverted cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapoleaf.inputs.columns import OWN_PREFIX
from lapoleaf.inputs.encodings import text_of
from lapoleaf.inputs.quotes import large_cells, quoting_of
from lapoleaf.inputs.showing import shown_cells

if TYPE_CHECKING:
    import pandas as pd

    from lapoleaf.inputs import Dataset
    from lapoleaf.inputs.excel import Sheet
    from lapoleaf.inputs.layout import Layout
    from lapoleaf.inputs.sources import Source


@dataclass(frozen=True, eq=False)
class Original:
    """A table without the columns that an earlier run of the command added.

    Attributes
    ----------
    titles : sequence of str
        Lines above the header of a text file, with their ends.
    header : list of str
        Names of columns; empty if there is no header.
    rows : callable
        Returns the rows as lists of cells; those of a text file are unconverted.
    frame : pandas.DataFrame
        The same rows with types.
    name : str
        Of a sheet.
    layout : Layout or None
        Layout of a text file.
    decimal : str
        Decimal mark of a text file.
    ending : str
        Ending of the name of the file.
    """

    titles: Sequence[str]
    header: list[str]
    rows: Callable[[], Iterator[list[Any]]]
    frame: pd.DataFrame
    name: str = "Sheet1"
    layout: Layout | None = None
    decimal: str = "."
    ending: str = ""


def original_of(data: Dataset) -> Original:
    """Return the original table; for pictures a table of files and labels."""
    table = data.table
    frame = _pictures(data) if table is None else table.frame
    kept = [
        place
        for place, name in enumerate(map(str, frame.columns))
        if not name.startswith(OWN_PREFIX) or name in (data.label, data.id)
    ]
    frame = frame.iloc[:, kept]
    if table is not None and table.layout is not None and table.source is not None:
        return _of_text(table.source, table.layout, frame, kept, "decimal commas" in table.notes)
    if table is not None and table.sheet is not None:
        return _of_sheet(table.sheet, frame, kept)

    def rows() -> Iterator[list[Any]]:
        for row in range(len(frame)):
            yield list(shown_cells(frame, row).values())

    return Original((), [str(name) for name in frame.columns], rows, frame)


def _of_text(
    source: Source, layout: Layout, frame: pd.DataFrame, kept: list[int], commas: bool
) -> Original:
    def rows() -> Iterator[list[str]]:
        with text_of(source, layout.encoding) as (text, _), large_cells():
            for _ in range(layout.n_lines):
                text.readline()
            quoting = quoting_of(layout.quotes)
            for cells in csv.reader(text, delimiter=layout.separator, quoting=quoting):
                if cells:
                    yield [cells[place] for place in kept]

    with text_of(source, layout.encoding) as (text, _):
        titles = [text.readline() for _ in range(layout.n_titles)]
    header = [layout.header[place] for place in kept] if layout.header else []
    decimal = "," if commas else "."
    return Original(titles, header, rows, frame, "Sheet1", layout, decimal, source.ending)


def _of_sheet(sheet: Sheet, frame: pd.DataFrame, kept: list[int]) -> Original:
    def rows() -> Iterator[list[Any]]:
        for cells in sheet.rows:
            yield [cells[place] for place in kept]

    # Names for the output; none if the input has no header.
    names = [sheet.columns[place] for place in kept] if sheet.header is not None else []
    return Original((), names, rows, frame, sheet.name)


def _pictures(data: Dataset) -> pd.DataFrame:
    """Return a table of files, or of numbers, with labels, for inputs that are not tables."""
    import pandas as pd

    if data.kind == "images":
        columns = {"file": data.frame["image"]}
        if data.others is not None:
            # 0 stands for the whole picture.
            columns["object"] = data.others["object"].replace(0, None)
        label = "label"
    else:
        columns = {str(name): data.frame[name] for name in data.frame.columns}
        label = data.label or "label"
    labels = [None] * len(data) if data.labels is None else data.labels.tolist()
    if data.labels is not None or data.kind == "images":
        columns[label] = pd.Series(labels, dtype=object)
    return pd.DataFrame(columns)
