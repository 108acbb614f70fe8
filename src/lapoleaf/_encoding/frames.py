"""Frames of pandas and polars: whether they need encoding, and conversion to pandas."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from lapoleaf._encoding.extras import imported

_LIBRARIES = ("pandas", "polars")


def library_of(X: Any) -> str | None:
    """Return "pandas" or "polars" for a frame of theirs, subclasses included; else None."""
    for kind in type(X).__mro__:
        library = kind.__module__.partition(".")[0]
        if kind.__name__ == "DataFrame" and library in _LIBRARIES:
            return library
    return None


def needs_encoding(X: Any, *, holes: bool = True) -> bool:
    """Whether X is a frame with missing values or columns other than numbers and booleans.

    Arrays, lists and sparse matrices are never encoded, nor are frames without rows or columns.

    Parameters
    ----------
    X : object
        The rows passed by the user.
    holes : bool, default=True
        Whether missing values in numeric columns require encoding.

    Examples
    --------
    >>> import pandas as pd
    >>> from lapoleaf._encoding import needs_encoding
    >>> needs_encoding(pd.DataFrame({"size": [1.0, 2.0], "sold": [True, False]}))
    False
    >>> needs_encoding(pd.DataFrame({"size": [1.0, None]}))
    True
    """
    library = library_of(X)
    if library is None or 0 in X.shape:
        return False
    if library == "polars":
        return any(_is_mixed_in_polars(X.to_series(place), holes) for place in range(X.width))
    return any(_is_mixed_in_pandas(X.iloc[:, place], holes) for place in range(X.shape[1]))


def _is_mixed_in_polars(column: Any, holes: bool) -> bool:
    name = type(column.dtype).__name__
    if not (column.dtype.is_numeric() or name == "Boolean" or str(column.dtype) == "Boolean"):
        return True
    has_holes = column.null_count() > 0 or (column.dtype.is_float() and column.is_nan().any())
    return holes and bool(has_holes)


def _is_mixed_in_pandas(column: Any, holes: bool) -> bool:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "O" and column.dtype == object:
        return not all(_is_number(value) for value in column)
    if kind not in "biufc" or _is_categorical(column):
        return True
    return holes and bool(column.isna().any())


def _is_categorical(column: Any) -> bool:
    return type(column.dtype).__name__ == "CategoricalDtype"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and value == value


def read_frame(X: Any) -> Any:
    """Return a frame as one of pandas; one of pandas is returned as it is.

    Parameters
    ----------
    X : DataFrame of pandas or polars, or array of two dimensions
        The table.

    Returns
    -------
    pandas.DataFrame
        The same columns.
    """
    library = library_of(X)
    if library == "pandas":
        return X
    if library == "polars":
        imported("pandas"), imported("pyarrow")
        return _from_polars(X)
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame of polars: pass X.collect().")
    return imported("pandas").DataFrame(np.asarray(X)).infer_objects()


def _from_polars(X: Any) -> Any:
    """Return a frame of polars as one of pandas; integers of 128 bits become Python's."""
    wide = [name for name, dtype in X.schema.items() if str(dtype) in ("Int128", "UInt128")]
    if not wide:
        return X.to_pandas()
    pandas = imported("pandas")
    others = [name for name in X.columns if name not in wide]
    known = X.select(others).to_pandas() if others else {}
    columns = {
        name: known[name] if name in others else pandas.Series(X[name].to_list(), dtype=object)
        for name in X.columns
    }
    return pandas.DataFrame(columns)
