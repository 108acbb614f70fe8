"""Kernels that find near points, and sum their contribution in addition to the mesh."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray

_ZERO, _ONE, _FOUR = np.float32(0.0), np.float32(1.0), np.float32(4.0)


@kernel
def count_in_squares(
    places: FloatArray,
    low_x: float,
    low_y: float,
    width: float,
    square: IntArray,
    counts: IntArray,
) -> int:
    """Write the square of every point, and the count of each square; return the number of pairs.

    Squares on the border of ``counts`` (n_rows, n_columns) stay empty. Pairs are those of points
    in the same square or in two that touch, listed from both ends.
    """
    n_columns = counts.shape[1]
    counts[:] = 0
    for i in range(places.shape[0]):
        column = int((places[i, 0] - low_x) / width) + 1
        row = int((places[i, 1] - low_y) / width) + 1
        square[i] = row * n_columns + column
        counts[row, column] += 1
    n_pairs = 0
    for row in range(1, counts.shape[0] - 1):
        for column in range(1, n_columns - 1):
            around = 0
            for other in range(row - 1, row + 2):
                around += (
                    counts[other, column - 1] + counts[other, column] + counts[other, column + 1]
                )
            n_pairs += counts[row, column] * around
    return n_pairs


@kernel
def sort_by_square(
    places: FloatArray,
    square: IntArray,
    counts: IntArray,
    start: IntArray,
    order: IntArray,
    x: FloatArray,
    y: FloatArray,
) -> None:
    """Write where the points of every square begin, and all points and places in this order."""
    start[0] = 0
    flat = counts.ravel()
    for k in range(flat.size):
        start[k + 1] = start[k] + flat[k]
    for k in range(flat.size):
        flat[k] = start[k]
    for i in range(places.shape[0]):
        at = flat[square[i]]
        flat[square[i]] += 1
        order[at] = i
        x[at], y[at] = places[i, 0], places[i, 1]


# Places are finite, so sums may be reordered.
@kernel(fastmath=True)
def push_near(
    first: int,
    last: int,
    reach: float,
    n_columns: int,
    square: IntArray,
    start: IntArray,
    order: IntArray,
    x: FloatArray,
    y: FloatArray,
    push: FloatArray,
) -> float:
    """Add the near repulsion of some points, in order of squares.

    Returns the sum of the near part of the kernel, which contains every point's own.

    The near part of the kernel is ``s**4 / (1 + r**2)`` with ``s = (R**2 - r**2) / (1 + R**2)``, up
    to the reach R, and 0 beyond. The remainder for the mesh is a polynomial in r**2 up to there:
    the first four terms of the Taylor series of ``1 / (1 + r**2)`` at R**2.
    """
    reach_square = np.float32(reach * reach)
    unit = np.float32(1.0 / (1.0 + reach * reach))
    slope = _FOUR * unit
    total = 0.0
    for k in range(first, last):
        own_x, own_y = x[k], y[k]
        push_x = push_y = value = _ZERO
        middle = square[order[k]]
        for above in range(-1, 2):
            near = middle + above * n_columns
            near_x = x[start[near - 1] : start[near + 2]]
            near_y = y[start[near - 1] : start[near + 2]]
            for other in range(near_x.size):
                dx, dy = own_x - near_x[other], own_y - near_y[other]
                distance = dx * dx + dy * dy
                weight = _ONE / (_ONE + distance)
                s = max((reach_square - distance) * unit, _ZERO)
                strength = s * s * s * weight
                value += strength * s
                strength *= slope + s * weight
                push_x += strength * dx
                push_y += strength * dy
        push[order[k], 0] += push_x
        push[order[k], 1] += push_y
        total += float(value)
    return total
