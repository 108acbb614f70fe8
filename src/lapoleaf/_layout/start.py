"""Initial places of a map: principal components, or wedges of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import gen_batches

from lapoleaf._forest import LeadingForest
from lapoleaf._layout.graph import LinkGraph
from lapoleaf._parallel import one_blas_thread
from lapoleaf._points import Points
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import AnyArray, FloatArray

# Number of rows for the components, and of columns up to which covariances are computed.
_MAX_LEARNT, _MAX_COVARIANCES = 4096, 400
_ROWS_AT_A_TIME = 4096
# Maximum size of the dense rows for the components.
_MAX_NUMBERS = 2**24
# Initial size of the map, small so that repulsion is strong, and size of the offsets of equal
# places.
_SPREAD, _OFFSET = 1e-2, 1e-4
_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def first_places(tree: LeadingTree, graph: LinkGraph, rows: Any = None) -> FloatArray:
    """Return distinct initial places in walking order, within a small region.

    Parameters
    ----------
    tree : LeadingTree
        The first tree.
    graph : LinkGraph
        The links.
    rows : array or sparse matrix of shape (n_nodes, d), default=None
        Coordinates of the nodes of a tree that has no points.
    """
    found = None
    if rows is not None:
        found = _principal_components(lambda nodes: rows[nodes], graph)
    elif tree.points is not None and _has_coordinates(tree.points):
        found = _principal_components(tree.points.at, graph)
    if found is None:
        found = _wedges(tree, graph)
    # The spread is that of the middle half, which is robust to outliers.
    low, high = np.quantile(found[:, 0], [0.25, 0.75])
    spread = 0.75 * float(high - low) or float(found.std()) or 1.0
    return apart(np.clip(found / spread, -10.0, 10.0) * _SPREAD)


def _has_coordinates(points: Points) -> bool:
    return points.take(np.zeros(1, dtype=np.int64)).identity() is not None


def apart(places: FloatArray, offset: float = _OFFSET) -> FloatArray:
    """Return places plus a small spiral, so that collinear or equal points can separate."""
    turn = _GOLDEN_ANGLE * np.arange(len(places))
    parted: FloatArray = places + offset * np.column_stack([np.cos(turn), np.sin(turn)])
    return parted


def _wedges(tree: LeadingTree, graph: LinkGraph) -> FloatArray:
    """Return places around the root: the angle by the walk, the radius by the layer."""
    layer = LeadingForest(tree, np.array([tree.root])).layer[graph.walk]
    angle = 2.0 * np.pi * np.arange(graph.n) / graph.n
    return np.asarray(layer[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]))


def _principal_components(read: Any, graph: LinkGraph) -> FloatArray | None:
    """Return the first two principal components of the nodes in walking order.

    They are computed from every k-th node of the walk; None for rows with NaN or infinities.
    """
    n = graph.n
    width = read(graph.walk[:1]).shape[1]
    n_learnt = min(_MAX_LEARNT, max(2, _MAX_NUMBERS // max(1, width)))
    some: Any = read(graph.walk[:: -(-n // n_learnt)])
    if not sp.issparse(some):
        some = np.asarray(some, dtype=np.float64)
    largest = np.abs(some).max() if some.shape[1] else 0.0
    if not np.isfinite(largest):
        return None
    unit = float(largest) or 1.0
    with one_blas_thread():
        centre = np.asarray((some / unit).mean(axis=0)).ravel()
        axes = _principal_axes(some / unit, centre)
        out = np.zeros((n, 2))
        for batch in gen_batches(n, _ROWS_AT_A_TIME):
            rows = read(np.arange(n)[batch])
            out[batch, : axes.shape[1]] = (rows / unit) @ axes - centre @ axes
    return out[graph.walk] if np.isfinite(out).all() else None


def _principal_axes(rows: Any, centre: FloatArray) -> AnyArray:
    """Return the two directions of largest variance, (d, 2); fewer where there are fewer columns.

    Their largest entries are positive.
    """
    d = rows.shape[1]
    if d <= _MAX_COVARIANCES:
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        dense = dense - centre
        axes = np.linalg.eigh(dense.T @ dense)[1][:, :-3:-1]
    else:

        def covariance(vector: FloatArray) -> FloatArray:
            vector = vector.ravel()
            centred = rows @ vector - centre @ vector
            return np.asarray(rows.T @ centred - centre * centred.sum())

        operator = LinearOperator((d, d), matvec=covariance, dtype=np.float64)
        # A fixed seed, and a loose tolerance, since it is only a start.
        begin = np.cos(np.arange(d, dtype=np.float64))
        axes = eigsh(operator, k=2, v0=begin, tol=1e-3)[1][:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    signs = np.where(axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(axes * signs)
