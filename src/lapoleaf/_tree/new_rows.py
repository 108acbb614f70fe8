"""The leaders and nearest nodes of new rows, and the nearest nodes of nodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from lapoleaf._parallel import for_each_block, one_blas_thread, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.cell_search import CellSearch, nearest_to_rows
from lapoleaf._points.row_products import RowProducts
from lapoleaf._progress import Progress
from lapoleaf._tree import kernels
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import FloatArray, IntArray

# Number of points searched for the neighbours of a new row, in an approximate tree.
_MAX_POINTS_SEARCHED = 3000
# Number of rows multiplied with all points at a time.
_ROWS_MULTIPLIED = 256
_Search: TypeAlias = "Callable[[Any, int], tuple[IntArray, FloatArray]]"


def leaders_of_rows(
    tree: LeadingTree, X: Any, threads: int = 1, verbose: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return the leader that every new row would have, and the distance to it.

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
        The nodes; ties are broken by the points, or by number in an approximate build and for
        points without coordinates.
    distances : ndarray of shape (m, k)
        Their distances; exactly 0 if the row equals the node.
    """
    points = tree.points
    if points is None:
        raise ValueError("tree was made from arrays: only a tree built from data takes new rows.")

    def read(block: slice) -> Any:
        return points.prepare(X[block])

    progress = Progress("new rows", X.shape[0], verbose)
    return _nearest(tree, points, read, X.shape[0], k, threads, progress)


def nearest_other_nodes(tree: LeadingTree, k: int, threads: int = 1) -> tuple[IntArray, FloatArray]:
    """Return the k other nodes nearest to every node, nearest first, and their distances.

    Parameters
    ----------
    tree : LeadingTree
        A tree built from data.
    k : int
        How many nodes, at most all others.
    threads : int
        Number of threads.

    Returns
    -------
    nodes, distances : ndarray of shape (n_nodes, k)
        As :func:`nearest_nodes` returns them.
    """
    points = tree.points
    if points is None:
        raise ValueError("tree was made from arrays: only one built from data has distances.")
    n = points.n

    def read(block: slice) -> Any:
        return points.at(np.arange(block.start, block.stop))

    nodes, lengths = _nearest(tree, points, read, n, k + 1, threads, None)
    # A node is among its nearest, but where others are at distance 0, too.
    own = nodes == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True
    shape = n, nodes.shape[1] - 1
    return nodes[~own].reshape(shape), lengths[~own].reshape(shape)


def _nearest(
    tree: LeadingTree,
    points: Points,
    read: Callable[[slice], Any],
    n_rows: int,
    k: int,
    threads: int,
    progress: Progress | None,
) -> tuple[IntArray, FloatArray]:
    """Return the k nodes nearest to rows, which are read block by block, and their distances."""
    k = min(k, points.n)
    nodes = np.empty((n_rows, k), dtype=np.int64)
    lengths = np.empty((n_rows, k))
    products = None
    if tree.cells is not None:
        search: _Search = partial(_nearest_in_cells, tree.cells)
        blocks = row_blocks(n_rows, k, points.work, threads)
    elif (products := RowProducts.of(points, n_rows)) is not None:
        search = partial(_nearest_by_products, products, tree.canonical_order)
        blocks = row_blocks(n_rows, points.n, products.work, threads, _ROWS_MULTIPLIED)
    else:
        search = partial(_nearest_of_all, points, tree.canonical_order)
        blocks = row_blocks(n_rows, points.n, points.work, threads)

    def work(block: slice) -> None:
        nodes[block], lengths[block] = search(read(block), k)

    with nullcontext() if products is None else one_blas_thread():
        for_each_block(work, blocks, threads, progress)
    return nodes, lengths


def _nearest_in_cells(cells: CellSearch, queries: Any, k: int) -> tuple[IntArray, FloatArray]:
    """Return the nodes nearest to rows, and their distances, from the cells around."""
    nodes, lengths = nearest_to_rows(cells, queries, k, _MAX_POINTS_SEARCHED)
    lengths[lengths <= (cells.points.zero or 0.0)] = 0.0
    return nodes, lengths


def _nearest_of_all(
    points: Points, order: IntArray | None, queries: Any, k: int
) -> tuple[IntArray, FloatArray]:
    """Return the nodes nearest to rows, and their distances, from all distances."""
    distances = points.measure(queries)
    distances[distances <= (points.zero or 0.0)] = 0.0
    nodes: IntArray = np.empty((len(distances), k), dtype=np.int64)
    lengths = np.empty(nodes.shape)
    if order is None:
        kernels.nearest_in_rows(distances, nodes, lengths)
        return nodes, lengths
    kernels.nearest_in_rows(distances[:, order], nodes, lengths)
    nodes = order[nodes]
    # If several nodes are at distance 0, training rows belong to the first.
    at_node = np.flatnonzero(lengths[:, 0] == 0)
    nodes[at_node, 0] = (distances[at_node] == 0).argmax(axis=1)
    return nodes, lengths


def _nearest_by_products(
    products: RowProducts, order: IntArray | None, queries: FloatArray, k: int
) -> tuple[IntArray, FloatArray]:
    """Return the same as :func:`_nearest_of_all`, with few distances computed."""
    points = products.points
    listed, distances, is_complete = products.shortlist(queries, k)
    distances[distances <= (points.zero or 0.0)] = 0.0
    rank = listed
    if order is not None:
        place = np.empty(len(order) + 1, dtype=np.int64)
        place[order], place[-1] = np.arange(len(order)), len(order)
        rank = place[listed]
    nearest = np.lexsort((rank, distances), axis=1)[:, :k]
    nodes = np.take_along_axis(listed, nearest, axis=1)
    lengths = np.take_along_axis(distances, nearest, axis=1)
    if order is not None:
        at_node = np.flatnonzero(lengths[:, 0] == 0)
        first = (distances[at_node] == 0).argmax(axis=1)
        nodes[at_node, 0] = listed[at_node, first]
    for row in np.flatnonzero(~is_complete):
        nodes[[row]], lengths[[row]] = _nearest_of_all(points, order, queries[[row]], k)
    return nodes, lengths
