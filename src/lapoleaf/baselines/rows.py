"""Rows and how far they are from each other, wherever the origin is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from lapoleaf._typing import FloatArray, IntArray

# Squares of such values, and sums of many of them, have room in a float.
_LARGEST, _SMALLEST = 1e140, 1e-140
# Numbers that are held at once while distances are measured.
_BLOCK = 2**21


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


def centred(X: Any, *others: Any) -> tuple[Any, ...]:
    """Give all rows less the column means of the first, which changes no distance.

    Far from the origin, distances by way of products of rows have no correct digit. Sparse rows
    stay as they are, and so do the others then.

    Parameters
    ----------
    X, *others : ndarray or csr_array of shape (any, d)
        Rows.
    """
    if not all(isinstance(rows, np.ndarray) for rows in (X, *others)):
        return X, *others
    middle = X.mean(axis=0)
    return tuple(rows - middle for rows in (X, *others))


class Neighbours:
    """Rows that are searched for the nearest ones.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows, which are copied.
    n_neighbors : int
        How many are wanted; there may be fewer.
    """

    def __init__(self, X: Any, n_neighbors: int) -> None:
        self.n_neighbors = n_neighbors
        self.middle = X.mean(axis=0) if isinstance(X, np.ndarray) else None
        self.rows = X.copy() if self.middle is None else X - self.middle
        self.index = NearestNeighbors(n_neighbors=min(n_neighbors, X.shape[0])).fit(self.rows)

    def of(self, X: Any) -> tuple[FloatArray, IntArray]:
        """Give distances to the nearest rows and their numbers, nearest first, for new rows.

        Parameters
        ----------
        X : ndarray or csr_array of shape (m, d)
            The new rows.
        """
        if self.middle is None:
            moved = csr_array(X)
        else:
            moved = (X if isinstance(X, np.ndarray) else X.toarray()) - self.middle
        return self._measured(moved, self.index.kneighbors(moved, return_distance=False))

    def of_themselves(self) -> tuple[FloatArray, IntArray]:
        """Give the same for the rows that are searched, every row left out of its own."""
        k = min(self.n_neighbors, self.rows.shape[0] - 1)
        return self._measured(self.rows, self.index.kneighbors(None, k, return_distance=False))

    def _measured(self, X: Any, nearest: IntArray) -> tuple[FloatArray, IntArray]:
        """Measure distances by differences: by products, a row is not at distance 0 of itself."""
        n, k = nearest.shape
        width = X.shape[1] if isinstance(X, np.ndarray) else X.nnz / n
        step = max(1, int(_BLOCK / (k * width + 1.0)))
        parts = [
            _differences(X[start : start + step], self.rows, nearest[start : start + step])
            for start in range(0, n, step)
        ]
        distances = np.concatenate(parts)
        order = np.argsort(distances, axis=1, kind="stable")
        sorted_distances = np.take_along_axis(distances, order, axis=1)
        return sorted_distances, np.take_along_axis(nearest, order, axis=1)


def _differences(X: Any, rows: Any, nearest: IntArray) -> FloatArray:
    """Give the lengths of the differences between rows of X and those nearest to them."""
    if isinstance(X, np.ndarray):
        between = X[:, None, :] - rows[nearest]
        squares = np.einsum("mkd,mkd->mk", between, between)
    else:
        each = np.repeat(np.arange(X.shape[0]), nearest.shape[1])
        apart = X[each] - rows[nearest.ravel()]
        squares = np.asarray(apart.multiply(apart).sum(axis=1)).reshape(nearest.shape)
    return np.asarray(np.sqrt(squares))
