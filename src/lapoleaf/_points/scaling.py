"""Scaling of numbers of extreme magnitude by a power of two.

Squares of very large or very small differences overflow or underflow, although their roots are in
range. So rows are multiplied by a power of two before distances are computed, and distances are
divided by it. Both operations are exact: distances are those of unlimited range to the last bit.
Usual numbers, from about 1e-138 to 1e144, are not scaled.

Numbers that are smaller than the largest by a factor of more than about 1e282 count as 0, and rows
that differ only in them as identical, since the squares of both do not fit into any unit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lapoleaf._points import scaling_kernels as kernels
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Sums of squares of smaller numbers do not overflow, up to millions of columns.
_MAX_POWER = 480
# Distinct numbers from here on differ by at least 2**-511, whose square is a normal number.
_MIN_POWER = -459
LARGEST_MAGNITUDE, SMALLEST_MAGNITUDE = 2.0**_MAX_POWER, 2.0**_MIN_POWER
# Bounded, so that the power of two is a normal number.
_MIN_EXPONENT = -1022


class Extent(NamedTuple):
    """The range of the magnitudes of some numbers.

    Attributes
    ----------
    largest : float
        The largest, 0 if all numbers are 0.
    smallest : float
        The smallest that is not 0, infinity if there is none.
    """

    largest: float
    smallest: float

    @classmethod
    def of(cls, values: AnyArray) -> Extent:
        """Return the range of all numbers of a contiguous array; NaN do not count."""
        if values.dtype != np.float64:
            # Types of fewer bits have no extreme magnitudes.
            limits = np.finfo(values.dtype)
            return cls(float(limits.max), float(limits.smallest_subnormal))
        flat = values.reshape(-1)
        largest, smallest = extents(flat, np.array([0, flat.size]))
        return cls(float(largest[0]), float(smallest[0]))

    def joined(self, other: Extent) -> Extent:
        """Return the range of the numbers of both."""
        return Extent(max(self.largest, other.largest), min(self.smallest, other.smallest))

    @property
    def exponent(self) -> int:
        """The exponent of the unit: 0 for usual numbers."""
        if self.largest <= LARGEST_MAGNITUDE and self.smallest >= SMALLEST_MAGNITUDE:
            return 0
        return max(math.frexp(self.largest)[1] - _MAX_POWER, _MIN_EXPONENT)

    @property
    def smallest_kept(self) -> float:
        """Smaller magnitudes count as 0."""
        return SMALLEST_MAGNITUDE * 2.0**self.exponent


def extents(values: FloatArray, start: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the largest and the smallest non-zero magnitude of stretches of numbers.

    Stretch k goes from ``start[k]`` to ``start[k + 1]``.
    """
    largest, smallest = np.empty((2, len(start) - 1), dtype=np.uint64)
    kernels.extremes(values.view(np.uint64), start, largest, smallest)
    return largest.view(np.float64), smallest.view(np.float64)


def joint_exponents(extent: Extent, values: FloatArray, start: IntArray) -> IntArray:
    """Return the exponent of the unit of numbers together with each of some stretches of others."""
    others = zip(*(found.tolist() for found in extents(values, start)), strict=True)
    return np.array([extent.joined(Extent(*other)).exponent for other in others], dtype=np.int64)


def is_usual(values: FloatArray) -> bool:
    """Whether all numbers of a table are in the usual range."""
    return bool(kernels.all_within(values, SMALLEST_MAGNITUDE, LARGEST_MAGNITUDE))


def scaled(values: AnyArray, exponent: int) -> AnyArray:
    """Return numbers in units of ``2.0**exponent``; those that are too small become 0."""
    if exponent == 0:
        return values
    with np.errstate(over="ignore", under="ignore"):
        out: FloatArray = np.multiply(values, 2.0**-exponent, dtype=np.float64)
    out[np.abs(out) < SMALLEST_MAGNITUDE] = 0.0
    return out


def exponent_of(values: AnyArray) -> int:
    """Return the exponent of the power of two next above all magnitudes; 0 if there are none."""
    if not values.size:
        return 0
    largest = max(float(np.nanmax(values, initial=0.0)), -float(np.nanmin(values, initial=0.0)))
    return math.frexp(largest)[1] if largest < math.inf else 0


def bits(values: AnyArray, exponent: int) -> AnyArray:
    """Return the bits of numbers in units of ``2.0**exponent``, as whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._points.scaling import bits, exponent_of
    >>> metres = np.array([1.5, 3.0])
    >>> bool((bits(metres, exponent_of(metres)) == bits(8 * metres, exponent_of(8 * metres))).all())
    True
    """
    with np.errstate(under="ignore"):
        in_units = np.ldexp(np.asarray(values, dtype=np.float64), -exponent)
    return np.ascontiguousarray(in_units).view(np.uint64)
