"""Passes over a forest in density order, in which leaders come before the nodes they lead."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def trees_and_layers(
    order: IntArray, parent: IntArray, tree_of_root: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the tree and the layer of every node; ``tree_of_root`` is -1 elsewhere."""
    tree_of = np.empty(order.size, dtype=np.int64)
    layer = np.empty(order.size, dtype=np.int64)
    for i in order:
        if tree_of_root[i] >= 0:
            tree_of[i] = tree_of_root[i]
            layer[i] = 0
        else:
            tree_of[i] = tree_of[parent[i]]
            layer[i] = layer[parent[i]] + 1
    return tree_of, layer


@kernel
def subtree_sums(
    order: IntArray, parent: IntArray, is_root: BoolArray, values: FloatArray
) -> FloatArray:
    """Return the sum of ``values`` over every node and all that it leads within its tree."""
    sums = values.copy()
    for position in range(order.size - 1, -1, -1):
        i = order[position]
        if not is_root[i]:
            sums[parent[i]] += sums[i]
    return sums


@kernel
def sort_nearly_sorted(
    order: IntArray, gamma: FloatArray, rank: IntArray, most: int
) -> tuple[IntArray, bool]:
    """Sort nearly sorted nodes by gamma, descending, ties by rank, by insertion.

    Ends after ``most`` steps; the second value is whether all is sorted.
    """
    out = order.copy()
    steps = 0
    for place in range(1, out.size):
        j, at = out[place], place
        while at > 0:
            i = out[at - 1]
            if gamma[i] > gamma[j] or (gamma[i] == gamma[j] and rank[i] < rank[j]):
                break
            out[at] = i
            at -= 1
        out[at] = j
        steps += place - at
        if steps > most:
            return out, False
    return out, True


@kernel
def objective_values(costs: FloatArray, delta: FloatArray, alpha: float) -> FloatArray:
    """Return ``alpha * costs + (1 - alpha) * rest``, where rest is the sum of later ``delta``.

    Summed from the end, for accuracy of the small last values.
    """
    out = np.empty(delta.size)
    rest = 0.0
    for place in range(delta.size - 1, -1, -1):
        out[place] = rest if alpha == 0.0 else alpha * costs[place] + (1.0 - alpha) * rest
        rest += delta[place]
    return out


@kernel
def separating_numbers(
    parent: IntArray, rank: IntArray, place: IntArray, nodes: IntArray, others: IntArray
) -> IntArray:
    """Return the smallest number of trees for which ``nodes[k]`` and ``others[k]`` are separated.

    ``place`` is that of every node in the order in which nodes become roots. Two nodes are apart as
    soon as a node below their first common leader, on one of their ways to it, is a root.
    """
    numbers = np.empty(nodes.size, dtype=np.int64)
    for k in range(nodes.size):
        i, j = nodes[k], others[k]
        first = place.size
        while i != j:
            if rank[i] < rank[j]:
                i, j = j, i
            first = min(first, place[i])
            i = parent[i]
        numbers[k] = first + 1
    return numbers
