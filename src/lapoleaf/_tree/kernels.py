"""Kernels that find leaders: the nearest denser node."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._density.tile_kernels import terms_of_distances
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._typing import FloatArray, IntArray


@kernel
def leaders_among_neighbours(
    rank: IntArray, neighbours: IntArray, lengths: FloatArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write the first neighbour that is ahead in the order as parent, -1 where there is none.

    Neighbours are sorted by distance, so the first one ahead is the nearest of all nodes ahead.
    """
    for i in range(rank.size):
        parent[i] = -1
        for k in range(neighbours.shape[1]):
            if rank[neighbours[i, k]] < rank[i]:
                parent[i] = neighbours[i, k]
                delta[i] = lengths[i, k]
                break


@kernel
def nearest_denser(
    distances: FloatArray, nodes: IntArray, rank: IntArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write the nearest node ahead of each of ``nodes``, whose rows of distances are given.

    Equal distances: the lower index. The root, which has no node ahead, gets -1 and its largest
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


@kernel
def leader_of_new(
    distances: FloatArray,
    terms: FloatArray,
    own: float,
    density: FloatArray,
    zero: float,
    root: int,
) -> tuple[int, float]:
    """Return the leader that a new point would have if it joined the tree, and its distance.

    A new point of density ``own`` is led by the nearest node that would still be at least as dense,
    including the kernel term that the point adds to that node's density. At distance 0 the result
    is the node itself; for a point denser than all nodes it is the root.
    """
    leader, nearest = root, np.inf
    for i in range(distances.size):
        if distances[i] <= zero:
            return i, 0.0
        if distances[i] < nearest and density[i] + terms[i] >= own:
            leader, nearest = i, distances[i]
    return leader, nearest if nearest < np.inf else distances[root]


@kernel
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
    """Write the leader that every new point would have, and its distance: ``leader_of_new``.

    ``distances`` holds a row of distances to all nodes for every point.
    """
    for row in range(distances.shape[0]):
        terms = terms_of_distances(distances[row], bandwidth)
        own = 0.0
        for j in range(terms.size):
            own += population[j] * terms[j]
        leader[row], delta[row] = leader_of_new(distances[row], terms, own, density, zero, root)


@kernel
def nearest_in_rows(distances: FloatArray, nodes: IntArray, lengths: FloatArray) -> None:
    """Write the nearest nodes of every row of distances, nearest first, equal ones by number."""
    k = nodes.shape[1]
    if k == 0:
        return
    for row in range(distances.shape[0]):
        count, near, reach = np.int64(0), nodes[row], lengths[row]
        for j in range(distances.shape[1]):
            # Indices ascend, so a tie with the last entry of a full list comes after it.
            if count < k or distances[row, j] < reach[k - 1]:
                count = insert_sorted(distances[row, j], j, count, near, reach)


@kernel
def path_between(parent: IntArray, rank: IntArray, start: int, end: int) -> IntArray:
    """Return the nodes on the path between two nodes of a tree, both included.

    Leaders are ahead in the order, so the node that is behind climbs until both meet.
    """
    rising, falling = [start], [end]
    while rising[-1] != falling[-1]:
        if rank[rising[-1]] > rank[falling[-1]]:
            rising.append(parent[rising[-1]])
        else:
            falling.append(parent[falling[-1]])
    return np.array(rising + falling[-2::-1], dtype=np.int64)
