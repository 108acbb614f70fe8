"""How high the passes between peaks of a density are."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


@kernel
def _peak(above, node):  # type: ignore[no-untyped-def]
    """Return the densest node of the part that a node is in; the way there is halved."""
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@kernel
def highest_passes(
    ends: IntArray, others: IntArray, heights: FloatArray, order: IntArray, rank: IntArray
) -> FloatArray:
    """Return the height of the highest pass from every node to one that is ahead of it in rank.

    Edges ``ends[e]`` to ``others[e]`` are taken in ``order``, the highest first. Where one joins
    two parts, the part with the less dense peak ends: this edge is the pass. Minus infinity at the
    node that is ahead of all.
    """
    above = np.arange(rank.size)
    passes = np.full(rank.size, -np.inf)
    for edge in order:
        one, other = _peak(above, ends[edge]), _peak(above, others[edge])
        if one != other:
            lower, higher = (one, other) if rank[one] > rank[other] else (other, one)
            passes[lower] = heights[edge]
            above[lower] = higher
    return passes
