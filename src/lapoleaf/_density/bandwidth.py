"""The bandwidth: a low percentile of the distances between rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapoleaf._density.percentiles import percentiles_of_products
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points, as_counts
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray

MAX_SAMPLED_NODES = 5_000
_SEED = 0


def percentile_bandwidths(
    points: Points,
    population: FloatArray,
    percents: Sequence[float],
    threads: int = 1,
    verbose: int = 0,
) -> list[float]:
    """Give, for every percentage, the distance that so many of the pairs of rows do not exceed.

    Pairs at distance 0 do not count; a pair of nodes counts as often as there are pairs of their
    rows. With more than 5,000 nodes, the pairs among 5,000 of them, always the same, stand for all.

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
