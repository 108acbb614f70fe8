"""The links of several trees as one graph.

Plain loops over preallocated arrays, which compile faster.
"""

from __future__ import annotations

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


@kernel
def list_from_both_ends(
    parents: IntArray,
    strengths: FloatArray,
    filled: IntArray,
    ends: IntArray,
    weight: FloatArray,
) -> None:
    """Write the links of every node, of all trees, from ``filled`` on.

    ``parents`` (n_trees, n) holds -1 for roots.
    """
    for tree in range(parents.shape[0]):
        for i in range(parents.shape[1]):
            p = parents[tree, i]
            if p >= 0:
                ends[filled[i]] = p
                weight[filled[i]] = strengths[tree, i]
                filled[i] += 1
                ends[filled[p]] = i
                weight[filled[p]] = strengths[tree, i]
                filled[p] += 1


@kernel
def list_in_order(
    start: IntArray,
    other: IntArray,
    other_weight: FloatArray,
    filled: IntArray,
    ends: IntArray,
    weight: FloatArray,
) -> None:
    """Write all links from their other ends, which sorts those of every node by their ends."""
    for i in range(start.size - 1):
        for link in range(start[i], start[i + 1]):
            j = other[link]
            ends[filled[j]] = i
            weight[filled[j]] = other_weight[link]
            filled[j] += 1


@kernel
def merge_pairs(
    start: IntArray, ends: IntArray, weight: FloatArray, begin: IntArray, total: FloatArray
) -> None:
    """Keep every pair once, with its maximum weight, at the beginning of the arrays.

    Writes where the links of every node begin then, and the sum of their weights.
    """
    kept = 0
    for i in range(start.size - 1):
        for link in range(start[i], start[i + 1]):
            if kept > begin[i] and ends[kept - 1] == ends[link]:
                weight[kept - 1] = max(weight[kept - 1], weight[link])
            else:
                ends[kept] = ends[link]
                weight[kept] = weight[link]
                kept += 1
        begin[i + 1] = kept
        total[i] = 0.0
        for link in range(begin[i], kept):
            total[i] += weight[link]
