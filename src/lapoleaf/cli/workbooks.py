"""Output tables as Excel files, with values only and no formulas."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf.cli.originals import Original
from lapoleaf.inputs.typed import written

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray

# Maximum numbers of rows of a sheet, including the header, and of characters of a cell.
MOST_ROWS = 1_048_576
_MOST_LETTERS = 32_767
# Larger integers are not exact in Excel, which uses floats.
_EXACT_WHOLE = 2**53
# Characters that are invalid in XML.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def workbook_parts(
    original: Original,
    names: Sequence[str],
    columns: Sequence[Sequence[Any]],
    order: IntArray | None,
) -> Iterator[bytes]:
    """Return a table with further columns as the bytes of an Excel file of one sheet.

    Parameters
    ----------
    original : Original
        The table that was read.
    names : sequence of str
        Names of the columns to add.
    columns : sequence of sequences
        Their cells.
    order : ndarray of int or None
        The rows in the order in which they are written.
    """
    openpyxl = imported("openpyxl")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(_title(original.name))
    if original.layout is None or original.header:
        sheet.freeze_panes = "A2"
    rows: Any = zip(_typed_rows(original), zip(*columns, strict=True), strict=True)
    if order is not None:
        found = list(rows)
        rows = (found[row] for row in order.tolist())
    if original.header:
        sheet.append([_cell(sheet, name) for name in [*original.header, *names]])
    for cells, added in rows:
        sheet.append([_cell(sheet, cell) for cell in (*cells, *added)])
    content = io.BytesIO()
    book.save(content)
    yield content.getvalue()


def _typed_rows(original: Original) -> Iterator[list[Any]]:
    """Return typed rows; those of an Excel file have their stored types."""
    if original.layout is None:
        yield from original.rows()
        return
    columns = [original.frame.iloc[:, place].tolist() for place in range(original.frame.shape[1])]
    yield from map(list, zip(*columns, strict=True))


def _title(name: str) -> str:
    """Return a valid name of a sheet."""
    return re.sub(r"[\\*?:/\[\]\x00-\x1f]", "_", name)[:31] or "Sheet1"


def _cell(sheet: Any, value: Any) -> Any:
    if value is None or value != value:
        return None
    if isinstance(value, bool | float):
        return float(str(value)) if isinstance(value, float) else value
    if isinstance(value, int) and abs(value) <= _EXACT_WHOLE:
        return value
    if isinstance(value, datetime.datetime) and value.tzinfo is None and value.year >= 1900:
        return value
    if isinstance(value, datetime.time | datetime.timedelta):
        return value
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value if value.year >= 1900 else written(value)
    return _string(sheet, value if isinstance(value, str) else written(value))


def _string(sheet: Any, text: str) -> Any:
    """Return a cell of text, never a formula."""
    if len(text) > _MOST_LETTERS:
        raise ValueError(
            f"the cell {shown(text[:40])}... has {len(text):,} characters, and one of an Excel "
            f"file holds {_MOST_LETTERS:,}: write a .csv file."
        )
    if _NOT_IN_XML.search(text):
        text = _NOT_IN_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    cell = imported("openpyxl.cell").WriteOnlyCell(sheet, value=text)
    # A text that begins with = would become a formula.
    cell.data_type = "s"
    return cell
