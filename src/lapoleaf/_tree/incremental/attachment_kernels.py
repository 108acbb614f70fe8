"""Kernels that attach new nodes to a tree, and reattach nodes whose leaders were removed."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._tree.link_kernels import MAX_RESISTANCE, resistance
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def reattach_orphans(
    parent: IntArray,
    delta: FloatArray,
    scale: FloatArray,
    rank: IntArray,
    gone: BoolArray,
) -> tuple[IntArray, FloatArray]:
    """Return leaders without removed nodes, and the resistances of the paths to them.

    The resistance is 0 if the leader has not changed. A node whose leader was removed is led by the
    first remaining node on the path up. If the root was removed, the densest node without a leader
    becomes the root and leads the others.
    """
    n = parent.size
    found, ways = parent.copy(), np.zeros(n)
    root = -1
    for i in range(n):
        if gone[i]:
            continue
        node, above = i, parent[i]
        while above >= 0 and (gone[above] or node != i):
            ways[i] += resistance(delta[node], scale[node], scale[above])
            if not gone[above]:
                break
            node, above = above, parent[above]
        found[i] = above
        if above < 0 and (root < 0 or rank[i] < rank[root]):
            root = i
    for i in range(n):
        if not gone[i] and found[i] < 0 and i != root:
            found[i], ways[i] = root, MAX_RESISTANCE
    return found, ways


@kernel
def attach_by_resistance(
    new: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    rank: IntArray,
    scale: FloatArray,
    parent: IntArray,
    delta: FloatArray,
) -> None:
    """Attach new nodes to neighbours ahead of them, and neighbours behind to the new nodes.

    The link of least resistance counts. A new node without a neighbour ahead keeps -1 as parent.
    """
    for row in range(new.size):
        x, least = new[row], np.inf
        for k in range(neighbours.shape[1]):
            j = neighbours[row, k]
            if j < 0 or j == x:
                continue
            way = resistance(lengths[row, k], scale[x], scale[j])
            if rank[j] < rank[x] and way < least:
                least, parent[x], delta[x] = way, j, lengths[row, k]
    for row in range(new.size):
        x = new[row]
        for k in range(neighbours.shape[1]):
            j = neighbours[row, k]
            if j < 0 or rank[j] <= rank[x] or parent[j] < 0:
                continue
            way = resistance(lengths[row, k], scale[x], scale[j])
            if way < resistance(delta[j], scale[j], scale[parent[j]]):
                parent[j], delta[j] = x, lengths[row, k]


@kernel
def attach_by_distance(
    new: IntArray,
    neighbours: IntArray,
    nearest_old: IntArray,
    density: FloatArray,
    parent: IntArray,
) -> IntArray:
    """Write the first neighbour ahead of each new node as its parent, or one further up.

    If no neighbour is ahead, the leader is the first node ahead on the path up from the nearest old
    node; the root is ahead of all. Returns the index of the leader among the neighbours, -1 if it
    is not one of them.
    """
    places = np.full(new.size, -1)
    for row in range(new.size):
        x = new[row]
        for k in range(neighbours.shape[1]):
            j = neighbours[row, k]
            ahead = density[j] > density[x] or (density[j] == density[x] and j < x)
            if j >= 0 and j != x and ahead:
                parent[x], places[row] = j, k
                break
    for row in range(new.size):
        x = new[row]
        if parent[x] >= 0:
            continue
        j = nearest_old[row]
        while not (density[j] > density[x] or (density[j] == density[x] and j < x)):
            j = parent[j]
        parent[x] = j
    return places
