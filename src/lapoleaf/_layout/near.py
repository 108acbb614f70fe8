"""Repulsion of near points, which cells of the mesh are too wide for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._layout import near_kernels as kernels
from lapoleaf._layout.mesh import Box
from lapoleaf._typing import FloatArray


class NearPoints:
    """The points of a map, sorted by squares as wide as the reach of the near part of the kernel.

    Parameters
    ----------
    n : int
        Number of points.
    """

    def __init__(self, n: int) -> None:
        self._square, self._order = np.empty((2, n), dtype=np.int32)
        self._x, self._y = np.empty((2, n), dtype=np.float32)
        self._counts = np.empty((0, 0), dtype=np.int64)
        self._start = np.empty(0, dtype=np.int64)
        self._reach = 0.0

    def find(self, places: FloatArray, box: Box, reach: float, most: float) -> bool:
        """Sort points if at most ``most`` pairs are near; return whether they were sorted.

        Parameters
        ----------
        places : ndarray of shape (n, 2)
            The points.
        box : tuple of float
            Their bounds: least x, least y, greatest x, greatest y.
        reach : float
            Range of the near part.
        most : float
            Maximum number of pairs, counted by squares and from both ends.
        """
        low_x, low_y, high_x, high_y = box
        shape = int((high_y - low_y) / reach) + 3, int((high_x - low_x) / reach) + 3
        if shape != self._counts.shape:
            self._counts = np.empty(shape, dtype=np.int64)
            self._start = np.empty(self._counts.size + 1, dtype=np.int64)
        found = kernels.count_in_squares(places, low_x, low_y, reach, self._square, self._counts)
        if found > most:
            return False
        self._reach = reach
        kernels.sort_by_square(
            places, self._square, self._counts, self._start, self._order, self._x, self._y
        )
        return True

    def pushes(self, push: FloatArray) -> Callable[[slice], float]:
        """Return a function that adds the near repulsion of a block of the sorted points.

        It returns the sum of the near part of the kernel, including that of points with themselves.
        """
        what: Any = (
            self._reach, self._counts.shape[1], self._square, self._start, self._order,
            self._x, self._y, push,
        )  # fmt: skip

        def add(block: slice) -> float:
            return kernels.push_near(block.start, block.stop, *what)

        return add
