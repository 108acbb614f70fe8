"""Validation of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from lapoleaf._messages import reason_of, shown
from lapoleaf._typing import FloatArray


def is_real(value: Any) -> bool:
    """Whether ``value`` is a real number (booleans are not)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether ``value`` is an integer (booleans are not)."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_floats(values: Any, name: str, what: str = "numbers") -> FloatArray:
    """Return a copy of values as float64; raise for the first one that is not a number.

    Parameters
    ----------
    values : array-like
        The values.
    name : str
        Name of the parameter.
    what : str, default="numbers"
        Expected contents, for messages.

    Examples
    --------
    >>> from lapoleaf._numbers import as_floats
    >>> as_floats([1, "2"], "y")
    array([1., 2.])
    """
    try:
        if getattr(getattr(values, "dtype", None), "kind", "f") in "cmMV":
            raise TypeError("times and complex numbers would be converted silently")
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        try:
            np.asarray(values)
            table = np.asarray(values, dtype=object)
        except ValueError:
            raise ValueError(
                f"{name} must hold {what}: its rows have different lengths."
            ) from error
        bad = first_no_number(table.ravel().tolist())
        if bad is None:
            raise ValueError(f"{name} must hold {what}: {reason_of(error)}.") from error
        row = bad[0] if table.ndim < 2 else np.unravel_index(bad[0], table.shape)[0]
        where = (
            f"but it is {shown(bad[1])}"
            if table.ndim == 0
            else f"but row {row} has {shown(bad[1])}"
        )
        raise ValueError(f"{name} must hold {what}, {where}.") from error


def units_of(columns: FloatArray) -> FloatArray:
    """Return a power of two for every column, of the size of its largest number, ignoring NaN.

    Dividing by it prevents overflow and underflow of squares and sums, and is exact.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._numbers import units_of
    >>> units_of(np.array([[3.0, 0.0], [-5.0, np.nan]]))
    array([4., 1.])
    """
    # NaN are ignored.
    largest = np.maximum(np.fmax.reduce(columns, axis=0), -np.fmin.reduce(columns, axis=0))
    return np.where(largest > 0, 2.0 ** (np.frexp(largest)[1] - 1.0), 1.0)


def first_no_number(values: Iterable[Any]) -> tuple[int, Any] | None:
    """Return position and value of the first item that cannot be converted to float, or None."""
    for place, value in enumerate(values):
        try:
            if value is not None:
                float(value)
        except (TypeError, ValueError, OverflowError):
            return place, value
    return None
