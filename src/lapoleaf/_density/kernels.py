"""Kernels over a block of distances: densities and nearest neighbours of its rows."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._typing import FloatArray, IntArray

# Terms of densities are multiples of one over this.
FIXED_POINT_ONE = 2.0**30
# Beyond this exponent a term rounds to 0 in fixed point: 2**30 * exp(-21.5) < 0.5.
_MAX_EXPONENT = 21.5


@kernel
def fixed_point_kernel(distance: float, bandwidth: float) -> float:
    """Return ``exp(-(distance / bandwidth)**2)`` rounded to a multiple of ``2**-30``.

    Sums of such terms are exact, so a density does not depend on the order of its terms and a
    removal undoes an insertion to the last bit.
    """
    ratio = distance / bandwidth
    exponent = ratio * ratio
    if exponent > _MAX_EXPONENT:
        return 0.0
    return float(np.rint(FIXED_POINT_ONE * math.exp(-exponent)) / FIXED_POINT_ONE)


@kernel
def gaussian_density(
    distances: FloatArray,
    first: int,
    population: FloatArray,
    bandwidths: FloatArray,
    unit: float,
    out: FloatArray,
) -> None:
    """Write the densities of nodes ``first``, ``first + 1``, ... into ``out``, one row a bandwidth.

    ``distances`` holds their rows of distances to all nodes. ``unit`` is the weight of one row: a
    node's other rows are at distance 0 from it and count in full.
    """
    for row in range(distances.shape[0]):
        i = first + row
        for b in range(bandwidths.size):
            total = population[i] - unit
            for j in range(distances.shape[1]):
                if j != i:
                    total += population[j] * fixed_point_kernel(distances[row, j], bandwidths[b])
            out[b, i] = total


@kernel
def nearest_neighbours(
    distances: FloatArray, first: int, neighbours: IntArray, lengths: FloatArray
) -> None:
    """Write the nearest nodes of ``first``, ``first + 1``, ... and how far away they are.

    Nearest first, ties by index. A node is not its own neighbour.
    """
    k = neighbours.shape[1]
    for row in range(distances.shape[0]):
        i = first + row
        count, near, reach = np.int64(0), neighbours[i], lengths[i]
        for j in range(distances.shape[1]):
            # Indices ascend, so a tie with the last entry of a full list comes after it.
            if j != i and (count < k or distances[row, j] < reach[k - 1]):
                count = insert_sorted(distances[row, j], j, count, near, reach)
