"""The passes of the exact solver, in density order: place 0 is the densest, ``parent[i] < i``.

``order[i]`` is the node at place i. Labels are in the order of nodes, everything else is in density
order. ``count`` is the weight of a node's own label, 0 where not given, and ``clamped`` marks nodes
whose label is kept.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def message_weights(
    parent: IntArray, weight: FloatArray, count: FloatArray, clamped: BoolArray, pull: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the weights of all messages between nodes, which do not depend on the labels.

    Two passes of Gaussian elimination without fill-in, leaves first, then back. There are no
    subtractions and so no cancellation.

    Returns
    -------
    up, down : ndarray of shape (n,)
        Weight of the message from a node to its parent, and from the parent to the node.
    rise, fall : ndarray of shape (n,)
        Share of a message that passes a link, upwards and downwards.
    below : ndarray of shape (n,)
        Sum of the messages from the children and of the pull to zero.
    """
    n = parent.size
    up, down, rise, fall = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    below, before, after = np.empty(n), np.empty(n), np.empty(n)
    # A loop: np.zeros would have to be compiled.
    for i in range(n):
        up[i] = down[i] = rise[i] = fall[i] = before[i] = after[i] = 0.0
        below[i] = pull[i]
    for i in range(n - 1, 0, -1):
        known = below[i] + count[i]
        if clamped[i]:
            up[i] = weight[i]
        elif known + weight[i] > 0.0:
            rise[i] = weight[i] / (known + weight[i])
            up[i] = rise[i] * known
        before[i] = below[parent[i]]
        below[parent[i]] += up[i]
    for i in range(1, n):
        p = parent[i]
        if clamped[p]:
            down[i] = weight[i]
        else:
            known = before[i] + after[p] + down[p] + count[p]
            if known + weight[i] > 0.0:
                fall[i] = weight[i] / (known + weight[i])
                down[i] = fall[i] * known
        after[p] += up[i]
    return up, down, rise, fall, below


@kernel
def solve_labels(
    order: IntArray,
    parent: IntArray,
    weight: FloatArray,
    count: FloatArray,
    clamped: BoolArray,
    rise: FloatArray,
    own: FloatArray,
    below: FloatArray,
    labels: FloatArray,
) -> FloatArray:
    """Return the exact labels of all nodes, (n, K): one pass up, one pass down.

    ``own`` is the weight of a node's own label in its message up. A node without a message from
    below has its parent's label; so has a node that no label reaches.
    """
    n, columns = labels.shape
    out = np.zeros((n, columns))
    for i in range(n - 1, 0, -1):
        if below[i] == 0.0 and own[i] == 0.0:
            continue
        node, leader = order[i], order[parent[i]]
        for k in range(columns):
            out[leader, k] += rise[i] * out[node, k] + own[i] * labels[node, k]
    for i in range(n):
        node, leader = order[i], order[max(parent[i], 0)]
        known = below[i] + count[i]
        # The root has no leader, so its weight is 0.
        total = known + weight[i]
        for k in range(columns):
            if clamped[i]:
                out[node, k] = labels[node, k]
            elif known > 0.0:
                heard = out[node, k] + count[i] * labels[node, k]
                out[node, k] = (heard + weight[i] * out[leader, k]) / total
            else:
                out[node, k] = out[leader, k]
    return out


@kernel
def at_or_above(parent: IntArray, marked: BoolArray) -> BoolArray:
    """Mark every place that is marked or above a marked one."""
    out = marked.copy()
    for i in range(parent.size - 1, 0, -1):
        if out[i]:
            out[parent[i]] = True
    return out


@kernel
def labels_without_own(
    parent: IntArray,
    weight: FloatArray,
    count: FloatArray,
    clamped: BoolArray,
    rise: FloatArray,
    own: FloatArray,
    fall: FloatArray,
    others: FloatArray,
    labels: FloatArray,
) -> FloatArray:
    """Return the label of every place without its own, NaN if no other label reaches it.

    Places without a label at or below them may be omitted. ``others`` is the weight of all messages
    from neighbours. Labels are in density order here.
    """
    n, columns = labels.shape
    below = np.zeros((n, columns))
    # Messages of siblings after i to its parent, later the message from the parent to i.
    heard = np.zeros((n, columns))
    for i in range(n - 1, 0, -1):
        p = parent[i]
        for k in range(columns):
            heard[i, k] = below[p, k]
            below[p, k] += rise[i] * below[i, k] + own[i] * labels[i, k]
    # Messages of siblings before i to its parent.
    ahead = np.zeros((n, columns))
    for i in range(n):
        p = max(parent[i], 0)
        for k in range(columns):
            if clamped[p]:
                heard[i, k] = weight[i] * labels[p, k]
            elif i > 0:
                known = heard[i, k] + ahead[p, k] + heard[p, k] + count[p] * labels[p, k]
                ahead[p, k] += rise[i] * below[i, k] + own[i] * labels[i, k]
                heard[i, k] = fall[i] * known
            # The sum below i is not needed any more and is overwritten by the result.
            below[i, k] = (below[i, k] + heard[i, k]) / others[i] if others[i] > 0.0 else np.nan
    return below


@kernel
def exact_shares(
    parent: IntArray,
    count: FloatArray,
    clamped: BoolArray,
    up: FloatArray,
    down: FloatArray,
    below: FloatArray,
    pull: FloatArray,
    node: int,
) -> FloatArray:
    """Distribute a share of 1 at ``node`` over the given labels that determine its exact label.

    A node splits its share over its own label and the messages from all other sides; a clamped node
    keeps all. ``node`` and the shares are in density order.
    """
    n = parent.size
    on_path = np.zeros(n, dtype=np.bool_)
    i = node
    while True:
        on_path[i] = True
        if clamped[i] or i == 0:
            break
        i = parent[i]
    # Messages from below to a node on the path, except from the previous node on the path.
    aside = pull.copy()
    for j in range(1, n):
        if on_path[parent[j]] and not on_path[j]:
            aside[parent[j]] += up[j]
    own = np.zeros(n)
    # Share per unit of weight at a node.
    rate = np.zeros(n)
    share, i = 1.0, node
    while share > 0.0:
        if clamped[i]:
            own[i] = share
            break
        total = aside[i] + count[i] + down[i]
        if total == 0.0:
            break
        rate[i] = share / total
        own[i] = rate[i] * count[i]
        share = rate[i] * down[i]
        if i == 0:
            break
        i = parent[i]
    for j in range(1, n):
        if on_path[j] or rate[parent[j]] == 0.0:
            continue
        entering = rate[parent[j]] * up[j]
        if clamped[j]:
            own[j] = entering
        elif entering > 0.0:
            rate[j] = entering / (below[j] + count[j])
            own[j] = rate[j] * count[j]
    return own
