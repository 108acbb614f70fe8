"""Conversion of columns of frames of any type to cells."""

from __future__ import annotations

import datetime
import decimal
import pathlib
import uuid
from numbers import Real
from typing import Any

import numpy as np

from lapoleaf._encoding.cells import (
    NO_DATE,
    BooleanCells,
    Cells,
    DateCells,
    NumberCells,
    StringCells,
    categorical_cells,
    date_cells,
    date_text,
    is_missing,
    merged,
    number_text,
)
from lapoleaf._encoding.extras import imported
from lapoleaf._messages import reason_of, shown

_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")


def read_cells(column: Any, name: str) -> Cells:
    """Return the cells of a column.

    Parameters
    ----------
    column : pandas.Series
        The column.
    name : str
        Its name, for messages.
    """
    types = imported("pandas").api.types
    dtype = column.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        return categorical_cells(column, lambda values: read_cells(values, name))
    if type(dtype).__name__ == "PeriodDtype":
        return date_cells(column.dt.to_timestamp())
    if type(dtype).__name__ == "IntervalDtype":
        return _mixed(column.astype(str).where(column.notna(), None), name)
    if types.is_bool_dtype(dtype) and not types.is_object_dtype(dtype):
        return BooleanCells(_floats(column))
    if types.is_numeric_dtype(dtype):
        return _number_cells(column, name)
    if type(dtype).__name__ == "ArrowDtype":
        return _objects(column.astype(object), name)
    if types.is_datetime64_any_dtype(dtype):
        return _dates(column, name)
    if types.is_timedelta64_dtype(dtype):
        return NumberCells(_seconds(column), duration=True)
    if types.is_object_dtype(dtype):
        return _objects(column, name)
    if types.is_string_dtype(dtype):
        return _strings(column)
    raise refusal(name, f"values of type {dtype}")


def refusal(name: str, what: str) -> TypeError:
    """Return the error for a column that cannot be encoded."""
    return TypeError(
        f"Column {shown(name)} holds {what}, which cannot be encoded: turn it into numbers or "
        f"strings, or leave it out with kinds={{{shown(name)}: 'ignore'}}."
    )


def _floats(column: Any) -> Any:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _number_cells(column: Any, name: str) -> NumberCells:
    if column.dtype.kind == "c":
        raise refusal(name, "complex numbers")
    values = _floats(column)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"Column {shown(name)} holds infinity in row {infinite[0]}: write NaN where a number "
            f"is missing, or a finite number."
        )
    held = values[~np.isnan(values)]
    # A missing value converts a column of integers to floats.
    filled = len(held) < len(values) and bool((held == np.floor(held)).all())
    return NumberCells(values, whole=column.dtype.kind in "iu" or filled)


def _dates(column: Any, name: str) -> DateCells:
    try:
        return date_cells(column)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"Column {shown(name)} holds dates: {reason_of(error)}.") from error


def _seconds(column: Any) -> Any:
    return np.asarray(column.dt.total_seconds(), dtype=np.float64)


def _strings(column: Any) -> StringCells:
    codes, strings = imported("pandas").factorize(column)
    return merged([str(text) for text in strings], np.asarray(codes, dtype=np.int64))


def _objects(column: Any, name: str) -> Cells:
    """Return the cells of a column of Python objects, by their types."""
    pandas = imported("pandas")
    column = column.where([not (isinstance(v, str) and is_missing(v)) for v in column], None)
    held = column[column.notna()]
    found = pandas.api.types.infer_dtype(held, skipna=True)
    if found in ("empty", "string"):
        return _strings(column)
    if found == "boolean":
        return BooleanCells(_floats(column.astype("boolean")))
    if found in ("datetime", "datetime64", "date"):
        return _date_objects(column, name)
    if found in ("timedelta", "timedelta64"):
        return NumberCells(_seconds(pandas.to_timedelta(column)), duration=True)
    if found == "time":
        return _times(column)
    if found == "period":
        return _mixed(column.map(str, na_action="ignore"), name)
    if found in _NUMBERS:
        return _number_objects(column, name)
    return _mixed(column, name)


def _number_objects(column: Any, name: str) -> NumberCells:
    pandas = imported("pandas")
    try:
        values = [np.nan if missing else float(value)
                  for value, missing in zip(column, column.isna(), strict=True)]  # fmt: skip
    except (OverflowError, ValueError) as error:
        raise ValueError(f"Column {shown(name)} holds a number: {reason_of(error)}.") from error
    whole = pandas.api.types.infer_dtype(column, skipna=True) == "integer"
    cells = _number_cells(pandas.Series(values, dtype=np.float64), name)
    return NumberCells(cells.values, whole=whole or cells.whole)


def _date_objects(column: Any, name: str) -> Cells:
    """Return dates, or strings if pandas cannot represent them."""
    pandas = imported("pandas")
    for options in ({}, {"utc": True}):
        try:
            return date_cells(pandas.to_datetime(column, **options))
        except (ValueError, TypeError, OverflowError, AttributeError):
            continue
    return _mixed(column, name)


def _times(column: Any) -> DateCells:
    """Return times of day as dates of the first of January 1970."""
    clock = [NO_DATE if missing else _microseconds(time)
             for time, missing in zip(column, column.isna(), strict=True)]  # fmt: skip
    return DateCells(np.array(clock, dtype=np.int64))


def _microseconds(time: datetime.time) -> int:
    seconds = (time.hour * 60 + time.minute) * 60 + time.second
    return seconds * 1_000_000 + time.microsecond


def _mixed(column: Any, name: str) -> StringCells:
    """Return objects of several kinds as strings; raise for kinds without a unique notation."""
    places: dict[str, int] = {}
    codes = np.full(len(column), -1, dtype=np.int64)
    missing = column.isna().to_numpy()
    for row, value in enumerate(column):
        if not missing[row]:
            codes[row] = places.setdefault(_written(value, row, name), len(places))
    return merged(list(places), codes)


def _written(value: Any, row: int, name: str) -> str:
    """Return a value as text, as cells of its kind are written."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, Real | decimal.Decimal):
        return number_text(value)
    if isinstance(value, datetime.timedelta):
        return number_text(value.total_seconds())
    if isinstance(value, datetime.time):
        return date_text(_microseconds(value))
    if isinstance(value, datetime.date):
        return date_text(_ticks(value))
    if isinstance(value, uuid.UUID | pathlib.PurePath) or type(value).__name__ == "Period":
        return str(value)
    raise refusal(name, f"a {type(value).__name__} in row {row}")


def _ticks(value: datetime.date) -> int:
    """Return microseconds since 1970, in UTC where there is a time zone."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return int((value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1))
