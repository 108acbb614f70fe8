"""The sum of ``1 / (1 + r**2)`` over all other points, as one convolution on a mesh.

The masses of points are spread over a mesh, convolved with the kernel by fast Fourier transforms,
and read off again (particle-mesh, Hockney and Eastwood, *Computer Simulation Using Particles*,
1988). Spreading and reading blur the masses; the kernel is sharpened in advance to make up for it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import fft

from lapoleaf._layout import mesh_kernels as kernels
from lapoleaf._typing import FloatArray

# The kernel has width 1. Cells are as small as the first where a map needs no more cells along a
# side than the second; they become wider with it, up to the third as long as the fourth is enough.
_MIN_CELL, _FEW_CELLS, _USUAL_CELL, _MAX_CELLS = 0.25, 256, 0.5, 800
# Cells become wider in steps, so that the transformed kernel can be used for many iterations.
_CELL_GROWTH = 1.1
# Mesh points along a side beside those that the points need: for splines, and for the next steps.
_MARGIN, _ROOM_TO_GROW, _MAX_UNUSED = 6, 1.15, 0.6


class Mesh:
    """A mesh that follows the extent of the points.

    Parameters
    ----------
    threads : int
        Number of threads of the Fourier transforms; the result does not depend on it.

    Attributes
    ----------
    cell : float
        Width of a cell.
    low : tuple of float
        Place of the first mesh point.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._size = self._side = 0
        self.cell = _MIN_CELL
        self.low = (0.0, 0.0)

    def potential(self, places: FloatArray) -> FloatArray:
        """Return the potential of all points at the mesh points, ready for ``read_off``."""
        self._adapt(*kernels.bounds(places))
        kernels.spread(places, *self.low, self.cell, self._grid)
        # One axis after the other: the rows of the margin are empty before, and not needed after.
        how: Any = {"workers": self._threads, "overwrite_x": True}
        rows = fft.rfft(self._grid, self._side, axis=1, workers=self._threads)
        both = fft.fft(rows, self._side, axis=0, **how)
        both *= self._kernel
        rows = fft.ifft(both, axis=0, **how)[: self._size]
        return np.asarray(fft.irfft(rows, self._side, axis=1, **how), dtype=np.float32)

    def _adapt(self, low_x: float, low_y: float, high_x: float, high_y: float) -> None:
        """Put the mesh around the points, with cells as small as the number of cells allows."""
        extent = max(high_x - low_x, high_y - low_y)
        wanted = max(min(extent / _FEW_CELLS, _USUAL_CELL), extent / _MAX_CELLS, _MIN_CELL)
        steps = math.ceil(math.log(wanted / _MIN_CELL) / math.log(_CELL_GROWTH) - 1e-9)
        cell = _MIN_CELL * _CELL_GROWTH**steps
        needed = int(extent / cell) + _MARGIN
        if cell != self.cell or not _MAX_UNUSED * self._size <= needed <= self._size:
            self.cell = cell
            self._resize(int(_ROOM_TO_GROW * needed) + 2)
        half = 0.5 * (self._size - 1) * cell
        self.low = (0.5 * (low_x + high_x) - half, 0.5 * (low_y + high_y) - half)

    def _resize(self, size: int) -> None:
        """Prepare a mesh of ``size`` points along a side, and the kernel for it."""
        self._size = size
        # Twice as many, so that the mesh does not meet its periodic images.
        side = self._side = fft.next_fast_len(2 * size, real=True)
        away = np.minimum(np.arange(side), side - np.arange(side)) * self.cell
        kernel = fft.rfft2((1.0 / (1.0 + away[:, None] ** 2 + away**2)).astype(np.float32))
        sharp = _sharpening(fft.fftfreq(side))[:, None] * _sharpening(fft.rfftfreq(side))
        self._kernel = (kernel * sharp).astype(np.complex64)
        self._grid = np.zeros((size, size), dtype=np.float32)


def _sharpening(frequency: FloatArray) -> FloatArray:
    """Return the factor by which a frequency makes up for spreading and reading by splines.

    The optimal influence function of Hockney and Eastwood for quadratic splines.
    """
    square = np.sin(np.pi * frequency) ** 2
    blur = np.sinc(frequency) ** 3
    sharp: FloatArray = (blur / (1.0 - square + 2.0 / 15.0 * square**2)) ** 2
    return sharp
