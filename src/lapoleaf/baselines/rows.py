"""Centring of rows, and checks of their magnitude."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray

# Number of new rows that are compared with all training rows at once.
_BLOCK = 1024
# Bounds of values whose squares, and sums of many squares, are finite.
_LARGEST, _SMALLEST = 1e140, 1e-140


def middle_of(X: Any) -> FloatArray | None:
    """Return the means of the columns; None for sparse rows, which are not centred.

    Distances from scalar products are inaccurate far from the origin, so rows are centred first.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    return X.mean(axis=0) if isinstance(X, np.ndarray) else None


def moved(X: Any, middle: FloatArray | None) -> Any:
    """Return a copy of the rows minus the middle; the result is dense if there is one.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    middle : ndarray of shape (d,) or None
        The values to subtract; None: nothing.
    """
    if middle is None:
        return X.copy()
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return dense - middle


def centred(X: Any, *others: Any) -> tuple[Any, ...]:
    """Return all rows minus the column means of the first, which preserves distances.

    Distances from scalar products are inaccurate far from the origin. If the first rows are sparse,
    nothing is subtracted.

    Parameters
    ----------
    X, *others : ndarray or csr_array of shape (any, d)
        Rows.
    """
    if not all(isinstance(rows, np.ndarray) for rows in (X, *others)):
        return X, *others
    middle = middle_of(X)
    return tuple(moved(rows, middle) for rows in (X, *others))


def in_blocks(function: Callable[[Any], FloatArray], X: Any) -> FloatArray:
    """Return the values of a function of rows, applied block by block.

    Parameters
    ----------
    function : callable
        Takes rows (m, d), gives an array of length m.
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    starts = range(0, X.shape[0], _BLOCK)
    return np.concatenate([function(X[start : start + _BLOCK]) for start in starts])


def refuse_too_large(rows: Any) -> None:
    """Raise if squares of values are not finite."""
    largest = _largest(rows)
    if largest > _LARGEST:
        raise ValueError(
            f"X has values up to {largest:.3g}, whose squares are not finite: divide X, and what "
            f"is measured in its units, like sigma, by {largest:.0g}."
        )


def refuse_too_small(rows: Any) -> None:
    """Raise if all values are so small that their squares are 0."""
    largest = _largest(rows)
    if 0.0 < largest < _SMALLEST:
        raise ValueError(
            f"X has values of {largest:.3g} at most, whose squares are 0: divide X, and what is "
            f"measured in its units, like sigma, by {largest:.0g}."
        )


def _largest(rows: Any) -> float:
    values = rows if isinstance(rows, np.ndarray) else rows.data
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
