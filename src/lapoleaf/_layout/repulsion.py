"""Repulsion of all points, by a mesh and, if there are few near pairs, by direct sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lapoleaf._layout.mesh import Box, Mesh
from lapoleaf._layout.mesh_kernels import bounds, read_off
from lapoleaf._layout.near import NearPoints
from lapoleaf._typing import FloatArray

# The kernel has width 1. The width of cells is the extent of the map over the last number, between
# the first two; at the second the error of the mesh is below 1 % in dense regions.
_MIN_CELL, _USUAL_CELL, _FEW_CELLS = 0.0625, 0.345, 100
# Limits of the number of cells along a side. With near pairs it is proportional to the square root
# of the number of points, at least the first; without, it is at most the last.
_MIN_CELLS, _CELLS_BY_ROOT, _MAX_CELLS = 48, 1.5, 800
# The width of cells changes in steps, so that the transformed kernel can be reused.
_CELL_GROWTH = 1.1
# Near pairs, up to this number of cells apart, are summed directly if cells have at least this
# width, and if there are at most this number of pairs per point, plus a constant.
_MIN_CELL_OF_NEAR, _REACH = 0.2, 5.0
_PAIRS_OF_A_POINT, _MORE_PAIRS = 200, 6_000_000


class Repulsion:
    """The repulsion of t-SNE on every point.

    Parameters
    ----------
    n : int
        Number of points.
    threads : int
        Number of threads of the Fourier transforms; the result does not depend on it.
    blocks : sequence of slice
        Blocks of the points.
    each : callable
        Applies a function to every block like ``map``, possibly in parallel.
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
        """Write the repulsion of points; return the sum of ``1 / (1 + r**2)`` over all pairs."""
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

        # Every point contributes 1 to the sum with itself, and no force.
        total: float = sum(self._each(push_far, self._blocks)) - self._n
        if is_near:
            total += sum(self._each(self._near.pushes(push), self._blocks))
        return total

    def _has_near(self, places: FloatArray, box: Box, cell: float) -> bool:
        """Whether near pairs are summed directly; if so, points are sorted."""
        if cell < _MIN_CELL_OF_NEAR or cell == self._crowded:
            return False
        if self._near.find(places, box, _REACH * cell, _PAIRS_OF_A_POINT * self._n + _MORE_PAIRS):
            return True
        # Not tried again before cells change, since each change costs a transform of the kernel.
        self._crowded = cell
        return False


def _stepped(cell: float) -> float:
    """Return the next step of the widths of cells."""
    steps = math.ceil(math.log(cell / _MIN_CELL) / math.log(_CELL_GROWTH) - 1e-9)
    return float(_MIN_CELL * _CELL_GROWTH**steps)
