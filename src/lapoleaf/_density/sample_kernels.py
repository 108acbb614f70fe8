"""Kernels of densities from near points and a sample of all others."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._density.kernels import fixed_point_kernel
from lapoleaf._typing import FloatArray, IntArray


@kernel
def near_density(
    nodes: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    population: FloatArray,
    bandwidth: float,
    unit: float,
    out: FloatArray,
) -> None:
    """Write the part of the density of ``nodes`` that comes from themselves and their neighbours.

    ``unit`` is the weight of one row: a node's other rows are at distance 0 from it.
    """
    for i in nodes:
        total = population[i] - unit
        for a in range(neighbours.shape[1]):
            total += population[neighbours[i, a]] * fixed_point_kernel(lengths[i, a], bandwidth)
        out[i] = total


@kernel(fastmath={"contract"})
def squares_to_sample(
    rows: FloatArray,
    left_out: FloatArray,
    sample: FloatArray,
    sample_left_out: FloatArray,
    out: FloatArray,
) -> None:
    """Write squared distances of rows to the points of a sample, (d, m), in float32.

    The squared distances left out by projections are added.
    """
    d, m = sample.shape
    whole = d // 4 * 4
    for row in range(rows.shape[0]):
        point, squares = rows[row], out[row]
        for j in range(m):
            squares[j] = left_out[row] + sample_left_out[j]
        # Four columns at a time, to reduce memory traffic.
        for c in range(0, whole, 4):
            x0, x1, x2, x3 = point[c], point[c + 1], point[c + 2], point[c + 3]
            first, second, third, fourth = sample[c], sample[c + 1], sample[c + 2], sample[c + 3]
            for j in range(m):
                d0, d1, d2, d3 = x0 - first[j], x1 - second[j], x2 - third[j], x3 - fourth[j]
                squares[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
        for c in range(whole, d):
            x, column = point[c], sample[c]
            for j in range(m):
                difference = x - column[j]
                squares[j] += difference * difference


@kernel
def exclude_neighbours(
    nodes: IntArray, neighbours: IntArray, number: IntArray, squares: FloatArray
) -> None:
    """Set the distances of each node to itself and its neighbours in the sample to infinity.

    ``number`` is the place of every node in the sample, -1 for those not in it.
    """
    for row in range(nodes.size):
        i = nodes[row]
        if number[i] >= 0:
            squares[row, number[i]] = np.inf
        for a in range(neighbours.shape[1]):
            if number[neighbours[i, a]] >= 0:
                squares[row, number[neighbours[i, a]]] = np.inf


@kernel
def true_density(
    distances: FloatArray, node: int, population: FloatArray, bandwidth: float, unit: float
) -> float:
    """Return the density of a node whose distances to all nodes are known."""
    total = population[node] - unit
    for j in range(distances.size):
        if j != node:
            total += population[j] * fixed_point_kernel(distances[j], bandwidth)
    return float(total)
