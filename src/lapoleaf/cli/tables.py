"""Output tables: all columns of the input, unchanged, and further ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.cli.originals import Original, original_of
from lapoleaf.cli.outputs import Destination
from lapoleaf.cli.text_tables import TextLayout, layout_for, text_parts
from lapoleaf.cli.workbooks import MOST_ROWS, workbook_parts

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray
    from lapoleaf.inputs import Dataset


@dataclass(frozen=True, eq=False)
class Column:
    """A column to add.

    Attributes
    ----------
    name : str
        Its name.
    values : sequence of str, int, float or None
        Its cells; NaN and None are empty.
    digits : str
        Format of floats for :func:`format`.
    """

    name: str
    values: Sequence[Any]
    digits: str = ".4f"

    def cells(self) -> list[Any]:
        """Return the cells, with floats rounded to the written digits."""
        return [self._cell(value) for value in self.values]

    def _cell(self, value: Any) -> Any:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        return float(format(value, self.digits)) if isinstance(value, float) else value

    def texts(self, decimal: str) -> Iterator[str]:
        """Return the cells as text."""
        for value in self.values:
            if value is None or (isinstance(value, float) and math.isnan(value)):
                yield ""
            elif isinstance(value, float):
                yield format(value, self.digits).replace(".", decimal)
            else:
                yield str(value)


def check_size(destination: Destination, n_rows: int) -> None:
    """Raise for tables that are too long for an Excel file, before the computation."""
    if destination.ending == ".xlsx" and n_rows >= MOST_ROWS:
        raise ValueError(
            f"-o {shown(destination.name)}: a sheet of an Excel file holds {MOST_ROWS - 1:,} rows, "
            f"and there are {n_rows:,}: write a .csv file."
        )


def write_table(
    destination: Destination,
    data: Dataset,
    columns: Sequence[Column],
    order: IntArray | None = None,
    empty: str | None = None,
) -> None:
    """Write a table with further columns at the end.

    The format of a text file is kept: encoding, separators, line ends and cells. Columns added by
    an earlier run are left out.

    Parameters
    ----------
    destination : Destination
        The file; its extension determines the format.
    data : Dataset
        The rows.
    columns : sequence of Column
        The columns to add.
    order : ndarray of int or None
        The rows in the order in which they are written; None for that of the input.
    empty : str or None
        Name of an empty column for labels to add before these.
    """
    original = original_of(data)
    if empty is not None:
        columns = [Column(empty, [None] * len(data)), *columns]
    write = _WRITERS.get(destination.ending, _write_text)
    write(destination, original, columns, order)


def _write_text(
    destination: Destination, original: Original, columns: Sequence[Column], order: IntArray | None
) -> None:
    layout: TextLayout = layout_for(destination.ending, original, columns)
    texts = [list(column.texts(layout.decimal)) for column in columns]
    names = [column.name for column in columns]
    destination.write(text_parts(original, names, texts, layout, order))


def _write_workbook(
    destination: Destination, original: Original, columns: Sequence[Column], order: IntArray | None
) -> None:
    cells = [column.cells() for column in columns]
    names = [column.name for column in columns]
    destination.write(workbook_parts(original, names, cells, order))


def _write_parquet(
    destination: Destination, original: Original, columns: Sequence[Column], order: IntArray | None
) -> None:
    import io

    frame = original.frame.reset_index(drop=True)
    for column in columns:
        frame = frame.assign(**{column.name: column.cells()})
    if order is not None:
        frame = frame.iloc[order]
    content = io.BytesIO()
    frame.to_parquet(content, index=False)
    destination.write([content.getvalue()])


_Writer = Callable[[Destination, Original, Sequence[Column], "IntArray | None"], None]
_WRITERS: dict[str, _Writer] = {".xlsx": _write_workbook, ".parquet": _write_parquet}
