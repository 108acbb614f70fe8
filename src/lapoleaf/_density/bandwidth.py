"""Bandwidths: percentiles of the distances between all pairs of rows, in bounded memory."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lapoleaf._density import percentile_kernels
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points, as_counts
from lapoleaf._points.products import Products, Tile
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray

# 1,024 bins per power of 2; smaller squares, in the first bin, are below the precision of products.
_N_BINS = 48 * 1024
# Tolerance for rounding errors of sums of fractional counts.
_POSITION_FACTOR = 1.0 - 1e-12


class Window(NamedTuple):
    """Range of squares that contains a percentile, and its position among all pairs."""

    low: float
    high: float
    position: float


def position(percent: float, total: float) -> float:
    """Return the position of a percentile in a sorted list, from 1 on.

    Examples
    --------
    >>> from lapoleaf._density.bandwidth import position
    >>> position(50.0, 6.0), position(0.1, 6.0)
    (3.0, 1.0)
    """
    return min(max(float(round(percent / 100 * total)), 1.0), float(total))


def percentiles_of_products(
    products: Products,
    counts: FloatArray,
    percents: Sequence[float],
    threads: int = 1,
    verbose: int = 0,
) -> list[float]:
    """Return percentiles of the distances, with pairs weighted by the product of their counts.

    Parameters
    ----------
    products : Products
        The points.
    counts : ndarray of shape (n,)
        Number of rows at every point.
    percents : sequence of float
        Each in (0, 100].
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    progress = Progress("bandwidth", 2 * products.n_tiles, verbose)
    windows = _windows(products, counts, percents, threads, progress)
    found: list[list[tuple[float, AnyArray, AnyArray]]] = [[] for _ in windows]

    def pick(tile: Tile) -> None:
        first, second = tile.first.start, tile.second.start
        for window, parts in zip(windows, found, strict=True):
            below = percentile_kernels.count_below(
                tile.products, first, second, products.norms, counts, window.low
            )
            parts.append((below, *products.pairs_between(tile, window.low, window.high)))

    products.for_each_tile(pick, threads, progress)
    return [
        _at_position(products, counts, window.position, parts)
        for window, parts in zip(windows, found, strict=True)
    ]


def _windows(
    products: Products,
    counts: FloatArray,
    percents: Sequence[float],
    threads: int,
    progress: Progress,
) -> list[Window]:
    """Return the ranges of bins that contain the percentiles, with a margin for errors."""
    base = percentile_kernels.first_bin(4.0 * products.norms.max(), _N_BINS)
    bins = np.zeros((threads, _N_BINS))
    free: queue.SimpleQueue[FloatArray] = queue.SimpleQueue()
    for row in bins:
        free.put(row)

    def count(tile: Tile) -> None:
        row = free.get()
        first, second = tile.first.start, tile.second.start
        try:
            percentile_kernels.count_in_bins(
                tile.products, first, second, products.norms, counts, base, row
            )
        finally:
            free.put(row)

    products.for_each_tile(count, threads, progress)
    reached = np.cumsum(bins.sum(axis=0))
    total = float((counts[:-1] * np.cumsum(counts[:0:-1])[::-1]).sum())
    # Twice the error of a square: that of the percentile and that of the pair.
    room = 4.0 * float(products.doubt.max())
    windows = []
    for percent in percents:
        wanted = position(percent, total)
        place = int(np.searchsorted(reached, wanted * _POSITION_FACTOR))
        low = percentile_kernels.bin_start(base, place - 1) - room if place > 1 else -np.inf
        high = (
            percentile_kernels.bin_start(base, place + 2) + room if place + 2 < _N_BINS else np.inf
        )
        windows.append(Window(low, high, wanted))
    return windows


def _at_position(
    products: Products,
    counts: FloatArray,
    wanted: float,
    parts: list[tuple[float, AnyArray, AnyArray]],
) -> float:
    """Return the exact distance at the position of a window."""
    below = sum(part[0] for part in parts)
    first, second = (np.concatenate([part[side] for part in parts]) for side in (1, 2))
    distances = products.pairs(first, second)
    order = np.argsort(distances)
    reached = below + np.cumsum(counts[first[order]] * counts[second[order]])
    place = int(np.searchsorted(reached, wanted * _POSITION_FACTOR))
    return float(distances[order[min(place, len(order) - 1)]])


MAX_SAMPLED_NODES = 5_000
_SEED = 0


def percentile_bandwidths(
    points: Points,
    population: FloatArray,
    percents: Sequence[float],
    threads: int = 1,
    verbose: int = 0,
) -> list[float]:
    """Return the percentiles of the distances between pairs of rows.

    Pairs at distance 0 are ignored; pairs of nodes are weighted by the number of pairs of their
    rows. With more than 5,000 nodes, the percentiles are estimated from a fixed sample of 5,000.

    Parameters
    ----------
    points : Points
        The nodes, at positive distances from each other.
    population : ndarray of shape (n,)
        Weights of the nodes.
    percents : sequence of float
        Each in (0, 100].
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    if points.n > MAX_SAMPLED_NODES:
        sample = np.sort(
            np.random.default_rng(_SEED).choice(points.n, MAX_SAMPLED_NODES, replace=False)
        )
        points, population = points.take(sample), population[sample]
    counts = as_counts(population)
    products = points.products()
    if products is not None:
        return percentiles_of_products(products, counts, percents, threads, verbose)
    distances = _pair_distances(points, threads, verbose)
    if (counts == 1.0).all():
        m = len(distances)
        ranks = [min(max(round(percent / 100 * m), 1), m) - 1 for percent in percents]
        distances.partition(sorted(set(ranks)))
        return [float(distances[rank]) for rank in ranks]
    return _weighted_percentiles(distances, counts, percents)


def _weighted_percentiles(
    distances: FloatArray, counts: FloatArray, percents: Sequence[float]
) -> list[float]:
    pairs = np.concatenate([counts[i] * counts[i + 1 :] for i in range(len(counts))])
    order = np.argsort(distances)
    reached = np.cumsum(pairs[order])
    bandwidths = []
    for percent in percents:
        rank = min(max(float(round(percent / 100 * reached[-1])), 1.0), reached[-1])
        found = int(np.searchsorted(reached, rank * (1 - 1e-12)))
        bandwidths.append(float(distances[order[min(found, len(order) - 1)]]))
    return bandwidths


def _pair_distances(points: Points, threads: int, verbose: int) -> FloatArray:
    """Return the distances of all pairs i < j, row after row."""
    n = points.n
    start = np.concatenate([[0], np.cumsum(np.arange(n - 1, -1, -1))])
    out = np.empty(start[-1])

    def fill(block: slice) -> None:
        rows = points.rows(np.arange(block.start, block.stop))
        for k, i in enumerate(range(block.start, block.stop)):
            out[start[i] : start[i + 1]] = rows[k, i + 1 :]

    blocks = row_blocks(n, n, points.work, threads)
    for_each_block(fill, blocks, threads, Progress("bandwidth", n, verbose))
    return out
