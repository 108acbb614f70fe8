"""Kernels that spread masses of points over a mesh, and interpolate potentials from it.

Both use cubic splines on the 4 x 4 mesh points around a point.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray

# float32, as places and meshes are.
_ZERO, _SIXTH, _HALF, _ONE = (np.float32(value) for value in (0.0, 1.0 / 6.0, 0.5, 1.0))
_THREE, _FOUR, _SIX = np.float32(3.0), np.float32(4.0), np.float32(6.0)

_Shares = tuple[np.float32, np.float32, np.float32, np.float32]


@kernel
def bounds(places: FloatArray) -> tuple[float, float, float, float]:
    """Return the least and the greatest coordinates: of x, of y, of x, of y."""
    low_x = high_x = places[0, 0]
    low_y = high_y = places[0, 1]
    for i in range(places.shape[0]):
        low_x, high_x = min(low_x, places[i, 0]), max(high_x, places[i, 0])
        low_y, high_y = min(low_y, places[i, 1]), max(high_y, places[i, 1])
    return low_x, low_y, high_x, high_y


@kernel
def shares_of(t: np.float32) -> _Shares:
    """Return the shares of the four mesh points around a point, ``t`` cells above the second."""
    rest = _ONE - t
    return (
        _SIXTH * rest * rest * rest,
        _SIXTH * (_FOUR + t * t * (_THREE * t - _SIX)),
        _SIXTH * (_FOUR + rest * rest * (_THREE * rest - _SIX)),
        _SIXTH * t * t * t,
    )


@kernel
def changes_of(t: np.float32) -> _Shares:
    """Return the derivatives of ``shares_of``."""
    rest = _ONE - t
    return (
        -_HALF * rest * rest,
        _HALF * t * (_THREE * t - _FOUR),
        _HALF * rest * (_FOUR - _THREE * rest),
        _HALF * t * t,
    )


# Places are finite, so sums may be reordered.
@kernel(fastmath=True)
def spread(places: FloatArray, low_x: float, low_y: float, cell: float, grid: FloatArray) -> None:
    """Add mass 1 to the mesh for every point.

    ``low_x``, ``low_y`` is the place of the first mesh point.
    """
    grid[:] = 0
    inverse = 1.0 / cell
    for i in range(places.shape[0]):
        x, y = (places[i, 0] - low_x) * inverse, (places[i, 1] - low_y) * inverse
        a, b = int(x), int(y)
        first, second, third, fourth = shares_of(np.float32(y - b))
        row = a - 1
        for share in shares_of(np.float32(x - a)):
            four = grid[row, b - 1 : b + 3]
            four[0] += share * first
            four[1] += share * second
            four[2] += share * third
            four[3] += share * fourth
            row += 1


@kernel(fastmath=True)
def read_off(
    first: int,
    last: int,
    places: FloatArray,
    low_x: float,
    low_y: float,
    cell: float,
    potential: FloatArray,
    push: FloatArray,
) -> float:
    """Write the repulsion of some points, minus half the gradient; return the sum of potentials."""
    total = 0.0
    inverse = 1.0 / cell
    factor = np.float32(-0.5 * inverse)
    for i in range(first, last):
        x, y = (places[i, 0] - low_x) * inverse, (places[i, 1] - low_y) * inverse
        a, b = int(x), int(y)
        t, u = np.float32(x - a), np.float32(y - b)
        shares, changes = shares_of(t), changes_of(t)
        along, change_along = shares_of(u), changes_of(u)
        value = slope_x = slope_y = _ZERO
        for k in range(4):
            p, q, r, s = (
                potential[a + k - 1, b - 1],
                potential[a + k - 1, b],
                potential[a + k - 1, b + 1],
                potential[a + k - 1, b + 2],
            )
            here = p * along[0] + q * along[1] + r * along[2] + s * along[3]
            value += shares[k] * here
            slope_x += changes[k] * here
            slope_y += shares[k] * (
                p * change_along[0]
                + q * change_along[1]
                + r * change_along[2]
                + s * change_along[3]
            )
        push[i, 0], push[i, 1] = factor * slope_x, factor * slope_y
        total += float(value)
    return total
