"""Squared distances of dense rows from matrix products, with a bound on their error.

``|x - y|**2 = |x|**2 + |y|**2 - 2 x y`` runs at the speed of a matrix product, many times that of
differences, but loses digits where rows are near each other and far from the origin. So rows are
centred first, and every square comes with a bound on how far it can be from the one by differences.
Whoever decides something by such a square looks at the differences where the bound leaves a doubt:
then nothing depends on products, on how they were summed or cut into tiles.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import NamedTuple, Self

import numpy as np

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._points import product_kernels as kernels
from lapoleaf._points.metrics import FastMetric
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Rows of a tile; it stays in the cache while it is worked on. Never by memory or threads: sums of
# weights that are not whole numbers go by tiles.
TILE = 512
_FEWEST_ROWS_OF_TILE = 32
_ROWS_OF_CENTRE = 500
# Numbers in the rows of a tile, so that tables of very many columns need no more memory.
_LARGEST_TILE_SIZE = 2**21
_ROUNDING = 2.0**-53
# Beyond all underflow, below all squares that count.
_UNDERFLOW = 1e-300
# Columns whose values differ more than this, or all less than its inverse, are left to differences
# where distances are squares: densities take squares of these.
_LARGEST_SPREAD = 2.0**200


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


class Products:
    """Rows, ready to be multiplied.

    Parameters
    ----------
    columns : ndarray of shape (d, n), float32 or float64
        The points, column by column, in units of ``scale``.
    metric : FastMetric
        A metric whose distances follow from squared Euclidean ones.
    scale : float
        The unit of the rows, a power of two.

    Attributes
    ----------
    norms : ndarray of shape (n,)
        Squared lengths: ``norms[i] + norms[j] - 2 * product`` is the square of a pair.
    doubt : ndarray of shape (n,)
        ``doubt[i] + doubt[j]`` bounds the difference of this square and the one by differences.
    finish : Finish
        How squares become distances in users' units.
    """

    def __init__(self, columns: FloatArray, metric: FastMetric, scale: float = 1.0) -> None:
        self.rows = np.ascontiguousarray(columns.T)
        self.metric = metric
        self.scale = scale
        self.finish = metric.finish(scale)
        self.n, d = self.rows.shape
        self.tile = max(min(TILE, _LARGEST_TILE_SIZE // d), min(TILE, _FEWEST_ROWS_OF_TILE))
        # Medians, because a few rows far away must not move the centre; of some rows, because any
        # centre will do. A constant column becomes 0.
        some = self.rows[:: max(1, self.n // _ROWS_OF_CENTRE)]
        self._centre = np.median(some.astype(np.float64), axis=0)
        self.norms = np.empty(self.n)
        for stripe in self.stripes:
            part = self.centred(stripe)
            self.norms[stripe] = np.einsum("ij,ij->i", part, part)
        if metric.unit_rows:
            # A row of zeros is at 1 from all others, as if it had a column of its own.
            self.norms[~self.rows.any(axis=1)] += 1.0
        # In units of 2**-53 times the sum of both norms: centring 4, norms and product d each,
        # their sum 3, the differences 2 d + 6; and 16 because roots of different squares may be
        # equal. Any order of summation, with or without fused multiplications, keeps to this.
        self.slack = (4 * d + 64) * _ROUNDING
        self.doubt = self.slack * self.norms + _UNDERFLOW

    @classmethod
    def of(cls, columns: FloatArray, metric: FastMetric, scale: float = 1.0) -> Self | None:
        """Return the products of points stored as (d, n), or None where products are no use."""
        if not metric.of_squares or columns.shape[1] < 2:
            return None
        if not (metric.rooted or metric.unit_rows):
            # Squares by differences underflow or overflow there, and must do so here as well.
            low, high = columns.min(axis=1).astype(np.float64), columns.max(axis=1)
            with np.errstate(over="ignore"):
                spread = float((high - low).max())
            if not 1.0 / _LARGEST_SPREAD <= spread <= _LARGEST_SPREAD:
                return None
        return cls(columns, metric, scale)

    @property
    def stripes(self) -> list[slice]:
        """The points, cut into tiles."""
        cuts = range(0, self.n, self.tile)
        return [slice(start, min(start + self.tile, self.n)) for start in cuts]

    def centred(self, points: slice | AnyArray, out: FloatArray | None = None) -> FloatArray:
        """Return rows relative to the centre."""
        part: FloatArray = np.subtract(self.rows[points], self._centre, out=out)
        return part

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

    def with_all(self, points: AnyArray) -> FloatArray:
        """Return the products of some points with all points."""
        left = self.centred(points)
        out = np.empty((len(points), self.n))
        for stripe in self.stripes:
            np.matmul(left, self.centred(stripe).T, out=out[:, stripe])
        return out

    def for_each_tile(self, task: Callable[[Tile], None], threads: int, progress: Progress) -> None:
        """Run ``task`` on tiles that hold every pair once; the progress counts tiles.

        Tiles go in rounds. In a round, every point is in the first half of one tile at most, and
        in the second half of one at most: tasks may write to both without minding each other, and
        what a point gets comes in the same order for every number of threads.
        """
        spaces: queue.SimpleQueue[tuple[FloatArray, ...]] = queue.SimpleQueue()
        size = min(self.tile, self.n)
        for _ in range(threads):
            spaces.put(tuple(np.empty((size, k)) for k in (self.rows.shape[1],) * 2 + (size,)))
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

    def _multiply(self, first: slice, second: slice, space: tuple[FloatArray, ...]) -> FloatArray:
        n, m = first.stop - first.start, second.stop - second.start
        left = self.centred(first, space[0][:n])
        right = left if first == second else self.centred(second, space[1][:m])
        out = space[2].reshape(-1)[: n * m].reshape(n, m)
        return np.matmul(left, right.T, out=out)

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
