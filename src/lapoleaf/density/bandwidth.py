"""The bandwidth: a low percentile of the distances between rows."""

from __future__ import annotations

import numpy as np

from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray
from lapoleaf.points import Points, as_counts

MOST_NODES = 5_000
_SEED = 0


def percentile_bandwidth(
    points: Points, population: FloatArray, percent: float, threads: int = 1, verbose: int = 0
) -> float:
    """Give the distance that ``percent`` percent of the pairs of rows do not exceed.

    Pairs at distance 0 do not count; a pair of nodes counts as often as there are pairs of their
    rows. With more than 5,000 nodes, the pairs among 5,000 of them, always the same, stand for all.

    Parameters
    ----------
    points : Points
        The nodes, at positive distances from each other.
    population : ndarray of shape (n,)
        Weights of the nodes.
    percent : float
        In (0, 100].
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    if points.n > MOST_NODES:
        sample = np.sort(np.random.default_rng(_SEED).choice(points.n, MOST_NODES, replace=False))
        points, population = points.take(sample), population[sample]
    distances = _pair_distances(points, threads, verbose)
    if (as_counts(population) == 1.0).all():
        rank = min(max(round(percent / 100 * len(distances)), 1), len(distances)) - 1
        return float(np.partition(distances, rank)[rank])
    return _weighted_percentile(distances, population, percent)


def _weighted_percentile(distances: FloatArray, population: FloatArray, percent: float) -> float:
    counts = as_counts(population)
    pairs = np.concatenate([counts[i] * counts[i + 1 :] for i in range(len(counts))])
    order = np.argsort(distances)
    reached = np.cumsum(pairs[order])
    rank = min(max(float(round(percent / 100 * reached[-1])), 1.0), reached[-1])
    found = int(np.searchsorted(reached, rank * (1 - 1e-12)))
    return float(distances[order[min(found, len(order) - 1)]])


def _pair_distances(points: Points, threads: int, verbose: int) -> FloatArray:
    """Give the distances of all pairs i < j, row after row."""
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
