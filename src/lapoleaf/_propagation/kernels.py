"""The passes of the three stages, in density order, for K columns at once."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import BoolArray, FloatArray, IntArray


@kernel
def upward_means(
    order: IntArray,
    parent: IntArray,
    is_root: BoolArray,
    weight: FloatArray,
    labels: FloatArray,
    labelled: BoolArray,
) -> tuple[FloatArray, BoolArray]:
    """Return labels with weighted means of labelled children at unlabelled nodes, and a mask.

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


@kernel
def downward_copies(
    order: IntArray, parent: IntArray, labels: FloatArray, labelled: BoolArray
) -> FloatArray:
    """Return labels with those of their parents at unlabelled nodes, densest first."""
    out = labels.copy()
    for i in order:
        if not labelled[i]:
            for k in range(out.shape[1]):
                out[i, k] = out[parent[i], k]
    return out


@kernel
def means_of_given(
    node_of: IntArray, weight: FloatArray, values: FloatArray, n_nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean of the numbers given to the rows of every node, and their weight.

    A number that is NaN was not given; a row of node -1 is in no node.
    """
    means, count = np.zeros(n_nodes), np.zeros(n_nodes)
    for row in range(node_of.size):
        if node_of[row] >= 0 and not np.isnan(values[row]):
            means[node_of[row]] += weight[row] * values[row]
            count[node_of[row]] += weight[row]
    for i in range(n_nodes):
        if count[i] > 0.0:
            means[i] /= count[i]
    return means, count


@kernel
def lenders_above(
    roots: IntArray, by_rank: IntArray, parent: IntArray, tree_of: IntArray, lends: BoolArray
) -> IntArray:
    """Return, for every tree, the next lending tree on the way up from its root, -1 if none.

    ``by_rank`` lists the trees from the densest root on, so a tree's answer builds on those above.
    """
    above = np.full(roots.size, -1, dtype=np.int64)
    for t in by_rank:
        leader = parent[roots[t]]
        if leader >= 0:
            over = tree_of[leader]
            above[t] = over if lends[over] else above[over]
    return above


@kernel
def ways_up(borrowers: IntArray, above: IntArray, start: IntArray) -> IntArray:
    """Return the concatenated lists of lenders on the way up from each borrower.

    ``start`` is where the list of each borrower begins; the lists fill it exactly.
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


@kernel
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
    """Distribute a share of 1 at ``source`` over the given labels that determine its label.

    A node with a given label keeps its share; any other passes it to its labelled children in
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
