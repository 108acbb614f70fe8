"""Approximate nearest neighbours through cells, in nearly linear time.

Candidates are selected in float32, for many columns on a projection; their distances are always
computed from the data in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block
from lapoleaf._points import cell_kernels, kernels, scaling
from lapoleaf._points.cell_frame import Frame
from lapoleaf._points.cells import Cells, cut_into_cells, for_each_cell_joined
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Number of near points listed first, and number of the better ones that are then measured.
_N_LISTED, _N_MEASURED = 20, 24
# Number listed on a projection, which changes their order.
_N_LISTED_PROJECTED = 96
# Number of neighbours that are expanded, and of neighbours of each.
_N_NEIGHBOURS_OF_NEIGHBOURS = 20
# Units in which squares of the data fit into float32.
_LEAST_FLOAT32_UNIT, _LARGEST_FLOAT32_UNIT = 1e-12, 1e12
_ROWS_AT_A_TIME = 2048


@dataclass(frozen=True, eq=False)
class CellSearch:
    """Points in cells, ready to be searched.

    Attributes
    ----------
    points : DensePoints
        The points.
    cells : Cells
        Their cells, in units of ``unit`` and perhaps on a projection.
    data : ndarray of shape (n, d)
        The rows in units of ``points.scale``, cell by cell. For metrics of unit rows, a row of
        zeros is marked by 1 in an additional column, so that it has the right distance from all
        others.
    left_out : ndarray of shape (n,), float32
        Squared distance of every point from its projection, cell by cell; 0 without one.
    frame : Frame
        The transformation of rows to points in cells.
    """

    points: DensePoints
    cells: Cells
    data: FloatArray
    left_out: FloatArray
    frame: Frame

    @property
    def unit(self) -> float:
        """Factor of distances in cells; on a projection these are too small."""
        return self.frame.unit

    @property
    def is_projected(self) -> bool:
        """Whether cells are those of a projection."""
        return self.cells.n_columns < int(self.data.shape[1])

    @cached_property
    def _known(self) -> tuple[AnyArray, IntArray]:
        """Return sorted hashes of points, and the points."""
        keys = self.points.hashes()
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def same_as(self, queries: FloatArray) -> IntArray:
        """Return the point that equals each of some rows, -1 if there is none."""
        # Adding 0 turns -0.0 into 0.0, as for the points.
        columns = np.ascontiguousarray((queries + 0.0).T)
        wanted = kernels.hash_rows(columns.view(np.uint64))
        keys, points = self._known
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = points[places]
        same = (keys[places] == wanted) & (self.points.at(found) == queries).all(axis=1)
        return np.where(same, found, -1)

    def as_data(self, queries: FloatArray) -> FloatArray:
        """Return new rows in the format of the data, with a column for rows of zeros."""
        rows = scaling.scaled(queries, self.points.exponent)
        if rows.shape[1] == self.data.shape[1]:
            return rows
        return np.column_stack([rows, (rows == 0).all(axis=1)])

    def framed(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return new rows in the frame of the points, and what a projection leaves out."""
        return self.frame.framed(self.as_data(queries).T)

    def lengths_of(self, squares: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
        """Turn sums of squared differences of points into distances; -1 is no point."""
        points, out = self.points, squares.copy()
        empty = points.empty_at(first), points.empty_at(second)
        points.kind.finish_pairs(out.ravel(), points.scale, *empty)
        return out


def make_search(points: DensePoints, threads: int = 1, verbose: int = 0) -> CellSearch:
    """Split points into cells.

    Parameters
    ----------
    points : DensePoints
        Points under a metric that follows from squared Euclidean distances.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    columns = points.scaled_columns
    if points.empty is not None and points.empty.any():
        columns = np.vstack([columns, points.empty])
    frame = Frame.of(columns)
    rows, left_out = frame.framed(columns, threads)
    cells = cut_into_cells(rows, threads, verbose)
    data = np.empty(columns.T.shape, dtype=columns.dtype)
    place = np.empty(points.n, dtype=np.int64)
    place[cells.order] = np.arange(points.n)

    def put(some: slice) -> None:
        data[place[some]] = np.ascontiguousarray(columns[:, some].T)

    for_each_block(put, list(gen_batches(points.n, _ROWS_AT_A_TIME)), threads)
    return CellSearch(points, cells, data, left_out[cells.order], frame)


def near_points(
    search: CellSearch, k: int, most: int, threads: int = 1, verbose: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return the k nearest points of every point, and their distances.

    Nearest first; equal distances: the lower number first.

    Parameters
    ----------
    search : CellSearch
        The points in cells.
    k : int
        How many, less than there are points.
    most : int
        Approximate number of points compared for each; with more, fewer neighbours are missed.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    cells, n = search.cells, len(search.data)
    listed = min(n - 1, max(k, _N_LISTED_PROJECTED if search.is_projected else _N_LISTED))
    measured = min(n - 1, max(k, _N_MEASURED))
    known: IntArray = np.empty((n, listed), dtype=np.int32)

    def note(places: slice, found: IntArray, _: FloatArray) -> None:
        known[places] = found

    for_each_cell_joined(cells, listed, max(most, 4 * listed), note, threads, verbose)
    neighbours = np.full((n, k), -1, dtype=np.int32)
    lengths = np.full((n, k), np.inf)
    fits = _LEAST_FLOAT32_UNIT < search.unit < _LARGEST_FLOAT32_UNIT

    def rank(block: slice) -> None:
        if search.is_projected and not fits:
            found: IntArray = known[block]
        elif search.is_projected:
            # In the data, not on the projection, which finds more than neighbours of neighbours.
            found = cell_kernels.nearest_listed(block.start, search.data, known[block], k)
        else:
            found = np.empty((block.stop - block.start, measured), dtype=np.int32)
            cell_kernels.improve(block.start, cells.rows, known, _N_NEIGHBOURS_OF_NEIGHBOURS, found)
        squares = np.empty(found.shape)
        cell_kernels.listed_squares(search.data[block], search.data, found, squares)
        nodes = np.where(found < 0, -1, cells.order[found])
        own = np.broadcast_to(cells.order[block][:, None], nodes.shape)
        exact = search.lengths_of(squares, own, nodes)
        cell_kernels.keep_nearest(cells.order[block], nodes, exact, neighbours, lengths)

    blocks = list(gen_batches(n, _ROWS_AT_A_TIME))
    for_each_block(rank, blocks, threads, Progress("nearest neighbours", n, verbose))
    for node in np.flatnonzero(neighbours[:, -1] < 0):
        # If distances overflow in float32, all points are compared.
        row = search.points.rows(np.array([node]))[0]
        row[node] = np.inf
        neighbours[node] = np.argsort(row, kind="stable")[:k]
        lengths[node] = row[neighbours[node]]
    return neighbours, lengths


def nearest_to_rows(
    search: CellSearch, queries: FloatArray, k: int, most: int
) -> tuple[IntArray, FloatArray]:
    """Return the points nearest to new rows, nearest first, and their distances.

    Parameters
    ----------
    search : CellSearch
        The points in cells.
    queries : ndarray of shape (m, d)
        The rows, in the form that ``points.measure`` takes.
    k : int
        How many, at most as many as there are points.
    most : int
        How many points to look at for each, about.
    """
    cells = search.cells
    measured = min(len(search.data), 4 * k if search.is_projected else k + 4)
    found = np.empty((len(queries), measured), dtype=np.int32)
    squares = np.empty(found.shape, dtype=np.float32)
    cell_kernels.search_cells(
        search.framed(queries)[0], cells.start, cells.rows,
        np.ascontiguousarray(cells.centres.T), max(most, 4 * measured), found, squares,
    )  # fmt: skip
    exact = np.empty(found.shape)
    cell_kernels.listed_squares(search.as_data(queries), search.data, found, exact)
    nodes = np.where(found < 0, -1, cells.order[found])
    nearest = np.empty((len(queries), k), dtype=np.int64)
    lengths = np.empty((len(queries), k))
    away = _lengths_of_rows(search, queries, nodes, exact)
    # Cells may miss neighbours, but equal rows are always found by their hashes.
    same = search.same_as(queries)
    missed = (same >= 0) & ~(nodes == same[:, None]).any(axis=1)
    nodes[missed, -1], away[missed, -1] = same[missed], 0.0
    cell_kernels.keep_nearest(np.arange(len(queries)), nodes, away, nearest, lengths)
    return nearest, lengths


def _lengths_of_rows(
    search: CellSearch, queries: FloatArray, nodes: IntArray, squares: FloatArray
) -> FloatArray:
    """Turn sums of squared differences of new rows and points into distances."""
    points, out = search.points, squares.copy()
    own = points.kind.empty(queries, axis=1)
    if own is not None:
        own = np.repeat(own, nodes.shape[1])
    points.kind.finish_pairs(out.ravel(), points.scale, own, points.empty_at(nodes))
    # Rows of another magnitude than the points have another unit.
    for row in np.flatnonzero(points.exponents_with(queries) != points.exponent):
        listed = np.flatnonzero(nodes[row] >= 0)
        out[row, listed] = points.take(nodes[row, listed]).measure(queries[[row]])[0]
    return out


def first_in_cells(points: DensePoints, zero: float, threads: int, verbose: int) -> IntArray:
    """Return, for every point, the first point around it that is at distance 0, or itself.

    Points are distinct, but may be at distance 0 under their metric.
    """
    first = np.arange(points.n)
    while True:
        alone = np.flatnonzero(first == np.arange(points.n))
        if len(alone) == 1:
            return first
        search = make_search(points.take(alone), threads, verbose)
        neighbours, lengths = near_points(search, min(8, len(alone) - 1), 256, threads, verbose)
        close = (lengths <= zero) & (neighbours < np.arange(len(alone))[:, None])
        joined = np.flatnonzero(close.any(axis=1))
        if len(joined) == 0:
            return first
        earlier = np.where(close, neighbours, len(alone)).min(axis=1)
        above = np.arange(len(alone))
        above[joined] = earlier[joined]
        # Ascending, so that earlier points have been merged already.
        for i in joined:
            above[i] = above[above[i]]
        first[alone] = alone[above]
        first = first[first]
