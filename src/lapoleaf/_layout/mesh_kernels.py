"""Kernels that spread masses of points over a mesh, and interpolate potentials from it.

Both by quadratic splines: a point belongs to the 3 x 3 mesh points around it.
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


# Places are finite: nothing is lost by reordering sums.
@kernel(fastmath=True)
def spread(places: FloatArray, low_x: float, low_y: float, cell: float, grid: FloatArray) -> None:
    """Add mass 1 to the mesh for every point.

    ``low_x``, ``low_y`` is the place of the first mesh point.
    """
    grid[:] = 0
    for i in range(places.shape[0]):
        x, y = (places[i, 0] - low_x) / cell, (places[i, 1] - low_y) / cell
        a, b = int(x + 0.5), int(y + 0.5)
        x -= a
        y -= b
        below, here, above = 0.5 * (0.5 - y) ** 2, 0.75 - y * y, 0.5 * (0.5 + y) ** 2
        for side in range(-1, 2):
            share = 0.75 - x * x if side == 0 else 0.5 * (0.5 + side * x) ** 2
            grid[a + side, b - 1] += share * below
            grid[a + side, b] += share * here
            grid[a + side, b + 1] += share * above


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
    """Write the push on some points, minus half the slope; return their sum of potential - 1.

    The potential of a point contains 1 of its own.
    """
    total = 0.0
    for i in range(first, last):
        x, y = (places[i, 0] - low_x) / cell, (places[i, 1] - low_y) / cell
        a, b = int(x + 0.5), int(y + 0.5)
        x -= a
        y -= b
        below, here, above = 0.5 * (0.5 - y) ** 2, 0.75 - y * y, 0.5 * (0.5 + y) ** 2
        value = slope_x = slope_y = 0.0
        for side in range(-1, 2):
            share = 0.75 - x * x if side == 0 else 0.5 * (0.5 + side * x) ** 2
            change = -2.0 * x if side == 0 else x + 0.5 * side
            p, q, r = (
                potential[a + side, b - 1],
                potential[a + side, b],
                potential[a + side, b + 1],
            )
            along = p * below + q * here + r * above
            value += share * along
            slope_x += change * along
            slope_y += share * (p * (y - 0.5) - 2.0 * y * q + r * (y + 0.5))
        push[i, 0], push[i, 1] = -0.5 / cell * slope_x, -0.5 / cell * slope_y
        total += value - 1.0
    return total
