"""The sum of ``1 / (1 + r**2)`` over all points, as one convolution on a mesh.

The masses of points are spread over a mesh, convolved with the kernel by fast Fourier transforms,
and interpolated (particle-mesh, Hockney and Eastwood, *Computer Simulation Using Particles*, 1988).
Spreading and interpolation blur the masses, which a sharpened kernel compensates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from lapoleaf._layout import mesh_kernels as kernels
from lapoleaf._typing import FloatArray

# Margin of mesh points along a side, for splines and for the next steps.
_MARGIN, _ROOM_TO_GROW, _MAX_UNUSED = 6, 1.15, 0.6
# Minimum number of mesh points, to separate the sharpened kernel from its periodic images.
_MIN_SIZE = 40

Box = tuple[float, float, float, float]


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
        self.cell = self._reach = 0.0
        self.low = (0.0, 0.0)

    def potential(
        self, places: FloatArray, box: Box, cell: float, reach: float = 0.0
    ) -> FloatArray:
        """Return the potential of all points at the mesh points, ready for ``read_off``.

        Parameters
        ----------
        places : ndarray of shape (n, 2)
            The points.
        box : tuple of float
            Their bounds: least x, least y, greatest x, greatest y.
        cell : float
            Width of a cell.
        reach : float
            The part of the kernel that ``push_near`` adds up to this distance is left out.
        """
        self._adapt(box, cell, reach)
        kernels.spread(places, *self.low, cell, self._grid)
        # One axis at a time: the rows of the margin are empty before, and not needed after.
        how: Any = {"workers": self._threads, "overwrite_x": True}
        rows = fft.rfft(self._grid, self._side, axis=1, workers=self._threads)
        both = fft.fft(rows, self._side, axis=0, **how)
        both *= self._kernel
        rows = fft.ifft(both, axis=0, **how)[: self._size]
        return np.asarray(fft.irfft(rows, self._side, axis=1, **how), dtype=np.float32)

    def _adapt(self, box: Box, cell: float, reach: float) -> None:
        """Fit the mesh to the points."""
        low_x, low_y, high_x, high_y = box
        needed = max(int(max(high_x - low_x, high_y - low_y) / cell) + _MARGIN, _MIN_SIZE)
        fits = _MAX_UNUSED * self._size <= needed <= self._size
        if not fits or (cell, reach) != (self.cell, self._reach):
            self.cell, self._reach = cell, reach
            self._resize(int(_ROOM_TO_GROW * needed) + 2)
        half = 0.5 * (self._size - 1) * cell
        self.low = (0.5 * (low_x + high_x) - half, 0.5 * (low_y + high_y) - half)

    def _resize(self, size: int) -> None:
        """Prepare a mesh of ``size`` points along a side, and the kernel for it."""
        self._size = size
        # Twice as many, to separate the mesh from its periodic images.
        side = self._side = fft.next_fast_len(2 * size, real=True)
        away = np.minimum(np.arange(side), side - np.arange(side)) * self.cell
        kernel = fft.rfft2(far_kernel(away[:, None] ** 2 + away**2, self._reach))
        sharp = _sharpening(fft.fftfreq(side))[:, None] * _sharpening(fft.rfftfreq(side))
        self._kernel = (kernel * sharp).astype(np.complex64)
        self._grid = np.zeros((size, size), dtype=np.float32)


def far_kernel(square: FloatArray, reach: float) -> FloatArray:
    """Return ``1 / (1 + r**2)`` without its near part, in float32, which is smooth below the reach.

    Parameters
    ----------
    square : ndarray
        Squares of distances r.
    reach : float
        Where the near part ends, see ``push_near``; 0 for none.
    """
    near = np.maximum(reach**2 - square, 0.0) / (1.0 + reach**2)
    return np.asarray((1.0 - near**4) / (1.0 + square), dtype=np.float32)


def _sharpening(frequency: FloatArray) -> FloatArray:
    """Return the factors of frequencies that compensate spreading and interpolation by splines.

    The optimal influence function of Hockney and Eastwood for cubic splines.
    """
    square = np.sin(np.pi * frequency) ** 2
    images = 1.0 - 4.0 / 3.0 * square + 2.0 / 5.0 * square**2 - 4.0 / 315.0 * square**3
    sharp: FloatArray = (np.sinc(frequency) ** 4 / images) ** 2
    return sharp
