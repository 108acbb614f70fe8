"""Kernels of rank-one updates: one scalar pass per forest."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._propagation.stack_kernels import kept_links, kept_places
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def response(
    above: IntArray, links: FloatArray, count: FloatArray, clamped: BoolArray, source: int
) -> FloatArray:
    """Return the column of the inverse of the objective's matrix that belongs to ``source``.

    One pass up, in which only the places above ``source`` are nonzero, and one down. The response
    of clamped places is 0. ``above``, ``links``, ``count`` and ``clamped`` are those of the kept
    places of a forest, in density order.
    """
    m = above.size
    below, pivot = np.zeros(m), np.ones(m)
    sent, column = np.zeros(m), np.zeros(m)
    sent[source] = 1.0
    for a in range(m - 1, -1, -1):
        known = below[a] + count[a]
        pivot[a] = known + links[a]
        if a == 0:
            break
        if clamped[a]:
            below[above[a]] += links[a]
        elif pivot[a] > 0.0:
            share = links[a] / pivot[a]
            below[above[a]] += share * known
            sent[above[a]] += share * sent[a]
    for a in range(m):
        if not clamped[a]:
            heard = links[a] * column[above[a]] if a > 0 else 0.0
            column[a] = (sent[a] + heard) / pivot[a]
    return column


@kernel
def fill_influence(
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
    own: FloatArray,
    labels: FloatArray,
    node: int,
    columns: FloatArray,
    at_node: FloatArray,
    without: FloatArray,
) -> None:
    """Write, for every forest, the response of all nodes to a pull at ``node``, and its label.

    ``own`` and ``labels`` are without the label of ``node``; at least one other label is given.
    """
    for f in range(order.shape[0]):
        kept, stands = kept_places(order[f], parent[f], own, node)
        nodes, above, links, count, clamped = kept_links(
            order[f], parent[f], weight[f], own, kept, stands
        )
        source = 0
        while nodes[source] != node:
            source += 1
        column = response(above, links, count, clamped, source)
        at_node[f] = column[source]
        # The inverse is symmetric: the response to the node equals the influence of all labels on
        # it.
        for a in range(kept.size):
            heard = count[a] * column[a]
            if a > 0 and clamped[a]:
                heard += links[a] * column[above[a]]
            for k in range(labels.shape[1]):
                without[f, k] += heard * labels[nodes[a], k]
            if a > 0 and clamped[above[a]]:
                for k in range(labels.shape[1]):
                    without[f, k] += links[a] * column[a] * labels[nodes[above[a]], k]
        for i in range(order.shape[1]):
            columns[f, order[f, i]] = column[stands[i]]


@kernel
def fill_shares(
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
    own: FloatArray,
    given: IntArray,
    node: int,
    shares: FloatArray,
) -> None:
    """Write, for every forest, the share of every given label in the label of ``node``.

    ``given`` has the number of every node among those with a given label, -1 for others. Shares sum
    to 1; they are 0 where no label reaches the node.
    """
    for f in range(order.shape[0]):
        kept, stands = kept_places(order[f], parent[f], own, node)
        nodes, above, links, count, clamped = kept_links(
            order[f], parent[f], weight[f], own, kept, stands
        )
        source = 0
        while nodes[source] != node:
            source += 1
        if clamped[source]:
            shares[f, given[node]] = 1.0
            continue
        column = response(above, links, count, clamped, source)
        for a in range(kept.size):
            heard = count[a] * column[a]
            if a > 0 and clamped[a]:
                heard += links[a] * column[above[a]]
            if heard > 0.0:
                shares[f, given[nodes[a]]] += heard
            if a > 0 and clamped[above[a]]:
                shares[f, given[nodes[above[a]]]] += links[a] * column[a]
        total = shares[f].sum()
        if total > 0.0:
            shares[f] /= total
