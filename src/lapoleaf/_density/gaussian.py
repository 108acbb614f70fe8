"""Gaussian densities and near neighbours of all points, from one pass over the distances."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lapoleaf._density import kernels, tile_kernels
from lapoleaf._density.kernels import FIXED_POINT_ONE
from lapoleaf._parallel import for_each_block, one_blas_thread, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.products import Products, Tile
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

# Number of candidates in addition to neighbours, since products are not exact.
_N_SPARE_CANDIDATES = 4
_MAX_FACTOR = 1e300


class Candidates(NamedTuple):
    """Candidate neighbours of every point, sorted by squares.

    One list comes from tiles in which the point is a row, the other from tiles in which it is a
    column.
    """

    row_squares: FloatArray
    row_nodes: IntArray
    column_squares: FloatArray
    column_nodes: IntArray

    @classmethod
    def none(cls, n: int, k: int) -> Candidates:
        """Return empty lists, filled with infinite distances."""
        return cls(
            np.full((n, k), np.inf),
            np.zeros((n, k), dtype=np.int64),
            np.full((n, k), np.inf),
            np.zeros((n, k), dtype=np.int64),
        )


def densities_and_candidates(
    products: Products,
    population: FloatArray,
    bandwidths: FloatArray,
    unit: float,
    k: int,
    threads: int,
    verbose: int,
) -> tuple[FloatArray, Candidates, FloatArray]:
    """Return the densities, candidates for the k nearest, and the times of products and the rest.

    Parameters
    ----------
    products : Products
        The points.
    population : ndarray of shape (n,)
        Their weights.
    bandwidths : ndarray
        Widths of the Gaussian kernel.
    unit : float
        Smallest weight of a row.
    k : int
        Number of neighbours wanted.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    n = products.n
    factors = np.array([_factor(products, width) for width in bandwidths])
    row_sums, column_sums = np.zeros((2, len(bandwidths), n))
    candidates = Candidates.none(n, k + _N_SPARE_CANDIDATES)
    spent: list[tuple[float, float]] = []

    def work(tile: Tile) -> None:
        began = time.perf_counter()
        tile_kernels.add_tile(
            tile.products, tile.first.start, tile.second.start,
            products.rows, products.finish, products.norms, products.doubt,
            population, bandwidths, factors, row_sums, column_sums, *candidates,
        )  # fmt: skip
        spent.append((tile.seconds, time.perf_counter() - began))

    progress = Progress("distances and densities", products.n_tiles, verbose)
    products.for_each_tile(work, threads, progress)
    densities: FloatArray = (population - unit) + (row_sums + column_sums) / FIXED_POINT_ONE
    return densities, candidates, np.sum(spent, axis=0)


def _factor(products: Products, bandwidth: float) -> float:
    """Return the factor of a square (for squared metrics, of its square) in the exponent."""
    width = products.squared(bandwidth)
    if not products.is_root:
        width = width * width if width < 1e150 else np.inf
    return min(1.0 / width, _MAX_FACTOR) if width > 1.0 / _MAX_FACTOR else _MAX_FACTOR


