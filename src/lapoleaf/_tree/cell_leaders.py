"""Leaders of many nodes: among neighbours, and for the few others through the cells.

Cells without a denser node, or farther away than the nearest denser node so far, are skipped. So
the result for a node without a denser neighbour is that of a search through all nodes.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._density import Neighbourhoods
from lapoleaf._parallel import for_each_block
from lapoleaf._points.cell_search import CellSearch
from lapoleaf._progress import Progress
from lapoleaf._tree import cell_leader_kernels, kernels
from lapoleaf._tree.structure import density_order, ranks
from lapoleaf._typing import FloatArray, IntArray

# Rounding of float32, as a share of the distance of a point from the centre, and of a distance.
_POSITION_ROUNDING, _DISTANCE_ROUNDING = 1e-5, 1e-5


def leaders_in_cells(
    search: CellSearch,
    density: FloatArray,
    near: Neighbourhoods,
    threads: int = 1,
    verbose: int = 0,
) -> tuple[IntArray, FloatArray]:
    """Return the leader of every node and the distance to it.

    Parameters
    ----------
    search : CellSearch
        The nodes in cells.
    density : ndarray of shape (n,)
        Their densities.
    near : Neighbourhoods
        Their neighbours.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    cells, n = search.cells, len(density)
    rank = ranks(density_order(density))
    parent = np.empty(n, dtype=np.int64)
    delta = np.empty(n)
    kernels.leaders_among_neighbours(rank, near.neighbours, near.lengths, parent, delta)
    place = ranks(cells.order)
    alone = np.flatnonzero((parent < 0) & (rank > 0))
    rank_at = rank[cells.order]
    foremost = np.minimum.reduceat(rank_at, cells.start[:-1])
    squared = np.square(cells.rows, dtype=np.float64).sum(axis=1) + search.left_out
    slack = _POSITION_ROUNDING * np.sqrt(squared)
    slack_of_cell = np.maximum.reduceat(slack, cells.start[:-1])
    found = np.empty(len(alone), dtype=np.int64)
    squares = np.empty(len(alone))

    def look(block: slice) -> None:
        cell_leader_kernels.nearest_denser_in_cells(
            place[alone[block]], cells.start, cells.rows, cells.centres, cells.radius, cells.order,
            rank_at, foremost, search.data, search.unit, slack, slack_of_cell, _DISTANCE_ROUNDING,
            found[block], squares[block],
        )  # fmt: skip

    blocks = [slice(at, min(at + 16, len(alone))) for at in range(0, len(alone), 16)]
    for_each_block(look, blocks, threads, Progress("leaders", len(alone), verbose))
    parent[alone] = found
    delta[alone] = search.lengths_of(squares, alone, found)
    root = int(np.flatnonzero(rank == 0)[0])
    parent[root], delta[root] = -1, search.points.rows(np.array([root])).max()
    return parent, delta
