"""Kernels that turn candidates, known by their products, into neighbours by differences."""

from __future__ import annotations

import math

from numba import njit

from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._points.kernels import Finish
from lapoleaf._points.product_kernels import pair_distance
from lapoleaf._typing import FloatArray, IntArray


@njit(cache=True, nogil=True)
def largest_square(norm: float, nearest: float, slack: float) -> float:
    """Return the largest square that one of the nearest can have.

    ``nearest`` is the largest square among as many points as are wanted. A point as near as these
    has a norm that is not much larger, and so an error that is bounded.
    """
    # Twice: once for the points that are there, once for the one that is looked for.
    norm_there = (math.sqrt(norm) + math.sqrt(nearest)) ** 2
    error = slack * (norm + norm_there) * 1.001 + 1e-299
    norm_there = (math.sqrt(norm) + math.sqrt(nearest + 2.0 * error)) ** 2
    return nearest + 2.0 * (slack * (norm + norm_there) * 1.001 + 1e-299)


@njit(cache=True, nogil=True)
def neighbours_among_candidates(
    start: int,
    stop: int,
    rows: FloatArray,
    kind: Finish,
    norms: FloatArray,
    slack: float,
    row_squares: FloatArray,
    row_nodes: IntArray,
    column_squares: FloatArray,
    column_nodes: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    limits: FloatArray,
) -> None:
    """Write the neighbours of the points from ``start`` to ``stop``.

    ``limits`` gets 0 where they are certain. Otherwise a point that is no candidate may be nearer,
    and ``limits`` gets the largest square that a neighbour can have.
    """
    k, last = neighbours.shape[1], row_squares.shape[1] - 1
    for i in range(start, stop):
        # Both lists are sorted: go on in the one that is behind.
        a, b = 0, 0
        for _ in range(k):
            if b > last or (a <= last and row_squares[i, a] <= column_squares[i, b]):
                a += 1
            else:
                b += 1
        nearest = max(
            row_squares[i, a - 1] if a > 0 else 0.0, column_squares[i, b - 1] if b > 0 else 0.0
        )
        limit = largest_square(norms[i], nearest, slack)
        complete = row_squares[i, last] > limit and column_squares[i, last] > limit
        limits[i] = 0.0 if complete else limit
        count = 0
        for place in range(2 * last + 2):
            if place <= last:
                square, j = row_squares[i, place], row_nodes[i, place]
            else:
                square = column_squares[i, place - last - 1]
                j = column_nodes[i, place - last - 1]
            if square <= limit:
                distance = pair_distance(rows, i, j, kind)
                count = insert_sorted(distance, j, count, neighbours[i], lengths[i])


@njit(cache=True, nogil=True)
def neighbours_within(
    nodes: IntArray,
    products: FloatArray,
    rows: FloatArray,
    kind: Finish,
    norms: FloatArray,
    limits: FloatArray,
    neighbours: IntArray,
    lengths: FloatArray,
) -> None:
    """Write the neighbours of ``nodes``, whose products with all points are given.

    Only squares up to the limit of a node are looked at.
    """
    for row in range(nodes.size):
        i = nodes[row]
        count = 0
        for j in range(norms.size):
            if j != i and norms[i] + norms[j] - 2.0 * products[row, j] <= limits[i]:
                distance = pair_distance(rows, i, j, kind)
                count = insert_sorted(distance, j, count, neighbours[i], lengths[i])
