"""The passes of the three stages, in density order, for K columns at once."""

from __future__ import annotations

import numpy as np
from numba import njit

from lapoleaf._typing import BoolArray, FloatArray, IntArray


@njit(cache=True, nogil=True)
def upward_means(
    order: IntArray,
    parent: IntArray,
    is_root: BoolArray,
    weight: FloatArray,
    labels: FloatArray,
    labelled: BoolArray,
) -> tuple[FloatArray, BoolArray]:
    """Give every unlabelled node the weighted mean of its labelled children, and say who has one.

    Least dense first: when a parent is reached, its children are final.
    """
    out = labels.copy()
    known = labelled.copy()
    total = np.zeros(order.size)
    for position in range(order.size - 1, -1, -1):
        i = order[position]
        if not labelled[i] and total[i] > 0.0:
            known[i] = True
            for k in range(out.shape[1]):
                out[i, k] /= total[i]
        if is_root[i] or not known[i] or labelled[parent[i]]:
            continue
        total[parent[i]] += weight[i]
        for k in range(out.shape[1]):
            out[parent[i], k] += weight[i] * out[i, k]
    return out, known


@njit(cache=True, nogil=True)
def downward_copies(
    order: IntArray, parent: IntArray, labels: FloatArray, labelled: BoolArray
) -> FloatArray:
    """Give every unlabelled node the label of its parent, densest first."""
    out = labels.copy()
    for i in order:
        if not labelled[i]:
            out[i] = out[parent[i]]
    return out


@njit(cache=True, nogil=True)
def lenders_above(
    roots: IntArray, by_rank: IntArray, parent: IntArray, tree_of: IntArray, lends: BoolArray
) -> IntArray:
    """Give, for every tree, the next lending tree on the way up from its root, -1 if none.

    ``by_rank`` lists the trees from the densest root on, so a tree's answer builds on those above.
    """
    above = np.full(roots.size, -1, dtype=np.int64)
    for t in by_rank:
        leader = parent[roots[t]]
        if leader >= 0:
            over = tree_of[leader]
            above[t] = over if lends[over] else above[over]
    return above


@njit(cache=True, nogil=True)
def ways_up(borrowers: IntArray, above: IntArray, start: IntArray) -> IntArray:
    """List the lenders on the way up from each borrower, one list after the other.

    ``start`` says where the list of each borrower begins; the lists fill it exactly.
    """
    listed = np.empty(start[-1], dtype=np.int64)
    for k in range(borrowers.size):
        place = start[k]
        lender = above[borrowers[k]]
        while lender >= 0:
            listed[place] = lender
            lender = above[lender]
            place += 1
    return listed


@njit(cache=True, nogil=True)
def shares_below(
    order: IntArray,
    rank: IntArray,
    parent: IntArray,
    is_root: BoolArray,
    weight: FloatArray,
    labelled: BoolArray,
    given: BoolArray,
    source: int,
) -> FloatArray:
    """Split a share of 1 at ``source`` down to the given labels that made its label.

    A node with a given label keeps its share; any other hands it on to its labelled children in
    proportion to their weights.
    """
    total = np.zeros(order.size)
    for i in order:
        if labelled[i] and not is_root[i]:
            total[parent[i]] += weight[i]
    share = np.zeros(order.size)
    share[source] = 1.0
    for position in range(rank[source] + 1, order.size):
        i = order[position]
        p = parent[i]
        if labelled[i] and not is_root[i] and share[p] > 0.0 and not given[p]:
            share[i] = share[p] * weight[i] / total[p]
    for i in order:
        if not given[i]:
            share[i] = 0.0
    return share


