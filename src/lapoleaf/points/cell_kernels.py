"""Cells of nearby points: cutting points into them, and searching from cell to cell.

Sums run over the columns in order and a point's result depends on nothing but the cells, so it is
the same for every number of threads. Numbers are float32: they decide which points are looked at,
never how far away one is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lapoleaf._typing import FloatArray, IntArray

# So often an interval is halved to find a distance: to one part in a thousand.
_HALVINGS = 10
# So many sums of squares are computed at once.
_SIDE_BY_SIDE = 8


@njit(cache=True, nogil=True, inline="always")
def _squares(point, tile, width, out):  # type: ignore[no-untyped-def]
    """Write the squared distances of a point to the first points of a tile (d, w) into ``out``."""
    out[:width] = np.float32(0.0)
    for c in range(point.size):
        x = point[c]
        column = tile[c]
        for j in range(width):
            difference = x - column[j]
            out[j] += difference * difference


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def measure_cells(
    rows: FloatArray, start: IntArray, centres: FloatArray, radius: FloatArray
) -> None:
    """Write the centres (m, d) of cells, and how far their farthest points are from them."""
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


@njit(cache=True, nogil=True, inline="always")
def _insert(place, square, nodes, reach):  # type: ignore[no-untyped-def]
    """Put a point where it belongs among the nearest; the last one falls out."""
    spot = reach.size - 1
    while spot > 0 and reach[spot - 1] > square:
        reach[spot] = reach[spot - 1]
        nodes[spot] = nodes[spot - 1]
        spot -= 1
    reach[spot] = square
    nodes[spot] = place


@njit(cache=True, nogil=True, inline="always")
def _reach_of(squares, sizes, most):  # type: ignore[no-untyped-def]
    """Give a squared distance within which there are cells of about ``most`` points together."""
    low, high = np.float32(0.0), squares.max()
    for _ in range(_HALVINGS):
        middle = np.float32(0.5) * (low + high)
        total = 0
        for place in range(squares.size):
            if squares[place] <= middle:
                total += sizes[place]
        if total >= most:
            high = middle
        else:
            low = middle
    return high


@njit(cache=True, nogil=True)
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
            tile[:, place] = centres[other]
        for row in range(size):
            _squares(rows[first + row], tile, n_around, away)
            within = _reach_of(away[:n_around], sizes[:n_around], most)
            for place in range(n_around):
                searched[row, place] = place == 0 or away[place] <= within
        for place in range(n_around):
            other = around[cell, place]
            begin, width = start[other], start[other + 1] - start[other]
            for j in range(width):
                tile[:, j] = rows[begin + j]
            for row in range(size):
                if not searched[row, place]:
                    continue
                _squares(rows[first + row], tile, width, away)
                if other == cell:
                    away[row] = np.inf
                nodes, reach = found[first - offset + row], squares[first - offset + row]
                for j in range(width):
                    if away[j] < reach[k - 1]:
                        _insert(begin + j, away[j], nodes, reach)


@njit(cache=True, nogil=True)
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

    A point looks at the nearest cells until it has seen ``most`` points, at least at one cell.
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
                tile[:, j] = rows[begin + j]
            _squares(queries[row], tile, width, inside)
            for j in range(width):
                if inside[j] < squares[row, k - 1]:
                    _insert(begin + j, inside[j], found[row], squares[row])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _square(first, second):  # type: ignore[no-untyped-def]
    """Squared distance of two rows, in whatever order is fastest: all numbers are finite."""
    total = np.float32(0.0)
    for c in range(first.size):
        difference = first[c] - second[c]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def improve(
    first: int, rows: FloatArray, known: IntArray, wide: int, found: IntArray, squares: FloatArray
) -> None:
    """Look for nearer points among the neighbours of neighbours, from place ``first`` on.

    ``known`` lists some near points of all points; ``wide`` of each are looked at.
    """
    k = found.shape[1]
    found[:] = -1
    squares[:] = np.inf
    for row in range(found.shape[0]):
        i = first + row
        nodes, reach = found[row], squares[row]
        for a in range(known.shape[1]):
            if known[i, a] >= 0:
                away = _square(rows[i], rows[known[i, a]])
                if away < reach[k - 1]:
                    _insert(known[i, a], away, nodes, reach)
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
                if away < reach[k - 1]:
                    new = True
                    for spot in range(k):
                        new = new and nodes[spot] != place
                    if new:
                        _insert(place, away, nodes, reach)


@njit(cache=True, nogil=True)
def nearest_listed(first: int, data: FloatArray, listed: IntArray, k: int) -> IntArray:
    """Give the k nearest of the rows of ``data`` listed for each, from row ``first`` on."""
    found = np.full((listed.shape[0], k), np.int32(-1))
    squares = np.full((listed.shape[0], k), np.float32(np.inf))
    for row in range(listed.shape[0]):
        for a in range(listed.shape[1]):
            if listed[row, a] >= 0:
                away = np.float32(_square(data[first + row], data[listed[row, a]]))
                if away < squares[row, k - 1]:
                    _insert(listed[row, a], away, found[row], squares[row])
    return found


@njit(cache=True, nogil=True)
def listed_squares(rows: FloatArray, data: FloatArray, listed: IntArray, out: FloatArray) -> None:
    """Write the sums of squared differences of rows to those rows of ``data`` listed for each.

    In float64, over the columns in order: the same to the last bit wherever a distance is computed.
    """
    d = data.shape[1]
    point, total = np.empty(d), np.empty(_SIDE_BY_SIDE)
    for row in range(listed.shape[0]):
        for c in range(d):
            point[c] = rows[row, c]
        for begin in range(0, listed.shape[1], _SIDE_BY_SIDE):
            stop = min(begin + _SIDE_BY_SIDE, listed.shape[1])
            total[:] = 0.0
            for c in range(d):
                # Several sums at once: each waits for its own last term only.
                for a in range(begin, stop):
                    difference = point[c] - np.float64(data[listed[row, a], c])
                    total[a - begin] += difference * difference
            for a in range(begin, stop):
                out[row, a] = total[a - begin] if listed[row, a] >= 0 else np.inf


@njit(cache=True, nogil=True)
def keep_nearest(
    owners: IntArray, nodes: IntArray, lengths: FloatArray, nearest: IntArray, reach: FloatArray
) -> None:
    """Write the nearest of the ``nodes`` listed for each owner; equal distances by number."""
    k = nearest.shape[1]
    for row in range(owners.size):
        kept, away = nearest[owners[row]], reach[owners[row]]
        found = 0
        for a in range(nodes.shape[1]):
            node, length = nodes[row, a], lengths[row, a]
            if node < 0:
                continue
            spot = found
            while spot > 0 and (
                away[spot - 1] > length or (away[spot - 1] == length and kept[spot - 1] > node)
            ):
                if spot < k:
                    away[spot] = away[spot - 1]
                    kept[spot] = kept[spot - 1]
                spot -= 1
            if spot < k:
                away[spot], kept[spot] = length, node
                found = min(found + 1, k)
