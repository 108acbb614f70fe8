"""Voters: the nodes that predict new rows, and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtr

from lapoleaf._tree import LeadingTree
from lapoleaf._tree.random_trees import LOG_DENSITY_NOISE
from lapoleaf._typing import FloatArray, IntArray

# Number of voters of a new row.
N_VOTERS = 10
_MIN_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False)
class Voters:
    """The nodes that predict some rows, and their weights.

    Attributes
    ----------
    nodes : ndarray of shape (m, k)
        The nodes.
    weights : ndarray of shape (m, k)
        Their weights: not negative, summing to 1 for every row.
    distances : ndarray of shape (m, k)
        Distances to them, the nearest first.
    """

    nodes: IntArray
    weights: FloatArray
    distances: FloatArray

    @classmethod
    def alone(cls, nodes: IntArray, distances: FloatArray) -> Self:
        """Return voters with a single node for every row."""
        return cls(nodes[:, None], np.ones((len(nodes), 1)), distances[:, None])

    @property
    def nearest(self) -> FloatArray:
        """Distance of every row to its nearest voter."""
        return self.distances[:, 0]

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the weighted means (m, K) of the values (n, K) of nodes over the voters."""
        out = np.zeros((len(self.nodes), values.shape[1]))
        for k in range(self.nodes.shape[1]):
            out += self.weights[:, k, None] * values[self.nodes[:, k]]
        return out


def voters_among(tree: LeadingTree, nodes: IntArray, distances: FloatArray) -> Voters:
    """Return the nearest nodes, weighted by the probability that each would lead the row.

    In a random tree a row is led by its nearest neighbour of higher density, and densities are
    noisy: see :mod:`lapoleaf._tree.random_trees`. A row that equals a node has that node as its
    only voter.

    Parameters
    ----------
    tree : LeadingTree
        The tree.
    nodes, distances : ndarray of shape (m, k)
        The nearest nodes of every row and their distances, nearest first.
    """
    if tree.scale is None:
        return Voters.alone(nodes[:, 0], distances[:, 0])
    # Density is estimated as the inverse of the distance to the last of these neighbours.
    own = np.where(distances[:, -1:] > 0, distances[:, -1:], 1.0)
    # A difference of logarithms, since the quotient of distances may overflow.
    denser = ndtr((np.log(own) - np.log(tree.scale[nodes])) / (np.sqrt(2.0) * LOG_DENSITY_NOISE))
    weights = np.maximum(denser, _MIN_WEIGHT)
    weights[:, 1:] *= np.cumprod(1.0 - denser[:, :-1], axis=1) + _MIN_WEIGHT
    at_node = distances[:, 0] == 0
    weights[at_node] = 0.0
    weights[at_node, 0] = 1.0
    return Voters(nodes, weights / weights.sum(axis=1, keepdims=True), distances)
