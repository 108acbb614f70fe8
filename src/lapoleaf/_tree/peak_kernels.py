"""Heights of the passes between peaks of a density."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


@kernel
def _peak(above, node):  # type: ignore[no-untyped-def]
    """Return the densest node of the component of a node, with path halving."""
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@kernel
def highest_passes(
    ends: IntArray, others: IntArray, heights: FloatArray, order: IntArray, rank: IntArray
) -> FloatArray:
    """Return the height of the highest pass from every node to a node ahead of it in rank.

    Edges ``ends[e]`` to ``others[e]`` are processed in ``order``, the highest first. An edge that
    joins two components is the pass of the one with the less dense peak. Minus infinity at the
    first node in rank.
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
