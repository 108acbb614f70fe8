"""Kernels that update a tree after a point is inserted or removed: densities, order, leaders.

Densities are compensated sums, so that additions can be undone; with integer weights they are
exact.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._density.tile_kernels import terms_of_distances
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# The leader of a node whose leader was removed.
REMOVED = -2
# Distances that differ by at most this share may be equal up to rounding.
_RELATIVE_TOLERANCE, _ROUNDING_TOLERANCE = 1e-9, 1e-12


@kernel(inline="always")
def _add_compensated(high, low, term):  # type: ignore[no-untyped-def]
    """Add a term to a compensated sum."""
    total = high + term
    part = total - high
    low += (high - (total - part)) + (term - part)
    high = total + low
    return high, low - (high - total)


@kernel
def kernel_terms(
    distances: FloatArray, population: FloatArray, bandwidth: float
) -> tuple[FloatArray, float, float]:
    """Return the kernel terms of a point with all nodes, its density, and the rounding error."""
    terms = terms_of_distances(distances, bandwidth)
    high, low = 0.0, 0.0
    for i in range(distances.size):
        if terms[i] > 0.0:
            high, low = _add_compensated(high, low, population[i] * terms[i])
    return terms, high, low


@kernel
def updated_densities(
    terms: FloatArray, weight: float, shift: float, density: FloatArray, low: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return densities with ``weight`` times the terms, and ``shift``, added; never below 0."""
    new, rest = np.empty(density.size), np.empty(density.size)
    for i in range(density.size):
        high, lost = density[i], low[i]
        if terms[i] > 0.0:
            high, lost = _add_compensated(high, lost, weight * terms[i])
        if shift != 0.0:
            high, lost = _add_compensated(high, lost, shift)
        if high < 0.0:
            high, lost = 0.0, 0.0
        new[i], rest[i] = high, lost
    return new, rest


@kernel
def repaired_order(
    order: IntArray,
    density: FloatArray,
    parent: IntArray,
    delta: FloatArray,
    distances: FloatArray,
    triangle: bool,
    most: int,
) -> tuple[IntArray, IntArray, IntArray, BoolArray]:
    """Sort a nearly sorted order by insertion, and record which nodes overtake which.

    Parameters
    ----------
    order : ndarray of shape (n,)
        Nodes, densest first by the densities there were before.
    density : ndarray of shape (n,)
        Densities now.
    parent, delta : ndarray of shape (n,)
        Leaders before, and the distances to them.
    distances : ndarray of shape (n,)
        Distances to the point that changed the densities.
    triangle : bool
        Whether the triangle inequality holds, which excludes many pairs.
    most : int
        Maximum number of pairs to record.

    Returns
    -------
    order : ndarray of shape (n,)
        Densest first; equal densities: the lower number.
    led, leader : ndarray of shape (m,)
        Pairs in which the second overtook the first and may be nearer than its leader.
    lost : ndarray of shape (n,), bool
        Nodes that were overtaken by more nodes than could be recorded.
    """
    n = order.size
    out = order.copy()
    led, leader = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    lost = np.zeros(n, dtype=np.bool_)
    count = 0
    for place in range(1, n):
        j = out[place]
        at = place
        while at > 0:
            i = out[at - 1]
            if density[i] > density[j] or (density[i] == density[j] and i < j):
                break
            out[at] = i
            at -= 1
            if parent[i] == REMOVED:
                continue
            if triangle and parent[i] >= 0:
                slack = _ROUNDING_TOLERANCE * (distances[i] + distances[j])
                apart = abs(distances[i] - distances[j]) - slack
                if apart > delta[i] * (1.0 + _RELATIVE_TOLERANCE):
                    continue
            if count == most:
                lost[i] = True
                continue
            led[count], leader[count] = i, j
            count += 1
        out[at] = j
    return out, led[:count], leader[:count], lost


@kernel
def update_leaders(
    led: IntArray, leader: IntArray, lengths: FloatArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write nodes that overtook a node as its leader if they are nearer; ties by number.

    A former root has an infinite ``delta``.
    """
    for k in range(led.size):
        i, j = led[k], leader[k]
        if lengths[k] < delta[i] or (lengths[k] == delta[i] and j < parent[i]):
            parent[i], delta[i] = j, lengths[k]


@kernel
def place_in_order(order: IntArray, density: FloatArray, own: float, number: int) -> int:
    """Return the place in the order of a node with density ``own`` and this number."""
    low, high = 0, order.size
    while low < high:
        middle = (low + high) // 2
        i = order[middle]
        if density[i] > own or (density[i] == own and i < number):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def link_node(
    number: int, distances: FloatArray, rank: IntArray, parent: IntArray, delta: FloatArray
) -> None:
    """Write the leader of a new node, and the node as leader of others; ranks are final."""
    leader, nearest, farthest = np.int64(-1), np.inf, 0.0
    for i in range(distances.size):
        if i == number:
            continue
        length = distances[i]
        farthest = max(farthest, length)
        if rank[i] < rank[number]:
            if length < nearest:
                leader, nearest = np.int64(i), length
        elif parent[i] != REMOVED and (
            length < delta[i] or (length == delta[i] and number < parent[i])
        ):
            parent[i], delta[i] = number, length
    parent[number] = leader
    delta[number] = nearest if leader >= 0 else farthest


@kernel
def orphans(parent: IntArray, rank: IntArray, lost: BoolArray) -> IntArray:
    """Return the nodes without a leader: theirs is removed, or is behind them now."""
    found = np.empty(parent.size, dtype=np.int64)
    count = 0
    for i in range(parent.size):
        p = parent[i]
        if lost[i] or p == REMOVED or (p >= 0 and rank[p] > rank[i]):
            found[count] = i
            count += 1
    return found[:count].copy()


@kernel
def renumbered(numbers: IntArray, place: int, step: int) -> IntArray:
    """Return node numbers with those from ``place`` on moved by ``step``."""
    out = numbers.copy()
    for k in range(out.size):
        if out[k] >= place:
            out[k] += step
    return out
