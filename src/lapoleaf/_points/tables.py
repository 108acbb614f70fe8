"""Errors for entries of tables that have no distances, with advice."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._messages import shown
from lapoleaf._numbers import first_no_number
from lapoleaf._typing import AnyArray

# Names of the types of missing values in pandas, which is not imported here.
_PANDAS_NULLS = frozenset({"NAType", "NaTType"})
_COMPLEX = (
    "X holds complex numbers{place}, between which no distance is defined here. Complex data not "
    "supported: use X.real, or real and imaginary parts as columns."
)


def refuse_no_numbers(X: Any) -> None:
    """Raise for a table with entries that have no distances, with the column and advice.

    Numbers written as text are accepted, as in scikit-learn. Arrays that are not two-dimensional
    are left to later checks.

    Parameters
    ----------
    X : array-like, sparse matrix or frame
        The rows passed by the user.
    """
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return
    if sp.issparse(X):
        if X.dtype.kind == "c":  # type: ignore[attr-defined]
            raise ValueError(_COMPLEX.format(place=""))
        return
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X is a masked array: X.filled(np.nan) has NaN for what is masked.")
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        _refuse_twins(list(X.columns))
        columns = _frame_columns(X)
    else:
        columns = _array_columns(_as_array(X))
    for name, values in columns:
        _refuse_column(values, f"column {shown(name)}")


def _refuse_twins(names: list[Any]) -> None:
    """Raise if two columns of a frame have the same name."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"X has two columns {shown(name)}: rename one of them.")


def _frame_columns(frame: Any) -> Iterator[tuple[Any, AnyArray]]:
    """Return the columns of a pandas or polars frame that may not be numeric."""
    for place, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        numeric = getattr(dtype, "is_numeric", None)
        known = numeric() if callable(numeric) else getattr(dtype, "kind", "O") in "biuf"
        if not known:
            column = frame.iloc[:, place] if hasattr(frame, "iloc") else frame.to_series(place)
            yield name, np.asarray(column)


def _as_array(X: Any) -> AnyArray:
    if X is None or isinstance(X, str | bytes | dict | set) or hasattr(X, "__next__"):
        raise TypeError(
            f"X must be a table of numbers with rows and columns, but it is of type "
            f"{type(X).__name__}: pass an array, a list of rows, a sparse matrix or a frame."
        )
    try:
        return np.asarray(X)
    except ValueError as error:
        raise ValueError("X must be a table, but its rows have different lengths.") from error


def _array_columns(table: AnyArray) -> Iterator[tuple[int, AnyArray]]:
    kind = table.dtype.kind
    if kind == "V":
        raise TypeError(
            "X is an array of records: numpy.lib.recfunctions.structured_to_unstructured(X) is a "
            "table."
        )
    if kind in "biuf":
        return
    if table.ndim == 2:
        yield from enumerate(table.T)
    elif table.ndim == 1:
        yield 0, table


def _refuse_column(values: AnyArray, column: str) -> None:
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(_COMPLEX.format(place=f" in {column}"))
    if kind in "mM" and len(values):
        _refuse_time(values[0], 0, column)
    if kind in "OUS":
        bad = first_no_number(values.tolist())
        if bad is not None:
            _refuse_value(bad[1], bad[0], column)


def _refuse_time(value: Any, row: int, column: str) -> None:
    if isinstance(value, np.timedelta64 | datetime.timedelta):
        raise ValueError(
            f"X holds durations in {column} ({shown(value)} in row {row}): turn them into numbers "
            f"first, such as seconds."
        )
    raise ValueError(
        f"X holds dates in {column} ({shown(value)} in row {row}): turn them into numbers first, "
        f"such as days since the first one, or leave the column out."
    )


def _refuse_value(value: Any, row: int, column: str) -> None:
    """Raise for an entry that is not a number."""
    if type(value).__name__ in _PANDAS_NULLS:
        raise ValueError(
            f"X has no value in {column}, row {row}: fill it in or drop the row, or write NaN and "
            f"use metric='nan_euclidean'."
        )
    times = datetime.date | datetime.timedelta | datetime.time
    if isinstance(value, times) or type(value).__name__ == "Period":
        _refuse_time(value, row, column)
    if isinstance(value, str | bytes):
        raise ValueError(
            f"X holds text in {column} ({shown(value)} in row {row}), which has no distances: turn "
            f"it into numbers first, with lapoleaf.TableEncoder or scikit-learn's OneHotEncoder, "
            f"or leave the column out."
        )
    if isinstance(value, complex | np.complexfloating):
        raise ValueError(_COMPLEX.format(place=f" in {column}"))
    if isinstance(value, int):
        raise ValueError(f"X holds a number in {column}, row {row}, that is too large for a float.")
    raise TypeError(
        f"X holds {shown(value)} of type {type(value).__name__} in {column}, row {row}: every "
        f"entry of this argument must be a number, or a string that is a number."
    )
