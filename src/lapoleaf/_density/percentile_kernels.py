"""Kernels that count pairs of points by their squared distances."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray

# Bins by the bits of a number: one for every combination of exponent and leading mantissa bits.
_BITS_BELOW_BIN = 42


def first_bin(largest: float, n_bins: int) -> int:
    """Return the number of the first of ``n_bins`` bins, the last of which holds ``largest``."""
    return (int(np.float64(largest).view(np.int64)) >> _BITS_BELOW_BIN) - n_bins + 1


def bin_start(first: int, place: int) -> float:
    """Return the smallest number that belongs into a bin, if it is not the first."""
    return float(np.int64((first + place) << _BITS_BELOW_BIN).view(np.float64))


@kernel
def count_in_bins(
    products: FloatArray,
    first: int,
    second: int,
    norms: FloatArray,
    counts: FloatArray,
    base: int,
    bins: FloatArray,
) -> None:
    """Add the weights of the pairs of a tile to bins of their squares."""
    width = products.shape[1]
    squares = np.empty(width)
    bits = squares.view(np.int64)
    for row in range(products.shape[0]):
        i = first + row
        start = row + 1 if first == second else 0
        for j in range(start, width):
            squares[j] = max(norms[i] + norms[second + j] - 2.0 * products[row, j], 0.0)
        for j in range(start, width):
            place = min(max((bits[j] >> _BITS_BELOW_BIN) - base, 0), bins.size - 1)
            bins[place] += counts[i] * counts[second + j]


@kernel
def count_below(
    products: FloatArray,
    first: int,
    second: int,
    norms: FloatArray,
    counts: FloatArray,
    low: float,
) -> float:
    """Return the total weight of the pairs of a tile with squares below ``low``."""
    total = 0.0
    for row in range(products.shape[0]):
        i = first + row
        part = 0.0
        for j in range(row + 1 if first == second else 0, products.shape[1]):
            if norms[i] + norms[second + j] - 2.0 * products[row, j] < low:
                part += counts[second + j]
        total += counts[i] * part
    return total
