"""The kernel of a gradient step."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray

_ONE = np.float32(1.0)
_MOMENTUM = np.float32(0.8)
_GAIN_STEP, _GAIN_FACTOR, _MIN_GAIN = np.float32(0.2), np.float32(0.8), np.float32(0.01)
_MAX_STEP = np.float32(5.0)


# Places are finite, so sums may be reordered.
@kernel(fastmath=True)
def take_step(
    first: int,
    last: int,
    start: IntArray,
    ends: IntArray,
    weight: FloatArray,
    places: FloatArray,
    push: FloatArray,
    push_factor: float,
    pull_factor: float,
    rate: float,
    speed: FloatArray,
    gain: FloatArray,
    out: FloatArray,
) -> None:
    """Move some points along the forces, with momentum and adaptive gains.

    Forces are those of t-SNE: the attraction is ``weight / (1 + r**2)``, and ``push`` is the
    repulsion. Only old places are read, so that the order of points does not matter.
    """
    for i in range(first, last):
        x, y = places[i, 0], places[i, 1]
        pull_x = pull_y = np.float32(0.0)
        for link in range(start[i], start[i + 1]):
            dx, dy = places[ends[link], 0] - x, places[ends[link], 1] - y
            strength = weight[link] / (_ONE + dx * dx + dy * dy)
            pull_x += strength * dx
            pull_y += strength * dy
        force_x = pull_factor * pull_x + push_factor * push[i, 0]
        force_y = pull_factor * pull_y + push_factor * push[i, 1]
        for axis in range(2):
            force = force_x if axis == 0 else force_y
            g = gain[i, axis]
            g = g + _GAIN_STEP if force * speed[i, axis] > 0 else g * _GAIN_FACTOR
            gain[i, axis] = max(g, _MIN_GAIN)
            step = _MOMENTUM * speed[i, axis] + rate * gain[i, axis] * force
            speed[i, axis] = min(max(step, -_MAX_STEP), _MAX_STEP)
            out[i, axis] = places[i, axis] + speed[i, axis]