def neighbours_of_candidates(
    products: Products, candidates: Candidates, k: int, threads: int, verbose: int
) -> tuple[IntArray, FloatArray]:
    """Return the k nearest points of every point and their distances, by differences.

    Parameters
    ----------
    products : Products
        The points.
    candidates : Candidates
        Candidates of every point.
    k : int
        Number of neighbours.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    n = products.n
    neighbours, lengths = np.empty((n, k), dtype=np.int64), np.empty((n, k))
    limits = np.empty(n)

    def choose(block: slice) -> None:
        tile_kernels.neighbours_among_candidates(
            block.start, block.stop, products.rows, products.finish, products.norms, products.slack,
            *candidates, neighbours, lengths, limits,
        )  # fmt: skip

    for_each_block(choose, row_blocks(n, n, 1.0, threads), threads)
    # If many points are equally near, candidates do not determine the order by index.
    doubtful = np.flatnonzero(limits > 0.0)

    def search(block: slice) -> None:
        nodes = doubtful[block]
        tile_kernels.neighbours_within(
            nodes, products.with_all(nodes), products.rows, products.finish, products.norms,
            limits, neighbours, lengths,
        )  # fmt: skip

    if len(doubtful):
        with one_blas_thread():
            blocks = row_blocks(len(doubtful), n, products.work, threads)
            progress = Progress("neighbours", len(doubtful), verbose)
            for_each_block(search, blocks, threads, progress)
    return neighbours, lengths


# Of 70,000 images all but a few dozen find a denser point among this number of neighbours.
N_NEIGHBOURS = 20


class Neighbourhoods(NamedTuple):
    """Results of one pass over the distances.

    Attributes
    ----------
    densities : ndarray of shape (n_bandwidths, n)
        Gaussian density of every node, for every bandwidth.
    neighbours : ndarray of shape (n, k)
        Its nearest nodes, nearest first; equal distances by index.
    lengths : ndarray of shape (n, k)
        Their distances.
    seconds : dict
        Time of the pass for ``"distances"`` and ``"density"``.
    order : ndarray of shape (n,), or None
        An order of the nodes in which consecutive ones are near each other, if known, for locality
        in the processor's cache.
    """

    densities: FloatArray
    neighbours: IntArray
    lengths: FloatArray
    seconds: dict[str, float]
    order: IntArray | None = None


def gaussian_neighbourhoods(
    points: Points,
    population: FloatArray,
    bandwidths: Sequence[float],
    unit: float,
    threads: int = 1,
    verbose: int = 0,
) -> Neighbourhoods:
    """Compute densities and neighbours in one pass over blocks of distances.

    Parameters
    ----------
    points : Points
        The nodes.
    population : ndarray of shape (n,)
        Their weights.
    bandwidths : sequence of float
        Widths of the Gaussian kernel.
    unit : float
        Smallest weight of a row.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    widths = np.array(bandwidths, dtype=np.float64)
    began = time.perf_counter()
    products = points.products()
    if products is None:
        found, spent = _by_rows(points, population, widths, unit, threads, verbose)
    else:
        found, spent = _by_products(products, population, widths, unit, threads, verbose)
    # Elapsed time is split in proportion to the time spent by all threads.
    wall = time.perf_counter() - began
    share = spent / max(spent.sum(), 1e-12)
    seconds = {"distances": wall * float(share[0]), "density": wall * float(share[1])}
    return found._replace(seconds=seconds)


def _by_products(
    products: Products,
    population: FloatArray,
    bandwidths: FloatArray,
    unit: float,
    threads: int,
    verbose: int,
) -> tuple[Neighbourhoods, FloatArray]:
    """Process half of the distances, in tiles of products."""
    k = min(N_NEIGHBOURS, products.n - 1)
    densities, candidates, spent = densities_and_candidates(
        products, population, bandwidths, unit, k, threads, verbose
    )
    neighbours, lengths = neighbours_of_candidates(products, candidates, k, threads, verbose)
    return Neighbourhoods(densities, neighbours, lengths, {}), spent


def _by_rows(
    points: Points,
    population: FloatArray,
    bandwidths: FloatArray,
    unit: float,
    threads: int,
    verbose: int,
) -> tuple[Neighbourhoods, FloatArray]:
    """Process all distances, a block of rows at a time."""
    n = points.n
    k = min(N_NEIGHBOURS, n - 1)
    densities = np.empty((len(bandwidths), n))
    neighbours = np.empty((n, k), dtype=np.int64)
    lengths = np.empty((n, k))
    blocks = row_blocks(n, n, points.work, threads)
    spent = np.zeros((len(blocks), 2))
    number = {block.start: index for index, block in enumerate(blocks)}

    def work(block: slice) -> None:
        began = time.perf_counter()
        rows = points.rows(np.arange(block.start, block.stop))
        measured = time.perf_counter()
        kernels.gaussian_density(rows, block.start, population, bandwidths, unit, densities)
        if k:
            kernels.nearest_neighbours(rows, block.start, neighbours, lengths)
        spent[number[block.start]] = measured - began, time.perf_counter() - measured

    for_each_block(work, blocks, threads, Progress("distances and densities", n, verbose))
    return Neighbourhoods(densities, neighbours, lengths, {}), spent.sum(axis=0)
