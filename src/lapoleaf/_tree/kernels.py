"""Kernels that find leaders: the nearest denser node."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._density.tile_kernels import terms_of_distances
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._tree.link_kernels import MAX_RESISTANCE, resistance
from lapoleaf._typing import FloatArray, IntArray


@kernel
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

    A new point of density ``own`` is led by the nearest node that would still be as dense as it,
    the point's own effect on that node's density, its kernel term, counted in. At distance 0 the
    node itself answers; a point denser than all nodes is answered by the root.
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
def _sink(ways, waiting, size):  # type: ignore[no-untyped-def]
    """Put the last entry of a heap in place of the first: ``size`` are left."""
    way, node, place = ways[size], waiting[size], 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and ways[below + 1] < ways[below]:
            below += 1
        if ways[below] >= way:
            break
        ways[place], waiting[place] = ways[below], waiting[below]
        place = below
    ways[place], waiting[place] = way, node


@kernel
def _rise(ways, waiting, size, way, node):  # type: ignore[no-untyped-def]
    """Put an entry into a heap of ``size`` entries, the shortest way first."""
    place = size
    while place > 0 and ways[(place - 1) // 2] > way:
        ways[place], waiting[place] = ways[(place - 1) // 2], waiting[(place - 1) // 2]
        place = (place - 1) // 2
    ways[place], waiting[place] = way, node


@kernel
def leaders_along_graph(
    most: int,
    rank: IntArray,
    start: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    resistances: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the leader of every node: the nearest node ahead of it along a connected graph.

    The edges of a node are ordered, the least resistance first. Near is what a way of little
    resistance leads to, the sum over its edges. A search that has come to ``most`` nodes ends, with
    the best it has found.

    Returns
    -------
    parent : ndarray of shape (n,)
        The leaders, -1 for the node that is ahead of all, and where a search ended with nothing.
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
    ways, waiting = np.empty(1024), np.empty(1024, dtype=np.int64)
    for i in range(n):
        if rank[i] == 0:
            continue
        leader, least, length = np.int64(-1), np.inf, np.nan
        for edge in range(start[i], start[i + 1]):
            other = np.int64(neighbours[edge])
            if rank[other] < rank[i]:
                leader, least, length = other, resistances[edge], lengths[edge]
                break
        # No edge resists less than 1: what is not nearer by that much is no way to anybody nearer.
        ways[0], waiting[0], n_waiting = 0.0, i, 1
        nearest[i], seen[0], n_seen = 0.0, i, 1
        visited = 0
        while n_waiting > 0:
            way, node = ways[0], waiting[0]
            if way + 1.0 > least or visited >= most:
                break
            n_waiting -= 1
            _sink(ways, waiting, n_waiting)
            if way > nearest[node]:
                continue
            visited += 1
            for edge in range(start[node], start[node + 1]):
                other, longer = np.int64(neighbours[edge]), way + resistances[edge]
                if longer > least:
                    break
                if rank[other] < rank[i]:
                    if longer < least or (longer == least and other < leader):
                        leader, least, length = other, longer, np.nan
                elif longer + 1.0 <= least and longer < nearest[other]:
                    if nearest[other] == np.inf:
                        seen[n_seen] = other
                        n_seen += 1
                    nearest[other] = longer
                    if n_waiting == ways.size:
                        ways = np.concatenate((ways, np.empty_like(ways)))
                        waiting = np.concatenate((waiting, np.empty_like(waiting)))
                    _rise(ways, waiting, n_waiting, longer, other)
                    n_waiting += 1
        for place in range(n_seen):
            nearest[seen[place]] = np.inf
        parent[i], resistance[i], delta[i] = leader, least, length
    return parent, delta, resistance


# Scales of a damaged file that was mapped unread may be 0: no exception for them.
@kernel(error_model="numpy")
def leaders_up_tree(
    lost: IntArray,
    rank: IntArray,
    plain_parent: IntArray,
    plain_delta: FloatArray,
    scale: FloatArray,
    root: int,
    parent: IntArray,
    delta: FloatArray,
    ways: FloatArray,
) -> None:
    """Write the first node ahead on the way up a plain tree as leader of nodes that found none.

    ``ways`` gets the resistance of the way, the sum over its links. Where no node on the way
    is ahead, the node ``root`` leads.
    """
    for i in lost:
        node, way, steps = i, 0.0, 0
        while plain_parent[node] >= 0 and rank[node] >= rank[i]:
            above = plain_parent[node]
            way += resistance(plain_delta[node], scale[node], scale[above])
            node, steps = above, steps + 1
        if rank[node] >= rank[i]:
            parent[i], ways[i] = root, max(way, MAX_RESISTANCE)
            continue
        parent[i], ways[i] = node, way
        if steps == 1:
            delta[i] = plain_delta[i]


@kernel
def nearest_in_rows(distances: FloatArray, nodes: IntArray, lengths: FloatArray) -> None:
    """Write the nearest nodes of every row of distances, nearest first, equal ones by number."""
    k = nodes.shape[1]
    if k == 0:
        return
    for row in range(distances.shape[0]):
        count, near, reach = 0, nodes[row], lengths[row]
        for j in range(distances.shape[1]):
            # Numbers ascend: one as far away as the last of a full list comes after it.
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
