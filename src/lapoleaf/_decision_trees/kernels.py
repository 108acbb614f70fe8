"""Kernels that grow random decision trees, and predict.

Labels are sparse: an entry adds an amount to a column, and a row has one entry for every class it
was given, or for every target. Squares of sums are updated entry by entry, so that the cost of a
split is the number of entries, independent of the number of classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray

# Relative rounding error of sums. A leaf is pure if the variance of its rows is less than this
# share of their squares; of two splits that differ by less, the first one drawn is taken,
# independent of the order of rows.
_ROUNDING = 1e-12


@kernel(no_cpython_wrapper=True)
def _mixed(value: Any) -> Any:
    """Return 64 pseudo-random bits of a number (SplitMix64)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel(no_cpython_wrapper=True)
def _fraction(bits: Any) -> float:
    """Return a number in [0, 1) from random bits."""
    return float(bits >> np.uint64(11)) / 9007199254740992.0


@kernel(no_cpython_wrapper=True)
def _add(
    row: int, start: IntArray, column: IntArray, amount: FloatArray, sums: FloatArray
) -> float:
    """Add the entries of a row to sums, and return the increase of their squares."""
    growth = 0.0
    for e in range(start[row], start[row + 1]):
        growth += amount[e] * (2.0 * sums[column[e]] + amount[e])
        sums[column[e]] += amount[e]
    return growth


@kernel(no_cpython_wrapper=True)
def _score(
    values: FloatArray,
    rows: IntArray,
    threshold: float,
    start: IntArray,
    column: IntArray,
    amount: FloatArray,
    count: FloatArray,
    sides: FloatArray,
) -> float:
    """Return the score of a threshold: squared sums over weights.

    ``sides`` holds sums of the rows on the left and of those on the right, 0 before and after.
    """
    squares_left, squares_right, weight_left, weight_right = 0.0, 0.0, 0.0, 0.0
    n_sums = sides.size // 2
    # Each side is summed separately, since a difference would cancel rows of small weights. Without
    # a branch, which would be mispredicted half of the time: the other side gets a 0.
    for row in rows:
        goes_left = values[row] <= threshold
        side = 0 if goes_left else n_sums
        growth = 0.0
        for e in range(start[row], start[row + 1]):
            place = side + column[e]
            growth += amount[e] * (2.0 * sides[place] + amount[e])
            sides[place] += amount[e]
        squares_left += growth if goes_left else 0.0
        squares_right += 0.0 if goes_left else growth
        weight_left += count[row] if goes_left else 0.0
        weight_right += 0.0 if goes_left else count[row]
    if rows.size > n_sums:
        for place in range(sides.size):
            sides[place] = 0.0
    else:
        for row in rows:
            for e in range(start[row], start[row + 1]):
                sides[column[e]] = sides[n_sums + column[e]] = 0.0
    return squares_left / weight_left + squares_right / weight_right


@kernel(no_cpython_wrapper=True)
def _is_pure(
    rows: IntArray,
    start: IntArray,
    column: IntArray,
    amount: FloatArray,
    count: FloatArray,
    sums: FloatArray,
) -> bool:
    """Whether all rows have the same label; ``sums`` are 0 before and after."""
    if rows.size == 1:
        return True
    weight, squares, own = 0.0, 0.0, 0.0
    for row in rows:
        weight += count[row]
        squares += _add(row, start, column, amount, sums)
        for e in range(start[row], start[row + 1]):
            own += amount[e] * amount[e] / count[row]
    for row in rows:
        for e in range(start[row], start[row + 1]):
            sums[column[e]] = 0.0
    return own - squares / weight <= _ROUNDING * own


