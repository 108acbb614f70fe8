"""Conversion of typed columns to plain pandas columns, with missing cells marked."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf.inputs.numbers import EXACT_WHOLE, USUAL_MARKS, Marks, cells_of, numbers_or_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_EXACT = int(EXACT_WHOLE)


def plain_column(name: str, column: pa.ChunkedArray, marks: Marks) -> pd.Series:
    """Return an Arrow column as a pandas column of numbers, strings, booleans, dates or categories.

    Parameters
    ----------
    name : str
        Name of the column.
    column : pyarrow.ChunkedArray
        The column, of any type.
    marks : Marks
        Markers of missing cells.
    """
    types, arrow = imported("pyarrow.types"), imported("pyarrow")
    kind = column.type
    if types.is_null(kind):
        column = column.cast(arrow.float64())
    elif types.is_integer(kind):
        column = _whole_numbers(column)
    elif types.is_decimal(kind):
        text = arrow.chunked_array([column.cast(arrow.string()).combine_chunks()])
        column = numbers_or_text(cells_of(text, Marks(), commas=False), decimal_commas=False)
    elif types.is_binary(kind) or types.is_large_binary(kind):
        try:
            column = column.cast(arrow.string())
        except arrow.ArrowInvalid as error:
            raise ValueError(
                f"column {shown(name)} holds bytes, which are not text: leave it out with "
                f"ignore=[{shown(name)}]."
            ) from error
    elif types.is_nested(kind):
        texts = [None if cell is None else written(cell) for cell in column.to_pylist()]
        column = arrow.chunked_array([texts], arrow.string())
    return marked(column.to_pandas(date_as_object=False).rename(name), marks)


def _whole_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return integers with missing values as floats, or as strings if floats are not exact."""
    compute, arrow = imported("pyarrow.compute"), imported("pyarrow")
    if not column.null_count:
        return column
    ends = compute.min_max(column).as_py()
    if ends["min"] is not None and max(-ends["min"], ends["max"]) > _EXACT:
        return column.cast(arrow.string())
    return column.cast(arrow.float64())


def marked(column: pd.Series, marks: Marks) -> pd.Series:
    """Return a pandas column with markers of missing cells replaced by missing values."""
    pandas = imported("pandas")
    kinds = pandas.api.types
    if isinstance(column.dtype, pandas.CategoricalDtype):
        bad = [value for value in column.cat.categories if _is_mark(value, marks)]
        return column.cat.remove_categories(bad) if bad else column
    if kinds.is_bool_dtype(column.dtype):
        return column
    if kinds.is_numeric_dtype(column.dtype):
        values = [number for mark in marks.own if (number := _number(mark)) is not None]
        found = column.isin(values) if values else None
        return column if found is None or not found.any() else column.mask(found)
    if kinds.is_object_dtype(column.dtype) or kinds.is_string_dtype(column.dtype):
        different = column.dropna().unique()
        bad = [value for value in different if _is_mark(value, marks)]
        return column.mask(column.isin(bad)) if bad else column
    return column


def _is_mark(value: Any, marks: Marks) -> bool:
    if not isinstance(value, str):
        return False
    text = value.strip()
    return text == "" or text in marks.own or (marks.usual and text.lower() in USUAL_MARKS)


def _number(mark: str) -> float | None:
    try:
        return float(mark)
    except ValueError:
        return None


def column_of_objects(values: Sequence[Any]) -> pa.Array:
    """Return Python objects as an Arrow column of one type, or else of strings.

    Parameters
    ----------
    values : sequence of objects
        Cells; missing ones are None or NaN.
    """
    arrow = imported("pyarrow")
    cells = [None if value is None or value != value else value for value in values]
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return arrow.nulls(len(cells))
    try:
        if kinds == {int}:
            return arrow.array(cells, arrow.int64())
        if kinds <= {int, float}:
            whole = (cell for cell in cells if isinstance(cell, int))
            if max(map(abs, whole), default=0) <= _EXACT:
                return arrow.array(cells, arrow.float64())
        if kinds in ({bool}, {datetime.datetime}, {datetime.date}):
            return arrow.array(cells)
    except (OverflowError, arrow.ArrowInvalid):
        # Larger than 64 bits.
        pass
    return arrow.array([None if cell is None else written(cell) for cell in cells], arrow.string())


def written(cell: Any) -> str:
    """Return a cell as text that can be parsed back."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat(sep=" ") if isinstance(cell, datetime.datetime) else cell.isoformat()
    if isinstance(cell, dict | list | tuple):
        return json.dumps(cell, default=str, ensure_ascii=False)
    if isinstance(cell, np.generic):
        return str(cell.item())
    return str(cell)


def joined(parts: Sequence[pa.Array]) -> pa.ChunkedArray:
    """Return concatenated parts of a column, of one type or else as strings."""
    arrow, types = imported("pyarrow"), imported("pyarrow.types")
    kinds = {part.type for part in parts if not types.is_null(part.type)}
    if not kinds:
        return arrow.chunked_array(list(parts), arrow.null())
    if len(kinds) == 1:
        kind = kinds.pop()
    elif kinds == {arrow.int64(), arrow.float64()} and all(map(_fits_floats, parts)):
        kind = arrow.float64()
    else:
        kind = arrow.string()
        parts = [
            arrow.array([None if c is None else written(c) for c in part.to_pylist()], kind)
            for part in parts
        ]
    return arrow.chunked_array([part.cast(kind) for part in parts], kind)


def _fits_floats(part: pa.Array) -> bool:
    types, compute = imported("pyarrow.types"), imported("pyarrow.compute")
    if not types.is_integer(part.type):
        return True
    ends = compute.min_max(part).as_py()
    return bool(max(-ends["min"], ends["max"]) <= _EXACT)
