"""Trustworthiness of maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from lapoleaf._parallel import for_each_block
from lapoleaf._points import Points
from lapoleaf._typing import FloatArray, IntArray

N_NEIGHBOURS = 15
# Number of points whose neighbours are evaluated, and of points among which these are ranked.
_MAX_ASKED, _MAX_RANKED = 500, 4096
_ASKED_AT_A_TIME = 16


def trustworthiness(
    points: Points, places: FloatArray, threads: int = 1, k: int = N_NEIGHBOURS
) -> float:
    """Return the trustworthiness of a map, 1 at best, estimated from a sample of its points.

    A neighbour in the map is penalised by its rank in the data beyond the k nearest (Venna and
    Kaski, 2001). Every m-th point is evaluated. For more than a few thousand points, ranks are
    counted among a sample.

    Parameters
    ----------
    points : Points
        The nodes.
    places : ndarray of shape (n, 2)
        Their places.
    threads : int
        Number of threads.
    k : int
        Number of neighbours; less than half the number of nodes, if there are few.
    """
    n = points.n
    k = min(k, (n - 1) // 2)
    if k < 1:
        return 1.0
    asked = np.arange(0, n, -(-n // _MAX_ASKED))
    ranked = np.arange(0, n, -(-n // _MAX_RANKED))
    neighbours = _neighbours_in(places, asked, k)
    among = points if len(ranked) == n else points.take(ranked)
    excess = np.empty(len(asked))

    def count(block: slice) -> None:
        own = asked[block]
        distances = among.measure(points.at(own))
        for row, node in enumerate(own.tolist()):
            others = neighbours[block][row]
            lengths = points.pairs(np.full(k, node), others)
            row_of = np.sort(distances[row][ranked != node])
            # The node itself is included in the rank, which is one too large.
            rank = np.searchsorted(row_of, lengths, side="left") * ((n - 1) / len(row_of)) + 1.0
            excess[block][row] = np.maximum(rank - k, 0.0).sum()

    blocks = [slice(at, at + _ASKED_AT_A_TIME) for at in range(0, len(asked), _ASKED_AT_A_TIME)]
    for_each_block(count, blocks, threads)
    return float(1.0 - 2.0 / (k * (2.0 * n - 3.0 * k - 1.0)) * excess.mean())


def _neighbours_in(places: FloatArray, asked: IntArray, k: int) -> IntArray:
    """Return the k nearest other nodes of some nodes in the map."""
    found: Any = cKDTree(places).query(places[asked], k + 1)[1]
    # A node is usually first, but may come later or be missing if others are in the same place.
    own = found == asked[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(found[~own].reshape(len(asked), k))
