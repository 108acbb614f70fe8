"""Kernels beside matrix products: a pair by differences, where its product leaves a doubt."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._points.kernels import Finish, finished
from lapoleaf._typing import FloatArray, IntArray


@kernel
def pair_distance(rows: FloatArray, i: int, j: int, finish: Finish) -> float:
    """Return the distance of two rows by differences: the same bits as in a block of distances."""
    square, first, second = 0.0, 1.0, 1.0
    for c in range(rows.shape[1]):
        difference = np.float64(rows[i, c]) - np.float64(rows[j, c])
        square += difference * difference
    if finish.unit_rows:
        first, second = 0.0, 0.0
        for c in range(rows.shape[1]):
            first = max(first, abs(rows[i, c]))
            second = max(second, abs(rows[j, c]))
    return float(finished(square, finish, first == 0.0, second == 0.0))


@kernel
def pair_distances(
    rows: FloatArray, first: IntArray, second: IntArray, finish: Finish, out: FloatArray
) -> None:
    """Write the distance of rows ``first[k]`` and ``second[k]`` into ``out[k]``."""
    for k in range(first.size):
        out[k] = pair_distance(rows, first[k], second[k], finish)


@kernel
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
    """Write the pairs of a tile whose squares are in [low, high] and return their number.

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


@kernel
def join_first(later: IntArray, earlier: IntArray, first: IntArray) -> None:
    """Let points join earlier ones at distance 0 that stand for themselves, pair after pair."""
    for k in range(later.size):
        i, j = later[k], earlier[k]
        if first[i] == i and first[j] == j:
            first[i] = j
