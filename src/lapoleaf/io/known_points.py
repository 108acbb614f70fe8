"""Points: the rows, or the distances, that a tree was built from.

What the kernels index with is checked here. Numbers that are only computed with are not looked at,
so that large arrays can stay unread in a file that is mapped into memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.metrics import METRICS, sparse_metrics
from lapoleaf._points.pairwise import MetricPoints
from lapoleaf._points.precomputed import GraphPoints, MatrixPoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf.io.entry import Entry
from lapoleaf.io.fields import Fields, is_plain

_P = TypeVar("_P", bound=Points)

# Arguments of metrics with one number for every column, or every pair of columns.
_PER_COLUMN = {"w": 1, "V": 1, "VI": 2}


def n_columns(points: Points) -> int:
    """Give the number of columns that new rows must have to be measured against ``points``."""
    if isinstance(points, DensePoints):
        return int(points.columns.shape[0])
    if isinstance(points, MetricPoints):
        return int(points.rows_of_X.shape[1])
    if isinstance(points, SparsePoints):
        return int(points.matrix.shape[1])
    if isinstance(points, MatrixPoints):
        return len(points.distances)
    if isinstance(points, GraphPoints):
        return int(points.graph.shape[0])
    raise TypeError(f"{type(points).__name__} is not known.")


def n_bytes(points: Points) -> int:
    """Give the bytes that taking all of ``points`` copies: rows, or numbers of them."""
    if isinstance(points, DensePoints):
        return points.columns.nbytes
    if isinstance(points, MetricPoints):
        return points.rows_of_X.nbytes
    if isinstance(points, SparsePoints):
        return int(points.matrix.data.nbytes + points.matrix.indices.nbytes)
    return 8 * points.n


def _made(kind: type[_P], *state: Any) -> _P:
    """Make points from the state they had, as taking some of them does."""
    points: Any = object.__new__(kind)
    points._set(*state)
    made: _P = points
    return made


def _dense(fields: Fields) -> DensePoints:
    columns = fields.array("columns", "f4 f8", None, None)
    if not columns.flags.c_contiguous or 0 in columns.shape:
        fields.refuse("columns", "a table of at least one row and column, column by column")
    if fields.text("metric") not in METRICS:
        fields.refuse("metric", f"one of {sorted(METRICS)}")
    return DensePoints.of_columns(columns, fields.text("metric"))


def _sparse(fields: Fields) -> SparsePoints:
    matrix = _csr(fields, fields.whole("n_columns", 1))
    if fields.text("metric") not in sparse_metrics():
        fields.refuse("metric", f"one of {sparse_metrics()}")
    return SparsePoints.of_matrix(matrix, fields.text("metric"))


def _metric(fields: Fields) -> MetricPoints:
    rows = fields.array("rows_of_X", "f4 f8 b1", None, None)
    params = fields.mapping("params")
    if (rows.dtype == bool) != (fields.text("metric") in PAIRWISE_BOOLEAN_FUNCTIONS):
        fields.refuse("rows_of_X", "true and false for metrics that compare these, else numbers")
    _refuse_odd_arguments(params, rows.shape[1])
    # The metric must know these arguments: one row against a copy of itself tells.
    points = _made(MetricPoints, rows[:1], fields.text("metric"), params)
    points.measure(points.at(np.array([0])))
    return _made(MetricPoints, rows, points.metric, params)


def _metric_fields(points: MetricPoints) -> Mapping[str, Any]:
    _refuse_odd_arguments(points.params, points.rows_of_X.shape[1])
    return {"rows_of_X": points.rows_of_X, "metric": points.metric, "params": points.params}


def _refuse_odd_arguments(params: dict[str, Any], width: int) -> None:
    """Raise for arguments of a metric that are not of the size its code takes for granted."""
    for name, value in params.items():
        wanted = (width,) * _PER_COLUMN.get(name, 0)
        if np.shape(value) != wanted or not (wanted or is_plain(value)):
            raise ValueError(
                f"metric_params with {name!r} of shape {np.shape(value)} is not what a file holds: "
                f"single values, and 'w', 'V' and 'VI' with one number a column or pair of columns."
            )


def _matrix(fields: Fields) -> MatrixPoints:
    distances = fields.array("distances", "f4 f8", None, None)
    if distances.shape[0] != distances.shape[1]:
        fields.refuse("distances", "square")
    nodes = fields.places("nodes", None, 0, len(distances))
    return _made(MatrixPoints, distances, nodes, fields.number("zero"))


def _graph(fields: Fields) -> GraphPoints:
    graph = _csr(fields, None)
    nodes = fields.places("nodes", None, 0, graph.shape[0])
    keys = fields.array("keys", "u8", graph.shape[0])
    return _made(GraphPoints, graph, nodes, fields.number("missing"), keys)


def _csr(fields: Fields, width: int | None) -> sp.csr_matrix:
    """Give a sparse matrix, square if no width is given."""
    start = fields.array("indptr", "i4 i8", None)
    columns = fields.array("indices", "i4 i8", None)
    data = fields.floats("data", len(columns))
    if len(start) < 2 or start[0] != 0 or start[-1] != len(columns) or (np.diff(start) < 0).any():
        fields.refuse("indptr", "the beginnings of rows")
    shape = (len(start) - 1, len(start) - 1 if width is None else width)
    first = np.zeros(len(columns) + 1, dtype=bool)
    first[start] = True
    ascending = (np.diff(columns) > 0) | first[1:-1]
    if len(columns) and (columns.min() < 0 or columns.max() >= shape[1] or not ascending.all()):
        fields.refuse("indices", "columns of the matrix, ascending in every row")
    return sp.csr_matrix((data, columns, start), shape=shape)


def _parts(matrix: sp.csr_matrix) -> dict[str, Any]:
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}


def _sparse_fields(points: SparsePoints) -> Mapping[str, Any]:
    n_columns = int(points.matrix.shape[1])
    return {"metric": points.metric, "n_columns": n_columns, **_parts(points.matrix)}


def _graph_fields(points: GraphPoints) -> Mapping[str, Any]:
    return {
        "nodes": points.nodes,
        "missing": points.missing,
        "keys": points.keys,
        **_parts(points.graph),
    }


ENTRIES = (
    Entry(DensePoints, ("columns", "metric"), _dense, shared=True),
    Entry(
        SparsePoints,
        ("metric", "n_columns", "indptr", "indices", "data"),
        _sparse,
        read=_sparse_fields,
        shared=True,
    ),
    Entry(
        MetricPoints,
        ("rows_of_X", "metric", "params"),
        _metric,
        read=_metric_fields,
        shared=True,
    ),
    Entry(MatrixPoints, ("distances", "nodes", "zero"), _matrix, shared=True),
    Entry(
        GraphPoints,
        ("nodes", "missing", "keys", "indptr", "indices", "data"),
        _graph,
        read=_graph_fields,
        shared=True,
    ),
)
