"""The order of the nodes by density, and the leader of each."""

from __future__ import annotations

import numpy as np

from lapoleaf._density import Neighbourhoods
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points
from lapoleaf._progress import Progress
from lapoleaf._tree import kernels
from lapoleaf._typing import AnyArray, FloatArray, IntArray


def density_order(density: AnyArray) -> IntArray:
    """Return the nodes from the densest to the least dense; equal densities by index.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._tree.leaders import density_order
    >>> density_order(np.array([1.0, 3.0, 1.0, 2.0]))
    array([1, 3, 0, 2])
    """
    return np.argsort(-density, kind="stable")


def ranks(order: AnyArray) -> IntArray:
    """Return the place of every node in ``order``."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def find_leaders(
    points: Points,
    density: FloatArray,
    near: Neighbourhoods,
    threads: int = 1,
    verbose: int = 0,
) -> tuple[IntArray, FloatArray]:
    """Return the leader of every node and the distance to it.

    Nearly all nodes find their leader among their neighbours; for the rest a whole row of
    distances is searched. Both ways follow one rule, so the tree does not depend on the way.

    Parameters
    ----------
    points : Points
        The nodes.
    density : ndarray of shape (n,)
        Their densities.
    near : Neighbourhoods
        Their neighbours.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    rank = ranks(density_order(density))
    parent = np.empty(points.n, dtype=np.int64)
    delta = np.empty(points.n)
    kernels.leaders_among_neighbours(rank, near.neighbours, near.lengths, parent, delta)
    alone = np.flatnonzero(parent < 0)

    def search(block: slice) -> None:
        nodes = alone[block]
        kernels.nearest_denser(points.rows(nodes), nodes, rank, parent, delta)

    blocks = row_blocks(len(alone), points.n, points.work, threads)
    for_each_block(search, blocks, threads, Progress("leaders", len(alone), verbose))
    return parent, delta
