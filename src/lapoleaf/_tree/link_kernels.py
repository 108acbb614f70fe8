"""Self-tuned weights of links, ``exp(-2 d**2 / (s t))``, and their inverse, the resistance.

d is the length of the link, s and t are the scales of its ends: their distances to their 10th
neighbours. Ratios are computed before products, since squares of distances may underflow or
overflow.
"""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Maximum resistance of a link.
MAX_RESISTANCE = 1e12
# Maximum exponent without overflow.
_MAX_EXPONENT = 700.0


@kernel(inline="always")
def resistance(length, one, other):  # type: ignore[no-untyped-def]
    """Return ``exp(2 d**2 / (s t))`` of a link, at most ``MAX_RESISTANCE``."""
    square = (length / one) * (length / other)
    return min(math.exp(min(2.0 * square, _MAX_EXPONENT)), MAX_RESISTANCE)


@kernel
def link_strengths(lengths: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the self-tuned weight of every link: one over its resistance."""
    out = np.empty(lengths.size)
    for k in range(lengths.size):
        out[k] = 1.0 / resistance(lengths[k], one[k], other[k])
    return out


def lengths_of_resistances(
    resistances: FloatArray, one: FloatArray, other: FloatArray
) -> FloatArray:
    """Return the length that a single link of each resistance has between ends of these scales."""
    length: FloatArray = np.sqrt(0.5 * np.log(resistances)) * np.sqrt(one) * np.sqrt(other)
    return length


@kernel
def connected_parts(neighbours: IntArray) -> IntArray:
    """Return the representative of the connected component of every node."""
    n, k = neighbours.shape
    above = np.empty(n, dtype=np.int64)
    for i in range(n):
        above[i] = i
    for i in range(n):
        for a in range(k):
            one, other = i, int(neighbours[i, a])
            while above[one] != one:
                above[one] = above[above[one]]
                one = above[one]
            while above[other] != other:
                above[other] = above[above[other]]
                other = above[other]
            if one != other:
                if one > other:
                    one, other = other, one
                above[other] = one
    for i in range(n):
        above[i] = above[above[i]]
    return above


@kernel(no_cpython_wrapper=True)
def _lists(neighbours, i, j):  # type: ignore[no-untyped-def]
    """Return whether node j is among the neighbours of node i."""
    found = False
    for a in range(neighbours.shape[1]):
        found = found or neighbours[i, a] == j
    return found


@kernel
def edge_starts(neighbours: IntArray, parent: IntArray, bridge: BoolArray) -> IntArray:
    """Return where the edges of every node begin, each edge counted from both ends.

    Edges lead to the neighbours, and from nodes marked as ``bridge`` to their parents.
    """
    n, k = neighbours.shape
    start = np.empty(n + 1, dtype=np.int64)
    for i in range(n + 1):
        start[i] = 0
    for i in range(n):
        start[i + 1] += k
        for a in range(k):
            if not _lists(neighbours, neighbours[i, a], i):
                start[neighbours[i, a] + 1] += 1
        if bridge[i]:
            start[i + 1] += 1
            start[parent[i] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    return start


@kernel
def fill_edges(
    neighbours: IntArray,
    lengths: FloatArray,
    parent: IntArray,
    delta: FloatArray,
    bridge: BoolArray,
    start: IntArray,
    ends: IntArray,
    edge_lengths: FloatArray,
) -> None:
    """Write the ends and lengths of the edges of every node."""
    n, k = neighbours.shape
    filled = start[:-1].copy()
    for i in range(n):
        for a in range(k):
            j = neighbours[i, a]
            ends[filled[i]], edge_lengths[filled[i]] = j, lengths[i, a]
            filled[i] += 1
            if not _lists(neighbours, j, i):
                ends[filled[j]], edge_lengths[filled[j]] = i, lengths[i, a]
                filled[j] += 1
        if bridge[i]:
            j = parent[i]
            ends[filled[i]], edge_lengths[filled[i]] = j, delta[i]
            ends[filled[j]], edge_lengths[filled[j]] = i, delta[i]
            filled[i] += 1
            filled[j] += 1


@kernel
def edge_resistances(
    start: IntArray, ends: IntArray, lengths: FloatArray, scale: FloatArray
) -> FloatArray:
    """Return the resistance of every edge."""
    out = np.empty(ends.size)
    for i in range(start.size - 1):
        for edge in range(start[i], start[i + 1]):
            out[edge] = resistance(lengths[edge], scale[i], scale[ends[edge]])
    return out


@kernel
def sort_edges(
    start: IntArray, ends: IntArray, lengths: FloatArray, resistances: FloatArray
) -> None:
    """Sort the edges of every node by resistance, then by number.

    Shell sort, since a node may have as many edges as there are other nodes.
    """
    for i in range(start.size - 1):
        leap = 1
        while leap < (start[i + 1] - start[i]) // 3:
            leap = 3 * leap + 1
        while leap > 0:
            for edge in range(start[i] + leap, start[i + 1]):
                end, length, resistance, place = ends[edge], lengths[edge], resistances[edge], edge
                while place >= start[i] + leap and (
                    resistances[place - leap] > resistance
                    or (resistances[place - leap] == resistance and ends[place - leap] > end)
                ):
                    ends[place], lengths[place] = ends[place - leap], lengths[place - leap]
                    resistances[place] = resistances[place - leap]
                    place -= leap
                ends[place], lengths[place], resistances[place] = end, length, resistance
            leap //= 3
