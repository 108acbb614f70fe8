"""Rows that distances can be measured between: about their middle, and not too large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray

# New rows that are compared with all training rows at once.
_BLOCK = 1024
# Squares of such values, and sums of many of them, have room in a float.
_LARGEST, _SMALLEST = 1e140, 1e-140


def middle_of(X: Any) -> FloatArray | None:
    """Return the means of the columns; None for sparse rows, which stay where they are.

    Distances by scalar products lose all digits far from the origin: rows are moved first.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    return X.mean(axis=0) if isinstance(X, np.ndarray) else None


def moved(X: Any, middle: FloatArray | None) -> Any:
    """Return a copy of the rows less the middle; rows with a middle become dense.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    middle : ndarray of shape (d,) or None
        What is taken off; None: nothing.
    """
    if middle is None:
        return X.copy()
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return dense - middle


def centred(X: Any, *others: Any) -> tuple[Any, ...]:
    """Return all rows less the column means of the first, which changes no distance.

    Far from the origin, distances by way of products of rows have no correct digit. Sparse rows
    stay as they are, and so do the others then.

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
    """Return what a function makes of the rows, which sees a block of them at a time.

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
    """Raise for rows with values whose squares are not finite."""
    largest = _largest(rows)
    if largest > _LARGEST:
        raise ValueError(
            f"X has values up to {largest:.3g}, whose squares are not finite: divide X, and what "
            f"is measured in its units, like sigma, by {largest:.0g}."
        )


def refuse_too_small(rows: Any) -> None:
    """Raise for rows whose values are so small, all of them, that their squares are 0."""
    largest = _largest(rows)
    if 0.0 < largest < _SMALLEST:
        raise ValueError(
            f"X has values of {largest:.3g} at most, whose squares are 0: divide X, and what is "
            f"measured in its units, like sigma, by {largest:.0g}."
        )


def _largest(rows: Any) -> float:
    values = rows if isinstance(rows, np.ndarray) else rows.data
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
