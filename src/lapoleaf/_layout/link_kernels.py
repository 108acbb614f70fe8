"""The links of several trees as one graph."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


@kernel
def _listed_from_both_ends(parents, strengths):  # type: ignore[no-untyped-def]
    """Return the links of every node, those to lower numbers first, with repetitions."""
    n_trees, n = parents.shape
    start = np.zeros(n + 1, dtype=np.int64)
    for tree in range(n_trees):
        for i in range(n):
            if parents[tree, i] >= 0:
                start[i + 1] += 1
                start[parents[tree, i] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    filled = start[:-1].copy()
    other = np.empty(start[n], dtype=np.int32)
    other_strength = np.empty(start[n], dtype=np.float32)
    for tree in range(n_trees):
        for i in range(n):
            p = parents[tree, i]
            if p >= 0:
                other[filled[i]], other_strength[filled[i]] = p, strengths[tree, i]
                other[filled[p]], other_strength[filled[p]] = i, strengths[tree, i]
                filled[i] += 1
                filled[p] += 1
    # Written once more from the other end, the links of every node are in order.
    filled[:] = start[:-1]
    ends, strength = np.empty_like(other), np.empty_like(other_strength)
    for i in range(n):
        for link in range(start[i], start[i + 1]):
            j = other[link]
            ends[filled[j]], strength[filled[j]] = i, other_strength[link]
            filled[j] += 1
    return start, ends, strength


@kernel
def merged_links(
    parents: IntArray, strengths: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the links of every node begin, their ends and weights, each pair once.

    Of a pair that several trees link the greatest strength w counts. Weights are normalised from
    both ends, ``w (1 / S_i + 1 / S_j) / 2`` with S the sum of a node's strengths, so that those of
    a node add up to 1 on average.

    ``parents`` (n_trees, n) holds -1 for roots.
    """
    start, ends, weight = _listed_from_both_ends(parents, strengths)
    n, kept = start.size - 1, 0
    begin, total = np.zeros(n + 1, dtype=np.int64), np.zeros(n)
    for i in range(n):
        for link in range(start[i], start[i + 1]):
            if kept > begin[i] and ends[kept - 1] == ends[link]:
                weight[kept - 1] = max(weight[kept - 1], weight[link])
            else:
                ends[kept], weight[kept] = ends[link], weight[link]
                kept += 1
        begin[i + 1] = kept
        for link in range(begin[i], kept):
            total[i] += weight[link]
    for i in range(n):
        for link in range(begin[i], begin[i + 1]):
            weight[link] *= 0.5 / total[i] + 0.5 / total[ends[link]]
    return begin, ends[:kept].copy(), weight[:kept].copy()
