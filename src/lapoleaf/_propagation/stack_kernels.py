"""Kernels over stacked forests: see :class:`ForestStack`.

Most nodes have no given label below them. They send no message up, and have the label of the first
node above them that does, so only the latter part of a forest is solved. ``own`` is the weight of a
node's own label, infinite if it is kept.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._propagation.exact_kernels import labels_without_own, message_weights, solve_labels
from lapoleaf._typing import FloatArray, IntArray


@kernel
def fill_forest(
    tree_order: IntArray,
    rank: IntArray,
    tree_parent: IntArray,
    strength: FloatArray,
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
) -> None:
    """Write a forest in density order; the first node has no link."""
    for i in range(order.size):
        node = tree_order[i]
        leader = tree_parent[node]
        order[i] = node
        parent[i] = rank[leader] if leader >= 0 else -1
        weight[i] = strength[node]
    weight[0] = 0.0


@kernel
def kept_places(
    order: IntArray, parent: IntArray, own: FloatArray, further: int
) -> tuple[IntArray, IntArray]:
    """Return the places at or above labelled nodes, and the representatives of all places.

    The first place, and those at or above the node ``further`` (-1: none), are among them.

    Returns
    -------
    kept : ndarray of shape (m,)
        The places, ascending.
    stands : ndarray of shape (n,)
        For every place the number, among them, of itself or the first one above it.
    """
    n = order.size
    stands = np.empty(n, dtype=np.int32)
    for i in range(n):
        stands[i] = 0
    m = 0
    for i in range(n - 1, 0, -1):
        if stands[i] or own[order[i]] > 0.0 or order[i] == further:
            stands[i] = 1
            stands[parent[i]] = 1
            m += 1
    kept = np.empty(m + 1, dtype=np.int64)
    m = 1
    kept[0], stands[0] = 0, 0
    for i in range(1, n):
        if stands[i]:
            kept[m] = i
            stands[i] = m
            m += 1
        else:
            stands[i] = stands[parent[i]]
    return kept, stands


@kernel
def kept_links(
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
    own: FloatArray,
    kept: IntArray,
    stands: IntArray,
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, np.ndarray]:
    """Return the nodes that are kept, their leaders among them, links, label weights and clamps."""
    m = kept.size
    nodes, above = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    links, count, clamped = np.empty(m), np.empty(m), np.empty(m, dtype=np.bool_)
    for a in range(m):
        i = kept[a]
        nodes[a], links[a] = order[i], weight[i]
        above[a] = stands[parent[i]] if a > 0 else -1
        clamped[a] = own[nodes[a]] == np.inf
        count[a] = 0.0 if clamped[a] else own[nodes[a]]
    return nodes, above, links, count, clamped


@kernel
def add_forests(
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
    own: FloatArray,
    labels: FloatArray,
    given: IntArray,
    total: FloatArray,
    without: FloatArray,
    known: FloatArray,
    variance: FloatArray,
    variance_of_others: FloatArray,
) -> None:
    """Propagate labels in forests, and add the results to sums.

    ``given`` has the number of every node among those with a given label, -1 for others. ``total``,
    ``variance`` and ``variance_of_others`` are of all nodes; ``without``, labels without their own,
    and ``known``, how many forests have one, are of nodes with a given label.
    """
    n, columns = labels.shape
    spread = np.empty(n)
    for f in range(order.shape[0]):
        kept, stands = kept_places(order[f], parent[f], own, -1)
        nodes, above, links, count, clamped = kept_links(
            order[f], parent[f], weight[f], own, kept, stands
        )
        m = kept.size
        # Loops, since array expressions take seconds to compile.
        numbers, some = np.empty(m, dtype=np.int64), np.empty((m, columns))
        pull, sent, others = np.empty(m), np.empty(m), np.empty(m)
        for a in range(m):
            pull[a] = 0.0
        _, down, rise, fall, below = message_weights(above, links, count, clamped, pull)
        for a in range(m):
            numbers[a] = a
            sent[a] = links[a] if clamped[a] else rise[a] * count[a]
            others[a] = below[a] + down[a]
            for k in range(columns):
                some[a, k] = labels[nodes[a], k]
        alone = labels_without_own(above, links, count, clamped, rise, sent, fall, others, some)
        found = solve_labels(numbers, above, links, count, clamped, rise, sent, below, some)
        for a in range(m):
            number = given[nodes[a]]
            if number >= 0 and others[a] > 0.0:
                known[number] += 1.0
                for k in range(columns):
                    without[number, k] += alone[a, k]
        for i in range(n):
            node, a = order[f, i], stands[i]
            if kept[a] == i:
                variance_of_others[node] += 1.0 / others[a]
                spread[i] = 0.0 if clamped[a] else 1.0 / (others[a] + count[a])
            else:
                # Variances add up along links, like resistances in series.
                spread[i] = spread[parent[f, i]] + 1.0 / weight[f, i]
                variance_of_others[node] += spread[i]
            variance[node] += spread[i]
            for k in range(columns):
                total[node, k] += found[a, k]
