"""Kernels that spread masses of points over a mesh, and interpolate potentials from it.

Both by cubic splines: a point belongs to the 4 x 4 mesh points around it.
"""

from __future__ import annotations

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray


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
def shares_of(t: float) -> tuple[float, float, float, float]:
    """Return the shares of the four mesh points around a point, ``t`` cells above the second."""
    rest = 1.0 - t
    return (
        rest * rest * rest / 6.0,
        (4.0 + t * t * (3.0 * t - 6.0)) / 6.0,
        (4.0 + rest * rest * (3.0 * rest - 6.0)) / 6.0,
        t * t * t / 6.0,
    )


@kernel
def changes_of(t: float) -> tuple[float, float, float, float]:
    """Return the derivatives of ``shares_of``."""
    rest = 1.0 - t
    return (
        -0.5 * rest * rest,
        0.5 * t * (3.0 * t - 4.0),
        0.5 * rest * (4.0 - 3.0 * rest),
        0.5 * t * t,
    )


# Places are finite: nothing is lost by reordering sums.
@kernel(fastmath=True)
def spread(places: FloatArray, low_x: float, low_y: float, cell: float, grid: FloatArray) -> None:
    """Add mass 1 to the mesh for every point.

    ``low_x``, ``low_y`` is the place of the first mesh point.
    """
    grid[:] = 0
    for i in range(places.shape[0]):
        x, y = (places[i, 0] - low_x) / cell, (places[i, 1] - low_y) / cell
        a, b = int(x), int(y)
        along = shares_of(y - b)
        row = a - 1
        for share in shares_of(x - a):
            grid[row, b - 1] += share * along[0]
            grid[row, b] += share * along[1]
            grid[row, b + 1] += share * along[2]
            grid[row, b + 2] += share * along[3]
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
    """Write the push on some points, minus half the slope; return the sum of their potentials."""
    total = 0.0
    for i in range(first, last):
        x, y = (places[i, 0] - low_x) / cell, (places[i, 1] - low_y) / cell
        a, b = int(x), int(y)
        shares, changes = shares_of(x - a), changes_of(x - a)
        along, change_along = shares_of(y - b), changes_of(y - b)
        value = slope_x = slope_y = 0.0
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
        push[i, 0], push[i, 1] = -0.5 / cell * slope_x, -0.5 / cell * slope_y
        total += value
    return total
