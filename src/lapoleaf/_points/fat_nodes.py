"""Merging of points at distance 0 into nodes, whose population is the sum of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import product_kernels as kernels
from lapoleaf._points.base import Points
from lapoleaf._points.products import Products, Tile
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

AtZero: TypeAlias = "Callable[[Any, float, int, int], IntArray]"


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
    points: Points,
    weight: FloatArray,
    threads: int = 1,
    verbose: int = 0,
    at_zero: AtZero | None = None,
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
    at_zero : callable, default=None
        ``at_zero(points, zero, threads, verbose)`` gives, for each of some distinct points, the
        first at distance 0, itself if there is none before. If None, all distances are looked at.
    """
    counted = np.flatnonzero(weight > 0)
    if len(counted) < points.n:
        points = points.take(counted)
    first = points.identical()
    if points.zero is not None:
        distinct = np.unique(first)
        search = at_zero or _first_at_zero
        nearest = search(points.take(distinct), points.zero, threads, verbose)
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
    """Return, for every point, the first point at distance 0 that is its own representative."""
    products = points.products()
    if products is None:
        later, earlier = _close_by_rows(points, zero, threads, verbose)
    else:
        later, earlier = _close_by_products(products, zero, threads, verbose)
    order = np.lexsort((earlier, later))
    first = np.arange(points.n)
    kernels.join_first(later[order], earlier[order], first)
    return first


def _close_by_rows(
    points: Points, zero: float, threads: int, verbose: int
) -> tuple[IntArray, IntArray]:
    """Return the pairs at distance 0, the later point of each and the earlier."""
    pairs: list[IntArray] = [np.empty((2, 0), dtype=np.int64)]

    def search(block: slice) -> None:
        nodes = np.arange(block.start, block.stop)
        close = points.rows(nodes) <= zero
        close &= np.arange(points.n) < nodes[:, None]
        i, j = np.nonzero(close)
        if len(i):
            pairs.append(np.stack([i + block.start, j]))

    blocks = row_blocks(points.n, points.n, points.work, threads)
    for_each_block(search, blocks, threads, Progress("duplicates", points.n, verbose))
    later, earlier = np.concatenate(pairs, axis=1)
    return later, earlier


def _close_by_products(
    products: Products, zero: float, threads: int, verbose: int
) -> tuple[IntArray, IntArray]:
    """Return the same pairs, preselected by products."""
    pairs: list[IntArray] = [np.empty((2, 0), dtype=np.int64)]
    limit = products.squared(zero) * (1.0 + 1e-9) + 2.0 * float(products.doubt.max())

    def search(tile: Tile) -> None:
        near = np.stack(products.pairs_between(tile, -np.inf, limit))
        if near.size:
            pairs.append(near[:, products.pairs(*near) <= zero])

    progress = Progress("duplicates", products.n_tiles, verbose)
    products.for_each_tile(search, threads, progress)
    found = np.concatenate(pairs, axis=1)
    return found.max(axis=0), found.min(axis=0)
