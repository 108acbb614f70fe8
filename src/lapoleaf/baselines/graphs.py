"""Graphs of near rows with Gaussian weights, and what they say of new rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from lapoleaf._typing import FloatArray, IntArray

Graph: TypeAlias = "csr_array[np.float64]"

# Weights of far neighbours may all underflow, and distances of equal rows are 0.
_LEAST = float(np.finfo(float).tiny ** 0.25)
# A row's own scale, where all pairs have an edge, is its distance to this neighbour.
_SCALE_NEIGHBOUR = 10


def neighbour_graph(X: Any, n_neighbors: int = 10, sigma: float | None = None) -> Graph:
    """Give the symmetric graph of nearest neighbours with Gaussian weights.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    n_neighbors : int, default=10
        Neighbours of a row, itself not counted. An edge is there if either end wants it.
    sigma : float, default=None
        An edge weighs exp(-d² / (2 sigma²)). None: weights are self-tuned, exp(-2 d² / (s_i s_j)),
        s the distance to the last neighbour.

    Returns
    -------
    csr_array of shape (n, n)
        Weights of the edges.
    """
    k = min(n_neighbors, X.shape[0] - 1)
    if k == 0:
        return csr_array((1, 1), dtype=np.float64)
    # Asked without rows, scikit-learn leaves every row out of its own neighbours.
    distances, neighbours = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    if sigma is None:
        return self_tuned_graph(distances, neighbours)
    return _symmetric(np.exp(-(distances**2) / (2.0 * sigma**2)), neighbours)


def self_tuned_graph(distances: FloatArray, neighbours: IntArray) -> Graph:
    """Give the symmetric, self-tuned graph of the neighbours of every row.

    Parameters
    ----------
    distances, neighbours : ndarray of shape (n, k)
        How far the nearest rows are, and which they are, nearest first.
    """
    reach = np.maximum(distances[:, -1], _LEAST)
    return _symmetric(
        np.exp(-2.0 * distances**2 / (reach[:, None] * reach[neighbours])), neighbours
    )


def _symmetric(weights: FloatArray, neighbours: IntArray) -> Graph:
    n, k = neighbours.shape
    starts = np.arange(0, n * k + 1, k)
    one_way = csr_array((weights.ravel(), neighbours.ravel(), starts), shape=(n, n))
    return one_way.maximum(one_way.T).tocsr()


def full_graph(X: Any, sigma: float | None = None) -> FloatArray:
    """Give the graph of all pairs with Gaussian weights, as a matrix.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    sigma : float, default=None
        As in :func:`neighbour_graph`; self-tuned by the distance to the 10th neighbour.
    """
    squares = euclidean_distances(X, squared=True)
    n = len(squares)
    if sigma is None:
        place = min(_SCALE_NEIGHBOUR, n - 1)
        reach = np.sqrt(np.partition(squares, place, axis=1)[:, place])
        reach = np.maximum(reach, _LEAST)
        squares *= -2.0
        squares /= reach[:, None]
        squares /= reach
    else:
        squares /= -2.0 * sigma**2
    weights: FloatArray = np.exp(squares)
    np.fill_diagonal(weights, 0.0)
    return weights


def degrees(graph: Any) -> FloatArray:
    """Give the sums of the weights at every row, never 0."""
    sums: FloatArray = np.asarray(graph.sum(axis=1))
    return np.asarray(np.maximum(sums, _LEAST))


def normalised(graph: Any) -> Any:
    """Divide every weight by the root of the degrees of both ends."""
    root = 1.0 / np.sqrt(degrees(graph))
    if isinstance(graph, np.ndarray):
        scaled: FloatArray = graph * root[:, None] * root
        return scaled
    scale = diags_array(root)
    return (scale @ graph @ scale).tocsr()


class Surroundings:
    """Training rows that answer for new ones: the mean over the nearest, by Gaussian weights.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The training rows.
    n_neighbors : int
        How many answer.
    sigma : float or None
        Width of the weights, as in :func:`neighbour_graph`.
    """

    def __init__(self, X: Any, n_neighbors: int, sigma: float | None) -> None:
        # A copy: the rows may be changed afterwards.
        self.index = NearestNeighbors(n_neighbors=min(n_neighbors, X.shape[0])).fit(X.copy())
        self.sigma = sigma

    def mean(self, values: FloatArray, X: Any) -> FloatArray:
        """Give the mean values around new rows; a training row has its own.

        Parameters
        ----------
        values : ndarray of shape (n, K)
            Values of the training rows.
        X : ndarray or csr_array of shape (m, d)
            The new rows.
        """
        distances, neighbours = self.index.kneighbors(X)
        # Relative to the nearest: some weight is 1, however far all are.
        if self.sigma is None:
            scale = np.maximum(distances[:, -1:], _LEAST) ** 2 / 2.0
        else:
            scale = np.full((len(distances), 1), 2.0 * self.sigma**2)
        nearest = distances[:, :1]
        weights = np.exp(-(distances**2 - nearest**2) / scale)
        weights = np.where(nearest == 0.0, distances == 0.0, weights)
        sums = np.einsum("mk,mkc->mc", weights, values[neighbours])
        return np.asarray(sums / weights.sum(axis=1, keepdims=True))
