"""Kernels beside matrix products: a pair by differences, where its product leaves a doubt."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lapoleaf._points.kernels import LARGE, SMALL
from lapoleaf._typing import FloatArray, IntArray

# What becomes of the sum of squared differences of two rows.
ROOT, SQUARE, HALF = 0, 1, 2


@njit(cache=True, nogil=True)
def pair_distance(rows: FloatArray, i: int, j: int, kind: int) -> float:
    """Give the distance of two rows by differences: the same bits as in a block of distances."""
    square, largest = 0.0, 0.0
    for c in range(rows.shape[1]):
        difference = np.float64(rows[i, c]) - np.float64(rows[j, c])
        square += difference * difference
    if kind == SQUARE:
        return square
    if kind == HALF:
        # A row of zeros is at 1 from all others, and at 0 from its like.
        first, second = 0.0, 0.0
        for c in range(rows.shape[1]):
            first = max(first, abs(rows[i, c]))
            second = max(second, abs(rows[j, c]))
        if first == 0.0 or second == 0.0:
            return 0.0 if first == second else 1.0
        return 0.5 * square
    if SMALL < square < LARGE:
        return math.sqrt(square)
    for c in range(rows.shape[1]):
        largest = max(largest, abs(np.float64(rows[i, c]) - np.float64(rows[j, c])))
    if largest == 0.0 or largest == np.inf:
        return largest
    square = 0.0
    for c in range(rows.shape[1]):
        part = (np.float64(rows[i, c]) - np.float64(rows[j, c])) / largest
        square += part * part
    return largest * math.sqrt(square)


@njit(cache=True, nogil=True)
def pair_distances(
    rows: FloatArray, first: IntArray, second: IntArray, kind: int, out: FloatArray
) -> None:
    """Write the distance of rows ``first[k]`` and ``second[k]`` into ``out[k]``."""
    for k in range(first.size):
        out[k] = pair_distance(rows, first[k], second[k], kind)


@njit(cache=True, nogil=True)
def pairs_between(
    products: FloatArray,
    first: int,
    second: int,
    norms: FloatArray,
    low: float,
    high: float,
    rows: IntArray,
    columns: IntArray,
) -> int:
    """Write the pairs of a tile whose squares are in [low, high] and give their number.

    ``products`` are those of the points from ``first`` on with the points from ``second`` on;
    with ``first == second``, each pair is looked at once.
    """
    found = 0
    for i in range(products.shape[0]):
        own = norms[first + i]
        for j in range(i + 1 if first == second else 0, products.shape[1]):
            square = own + norms[second + j] - 2.0 * products[i, j]
            if low <= square <= high:
                rows[found] = first + i
                columns[found] = second + j
                found += 1
    return found


@njit(cache=True, nogil=True)
def join_first(later: IntArray, earlier: IntArray, first: IntArray) -> None:
    """Let points join earlier ones at distance 0 that stand for themselves, pair after pair."""
    for k in range(later.size):
        i, j = later[k], earlier[k]
        if first[i] == i and first[j] == j:
            first[i] = j