@njit(cache=True, nogil=True)
def weigh_messages(
    parent: IntArray, weight: FloatArray, count: FloatArray, clamped: BoolArray, pull: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give the weights of all messages of the exact solver: they do not depend on the labels.

    Everything is in density order, so ``parent[i] < i``. ``count`` is the weight of a node's own
    label, 0 where not given. Two passes of Gaussian elimination without fill-in: leaves first,
    then back. No subtraction anywhere, so nothing cancels.

    Returns
    -------
    up, down : ndarray of shape (n,)
        Weight of the message from a node to its parent, and from the parent to the node.
    rise, fall : ndarray of shape (n,)
        Share of what is known on the near side of a link that reaches the far side.
    below : ndarray of shape (n,)
        Sum of what comes to a node from its children, and of the pull to zero.
    """
    n = parent.size
    below = pull.copy()
    up, down, rise, fall = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    before = np.zeros(n)
    for i in range(n - 1, 0, -1):
        known = below[i] + count[i]
        if clamped[i]:
            up[i] = weight[i]
        elif known + weight[i] > 0.0:
            rise[i] = weight[i] / (known + weight[i])
            up[i] = rise[i] * known
        before[i] = below[parent[i]]
        below[parent[i]] += up[i]
    after = np.zeros(n)
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


@njit(cache=True, nogil=True)
def carry_labels(
    parent: IntArray,
    weight: FloatArray,
    count: FloatArray,
    clamped: BoolArray,
    rise: FloatArray,
    below: FloatArray,
    labels: FloatArray,
) -> FloatArray:
    """Give the exact labels of all nodes, (n, K): one pass up, one pass down.

    A node on which nothing known can bear gets the label of its parent.
    """
    n, columns = labels.shape
    out = np.zeros((n, columns))
    for i in range(n - 1, 0, -1):
        p = parent[i]
        for k in range(columns):
            if clamped[i]:
                out[p, k] += weight[i] * labels[i, k]
            else:
                out[i, k] += count[i] * labels[i, k]
                out[p, k] += rise[i] * out[i, k]
    if not clamped[0]:
        out[0] += count[0] * labels[0]
    for i in range(n):
        p = parent[i]
        above = weight[i] if i > 0 else 0.0
        total = below[i] + count[i] + above
        for k in range(columns):
            if clamped[i]:
                out[i, k] = labels[i, k]
            elif total > 0.0:
                sent = above * out[p, k] if i > 0 else 0.0
                out[i, k] = (out[i, k] + sent) / total
            elif i > 0:
                out[i, k] = out[p, k]
    return out


@njit(cache=True, nogil=True)
def labels_without_own(
    parent: IntArray,
    weight: FloatArray,
    count: FloatArray,
    clamped: BoolArray,
    given: BoolArray,
    rise: FloatArray,
    fall: FloatArray,
    others: FloatArray,
    labels: FloatArray,
) -> FloatArray:
    """Give the label that every given node would get without its own, NaN for all other nodes.

    ``others`` is the weight of all a node hears from its neighbours; where it is 0, nothing else
    bears on the node and the answer is NaN.
    """
    n, columns = labels.shape
    below = np.zeros((n, columns))
    heard = np.zeros((n, columns))
    for i in range(n - 1, 0, -1):
        p = parent[i]
        for k in range(columns):
            heard[i, k] = below[p, k]
            if clamped[i]:
                below[p, k] += weight[i] * labels[i, k]
            else:
                below[p, k] += rise[i] * (below[i, k] + count[i] * labels[i, k])
    after = np.zeros((n, columns))
    out = np.full((n, columns), np.nan)
    for i in range(n):
        p = parent[i]
        for k in range(columns):
            if i > 0:
                if clamped[p]:
                    known = weight[i] * labels[p, k]
                else:
                    known = heard[i, k] + after[p, k] + heard[p, k] + count[p] * labels[p, k]
                    known *= fall[i]
                own = below[i, k] + count[i] * labels[i, k]
                after[p, k] += weight[i] * labels[i, k] if clamped[i] else rise[i] * own
                heard[i, k] = known
            if given[i] and others[i] > 0.0:
                out[i, k] = (below[i, k] + heard[i, k]) / others[i]
    return out


@njit(cache=True, nogil=True)
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
    """Split a share of 1 at ``node`` over the given labels that its exact label is made of.

    A node that is entered from one side splits what enters over its own label and what it hears
    from all other sides; a clamped node absorbs all. In density order.
    """
    n = parent.size
    on_path = np.zeros(n, dtype=np.bool_)
    i = node
    while True:
        on_path[i] = True
        if clamped[i] or i == 0:
            break
        i = parent[i]
    # What a node on the path hears from below, except from the node below it on the path.
    aside = pull.copy()
    for j in range(1, n):
        if on_path[parent[j]] and not on_path[j]:
            aside[parent[j]] += up[j]
    own = np.zeros(n)
    # How much one unit of weight gets of what entered a node.
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
