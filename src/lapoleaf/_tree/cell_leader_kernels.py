"""The kernel that searches leaders through cells."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._points.cell_kernels import sink, sort_heap
from lapoleaf._typing import FloatArray, IntArray


@kernel
def nearest_denser_in_cells(
    places: IntArray,
    start: IntArray,
    rows: FloatArray,
    centres: FloatArray,
    radius: FloatArray,
    order: IntArray,
    rank_at: IntArray,
    foremost: IntArray,
    data: FloatArray,
    unit: float,
    slack: FloatArray,
    slack_of_cell: FloatArray,
    relative: float,
    found: IntArray,
    squares: FloatArray,
) -> None:
    """Write the nearest node ahead of the nodes at ``places``, and the sum of squared differences.

    Equal distances: the lower number. ``rank_at`` is the rank of the node at every place,
    ``foremost`` the least in every cell. ``rows``, ``centres`` and ``radius`` are in float32 and in
    units of ``unit``; they only exclude comparisons. ``slack`` bounds the errors of the
    points at every place, ``slack_of_cell`` those of a cell's, ``relative`` that of a distance.
    Distances are sums over ``data``, in float64.
    """
    m, d = centres.shape
    least, ahead_cells = np.empty(m), np.empty(m, dtype=np.int64)
    bounds, numbers = np.empty(m), np.empty(m, dtype=np.int64)
    for which in range(places.size):
        i = places[which]
        ahead = 0
        for cell in range(m):
            if foremost[cell] >= rank_at[i]:
                continue
            square = 0.0
            for c in range(d):
                difference = np.float64(rows[i, c]) - np.float64(centres[cell, c])
                square += difference * difference
            least[ahead] = np.sqrt(square) - radius[cell] - slack[i] - slack_of_cell[cell]
            ahead_cells[ahead] = cell
            ahead += 1
        # The nearest cells first. The heap is initially filled with infinite distances.
        bounds[:ahead] = np.inf
        for place in range(ahead):
            sink(ahead_cells[place], least[place], numbers, bounds, ahead)
        sort_heap(numbers[:ahead], bounds[:ahead])
        nearest, node, bound = np.inf, -1, np.inf
        for place in range(ahead):
            if bounds[place] > bound:
                break
            cell = numbers[place]
            for j in range(start[cell], start[cell + 1]):
                if rank_at[j] >= rank_at[i]:
                    continue
                square = 0.0
                for c in range(d):
                    difference = np.float64(rows[i, c]) - np.float64(rows[j, c])
                    square += difference * difference
                if np.sqrt(square) - slack[i] - slack[j] > bound:
                    continue
                square = 0.0
                for c in range(data.shape[1]):
                    difference = np.float64(data[i, c]) - np.float64(data[j, c])
                    square += difference * difference
                if square < nearest or (square == nearest and order[j] < node):
                    nearest, node = square, order[j]
                    bound = np.sqrt(square) / unit * (1.0 + relative)
        found[which], squares[which] = node, nearest
