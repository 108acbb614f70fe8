"""Sheets of Excel files."""

from __future__ import annotations

import re
import warnings
import zipfile
from dataclasses import dataclass
from typing import Any

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import reason_of, shown
from lapoleaf.inputs.headers import is_header, is_title, named_columns
from lapoleaf.inputs.records import Columns
from lapoleaf.inputs.sources import Source
from lapoleaf.inputs.typed import column_of_objects, written

_SAMPLE_ROWS = 300
# Tag of a formula without a cached value.
_OPEN_FORMULA = re.compile(
    rb'<c ([^>]*\br="([A-Z]+[0-9]+)"[^>]*)>'
    rb"(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?</c>"
)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Cells of a sheet with their stored types: numbers, strings, booleans, dates; None if empty.

    Attributes
    ----------
    name : str
        Its name.
    titles : list of list
        Rows above the header.
    header : list or None
        The header, if there is one.
    columns : list of str
        Names of the columns: cells of the header, no two of them equal and none empty.
    rows : list of list
        The rows.
    notes : list of str
        Notes on how it was read.
    """

    name: str
    titles: list[list[Any]]
    header: list[Any] | None
    columns: list[str]
    rows: list[list[Any]]
    notes: list[str]

    def as_columns(self) -> Columns:
        """Return the columns, each of one type."""
        arrow = imported("pyarrow")
        return {
            name: arrow.chunked_array([column_of_objects([row[place] for row in self.rows])])
            for place, name in enumerate(self.columns)
        }


def read_excel(source: Source, sheet: str | int | None = None, label: str | None = None) -> Sheet:
    """Read a sheet of an Excel file.

    Parameters
    ----------
    source : Source
        An ``.xlsx`` file.
    sheet : str, int or None
        Name or number, from 0, of the sheet; the first if None.
    label : str or None
        Name of a column: a row that has it is the header.
    """
    pandas = imported("pandas")
    imported("openpyxl")
    try:
        # openpyxl warns about parts that it does not read, such as data validation.
        with (
            warnings.catch_warnings(action="ignore"),
            source.stored() as file,
            pandas.ExcelFile(file, engine="openpyxl") as book,
        ):
            names = book.sheet_names
            chosen = _sheet(source, sheet, names)
            frame = pandas.read_excel(
                book, sheet_name=chosen, header=None, dtype=object, na_filter=False
            )
    except (KeyError, zipfile.BadZipFile, SyntaxError, TypeError, OSError) as error:
        raise ValueError(f"{source.name} is a broken Excel file: {reason_of(error)}.") from error
    _refuse_open_formulas(source, chosen)
    notes = [] if len(names) == 1 else [f"sheet {shown(chosen)} of {shown(names)}"]
    rows = [[None if cell == "" else cell for cell in row] for row in frame.to_numpy().tolist()]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise ValueError(f"sheet {shown(chosen)} of {source.name} is empty.")
    found = _sheet_of_rows(chosen, rows, label, notes)
    if not found.rows:
        raise ValueError(f"sheet {shown(chosen)} of {source.name} has a header but no rows.")
    return found


def _refuse_open_formulas(source: Source, chosen: str) -> None:
    """Raise for a formula without a stored value, which would be read as an empty cell."""
    with source.stored() as file, zipfile.ZipFile(file) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        found = [match for name in sheets for match in _OPEN_FORMULA.finditer(archive.read(name))]
    # An empty text is a value.
    places = {match[2].decode() for match in found if b't="str"' not in match[1]}
    if not places:
        return
    with warnings.catch_warnings(action="ignore"), source.stored() as file:
        book = imported("openpyxl").load_workbook(file, read_only=True)
        for row in book[chosen].iter_rows():
            for cell in row:
                if cell.data_type == "f" and cell.coordinate in places:
                    raise ValueError(
                        f"cell {cell.coordinate} of sheet {shown(chosen)} of {source.name} holds "
                        f"the formula {shown(cell.value)} and no value: open the file in a "
                        f"spreadsheet program and save it."
                    )


def _sheet(source: Source, sheet: str | int | None, names: list[str]) -> str:
    if sheet is None:
        return names[0]
    if isinstance(sheet, int) and 0 <= sheet < len(names):
        return names[sheet]
    if sheet not in names:
        raise ValueError(f"sheet={shown(sheet)}: {source.name} has {shown(names)}.")
    return str(sheet)


def _sheet_of_rows(name: str, rows: list[list[Any]], label: str | None, notes: list[str]) -> Sheet:
    width = max(place + 1 for row in rows for place, cell in enumerate(row) if cell is not None)
    rows = [row[:width] for row in rows]
    sample = [
        ["" if cell is None else written(cell) for cell in row] for row in rows[:_SAMPLE_ROWS]
    ]
    first = 0
    while first < len(sample) - 1 and is_title(sample[first], sample[first + 1 :]):
        first += 1
    if first:
        titles = ", ".join(shown(" ".join(row).strip()) for row in sample[:first] if any(row))
        notes = [*notes, f"above the header, left out: {titles}"]
    if is_header(sample[first], sample[first + 1 :], label):
        names = named_columns(sample[first])
        return Sheet(name, rows[:first], rows[first], names, rows[first + 1 :], notes)
    names = [f"column_{number}" for number in range(1, width + 1)]
    notes = [*notes, "no header: columns are called column_1, column_2, ..."]
    return Sheet(name, rows[:first], None, names, rows[first:], notes)
