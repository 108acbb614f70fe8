"""The self-tuned weight of a link, ``exp(-2 d**2 / (s t))``, and its inverse, the resistance.

d is the length of the link, s and t are the scales of its ends: their distances to their 10th
neighbours. Ratios come before products, because squares of distances may underflow or overflow.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lapoleaf._typing import FloatArray

# No link resists more: beyond it only the order of magnitude would change.
MAX_RESISTANCE = 1e12
# An exponent of which the exponential is still a number.
_MAX_EXPONENT = 700.0


@njit(cache=True, nogil=True, inline="always")
def resistance(length, one, other):  # type: ignore[no-untyped-def]
    """Return ``exp(2 d**2 / (s t))`` of a link, at most ``MAX_RESISTANCE``."""
    square = (length / one) * (length / other)
    return min(math.exp(min(2.0 * square, _MAX_EXPONENT)), MAX_RESISTANCE)


# Numbers of a damaged file that was mapped unread may be 0: no exception for them.
@njit(cache=True, nogil=True, error_model="numpy")
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
