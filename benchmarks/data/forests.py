"""Synthetic forests of many points, with labels of a few nodes."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KDTree

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import Settings
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.structure import density_order, ranks
from lapoleaf._typing import FloatArray, IntArray

_NEIGHBOURS, _CLUSTERS, _COLUMNS, _NOISE = 10, 20, 3, 0.3
FEWEST = _NEIGHBOURS + 1
# Labels of random nodes.
CLASSES, GIVEN = 10, 100
# Default settings of the estimators.
SETTINGS = Settings(mu=0.03, weights="self-tuned")


def made_forests(n: int, n_forests: int, seed: int = 0) -> list[LeadingForest]:
    """Return forests of a single tree each, over the same clustered points with noisy densities.

    The leader of a point is the nearest denser one of its ten neighbours, or any denser one.

    Parameters
    ----------
    n : int
        Number of points, at least ``FEWEST``.
    n_forests : int
        Number of forests.
    seed : int, default=0
        Which points and densities.
    """
    return forests_and_graph(n, n_forests, seed)[0]


def forests_and_graph(
    n: int, n_forests: int, seed: int = 0
) -> tuple[list[LeadingForest], IntArray]:
    """Return :func:`made_forests`, and the ten nearest neighbours of every point.

    Parameters
    ----------
    n : int
        Number of points, at least ``FEWEST``.
    n_forests : int
        Number of forests.
    seed : int, default=0
        Which points and densities.
    """
    rng = np.random.default_rng(seed)
    points = _points(n, rng)
    distances, neighbours = _neighbours(points)
    return _grown(points, distances, neighbours, n_forests, rng), neighbours


def _points(n: int, rng: np.random.Generator) -> FloatArray:
    centres = rng.random((_CLUSTERS, _COLUMNS))
    return centres[rng.integers(_CLUSTERS, size=n)] + 0.1 * rng.normal(size=(n, _COLUMNS))


def _neighbours(points: FloatArray) -> tuple[FloatArray, IntArray]:
    distances, neighbours = KDTree(points).query(points, k=_NEIGHBOURS + 1)
    # The nearest one is the point itself.
    return distances[:, 1:], neighbours[:, 1:]


def _grown(
    points: FloatArray,
    distances: FloatArray,
    neighbours: IntArray,
    n_forests: int,
    rng: np.random.Generator,
) -> list[LeadingForest]:
    n = len(points)
    forests = []
    for _ in range(n_forests):
        density = np.exp(_NOISE * rng.normal(size=n)) / distances[:, -1]
        parent = _leaders(density, neighbours, rng)
        delta = np.linalg.norm(points - points[parent], axis=1)
        root = int(density.argmax())
        parent[root], delta[root] = -1, delta.max()
        tree = LeadingTree(density=density, delta=delta, parent=parent, scale=distances[:, -1])
        forests.append(LeadingForest(tree, np.array([root])))
    return forests


def _leaders(density: FloatArray, neighbours: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the nearest denser neighbour of every point, or any denser one; the densest itself."""
    order = density_order(density)
    rank = ranks(order)
    denser = rank[neighbours] < rank[:, None]
    nearest = neighbours[np.arange(len(order)), denser.argmax(axis=1)]
    any_denser = order[(rng.random(len(order)) * rank).astype(np.int64)]
    leaders: IntArray = np.where(denser.any(axis=1), nearest, any_denser)
    return leaders


def random_forest(n: int, seed: int = 0) -> LeadingForest:
    """Make a tree of n nodes from random arrays: any node ahead may lead; one node in 50 a root."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    ahead = (rng.random(n) * np.arange(n)).astype(np.int64)
    parent, density = np.empty(n, dtype=np.int64), np.empty(n)
    parent[order] = order[ahead]
    parent[order[0]] = -1
    density[order] = np.arange(n, 0, -1)
    tree = LeadingTree(density=density, delta=rng.uniform(0.1, 1.0, n), parent=parent)
    return LeadingForest(tree, np.union1d(order[0], rng.choice(n, n // 50, replace=False)))


def random_labels(n: int, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    """Return label vectors of a hundred random nodes, in turn of every class, and their counts.

    Parameters
    ----------
    n : int
        Number of nodes.
    seed : int, default=1
        Which nodes.
    """
    nodes = np.random.default_rng(seed).permutation(n)[:GIVEN]
    labels, count = np.zeros((n, CLASSES)), np.zeros(n)
    labels[nodes, np.arange(len(nodes)) % CLASSES] = 1.0
    count[nodes] = 1.0
    return labels, count
