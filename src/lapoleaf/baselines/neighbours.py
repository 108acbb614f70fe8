"""Nearest neighbours with accurate distances, also far from the origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.baselines.rows import middle_of, moved

# Numbers in memory while distances are computed.
_BLOCK = 2**21


class Neighbours:
    """Index of rows for nearest-neighbour searches.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows, which are copied.
    n_neighbors : int
        Number of neighbours; fewer if there are fewer rows.
    """

    def __init__(self, X: Any, n_neighbors: int) -> None:
        self.n_neighbors = n_neighbors
        self.middle = middle_of(X)
        self.rows = moved(X, self.middle)
        self.index = NearestNeighbors(n_neighbors=min(n_neighbors, X.shape[0])).fit(self.rows)

    def of(self, X: Any) -> tuple[FloatArray, IntArray]:
        """Return distances to the nearest rows and their numbers, nearest first, for new rows.

        Parameters
        ----------
        X : ndarray or csr_array of shape (m, d)
            The new rows.
        """
        near = csr_array(X) if self.middle is None else moved(X, self.middle)
        return self._measured(near, self.index.kneighbors(near, return_distance=False))

    def of_themselves(self) -> tuple[FloatArray, IntArray]:
        """Return the same for the indexed rows, each excluded from its own neighbours."""
        k = min(self.n_neighbors, self.rows.shape[0] - 1)
        return self._measured(self.rows, self.index.kneighbors(None, k, return_distance=False))

    def _measured(self, X: Any, nearest: IntArray) -> tuple[FloatArray, IntArray]:
        """Compute distances by differences; by products, a row is not at distance 0 from itself."""
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
    """Return the lengths of the differences between rows of X and those nearest to them."""
    if isinstance(X, np.ndarray):
        between = X[:, None, :] - rows[nearest]
        squares = np.einsum("mkd,mkd->mk", between, between)
    else:
        each = np.repeat(np.arange(X.shape[0]), nearest.shape[1])
        apart = X[each] - rows[nearest.ravel()]
        squares = np.asarray(apart.multiply(apart).sum(axis=1)).reshape(nearest.shape)
    return np.asarray(np.sqrt(squares))
