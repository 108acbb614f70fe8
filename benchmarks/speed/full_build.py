"""The full build compared with its minimal work: products and exponentials of all pairs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.data.clustered import clustered_task
from lapoleaf._parallel import for_each_block, n_threads, one_blas_thread
from lapoleaf._progress import Progress
from lapoleaf._tree import leading_tree
from lapoleaf._typing import FloatArray

_TILE, _WARM = 512, 1_000


def full_build(n: int, columns: int, repeats: int) -> dict[str, float]:
    """Time the full build of one tree, and the product with its exponentials.

    The two alternate, so that other processes affect both alike; the best time is used.

    Parameters
    ----------
    n, columns : int
        Number of rows and columns, float64.
    repeats : int
        How often each is run.
    """
    X = np.asarray(clustered_task(n, columns).X, dtype=np.float64)
    threads = n_threads(None)
    leading_tree(X[:_WARM], build="full")
    bare, full = [], []
    for _ in range(repeats):
        bare.append(_seconds(lambda: product_and_exp(X, threads)))
        full.append(_seconds(lambda: leading_tree(X, build="full")))
    return {"bare": min(bare), "full": min(full), "threads": float(threads)}


def product_and_exp(X: FloatArray, threads: int) -> None:
    """Multiply every pair of rows once, in float64, and take one exponential a pair.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    threads : int
        Number of threads.
    """
    # Small exponents, so that all exponentials take the same time.
    scaled = X / np.sqrt((X * X).sum(axis=1).max())
    starts = range(0, len(X), _TILE)
    tiles = [(i, j) for i in starts for j in starts if i <= j]

    def work(block: slice) -> None:
        for i, j in tiles[block]:
            product = scaled[i : i + _TILE] @ scaled[j : j + _TILE].T
            np.exp(product, out=product)

    blocks = [slice(place, place + 1) for place in range(len(tiles))]
    with one_blas_thread():
        for_each_block(work, blocks, threads, Progress("product and exp", len(tiles), 0))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
