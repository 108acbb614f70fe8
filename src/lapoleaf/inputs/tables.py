"""Tables of any format as a pandas frame with plain columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapoleaf._encoding import library_of
from lapoleaf._encoding.extras import imported
from lapoleaf.inputs.delimited import read_cells
from lapoleaf.inputs.excel import Sheet, read_excel
from lapoleaf.inputs.headers import named_columns
from lapoleaf.inputs.layout import Layout, layout_of
from lapoleaf.inputs.numbers import cells_of, marks_of, numbers_or_text
from lapoleaf.inputs.records import read_json, read_parquet
from lapoleaf.inputs.sources import Source
from lapoleaf.inputs.typed import marked, plain_column

if TYPE_CHECKING:
    import pandas as pd

Missing = Collection[Any] | Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read.

    Attributes
    ----------
    name : str
        Name of its source, for messages.
    frame : pandas.DataFrame
        All columns: numbers where every cell is one, else strings, booleans, dates.
    notes : tuple of str
        Notes on how it was read.
    layout : Layout or None
        Layout of the text file.
    source : Source or None
        The text file.
    sheet : Sheet or None
        The sheet of an Excel file, with stored types.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    layout: Layout | None = None
    source: Source | None = None
    sheet: Sheet | None = None


def table_of_file(
    source: Source,
    kind: str,
    label: str | None,
    missing: Missing,
    sheet: str | int | None = None,
    verbose: int = 0,
) -> Table:
    """Read a table.

    Parameters
    ----------
    source : Source
        The file.
    kind : {"text", "json", "parquet", "excel"}
        Its format.
    label : str or None
        Name of a column that a header has.
    missing : collection or mapping
        Markers of missing cells; see :func:`~lapoleaf.inputs.read`.
    sheet : str, int or None
        Sheet of an Excel file.
    verbose : int
        Report progress if 1 or more.
    """
    if kind == "text":
        return _table_of_text(source, label, missing, verbose)
    found = None
    if kind == "excel":
        found = read_excel(source, sheet, label)
        columns = found.as_columns()
    elif kind == "json":
        columns = read_json(source, verbose)
    else:
        columns = read_parquet(source)
    plain = {
        name: plain_column(name, columns.pop(name), marks_of(name, missing))
        for name in list(columns)
    }
    notes = () if found is None else tuple(found.notes)
    return Table(source.name, _framed(plain), notes, sheet=found)


def _table_of_text(source: Source, label: str | None, missing: Missing, verbose: int) -> Table:
    layout = layout_of(source, label)
    columns = read_cells(source, layout, verbose)
    commas = layout.separator != ","
    cells = {
        name: cells_of(columns.pop(name), marks_of(name, missing), commas) for name in list(columns)
    }
    decimal_commas = any(column.kind == "comma" for column in cells.values())
    plain = {}
    for name in list(cells):
        column = cells.pop(name)
        found = numbers_or_text(column, decimal_commas)
        plain[name] = found.to_pandas().rename(name)
        if found is not column.raw:
            # If -999 is missing, so is -999.0.
            plain[name] = marked(plain[name], marks_of(name, missing))
    notes = (*layout.notes, *(["decimal commas"] if decimal_commas else []))
    return Table(source.name, _framed(plain), notes, layout, source)


def table_of_frame(frame: Any, missing: Missing) -> Table:
    """Return a frame of pandas or polars as a table."""
    pandas = imported("pandas")
    if library_of(frame) == "polars":
        columns = dict(zip(frame.columns, frame.to_arrow().columns, strict=True))
        plain = {
            name: plain_column(name, column, marks_of(name, missing))
            for name, column in columns.items()
        }
        return Table("the frame", _framed(plain))
    names = named_columns([str(name) for name in frame.columns])
    plain = {
        name: marked(frame.iloc[:, place].rename(name), marks_of(name, missing))
        for place, name in enumerate(names)
    }
    return Table("the frame", pandas.DataFrame(plain, index=frame.index, columns=names, copy=False))


def _framed(columns: Mapping[str, Any]) -> pd.DataFrame:
    return imported("pandas").DataFrame(dict(columns), columns=list(columns), copy=False)
