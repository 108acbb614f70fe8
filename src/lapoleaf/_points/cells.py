"""Cells of a few dozen nearby points, for searches among many points.

Cells are found by k-means on small samples in several levels, so that time is nearly linear in the
number of points. Each cell has a list of the cells around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lapoleaf._parallel import for_each_block
from lapoleaf._points import cell_kernels as kernels
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

# Approximate size of a cell; up to 1.5 times as many points are not split further.
_CELL, _LARGEST = 64, 96
# Maximum number of parts of a split, sample points per part, and number of k-means steps.
_MOST_PARTS, _LEARNT_FROM, _ROUNDS = 64, 24, 4
# The cells around a cell hold this multiple of the points that are searched.
_WIDER = 2.5
# Number of cells processed at a time.
_JOINED = 32
_SEED = 0


class Cells(NamedTuple):
    """Points in cells.

    Attributes
    ----------
    order : ndarray of shape (n,)
        The points cell by cell: ``order[place]`` is the point at a place.
    start : ndarray of shape (n_cells + 1,)
        Cell c has the places from ``start[c]`` to ``start[c + 1]``.
    rows : ndarray of shape (n, d), float32
        The points cell by cell.
    centres : ndarray of shape (n_cells, d), float32
        Means of the cells.
    radius : ndarray of shape (n_cells,)
        Distance of the farthest point of every cell from its centre.
    """

    order: IntArray
    start: IntArray
    rows: FloatArray
    centres: FloatArray
    radius: FloatArray

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.radius)

    @property
    def n_columns(self) -> int:
        """Number of columns of the points."""
        return int(self.centres.shape[1])


def cut_into_cells(rows: FloatArray, threads: int = 1, verbose: int = 0) -> Cells:
    """Split points into cells.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float32
        The points.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    n, d = rows.shape
    # Shuffled once, so that the first points of any part are a random sample of it.
    shuffled = np.random.default_rng(_SEED).permutation(n).astype(np.int32)
    parts = [shuffled] if n <= _LARGEST else _cut(rows, shuffled, threads)
    leaves: list[list[IntArray]] = [[] for _ in parts]

    def cut_further(block: slice) -> None:
        for which in range(block.start, block.stop):
            leaves[which] = _leaves(rows, parts[which])

    blocks = [slice(which, which + 1) for which in range(len(parts))]
    for_each_block(cut_further, blocks, threads, Progress("cells", len(parts), verbose))
    cells = [leaf for found in leaves for leaf in found]
    order = np.concatenate(cells)
    start = np.concatenate([[0], np.cumsum([len(cell) for cell in cells])])
    centres = np.empty((len(cells), d), dtype=np.float32)
    radius = np.empty(len(cells))
    ordered = rows[order]
    kernels.measure_cells(ordered, start, centres, radius)
    return Cells(order, start, ordered, centres, radius)


def _leaves(rows: FloatArray, members: IntArray) -> list[IntArray]:
    if len(members) <= _LARGEST:
        return [members]
    return [leaf for part in _cut(rows, members, 1) for leaf in _leaves(rows, part)]


def _cut(rows: FloatArray, members: IntArray, threads: int) -> list[IntArray]:
    """Split points into parts by k-means, or in halves if they are all in one part."""
    cells = len(members) / _CELL
    levels = int(np.ceil(np.log(cells) / np.log(_MOST_PARTS) - 1e-9))
    n_parts = max(2, int(np.ceil(cells ** (1.0 / max(1, levels)))))
    sample = rows[members[: n_parts * _LEARNT_FROM]]
    centres = np.ascontiguousarray(sample[:n_parts].T)
    nearest = np.empty(len(sample), dtype=np.int32)
    for _ in range(_ROUNDS):
        kernels.nearest_centre(sample, centres, nearest)
        kernels.move_centres(sample, nearest, centres)
    part_of = np.empty(len(members), dtype=np.int32)

    def assign(block: slice) -> None:
        kernels.nearest_centre(rows[members[block]], centres, part_of[block])

    blocks = [slice(at, min(at + 8192, len(members))) for at in range(0, len(members), 8192)]
    for_each_block(assign, blocks, threads)
    sizes = np.bincount(part_of, minlength=n_parts)
    if sizes.max() > 0.95 * len(members):
        return _halves(rows, members)
    ordered = members[np.argsort(part_of, kind="stable")]
    return [part for part in np.split(ordered, np.cumsum(sizes)[:-1]) if len(part)]


def _halves(rows: FloatArray, members: IntArray) -> list[IntArray]:
    """Split at the median of the column of largest range."""
    here = rows[members]
    column = here[:, int((here.max(axis=0) - here.min(axis=0)).argmax())]
    ordered = members[np.argsort(column, kind="stable")]
    return [ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]]


def _around(cells: Cells, most: int, threads: int) -> IntArray:
    """List the cells around every cell, itself first, then by the distance of their centres."""
    m = cells.n_cells
    k = min(int(_WIDER * most / _CELL) + 1, m - 1)
    itself = np.arange(m, dtype=np.int32)[:, None]
    if k == 0:
        return itself
    if k == m - 1:
        return _all_cells(m)
    others, _ = nearest_places(cut_into_cells(cells.centres, threads), k, 40 * k, threads)
    return np.hstack([itself, others])


def _all_cells(m: int) -> IntArray:
    """List all cells for every cell, itself first."""
    numbers = np.arange(m, dtype=np.int32)
    cells: IntArray = (numbers[:, None] + numbers) % m
    return cells


def nearest_places(
    cells: Cells, k: int, most: int, threads: int = 1, verbose: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return the k nearest points of every point, among those in the cells around its own.

    Parameters
    ----------
    cells : Cells
        The cells.
    k : int
        How many, less than there are points.
    most : int
        Approximate number of points to compare. If these are all points, the result is exact.
    threads, verbose : int
        Number of threads; whether to report progress.

    Returns
    -------
    nearest : ndarray of shape (n, k)
        Points, not places, in the order of points; -1 if fewer were compared.
    squares : ndarray of shape (n, k), float32
        Their squared distances.
    """
    n = len(cells.order)
    nearest = np.empty((n, k), dtype=np.int32)
    squares = np.empty((n, k), dtype=np.float32)

    def keep(places: slice, found: IntArray, away: FloatArray) -> None:
        points = cells.order[places]
        nearest[points] = np.where(found < 0, -1, cells.order[found])
        squares[points] = away

    for_each_cell_joined(cells, k, most, keep, threads, verbose)
    return nearest, squares


def for_each_cell_joined(
    cells: Cells,
    k: int,
    most: int,
    keep: Callable[[slice, IntArray, FloatArray], None],
    threads: int = 1,
    verbose: int = 0,
) -> None:
    """Search the k nearest points of every point, some cells at a time.

    ``keep(places, found, squares)`` gets the places of some points, and for each the places of its
    nearest points (-1 where there is none) and their squared distances.
    """
    around = _around(cells, most, threads)
    blocks = [
        slice(at, min(at + _JOINED, cells.n_cells)) for at in range(0, cells.n_cells, _JOINED)
    ]

    def join(block: slice) -> None:
        places = slice(int(cells.start[block.start]), int(cells.start[block.stop]))
        found = np.empty((places.stop - places.start, k), dtype=np.int32)
        squares = np.empty(found.shape, dtype=np.float32)
        numbers = np.arange(block.start, block.stop)
        kernels.join_cells(
            numbers, cells.start, cells.rows, cells.centres, around, most, found, squares
        )
        keep(places, found, squares)

    progress = Progress("neighbours", cells.n_cells, verbose)
    for_each_block(join, blocks, threads, progress)
