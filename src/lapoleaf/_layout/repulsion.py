"""All points push each other apart: far ones by a mesh, near ones one by one where they are few."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lapoleaf._layout.mesh import Box, Mesh
from lapoleaf._layout.mesh_kernels import bounds, read_off
from lapoleaf._layout.near import NearPoints
from lapoleaf._typing import FloatArray

# The kernel has width 1. Cells are as wide as the extent of the map over the last number, between
# the first two; at the second the mesh alone is off by less than 1 % where points are dense.
_MIN_CELL, _USUAL_CELL, _FEW_CELLS = 0.0625, 0.345, 100
# Wider, where there would be more cells along a side than these. With near pairs their number goes
# by the root of the number of points, from the first on; without, the last is the limit.
_MIN_CELLS, _CELLS_BY_ROOT, _MAX_CELLS = 48, 1.5, 800
# Cells become wider in steps, so that the transformed kernel can be used for many iterations.
_CELL_GROWTH = 1.1
# Near pairs, up to so many cells apart, are summed one by one where cells are at least so wide, and
# where they are not more than so many for every point, and so many besides.
_MIN_CELL_OF_NEAR, _REACH = 0.2, 5.0
_PAIRS_OF_A_POINT, _MORE_PAIRS = 200, 6_000_000


class Repulsion:
    """The push of t-SNE on every point, by all others.

    Parameters
    ----------
    n : int
        Number of points.
    threads : int
        Number of threads of the Fourier transforms; the result does not depend on it.
    blocks : sequence of slice
        Blocks of the points.
    each : callable
        Applies a function to every block, as ``map`` does, possibly at the same time.
    """

    def __init__(
        self,
        n: int,
        threads: int,
        blocks: Sequence[slice],
        each: Callable[..., Iterable[Any]] = map,
    ) -> None:
        self._n, self._blocks, self._each = n, blocks, each
        self._mesh, self._near = Mesh(threads), NearPoints(n)
        self._most_cells = min(max(_CELLS_BY_ROOT * math.sqrt(n), _MIN_CELLS), _MAX_CELLS)
        self._crowded = 0.0

    def write(self, places: FloatArray, push: FloatArray) -> float:
        """Write the push on every point; return the sum of ``1 / (1 + r**2)`` over all pairs."""
        box = bounds(places)
        extent = max(box[2] - box[0], box[3] - box[1])
        fine = max(min(extent / _FEW_CELLS, _USUAL_CELL), _MIN_CELL)
        cell = _stepped(max(fine, extent / self._most_cells))
        is_near = self._has_near(places, box, cell)
        if not is_near:
            cell = _stepped(max(fine, extent / _MAX_CELLS))
        mesh = self._mesh
        potential = mesh.potential(places, box, cell, _REACH * cell if is_near else 0.0)
        where = (*mesh.low, cell, potential, push)

        def push_far(block: slice) -> float:
            return read_off(block.start, block.stop, places, *where)

        # Every point pushes itself by 1, and not away.
        total: float = sum(self._each(push_far, self._blocks)) - self._n
        if is_near:
            total += sum(self._each(self._near.pushes(push), self._blocks))
        return total

    def _has_near(self, places: FloatArray, box: Box, cell: float) -> bool:
        """Whether near pairs are summed one by one; they are sorted then."""
        if cell < _MIN_CELL_OF_NEAR or cell == self._crowded:
            return False
        if self._near.find(places, box, _REACH * cell, _PAIRS_OF_A_POINT * self._n + _MORE_PAIRS):
            return True
        # Not tried again before cells change: each change costs a transform of the kernel.
        self._crowded = cell
        return False


def _stepped(cell: float) -> float:
    """Return the next step of the widths of cells."""
    steps = math.ceil(math.log(cell / _MIN_CELL) / math.log(_CELL_GROWTH) - 1e-9)
    return float(_MIN_CELL * _CELL_GROWTH**steps)
