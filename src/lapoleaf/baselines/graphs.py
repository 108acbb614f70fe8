"""Neighbour graphs with Gaussian weights, and predictions for new rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.metrics.pairwise import euclidean_distances

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.baselines.neighbours import Neighbours
from lapoleaf.baselines.rows import centred

Graph: TypeAlias = "csr_array[np.float64]"

# Minimum degree, since weights of distant neighbours may all underflow.
_LEAST_DEGREE = 1e-290
# In the full graph the scale of a row is its distance to this neighbour.
_SCALE_NEIGHBOUR = 10


def neighbour_graph(X: Any, n_neighbors: int = 10, sigma: float | None = None) -> Graph:
    """Return the symmetric graph of nearest neighbours with Gaussian weights.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    n_neighbors : int, default=10
        Number of neighbours of a row, excluding itself. There is an edge if either end selects it.
    sigma : float, default=None
        An edge weighs exp(-d² / (2 sigma²)). None: weights are self-tuned, exp(-2 d² / (s_i s_j)),
        s the distance to the last neighbour; of rows that equal all their neighbours, the median
        of the others.

    Returns
    -------
    csr_array of shape (n, n)
        Weights of the edges.
    """
    k = min(n_neighbors, X.shape[0] - 1)
    if k == 0:
        return csr_array((1, 1), dtype=np.float64)
    distances, neighbours = Neighbours(X, k).of_themselves()
    reach = _reach(distances) if sigma is None else np.full(len(distances), 2.0 * float(sigma))
    return _symmetric(distances, neighbours, reach)


def self_tuned_graph(distances: FloatArray, neighbours: IntArray) -> Graph:
    """Return the symmetric, self-tuned graph of the neighbours of every row.

    Parameters
    ----------
    distances, neighbours : ndarray of shape (n, k)
        Distances to the nearest rows, and the rows, nearest first.
    """
    return _symmetric(distances, neighbours, _reach(distances))


def _reach(distances: FloatArray) -> FloatArray:
    """Return the distance to the last neighbour; if it is 0, the median of the others."""
    reach = distances[:, -1]
    apart = reach > 0.0
    return np.where(apart, reach, np.median(reach[apart]) if apart.any() else 1.0)


def _symmetric(distances: FloatArray, neighbours: IntArray, reach: FloatArray) -> Graph:
    """Return the symmetric graph with weights exp(-2 d² / (s_i s_j)), s the reach."""
    n, k = neighbours.shape
    with np.errstate(over="ignore"):
        height = (distances / reach[:, None]) * (distances / reach[neighbours])
    starts = np.arange(0, n * k + 1, k)
    shape = n, n
    one_way = csr_array((np.exp(-2.0 * height).ravel(), neighbours.ravel(), starts), shape=shape)
    return one_way.maximum(one_way.T).tocsr()


def full_graph(X: Any, sigma: float | None = None) -> FloatArray:
    """Return the graph of all pairs with Gaussian weights, as a matrix.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    sigma : float, default=None
        As in :func:`neighbour_graph`; self-tuned by the distance to the 10th neighbour.
    """
    (moved,) = centred(X)
    squares: FloatArray = euclidean_distances(moved, squared=True)
    n = len(squares)
    if sigma is not None:
        reach = np.full(n, 2.0 * float(sigma))
    elif n > 1:
        reach = _reach(Neighbours(X, min(_SCALE_NEIGHBOUR, n - 1)).of_themselves()[0])
    else:
        reach = np.ones(n)
    with np.errstate(over="ignore"):
        squares *= -2.0
        squares /= reach[:, None]
        squares /= reach
    weights: FloatArray = np.exp(squares, out=squares)
    np.fill_diagonal(weights, 0.0)
    return weights


def degrees(graph: Any) -> FloatArray:
    """Return the degrees of all rows, bounded away from 0."""
    sums: FloatArray = np.asarray(graph.sum(axis=1))
    return np.asarray(np.maximum(sums, _LEAST_DEGREE))


def normalised(graph: Any) -> Any:
    """Return the symmetrically normalised graph."""
    root = 1.0 / np.sqrt(degrees(graph))
    if isinstance(graph, np.ndarray):
        scaled: FloatArray = graph * root[:, None] * root
        return scaled
    scale = diags_array(root)
    return (scale @ graph @ scale).tocsr()


class Surroundings:
    """Predictions for new rows: Gaussian-weighted means over the nearest training rows.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The training rows.
    n_neighbors : int
        Number of neighbours.
    sigma : float or None
        Width of the weights, as in :func:`neighbour_graph`.
    """

    def __init__(self, X: Any, n_neighbors: int, sigma: float | None) -> None:
        self.index = Neighbours(X, n_neighbors)
        self.sigma = None if sigma is None else float(sigma)

    def mean(self, values: FloatArray, X: Any) -> FloatArray:
        """Return the weighted mean values around new rows; a training row has its own value.

        Parameters
        ----------
        values : ndarray of shape (n, K)
            Values of the training rows.
        X : ndarray or csr_array of shape (m, d)
            The new rows.
        """
        distances, neighbours = self.index.of(X)
        weights = self._weights(distances)
        sums = np.zeros((len(distances), values.shape[1]))
        # One neighbour at a time, to limit memory.
        for place, share in enumerate(weights.T):
            sums += share[:, None] * values[neighbours[:, place]]
        return np.asarray(sums / weights.sum(axis=1, keepdims=True))

    def _weights(self, distances: FloatArray) -> FloatArray:
        """Return weights relative to the nearest neighbour, so that they do not all underflow."""
        nearest = distances[:, :1]
        further = (distances - nearest) * (distances + nearest)
        reach = distances[:, -1:] if self.sigma is None else 2.0 * self.sigma
        wide = np.where(nearest > 0.0, reach, 1.0)
        with np.errstate(over="ignore"):
            weights = np.exp(-2.0 * (further / wide) / wide)
        return np.asarray(np.where(nearest == 0.0, distances == 0.0, weights))
