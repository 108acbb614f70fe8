"""The leaders and nearest nodes of new rows; the tree stays as it is."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points.cell_search import CellSearch, nearest_to_rows
from lapoleaf._progress import Progress
from lapoleaf._tree import kernels
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import FloatArray, IntArray

# Points that are searched for the neighbours of a new row, in a tree of an approximate build.
_MAX_POINTS_SEARCHED = 3000


def leaders_of_rows(
    tree: LeadingTree, X: Any, threads: int = 1, verbose: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return the leader that every new row would have, and the distance; the tree stays as it is.

    Parameters
    ----------
    tree : LeadingTree
        A tree built from data.
    X : ndarray or CSR matrix of shape (m, n_columns)
        New rows, checked, in the form the tree was built from.
    threads, verbose : int
        Number of threads; whether to report progress.

    Returns
    -------
    leader : ndarray of shape (m,)
        A node for each row; the node itself where the row is at distance 0 from it.
    delta : ndarray of shape (m,)
        The distance to it.
    """
    points = tree.points
    if points is None or tree.bandwidth is None:
        raise ValueError("tree was made from arrays: only a tree built from data takes new rows.")
    bandwidth, zero = tree.bandwidth, points.zero or 0.0
    leader = np.empty(X.shape[0], dtype=np.int64)
    delta = np.empty(X.shape[0])

    def work(block: slice) -> None:
        distances = points.measure(points.prepare(X[block]))
        kernels.leaders_of_new(
            distances, tree.density, tree.population, bandwidth, zero, tree.root,
            leader[block], delta[block],
        )  # fmt: skip

    blocks = row_blocks(X.shape[0], points.n, points.work, threads)
    for_each_block(work, blocks, threads, Progress("new rows", X.shape[0], verbose))
    return leader, delta


def nearest_nodes(
    tree: LeadingTree, X: Any, k: int, threads: int = 1, verbose: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return the k nodes nearest to every new row, nearest first, and their distances.

    Parameters
    ----------
    tree : LeadingTree
        A tree built from data.
    X : ndarray or CSR matrix of shape (m, n_columns)
        New rows, checked, in the form the tree was built from.
    k : int
        How many nodes, at most all.
    threads, verbose : int
        Number of threads; whether to report progress.

    Returns
    -------
    nodes : ndarray of shape (m, k)
        The nodes; which of equally near ones goes by the points, in an approximate build and for
        points without coordinates by number.
    distances : ndarray of shape (m, k)
        Their distances; exactly 0 where the row is at the node.
    """
    points = tree.points
    if points is None:
        raise ValueError("tree was made from arrays: only a tree built from data takes new rows.")
    k = min(k, points.n)
    cells = tree.cells
    order = tree.canonical_order if cells is None else None
    nodes = np.empty((X.shape[0], k), dtype=np.int64)
    lengths = np.empty((X.shape[0], k))

    def look(block: slice) -> None:
        found = nearest_to_rows(
            cast(CellSearch, cells), points.prepare(X[block]), k, _MAX_POINTS_SEARCHED
        )
        nodes[block], lengths[block] = found
        lengths[block][lengths[block] <= (points.zero or 0.0)] = 0.0

    def work(block: slice) -> None:
        distances = points.measure(points.prepare(X[block]))
        distances[distances <= (points.zero or 0.0)] = 0.0
        if order is None:
            kernels.nearest_in_rows(distances, nodes[block], lengths[block])
            return
        kernels.nearest_in_rows(distances[:, order], nodes[block], lengths[block])
        nodes[block] = order[nodes[block]]
        # Of several nodes at distance 0, rows of a fit are in the first.
        at_node = np.flatnonzero(lengths[block][:, 0] == 0)
        nodes[block][at_node, 0] = (distances[at_node] == 0).argmax(axis=1)

    blocks = row_blocks(X.shape[0], points.n if cells is None else k, points.work, threads)
    for_each_block(
        work if cells is None else look, blocks, threads, Progress("new rows", X.shape[0], verbose)
    )
    return nodes, lengths
