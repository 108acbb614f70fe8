"""Kernels that split points into cells, and search through cells.

Sums run over the columns in order, and a point's result depends only on the cells, so it is the
same for every number of threads. Numbers are float32: they determine which points are compared, not
their distances.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._typing import FloatArray, IntArray

# Maximum number of bisections for the distance within which there are enough points, but at most
# this multiple of them; a single distant point makes the initial interval long.
_HALVINGS, _ENOUGH = 60, 1.25
# Number of listed points whose columns are in memory at a time.
_COLUMNS = 64
# A product and a sum in one step.
_FUSED = {"contract"}


@kernel(inline="always")
def _squares(point, tile, width, out):  # type: ignore[no-untyped-def]
    """Write the squared distances of a point to the first points of a tile (d, w) into ``out``."""
    out[:width] = np.float32(0.0)
    whole = point.size // 4 * 4
    # Four columns at a time, to reduce memory traffic.
    for c in range(0, whole, 4):
        x0, x1, x2, x3 = point[c], point[c + 1], point[c + 2], point[c + 3]
        column0, column1, column2, column3 = tile[c], tile[c + 1], tile[c + 2], tile[c + 3]
        for j in range(width):
            d0, d1, d2, d3 = x0 - column0[j], x1 - column1[j], x2 - column2[j], x3 - column3[j]
            out[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
    for c in range(whole, point.size):
        x = point[c]
        column = tile[c]
        for j in range(width):
            difference = x - column[j]
            out[j] += difference * difference


@kernel(fastmath=_FUSED)
def nearest_centre(rows: FloatArray, centres: FloatArray, out: IntArray) -> None:
    """Write the number of the nearest centre of every row; ``centres`` is (d, m)."""
    m = centres.shape[1]
    squares = np.empty(m, dtype=np.float32)
    for i in range(rows.shape[0]):
        _squares(rows[i], centres, m, squares)
        best = 0
        for j in range(1, m):
            if squares[j] < squares[best]:
                best = j
        out[i] = best


@kernel
def move_centres(rows: FloatArray, nearest: IntArray, centres: FloatArray) -> None:
    """Move every centre, (d, m), to the mean of the rows it is nearest to, if there are any."""
    d, m = centres.shape
    sums, counts = np.zeros((m, d)), np.zeros(m)
    for i in range(rows.shape[0]):
        counts[nearest[i]] += 1.0
        for c in range(d):
            sums[nearest[i], c] += rows[i, c]
    for j in range(m):
        if counts[j] > 0.0:
            for c in range(d):
                centres[c, j] = sums[j, c] / counts[j]


@kernel
def measure_cells(
    rows: FloatArray, start: IntArray, centres: FloatArray, radius: FloatArray
) -> None:
    """Write the centres (m, d) and the radii of cells."""
    d = rows.shape[1]
    for cell in range(start.size - 1):
        for c in range(d):
            total = 0.0
            for i in range(start[cell], start[cell + 1]):
                total += rows[i, c]
            centres[cell, c] = total / (start[cell + 1] - start[cell])
        farthest = 0.0
        for i in range(start[cell], start[cell + 1]):
            square = 0.0
            for c in range(d):
                difference = np.float64(centres[cell, c]) - rows[i, c]
                square += difference * difference
            farthest = max(farthest, square)
        radius[cell] = np.sqrt(farthest)


@kernel(inline="always")
def sink(place, square, nodes, reach, size):  # type: ignore[no-untyped-def]
    """Put a point in place of the first of a heap of ``size`` points, the farthest first."""
    spot = 0
    while 2 * spot + 1 < size:
        below = 2 * spot + 1
        if below + 1 < size and reach[below + 1] > reach[below]:
            below += 1
        if reach[below] <= square:
            break
        reach[spot], nodes[spot] = reach[below], nodes[below]
        spot = below
    reach[spot], nodes[spot] = square, place


@kernel
def sort_heap(nodes, reach):  # type: ignore[no-untyped-def]
    """Turn a heap into a list, nearest first."""
    for size in range(reach.size - 1, 0, -1):
        place, square = nodes[size], reach[size]
        nodes[size], reach[size] = nodes[0], reach[0]
        sink(place, square, nodes, reach, size)


@kernel(inline="always")
def _reach_of(squares, sizes, most):  # type: ignore[no-untyped-def]
    """Return a squared distance within which cells have about ``most`` points together."""
    low, high = np.float32(0.0), squares[0]
    for place in range(squares.size):
        high = squares[place] if squares[place] > high else high
    for _ in range(_HALVINGS):
        middle = np.float32(0.5) * (low + high)
        total = 0
        for place in range(squares.size):
            if squares[place] <= middle:
                total += sizes[place]
        if total >= most:
            high = middle
            if total <= _ENOUGH * most:
                break
        else:
            low = middle
        if middle == np.float32(0.5) * (low + high):
            break
    return high


@kernel(fastmath=_FUSED)
def join_cells(
    cells: IntArray,
    start: IntArray,
    rows: FloatArray,
    centres: FloatArray,
    around: IntArray,
    most: int,
    found: IntArray,
    squares: FloatArray,
) -> None:
    """Write the nearest points of all points of ``cells``, which follow each other; nearest first.

    Points are known by their places: those of a cell are next to each other in ``rows``.
    ``around`` lists the cells around each cell, itself first, -1 behind
    the last. Of these a point searches the ones
    whose centres, (m, d), are nearest to it, until it has looked at ``most`` points. ``found`` and
    ``squares`` begin at the first cell's first point; what is not filled holds -1 and infinity.
    """
    k, offset, d = found.shape[1], start[cells[0]], rows.shape[1]
    widest = 0
    for cell in range(start.size - 1):
        widest = max(widest, start[cell + 1] - start[cell])
    tile = np.empty((d, max(widest, around.shape[1])), dtype=np.float32)
    away = np.empty(max(widest, around.shape[1]), dtype=np.float32)
    sizes = np.empty(around.shape[1], dtype=np.int64)
    searched = np.empty((widest, around.shape[1]), dtype=np.bool_)
    found[:] = -1
    squares[:] = np.inf
    for cell in cells:
        first, size = start[cell], start[cell + 1] - start[cell]
        n_around = 0
        while n_around < around.shape[1] and around[cell, n_around] >= 0:
            n_around += 1
        for place in range(n_around):
            other = around[cell, place]
            sizes[place] = start[other + 1] - start[other]
            # A loop, since slice assignments take seconds to compile.
            for c in range(d):
                tile[c, place] = centres[other, c]
        for row in range(size):
            _squares(rows[first + row], tile, n_around, away)
            within = _reach_of(away[:n_around], sizes[:n_around], most)
            for place in range(n_around):
                searched[row, place] = place == 0 or away[place] <= within
        for place in range(n_around):
            other = around[cell, place]
            begin, width = start[other], start[other + 1] - start[other]
            for j in range(width):
                for c in range(d):
                    tile[c, j] = rows[begin + j, c]
            for row in range(size):
                if not searched[row, place]:
                    continue
                _squares(rows[first + row], tile, width, away)
                if other == cell:
                    away[row] = np.inf
                nodes, reach = found[first - offset + row], squares[first - offset + row]
                for j in range(width):
                    if away[j] < reach[0]:
                        sink(begin + j, away[j], nodes, reach, k)
        for row in range(first - offset, first - offset + size):
            sort_heap(found[row], squares[row])


@kernel(fastmath=_FUSED)
def search_cells(
    queries: FloatArray,
    start: IntArray,
    rows: FloatArray,
    centres: FloatArray,
    most: int,
    found: IntArray,
    squares: FloatArray,
) -> None:
    """Write the places nearest to new points, in the cells whose centres, (d, m), are nearest.

    The nearest cells are searched until ``most`` points were compared, at least one cell.
    """
    d, m = centres.shape
    k, widest = found.shape[1], 0
    sizes = np.diff(start)
    for cell in range(m):
        widest = max(widest, sizes[cell])
    tile = np.empty((d, widest), dtype=np.float32)
    away, inside = np.empty(m, dtype=np.float32), np.empty(widest, dtype=np.float32)
    found[:] = -1
    squares[:] = np.inf
    for row in range(queries.shape[0]):
        _squares(queries[row], centres, m, away)
        within = max(_reach_of(away, sizes, most), away.min())
        for cell in range(m):
            if away[cell] > within:
                continue
            begin, width = start[cell], sizes[cell]
            for j in range(width):
                for c in range(d):
                    tile[c, j] = rows[begin + j, c]
            _squares(queries[row], tile, width, inside)
            for j in range(width):
                if inside[j] < squares[row, 0]:
                    sink(begin + j, inside[j], found[row], squares[row], k)
        sort_heap(found[row], squares[row])


@kernel(fastmath={"reassoc", "nsz", "contract"})
def _square(first, second):  # type: ignore[no-untyped-def]
    """Return the squared distance of two rows, summed in any order; all numbers are finite."""
    total = np.float32(0.0)
    for c in range(first.size):
        difference = first[c] - second[c]
        total += difference * difference
    return total


@kernel
def improve(first: int, rows: FloatArray, known: IntArray, wide: int, found: IntArray) -> None:
    """Search nearer points among the neighbours of neighbours, from place ``first`` on.

    ``known`` lists some near points of all points, of which ``wide`` are expanded. The nearest are
    written unsorted.
    """
    k = found.shape[1]
    squares = np.empty(found.shape, dtype=np.float32)
    found[:] = -1
    squares[:] = np.inf
    for row in range(found.shape[0]):
        i = first + row
        nodes, reach = found[row], squares[row]
        for a in range(known.shape[1]):
            if known[i, a] >= 0:
                away = _square(rows[i], rows[known[i, a]])
                if away < reach[0]:
                    sink(known[i, a], away, nodes, reach, k)
        for a in range(min(wide, known.shape[1])):
            between = known[i, a]
            if between < 0:
                break
            for b in range(min(wide, known.shape[1])):
                place = known[between, b]
                if place < 0:
                    break
                if place == i:
                    continue
                away = _square(rows[i], rows[place])
                if away < reach[0]:
                    new = True
                    for spot in range(k):
                        new = new and nodes[spot] != place
                    if new:
                        sink(place, away, nodes, reach, k)


@kernel
def nearest_listed(first: int, data: FloatArray, listed: IntArray, k: int) -> IntArray:
    """Return the k nearest of the rows of ``data`` listed for each, from row ``first`` on.

    In no order.
    """
    found = np.full((listed.shape[0], k), np.int32(-1))
    squares = np.full((listed.shape[0], k), np.float32(np.inf))
    for row in range(listed.shape[0]):
        for a in range(listed.shape[1]):
            if listed[row, a] >= 0:
                away = np.float32(_square(data[first + row], data[listed[row, a]]))
                if away < squares[row, 0]:
                    sink(listed[row, a], away, found[row], squares[row], k)
    return found


@kernel
def listed_squares(rows: FloatArray, data: FloatArray, listed: IntArray, out: FloatArray) -> None:
    """Write the sums of squared differences of rows to those rows of ``data`` listed for each.

    In float64, over the columns in order: bitwise identical to all other distances.
    """
    d, k = data.shape[1], listed.shape[1]
    tile, total = np.empty((min(d, _COLUMNS), k)), np.empty(k)
    for row in range(listed.shape[0]):
        total[:] = 0.0
        for begin in range(0, d, _COLUMNS):
            width = min(_COLUMNS, d - begin)
            # Columns are copied, so that each is added to all sums at once.
            for a in range(k):
                other = data[listed[row, a]]
                for c in range(width):
                    tile[c, a] = other[begin + c]
            for c in range(width):
                x = np.float64(rows[row, begin + c])
                column = tile[c]
                for a in range(k):
                    difference = x - column[a]
                    total[a] += difference * difference
        for a in range(k):
            out[row, a] = total[a] if listed[row, a] >= 0 else np.inf


@kernel
def keep_nearest(
    owners: IntArray, nodes: IntArray, lengths: FloatArray, nearest: IntArray, reach: FloatArray
) -> None:
    """Write the nearest of the ``nodes`` listed for each owner; ties by number."""
    for row in range(owners.size):
        near, away = nearest[owners[row]], reach[owners[row]]
        count = np.int64(0)
        for a in range(nodes.shape[1]):
            if nodes[row, a] >= 0:
                count = insert_sorted(lengths[row, a], nodes[row, a], count, near, away)
