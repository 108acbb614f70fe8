"""Who leads whom: kernels that find the nearest denser node."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.density.kernels import fixed_point_kernel


@njit(cache=True, nogil=True)
def leaders_among_neighbours(
    rank: IntArray, neighbours: IntArray, lengths: FloatArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write the first neighbour that is ahead in the order as parent, -1 where there is none.

    Neighbours come nearest first, so the first one ahead is the nearest of all nodes ahead.
    """
    for i in range(rank.size):
        parent[i] = -1
        for k in range(neighbours.shape[1]):
            if rank[neighbours[i, k]] < rank[i]:
                parent[i] = neighbours[i, k]
                delta[i] = lengths[i, k]
                break


@njit(cache=True, nogil=True)
def nearest_denser(
    distances: FloatArray, nodes: IntArray, rank: IntArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write the nearest node ahead of each of ``nodes``, whose rows of distances are given.

    Equal distances: the lower index. A node with nobody ahead, the root, gets -1 and its largest
    distance to any node.
    """
    for row in range(nodes.size):
        i = nodes[row]
        leader, nearest, farthest = -1, np.inf, 0.0
        for j in range(distances.shape[1]):
            if j == i:
                continue
            farthest = max(farthest, distances[row, j])
            if rank[j] < rank[i] and distances[row, j] < nearest:
                leader, nearest = j, distances[row, j]
        parent[i] = leader
        delta[i] = nearest if leader >= 0 else farthest


@njit(cache=True, nogil=True)
def leaders_of_new(
    distances: FloatArray,
    density: FloatArray,
    population: FloatArray,
    bandwidth: float,
    zero: float,
    root: int,
    leader: IntArray,
    delta: FloatArray,
) -> None:
    """Write the leader that every new point would have if it joined the tree, and its distance.

    A new point is led by the nearest node that would still be as dense as it, the point's own
    effect on that node's density counted in. At distance 0 the node itself answers; a point denser
    than all nodes is answered by the root.
    """
    for row in range(distances.shape[0]):
        total = 0.0
        same = -1
        for j in range(distances.shape[1]):
            if distances[row, j] <= zero and same < 0:
                same = j
            total += population[j] * fixed_point_kernel(distances[row, j], bandwidth)
        if same >= 0:
            leader[row], delta[row] = same, 0.0
            continue
        nearest, length = root, np.inf
        for j in range(distances.shape[1]):
            if distances[row, j] < length:
                grown = density[j] + fixed_point_kernel(distances[row, j], bandwidth)
                if grown >= total:
                    nearest, length = j, distances[row, j]
        leader[row] = nearest
        delta[row] = length if length < np.inf else distances[row, root]


@njit(cache=True, nogil=True)
def leaders_along(
    rank: IntArray,
    start: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    resistances: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Give the leader of every node: the nearest node ahead of it along a connected graph.

    Near is what a way of little resistance leads to, the sum over its edges.

    Returns
    -------
    parent : ndarray of shape (n,)
        The leaders, -1 for the node that is ahead of all.
    delta : ndarray of shape (n,)
        Length of the edge to the leader; NaN where the way has several edges.
    resistance : ndarray of shape (n,)
        Resistance of the way.
    """
    n = rank.size
    parent, delta = np.full(n, -1), np.full(n, np.nan)
    resistance = np.zeros(n)
    nearest = np.full(n, np.inf)
    seen = np.empty(n, dtype=np.int64)
    for i in range(n):
        waiting = [(0.0, i)]
        nearest[i], seen[0], n_seen = 0.0, i, 1
        while len(waiting) > 0:
            way, node = heapq.heappop(waiting)
            if rank[node] < rank[i]:
                parent[i], resistance[i] = node, way
                break
            if way > nearest[node]:
                continue
            for edge in range(start[node], start[node + 1]):
                other, longer = neighbours[edge], way + resistances[edge]
                if longer < nearest[other]:
                    if nearest[other] == np.inf:
                        seen[n_seen] = other
                        n_seen += 1
                    nearest[other] = longer
                    heapq.heappush(waiting, (longer, other))
        for place in range(n_seen):
            nearest[seen[place]] = np.inf
        for edge in range(start[i], start[i + 1]):
            if neighbours[edge] == parent[i] and resistances[edge] == resistance[i]:
                delta[i] = lengths[edge]
    return parent, delta, resistance


@njit(cache=True, nogil=True)
def nearest_of_all(distances: FloatArray, nodes: IntArray, lengths: FloatArray) -> None:
    """Write the nearest nodes of every row of distances, nearest first, equal ones by number."""
    k = nodes.shape[1]
    for row in range(distances.shape[0]):
        found = 0
        for j in range(distances.shape[1]):
            length = distances[row, j]
            if found == k and length >= lengths[row, k - 1]:
                continue
            place = min(found, k - 1)
            while place > 0 and lengths[row, place - 1] > length:
                nodes[row, place] = nodes[row, place - 1]
                lengths[row, place] = lengths[row, place - 1]
                place -= 1
            nodes[row, place], lengths[row, place] = j, length
            found = min(found + 1, k)
