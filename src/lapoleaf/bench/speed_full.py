"""Time of the full build, beside that of the least it has to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray
from lapoleaf.tree import leading_tree

COLUMNS = ("rows", "columns", "threads", "product and exp, s", "full build, s", "ratio")
_SIZES = ((20_000, 64), (20_000, 784))
_TILE = 512


def full_build_rows(
    sizes: tuple[tuple[int, int], ...] = _SIZES, threads: int = 1, repeats: int = 5
) -> list[tuple[object, ...]]:
    """Give a row of a table for every size: the best times and their ratio.

    The two take turns, so that others at work on the machine disturb both alike.

    Parameters
    ----------
    sizes : tuple of (n_rows, n_columns)
        Sizes of the data: ten heaps of normal random numbers.
    threads : int
        Number of threads of both.
    repeats : int
        How often each is run.
    """
    rows: list[tuple[object, ...]] = []
    for n, d in sizes:
        X = heaps(n, d)
        leading_tree(X[:1000], n_jobs=threads)
        bare, full = [], []
        for _ in range(repeats):
            bare.append(_seconds(partial(product_and_exp, X, threads)))
            full.append(_seconds(partial(leading_tree, X, n_jobs=threads)))
        rows.append((n, d, threads, min(bare), min(full), min(full) / min(bare)))
    return rows


def heaps(n: int, d: int, seed: int = 0) -> FloatArray:
    """Make ten heaps of normal random numbers, some of which overlap."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(10, d))
    return rng.normal(size=(n, d)) + centres[rng.integers(0, 10, n)]


def product_and_exp(X: FloatArray, threads: int) -> None:
    """Multiply every pair of rows once, in float64, and take one exponential a pair."""
    scaled = X / np.sqrt((X * X).sum(axis=1).max())
    starts = range(0, len(X), _TILE)
    tiles = [(i, j) for i in starts for j in starts if i <= j]

    def work(block: slice) -> None:
        for i, j in tiles[block]:
            product = scaled[i : i + _TILE] @ scaled[j : j + _TILE].T
            np.exp(product, out=product)

    blocks = [slice(k, k + 1) for k in range(len(tiles))]
    with one_blas_thread():
        for_each_block(work, blocks, threads, Progress("product and exp", len(tiles), 0))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
