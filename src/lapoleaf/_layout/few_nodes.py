"""Maps of a few nodes, from all of their distances.

In so small sets every node is a neighbour of every other, and forces carry no information.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._parallel import one_blas_thread
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray

# With fewer nodes than this, classical scaling gives better maps.
MIN_NODES_FOR_FORCES = 50
# Distances are clipped at this multiple of the median, so that outliers do not dominate the map.
_MAX_MEDIANS = 2.0
# The median distance in a map of n nodes, times the root of n: about that of larger maps.
_MEDIAN_IN_MAP = 0.65


def scaled_distances(tree: LeadingTree, rows: Any = None) -> FloatArray | None:
    """Return the places of a few nodes by classical scaling of their distances.

    Parameters
    ----------
    tree : LeadingTree
        A tree of the nodes.
    rows : array or sparse matrix of shape (n_nodes, d), default=None
        Coordinates of the nodes of a tree without points, under the Euclidean metric.

    Returns
    -------
    ndarray of shape (n_nodes, 2), float32, or None
        The places; None if there are no distances.
    """
    if tree.points is not None:
        distances = tree.points.rows(np.arange(tree.n_nodes))
    elif rows is not None:
        dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        distances = np.linalg.norm(dense[:, None] - dense[None], axis=2)
    else:
        return None
    return classical_scaling(distances)


def classical_scaling(distances: FloatArray) -> FloatArray:
    """Return places whose distances approximate given ones, with large ones clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._layout.few_nodes import classical_scaling
    >>> line = np.array([0.0, 1.0, 3.0])
    >>> places = classical_scaling(np.abs(line[:, None] - line))
    >>> (np.diff(places[:, 0]) / np.diff(places[:, 0])[0]).round(4)
    array([1., 2.], dtype=float32)
    """
    n = len(distances)
    apart = distances[~np.eye(n, dtype=bool)]
    median = float(np.median(apart)) if n > 1 else 0.0
    if not 0 < median < np.inf:
        median = float(apart.max(initial=0.0)) or 1.0
    relative = np.minimum(distances / median, _MAX_MEDIANS)
    # Both directions, since a user's matrix need not be symmetric.
    squares = 0.5 * (relative**2 + relative.T**2)
    np.fill_diagonal(squares, 0.0)
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    with one_blas_thread():
        values, vectors = np.linalg.eigh(-0.5 * centred)
    out = np.zeros((n, 2))
    k = min(n, 2)
    axes = vectors[:, ::-1][:, :k]
    largest = np.abs(axes).argmax(axis=0)
    signs = np.where(axes[largest, np.arange(k)] < 0, -1.0, 1.0)
    out[:, :k] = signs * axes * np.sqrt(np.maximum(values[::-1][:k], 0.0))
    return np.asarray(_MEDIAN_IN_MAP * np.sqrt(n) * out, dtype=np.float32)
