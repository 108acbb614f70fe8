"""Sums of covariances of labels for all nodes at once, in density order like the exact solver.

``mass`` is the weight of what is known of a node by itself: its own label and the pull to zero.
The covariance of two nodes is the variance of one times the shares along the path to the other, so
that sums over all others take two passes.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._propagation.exact_kernels import message_weights
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def field_links(
    order: IntArray, rank: IntArray, leader: IntArray, strength: FloatArray, unit: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return parents, weights of links and degrees in density order; the first has no link.

    ``order``, ``rank`` and ``leader`` are those of the tree, ``strength`` is in the order of nodes.
    """
    n = order.size
    parent, weight, below = np.empty(n, dtype=np.int64), np.empty(n), np.zeros(n)
    parent[0], weight[0] = -1, 0.0
    for i in range(1, n):
        parent[i] = rank[leader[order[i]]]
        weight[i] = strength[order[i]] / unit
        below[parent[i]] += weight[i]
    return parent, weight, weight + below


@kernel
def field_masses(
    order: IntArray,
    population: FloatArray,
    own: FloatArray,
    concern: FloatArray,
    degree: FloatArray,
    unit: float,
    pull: float,
    clamp_factor: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return masses, weights of clamped labels and concerns in density order.

    ``own`` is the weight of a node's own label, infinite where it is clamped; it, ``population``
    and ``concern`` are in the order of nodes.
    """
    n = order.size
    mass, clamp, amount = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        node = order[i]
        pulled = pull * population[node] / unit
        clamp[i] = clamp_factor * (degree[i] + pulled)
        mass[i] = pulled + (clamp[i] if own[node] == np.inf else own[node] / unit)
        amount[i] = concern[node]
    return mass, clamp, amount


@kernel
def best_of_stretches(walk: IntArray, gains: FloatArray, n_nodes: int, n: int) -> IntArray:
    """Return the place with the largest gain in each of n equal stretches of a walk, ascending.

    ``walk`` is the position of every place in the walk of ``n_nodes`` nodes. Of equal gains the
    first place counts.
    """
    at = np.full(n_nodes, -1, dtype=np.int64)
    for place in range(walk.size):
        at[walk[place]] = place
    best = np.full(n, -1, dtype=np.int64)
    seen = 0
    for position in range(n_nodes):
        place = at[position]
        if place < 0:
            continue
        stretch = seen * n // walk.size
        other = best[stretch]
        if (
            other < 0
            or gains[place] > gains[other]
            or (gains[place] == gains[other] and place < other)
        ):
            best[stretch] = place
        seen += 1
    return np.sort(best[best >= 0])


@kernel
def _messages(
    parent: IntArray, weight: FloatArray, mass: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the variances, and the shares of a label that pass every link up and down."""
    n = parent.size
    nothing, none_given = np.zeros(n), np.zeros(n, dtype=np.bool_)
    _, down, rise, fall, below = message_weights(parent, weight, nothing, none_given, mass)
    return 1.0 / (below + down), rise, fall


@kernel
def covariances_with_sum(
    parent: IntArray, weight: FloatArray, mass: FloatArray, amount: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return :math:`Var(L_v)` and :math:`\sum_u a_u Cov(L_u, L_v)` of every node v."""
    n = parent.size
    variance, rise, fall = _messages(parent, weight, mass)
    inside, before = amount.copy(), np.zeros(n)
    for i in range(n - 1, 0, -1):
        before[i] = inside[parent[i]]
        inside[parent[i]] += rise[i] * inside[i]
    outside, after = np.zeros(n), np.zeros(n)
    for i in range(1, n):
        p = parent[i]
        outside[i] = fall[i] * (before[i] + after[p] + outside[p])
        after[p] += rise[i] * inside[i]
    return variance, (inside + outside) * variance


@kernel
def explained_variances(
    parent: IntArray, weight: FloatArray, mass: FloatArray, amount: FloatArray, cross: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return :math:`Var(L_v)` and :math:`\sum_u a_u Cov(L_u, L_v)^2 / Var(L_v)` of every node v.

    ``cross`` is the weight of the product of a node's covariance and its parent's, which stands for
    nodes eliminated between them: see :func:`thin_tree`.
    """
    n = parent.size
    variance, rise, fall = _messages(parent, weight, mass)
    inside, before = amount.copy(), np.zeros(n)
    for i in range(n - 1, 0, -1):
        before[i] = inside[parent[i]]
        inside[parent[i]] += rise[i] * (rise[i] * inside[i] + cross[i])
    outside, after = np.zeros(n), np.zeros(n)
    for i in range(1, n):
        p = parent[i]
        outside[i] = fall[i] * (fall[i] * (before[i] + after[p] + outside[p]) + cross[i])
        after[p] += rise[i] * (rise[i] * inside[i] + cross[i])
    return variance, (inside + outside) * variance


@kernel
def thin_tree(
    parent: IntArray, weight: FloatArray, mass: FloatArray, amount: FloatArray, kept: BoolArray
) -> tuple[BoolArray, IntArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Eliminate all nodes but those to be kept, their branching points and the root.

    Elimination is exact: the mass, the link and the amounts of a node pass to its neighbours, in
    the shares in which they determine its label. In a tree, an eliminated node has only one or two
    neighbours left.

    Returns
    -------
    stays : ndarray of shape (n,), bool
        Nodes that are left; values of the others below are undefined.
    parent, weight, mass : ndarray of shape (n,)
        The tree that is left.
    linear : ndarray of shape (n,)
        Amounts of the labels, for :func:`covariances_with_sum`.
    square, cross : ndarray of shape (n,)
        Amounts of the squares, for :func:`explained_variances`.
    """
    n = parent.size
    stays, top, weight, mass = kept.copy(), parent.copy(), weight.copy(), mass.copy()
    linear, square, cross = amount.copy(), amount.copy(), np.zeros(n)
    n_children, child = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    stays[0] = True
    for i in range(n - 1, 0, -1):
        p = parent[i]
        if stays[i] or n_children[i] > 1:
            stays[i] = True
            n_children[p] += 1
            child[p] = i
        elif n_children[i] == 0:
            to_p = weight[i] / (mass[i] + weight[i])
            mass[p] += to_p * mass[i]
            linear[p] += to_p * linear[i]
            square[p] += to_p * to_p * square[i]
        else:
            j = child[i]
            total = mass[i] + weight[i] + weight[j]
            to_p, to_j = weight[i] / total, weight[j] / total
            weight[j] = to_j * weight[i]
            mass[p] += to_p * mass[i]
            mass[j] += to_j * mass[i]
            linear[p] += to_p * linear[i]
            linear[j] += to_j * linear[i]
            square[p] += to_p * to_p * square[i]
            square[j] += to_j * (to_j * square[i] + cross[j])
            cross[j] = to_p * (2.0 * to_j * square[i] + cross[j])
            top[j] = p
            n_children[p] += 1
            child[p] = j
    return stays, top, weight, mass, linear, square, cross
