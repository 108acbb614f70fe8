"""Squared distances of rows from matrix products, with a bound on their error.

``|x - y|**2 = |x|**2 + |y|**2 - 2 x y`` is computed at the speed of a matrix product, many times
that of differences, but loses precision for rows that are near each other and far from the origin.
So dense rows are centred first, and every square has a bound on its error. Decisions within the
bound are made by differences, so that results do not depend on products, their order of summation,
or tiles.
"""

from __future__ import annotations

import queue
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import NamedTuple, TypeAlias

import numpy as np

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._points import product_kernels as kernels
from lapoleaf._points.kernels import Finish
from lapoleaf._points.metrics import FastMetric
from lapoleaf._points.product_kernels import Rows
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Rows of a tile, which fits into the cache. Independent of memory and threads, since sums of
# fractional weights depend on tiles.
TILE = 512
_ROUNDING = 2.0**-53
# Above all underflow, below all relevant squares.
_UNDERFLOW = 1e-300
# For squared metrics, columns with larger differences than this, or all smaller than its inverse,
# are measured by differences, since densities square them again.
LARGEST_SPREAD = 2.0**200
Space: TypeAlias = "tuple[FloatArray, ...]"


class Tile(NamedTuple):
    """Products of some points with others.

    Attributes
    ----------
    first, second : slice
        Which points.
    products : ndarray
        Their products; valid until the task is done.
    seconds : float
        Time it took.
    """

    first: slice
    second: slice
    products: FloatArray
    seconds: float


class Products(ABC):
    """Rows in matrix-product form.

    Attributes
    ----------
    n : int
        Number of points.
    tile : int
        Number of points on each side of a tile.
    work : float
        Approximate number of operations per product.
    rows : tuple of arrays
        The points, in units of ``scale``, in the form that ``pair_distance`` takes.
    metric : FastMetric
        A metric whose distances follow from squared Euclidean ones.
    scale : float
        The unit of the rows, a power of two.
    finish : Finish
        Conversion of squares to distances in users' units.
    norms : ndarray of shape (n,)
        Squared lengths: ``norms[i] + norms[j] - 2 * product`` is the square of a pair.
    slack : float
        Bound on the error of a square, relative to the sum of both norms.
    doubt : ndarray of shape (n,)
        ``doubt[i] + doubt[j]`` bounds the difference of this square and the one by differences.
    """

    n: int
    tile: int
    work: float
    rows: Rows
    metric: FastMetric
    scale: float
    finish: Finish
    norms: FloatArray
    slack: float
    doubt: FloatArray

    def _set_doubt(self, n_terms: int) -> None:
        """Set error bounds of squares of rows that differ in at most ``n_terms`` columns."""
        # In units of 2**-53 times the sum of both norms: centring 4, norms and product one for
        # each term, their sum 3, the differences 2 for each term and 6; and 16 because roots of
        # different squares may be equal. Any order of summation, with or without fused
        # multiplications, keeps to this.
        self.slack = (4 * n_terms + 64) * _ROUNDING
        self.doubt = self.slack * self.norms + _UNDERFLOW

    @abstractmethod
    def with_all(self, points: AnyArray) -> FloatArray:
        """Return the products of some points with all points."""

    @abstractmethod
    def _space(self, size: int) -> Space:
        """Return the arrays in which a thread multiplies tiles of ``size`` points."""

    @abstractmethod
    def _multiply(self, first: slice, second: slice, space: Space) -> FloatArray:
        """Return the products of some points with others, in an array of ``space``."""

    @property
    def stripes(self) -> list[slice]:
        """Slices of the points, one per tile."""
        cuts = range(0, self.n, self.tile)
        return [slice(start, min(start + self.tile, self.n)) for start in cuts]

    def squared(self, distance: float) -> float:
        """Return the square of rows at a distance, infinite if it is too large."""
        return self.metric.value_of(distance, self.scale)

    @property
    def is_root(self) -> bool:
        """Whether distances are roots of squares, not squares themselves."""
        return self.metric.rooted

    def pairs(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the distances of pairs, by differences."""
        out = np.empty(len(first))
        kernels.pair_distances(self.rows, first, second, self.finish, out)
        return out

    def pairs_between(self, tile: Tile, low: float, high: float) -> tuple[IntArray, IntArray]:
        """Return the pairs of a tile whose squares are in [low, high]."""
        first, second = np.empty((2, tile.products.size), dtype=np.int64)
        found = kernels.pairs_between(
            tile.products, tile.first.start, tile.second.start, self.norms, low, high, first, second
        )
        return first[:found].copy(), second[:found].copy()

    def for_each_tile(self, task: Callable[[Tile], None], threads: int, progress: Progress) -> None:
        """Run ``task`` on tiles that hold every pair once; the progress counts tiles.

        Tiles are processed in rounds. In a round, every point is in at most one first half and one
        second half of a tile: tasks may write to both without conflicts, and contributions to a
        point come in the same order for every number of threads.
        """
        spaces: queue.SimpleQueue[Space] = queue.SimpleQueue()
        size = min(self.tile, self.n)
        for _ in range(threads):
            spaces.put(self._space(size))
        stripes = self.stripes
        with one_blas_thread() if len(stripes) > 1 else nullcontext():
            for distance, n_tiles in enumerate(rounds(len(stripes))):

                def work(block: slice, distance: int = distance) -> None:
                    first = stripes[block.start]
                    second = stripes[(block.start + distance) % len(stripes)]
                    space = spaces.get()
                    try:
                        began = time.perf_counter()
                        found = self._multiply(first, second, space)
                        task(Tile(first, second, found, time.perf_counter() - began))
                    finally:
                        spaces.put(space)

                blocks = [slice(k, k + 1) for k in range(n_tiles)]
                for_each_block(work, blocks, threads, progress)

    @property
    def n_tiles(self) -> int:
        """Number of tiles that hold every pair once."""
        return sum(rounds(len(self.stripes)))


def rounds(n_stripes: int) -> Iterator[int]:
    """Return the number of tiles in each round; in round r, stripe k meets stripe k + r.

    Examples
    --------
    >>> from lapoleaf._points.products import rounds
    >>> list(rounds(5)), list(rounds(4))
    ([5, 5, 5], [4, 4, 2])
    """
    for distance in range(n_stripes // 2 + 1):
        yield n_stripes // 2 if 0 < 2 * distance == n_stripes else n_stripes
