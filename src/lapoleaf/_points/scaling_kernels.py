"""Kernels that find the range of magnitudes of numbers."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# All bits but the sign, and the bits of infinity; those of NaN are larger.
_MAGNITUDE = np.uint64(0x7FFFFFFFFFFFFFFF)
_INFINITY = np.uint64(0x7FF0000000000000)


@kernel
def extremes(words: AnyArray, start: IntArray, largest: AnyArray, smallest: AnyArray) -> None:
    """Write the largest and the smallest non-zero magnitude of every stretch of float64 numbers.

    ``words`` are the bits of the numbers; stretch k goes from ``start[k]`` to ``start[k + 1]``.
    Results are bits as well: 0 and infinity where all numbers are 0 or missing.
    """
    for k in range(largest.size):
        most, least = np.uint64(0), _INFINITY
        for i in range(start[k], start[k + 1]):
            # Without a sign, bits are ordered as the numbers are; 0 wraps around to the end.
            word = words[i] & _MAGNITUDE
            word = word if word < _INFINITY else np.uint64(0)
            most = word if word > most else most
            word -= np.uint64(1)
            least = word if word < least else least
        largest[k] = most
        smallest[k] = least + np.uint64(1) if least < _INFINITY else _INFINITY


@kernel
def all_within(values: FloatArray, low: float, high: float) -> bool:
    """Return whether magnitudes of numbers (m, d) are in [low, high], zero or missing."""
    outside = 0
    for i in range(values.shape[0]):
        for c in range(values.shape[1]):
            magnitude = abs(values[i, c])
            outside += (magnitude > high) | ((magnitude < low) & (magnitude > 0.0))
    return outside == 0