@kernel
def grow(
    columns: FloatArray,
    start: IntArray,
    column: IntArray,
    amount: FloatArray,
    count: FloatArray,
    n_sums: int,
    seed: int,
    n_tried: int,
    members: IntArray,
    feature: IntArray,
    threshold: FloatArray,
    first: IntArray,
    size: IntArray,
) -> int:
    """Grow a tree until its leaves are pure, and return its number of nodes.

    At every node some columns that vary are drawn, a threshold between the extremes of each, and
    the best of them splits the node (Geurts 2006). The draws at a node depend on the seed and the
    path to it, not on the order of rows.

    Parameters
    ----------
    columns : ndarray of shape (d, m)
        The labelled rows, column by column.
    start, column, amount : ndarray
        Entries of the labels of every row.
    count : ndarray of shape (m,)
        Weight of every row.
    n_sums : int
        Number of classes or targets.
    seed : int
        Seed of the tree.
    n_tried : int
        Number of columns tried at a node.
    members : ndarray of shape (m',)
        The rows the tree is grown from; those of a leaf stand together in the end.
    feature, threshold, first, size : ndarray of shape (2 m' - 1,)
        Filled: the column that splits a node, -1 at a leaf; rows with at most the threshold go
        left; the left child, whose sibling follows it, or the first member of a leaf; the number of
        members of a leaf, 0 at a split.
    """
    d = columns.shape[0]
    order, drawn = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    for c in range(d):
        order[c] = c
    sums = np.empty(2 * n_sums)
    for k in range(2 * n_sums):
        sums[k] = 0.0
    key = np.empty(feature.size, dtype=np.uint64)
    stop = np.empty(feature.size, dtype=np.int64)
    key[0], first[0], stop[0] = _mixed(np.uint64(seed)), 0, members.size
    n_nodes, node = 1, 0
    while node < n_nodes:
        rows = members[first[node] : stop[node]]
        # Below every score, which is a sum of squares.
        best, best_column, best_threshold = -1.0, -1, 0.0
        n_to_try, n_drawn, bits = n_tried, 0, key[node]
        if _is_pure(rows, start, column, amount, count, sums):
            n_to_try = 0
        while n_to_try > 0 and n_drawn < d:
            bits = _mixed(bits)
            place = n_drawn + int(_fraction(bits) * (d - n_drawn))
            drawn[n_drawn] = place
            order[n_drawn], order[place] = order[place], order[n_drawn]
            values = columns[order[n_drawn]]
            low = high = values[rows[0]]
            for row in rows:
                value = values[row]
                low, high = value if value < low else low, value if value > high else high
            n_drawn += 1
            if not low < high:
                continue
            n_to_try -= 1
            bits = _mixed(bits)
            share = _fraction(bits)
            at = low * (1.0 - share) + high * share
            if not low <= at < high:
                at = low
            found = _score(values, rows, at, start, column, amount, count, sums)
            if found > best + _ROUNDING * abs(best):
                best, best_column, best_threshold = found, order[n_drawn - 1], at
        # Restore the order, so that draws at the next node do not depend on this one.
        for k in range(n_drawn - 1, -1, -1):
            order[k], order[drawn[k]] = order[drawn[k]], order[k]
        feature[node], threshold[node], size[node] = best_column, best_threshold, rows.size
        if best_column >= 0:
            middle = _partition(columns[best_column], best_threshold, rows)
            child = n_nodes
            n_nodes += 2
            first[child], stop[child] = first[node], first[node] + middle
            first[child + 1], stop[child + 1] = first[node] + middle, stop[node]
            key[child] = _mixed(key[node] ^ np.uint64(1))
            key[child + 1] = _mixed(key[node] ^ np.uint64(2))
            first[node], size[node] = child, 0
        node += 1
    return n_nodes


@kernel
def grow_many(
    columns: FloatArray,
    start: IntArray,
    column: IntArray,
    amount: FloatArray,
    count: FloatArray,
    n_sums: int,
    seeds: IntArray,
    n_tried: int,
    begin: IntArray,
    members: IntArray,
    feature: IntArray,
    threshold: FloatArray,
    first: IntArray,
    size: IntArray,
    n_nodes: IntArray,
) -> None:
    """Grow trees side by side: see :func:`grow`.

    Parameters
    ----------
    columns, start, column, amount, count, n_sums, n_tried
        As for one tree.
    seeds : ndarray of shape (n_trees,)
        Seeds of the trees.
    begin : ndarray of shape (n_trees + 1,)
        Where the members of every tree begin, and where the last ones end.
    members : ndarray of shape (m',)
        The members of all trees.
    feature, threshold, first, size : ndarray of shape (2 m' - n_trees,)
        Filled: the nodes of a tree begin where those of ``2 m - 1`` nodes of every tree before it
        end, independently of its actual number of nodes.
    n_nodes : ndarray of shape (n_trees,)
        Filled: the number of nodes of every tree.
    """
    for tree in range(seeds.size):
        own = members[begin[tree] : begin[tree + 1]]
        at = 2 * begin[tree] - tree
        stop = at + 2 * own.size - 1
        n_nodes[tree] = grow(
            columns, start, column, amount, count, n_sums, seeds[tree], n_tried, own,
            feature[at:stop], threshold[at:stop], first[at:stop], size[at:stop],
        )  # fmt: skip


@kernel
def _partition(values: FloatArray, threshold: float, rows: IntArray) -> int:
    """Move rows with at most the threshold to the front, and return their number."""
    right = np.empty(rows.size, dtype=np.int64)
    n_left, n_right = 0, 0
    # Every row is written to both ends, without a branch; one end goes on.
    for row in rows:
        goes_left = values[row] <= threshold
        rows[n_left] = row
        right[n_right] = row
        n_left += goes_left
        n_right += not goes_left
    for place in range(n_right):
        rows[n_left + place] = right[place]
    return n_left


@kernel
def add_answers(
    X: FloatArray,
    roots: IntArray,
    feature: IntArray,
    threshold: FloatArray,
    first: IntArray,
    size: IntArray,
    members: IntArray,
    start: IntArray,
    column: IntArray,
    amount: FloatArray,
    count: FloatArray,
    out: FloatArray,
) -> None:
    """Add to ``out`` (n, K) the mean over some trees of the labels in the leaf of every row.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    roots : ndarray of shape (t,)
        Nodes at which the trees begin.
    feature, threshold, first, size : ndarray of shape (n_nodes,)
        The trees: see :func:`grow`; ``first`` holds places in all nodes, or in all members.
    members : ndarray
        Labelled rows in the leaves.
    start, column, amount, count : ndarray
        Labels of these rows.
    out : ndarray of shape (n, K)
        What is added to.
    """
    for i in range(X.shape[0]):
        for root in roots:
            node = root
            while feature[node] >= 0:
                # NaN go right, like values above all thresholds.
                goes_left = X[i, feature[node]] <= threshold[node]
                node = first[node] if goes_left else first[node] + 1
            weight = 0.0
            for place in range(first[node], first[node] + size[node]):
                weight += count[members[place]]
            for place in range(first[node], first[node] + size[node]):
                row = members[place]
                for e in range(start[row], start[row + 1]):
                    out[i, column[e]] += amount[e] / (weight * roots.size)
