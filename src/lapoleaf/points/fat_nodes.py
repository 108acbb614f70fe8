"""Points at distance 0 become one node, with the sum of their weights as population."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.points.base import Points


class FatNodes(NamedTuple):
    """Distinct points, numbered by first appearance.

    Attributes
    ----------
    points : Points
        One point for each node.
    node_of : ndarray of shape (n_rows,)
        The node of every row; -1 for rows of weight 0, which are left out.
    population : ndarray of shape (n_nodes,)
        Sum of the weights of a node's rows.
    """

    points: Points
    node_of: IntArray
    population: FloatArray


def merge_duplicates(
    points: Points, weight: FloatArray, threads: int = 1, verbose: int = 0
) -> FatNodes:
    """Merge points at distance 0 from each other.

    Parameters
    ----------
    points : Points
        One point for each row.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    counted = np.flatnonzero(weight > 0)
    if len(counted) < points.n:
        points = points.take(counted)
    first = points.identical()
    if points.zero is not None:
        distinct = np.unique(first)
        nearest = _first_at_zero(points.take(distinct), points.zero, threads, verbose)
        joined = np.empty(points.n, dtype=np.int64)
        joined[distinct] = distinct[nearest]
        first = joined[first]
    representatives, node = np.unique(first, return_inverse=True)
    node_of = np.full(len(weight), -1, dtype=np.int64)
    node_of[counted] = node
    population = np.bincount(node, weights=weight[counted]).astype(np.float64)
    if len(representatives) < points.n:
        points = points.take(representatives)
    return FatNodes(points, node_of, population)


def _first_at_zero(points: Points, zero: float, threads: int, verbose: int) -> IntArray:
    """Give, for every point, the first point at distance 0 that stands for itself."""
    pairs: list[tuple[IntArray, IntArray]] = []

    def search(block: slice) -> None:
        nodes = np.arange(block.start, block.stop)
        close = points.rows(nodes) <= zero
        close &= np.arange(points.n) < nodes[:, None]
        i, j = np.nonzero(close)
        if len(i):
            pairs.append((i + block.start, j))

    blocks = row_blocks(points.n, points.n, points.work, threads)
    for_each_block(search, blocks, threads, Progress("duplicates", points.n, verbose))
    first = np.arange(points.n)
    if pairs:
        later = np.concatenate([i for i, _ in pairs])
        earlier = np.concatenate([j for _, j in pairs])
        for k in np.lexsort((earlier, later)):
            i, j = later[k], earlier[k]
            if first[i] == i and first[j] == j:
                first[i] = j
    return first
