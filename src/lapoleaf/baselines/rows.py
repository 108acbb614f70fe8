"""Rows about their middle, where only differences count, and rows in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray

# New rows that are compared with all training rows at once.
_BLOCK = 1024


def middle_of(X: Any) -> FloatArray | None:
    """Give the means of the columns; None for sparse rows, which stay where they are.

    Distances by scalar products lose all digits far from the origin: rows are moved first.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    return X.mean(axis=0) if isinstance(X, np.ndarray) else None


def moved(X: Any, middle: FloatArray | None) -> Any:
    """Give a copy of the rows less the middle; rows with a middle become dense.

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


def in_blocks(function: Callable[[Any], FloatArray], X: Any) -> FloatArray:
    """Give what a function makes of the rows, which sees a block of them at a time.

    Parameters
    ----------
    function : callable
        Takes rows (m, d), gives an array of length m.
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    starts = range(0, X.shape[0], _BLOCK)
    return np.concatenate([function(X[start : start + _BLOCK]) for start in starts])
