"""One pass over the distances: the density of every node and its nearest neighbours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lapoleaf._density import kernels
from lapoleaf._density.tiles import densities_and_candidates, neighbours_of_candidates
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.products import Products
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

# Of 70,000 images all but a few dozen find a denser point among so many neighbours.
N_NEIGHBOURS = 20


class Neighbourhoods(NamedTuple):
    """What one pass over the distances leaves behind.

    Attributes
    ----------
    densities : ndarray of shape (n_bandwidths, n)
        Gaussian density of every node, for every bandwidth.
    neighbours : ndarray of shape (n, k)
        Its nearest nodes, nearest first; equal distances by index.
    lengths : ndarray of shape (n, k)
        Their distances.
    seconds : dict
        How the time of the pass divides into ``"distances"`` and ``"density"``.
    order : ndarray of shape (n,), or None
        An order of the nodes in which those that follow each other lie together, where one is
        known: work in this order finds what it needs in the processor's cache.
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
    """Work through the distances once, a block at a time.

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
    # Threads overlap: share the time that passed in proportion to the time they spent.
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
    """Work through half of the distances, in tiles of products."""
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
    """Work through all distances, a block of rows at a time."""
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
