"""Near neighbours of many rows: by faiss where it is installed, else by a tree."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np
from sklearn.neighbors import KDTree

from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Maximum number of rows for an exact search by faiss; with more, cells are used.
_FLAT_UP_TO, _PROBES, _TRAINED = 20_000, 16, 200_000


def near_neighbours(X: AnyArray, k: int) -> tuple[FloatArray, IntArray]:
    """Return distances and numbers of the nearest rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    k : int
        Neighbours of a row, itself not counted.

    Returns
    -------
    distances, neighbours : ndarray of shape (n, k)
        Nearest first; of many rows faiss may miss a few.
    """
    if importlib.util.find_spec("faiss") is None:
        distances, neighbours = KDTree(X).query(X, k=k + 1)
    else:
        distances, neighbours = _by_faiss(np.ascontiguousarray(X, dtype=np.float32), k + 1)
    # A row may find itself first, among its duplicates, or not at all if there are many.
    own = neighbours == np.arange(len(X))[:, None]
    place = np.where(own.any(axis=1), own.argmax(axis=1), k)
    others = np.arange(k + 1) != place[:, None]
    return distances[others].reshape(-1, k), neighbours[others].reshape(-1, k)


def _by_faiss(X: AnyArray, k: int) -> tuple[FloatArray, IntArray]:
    faiss = importlib.import_module("faiss")
    n, columns = X.shape
    if n <= _FLAT_UP_TO:
        index = faiss.IndexFlatL2(columns)
    else:
        index = faiss.index_factory(columns, f"IVF{int(4 * n**0.5)},Flat")
        index.train(X[np.random.default_rng(0).permutation(n)[:_TRAINED]])
        index.nprobe = _PROBES
    index.add(X)
    squares, neighbours = index.search(X, k)
    # Missing neighbours from cells with too few rows are replaced by long loops, which have no
    # weight.
    gap = neighbours < 0
    squares = np.where(gap, squares[~gap].max(), np.maximum(squares, 0.0))
    neighbours = np.where(gap, np.arange(n)[:, None], neighbours)
    return np.sqrt(squares, dtype=np.float64), neighbours
