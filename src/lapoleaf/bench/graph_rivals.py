"""Rivals that spread labels over a graph of neighbours: LLGC and Poisson learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import cg
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

Graph: TypeAlias = "csr_array[np.float64]"


def neighbour_graph(X: FloatArray, n_neighbors: int = 10) -> Graph:
    """Give the symmetric graph of nearest neighbours with self-tuned weights.

    The weight of an edge is exp(-2 d² / (s_i s_j)), s the distance to the last neighbour.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    n_neighbors : int, default=10
        Neighbours of a row, itself not counted.

    Returns
    -------
    csr_array of shape (n, n)
        Weights of the edges.
    """
    k = min(n_neighbors, len(X) - 1)
    # Asked without rows, scikit-learn leaves every row out of its own neighbours.
    return self_tuned_graph(*NearestNeighbors(n_neighbors=k).fit(X).kneighbors())


def self_tuned_graph(distances: FloatArray, neighbours: IntArray) -> Graph:
    """Give the symmetric graph of the neighbours of every row, as :func:`neighbour_graph` does.

    Parameters
    ----------
    distances, neighbours : ndarray of shape (n, k)
        How far the nearest rows are, and which they are, nearest first.
    """
    n, k = neighbours.shape
    reach = np.maximum(distances[:, -1], np.finfo(float).tiny ** 0.25)
    weights = np.exp(-2.0 * distances**2 / (reach[:, None] * reach[neighbours]))
    starts = np.arange(0, n * k + 1, k)
    one_way = csr_array((weights.ravel(), neighbours.ravel(), starts), shape=(n, n))
    return one_way.maximum(one_way.T).tocsr()


def one_hot_of(y: IntArray) -> tuple[IntArray, FloatArray]:
    """Give the classes among the given labels, and a row of 0 and 1 for every label.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Classes, -1 where there is none: the row is 0 then.
    """
    classes = np.unique(y[y >= 0])
    return classes, (y[:, None] == classes).astype(float)


def llgc(X: FloatArray, y: IntArray) -> IntArray:
    """Give the classes by learning with local and global consistency (Zhou et al., 2004)."""
    classes, labels = one_hot_of(y)
    return _decided(X, y, classes, llgc_scores(neighbour_graph(X), labels))


def llgc_scores(graph: Graph, labels: FloatArray, alpha: float = 0.99) -> FloatArray:
    """Solve (I - alpha S) F = Y, S the graph with symmetrically normalised weights."""
    scale = diags_array(1.0 / np.sqrt(_degrees(graph)))
    system = eye_array(graph.shape[0]) - alpha * (scale @ graph @ scale)
    return np.column_stack([cg(system, column, rtol=1e-8)[0] for column in labels.T])


def poisson(X: FloatArray, y: IntArray) -> IntArray:
    """Give the classes by Poisson learning (Calder et al., 2020), all classes alike likely."""
    return poisson_on(neighbour_graph(X), X, y)


def poisson_on(graph: Graph, X: AnyArray, y: IntArray) -> IntArray:
    """Give the classes by Poisson learning on a graph that is there already."""
    classes, labels = one_hot_of(y)
    given = y >= 0
    frequency = labels[given].mean(axis=0)
    source = np.where(given[:, None], labels - frequency, 0.0)
    potential = poisson_potential(graph, source, mixing_steps(graph, given))
    # Published: "account for unbalanced training data".
    return _decided(X, y, classes, potential / frequency)


def poisson_potential(graph: Graph, source: FloatArray, steps: int) -> FloatArray:
    """Approach the solution of L u = source, L the graph's Laplacian, from 0.

    A part of the graph that has a source of its own sum drifts towards its labels; one without
    labels stays 0.
    """
    degrees = _degrees(graph)[:, None]
    potential = np.zeros_like(source)
    for _ in range(steps):
        # u + (source - L u) / D, where L = D - W.
        potential = (source + graph @ potential) / degrees
    return potential


def mixing_steps(graph: Graph, given: BoolArray, fewest: int = 50, most: int = 1000) -> int:
    """Count the steps until a random walk from the labels has forgotten where it began.

    This is when Poisson learning stops, as published.
    """
    degrees = _degrees(graph)
    end = degrees / degrees.sum()
    walk = given / given.sum()
    for step in range(most):
        if step >= fewest and np.abs(walk - end).max() <= 1.0 / len(end):
            return step
        walk = graph @ (walk / degrees)
    return most


def _degrees(graph: Graph) -> FloatArray:
    # Weights of far neighbours may all underflow.
    return np.maximum(np.asarray(graph.sum(axis=1)), np.finfo(float).tiny ** 0.25)


def _decided(X: AnyArray, y: IntArray, classes: IntArray, scores: FloatArray) -> IntArray:
    """Give the classes of the best scores; rows no label reaches have that of the nearest label."""
    given = y >= 0
    reached = given | (scores != 0.0).any(axis=1)
    found: IntArray = classes[scores.argmax(axis=1)]
    if not reached.all():
        nearest = KNeighborsClassifier(n_neighbors=1).fit(X[given], y[given])
        found[~reached] = nearest.predict(X[~reached])
    return found
