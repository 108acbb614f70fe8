"""Points: the rows, or the distances, that a tree was built from.

Values that kernels use as indices are checked here. Other numbers are not checked, so that large
arrays need not be read from a memory-mapped file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

from lapoleaf._messages import shown
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.metrics import METRICS, sparse_metrics
from lapoleaf._points.pairwise import MetricPoints
from lapoleaf._points.precomputed import GraphPoints, MatrixPoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.io.checks import (
    array,
    floats,
    is_plain,
    mapping,
    number,
    one_of,
    places,
    refuse,
    text,
    whole,
)
from lapoleaf.io.entry import Entry

_P = TypeVar("_P", bound=Points)

# Arguments of metrics with one number for every column, or every pair of columns.
_PER_COLUMN = {"w": 1, "V": 1, "VI": 2}


def n_columns(points: Points) -> int:
    """Return the number of columns of rows that can be compared with ``points``."""
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


def n_bytes(points: Points, nodes: IntArray) -> int:
    """Return the bytes that taking some of the points copies: rows, or numbers of them."""
    if isinstance(points, DensePoints):
        return len(nodes) * len(points.columns) * points.columns.dtype.itemsize
    if isinstance(points, MetricPoints):
        return len(nodes) * n_columns(points) * points.rows_of_X.dtype.itemsize
    if isinstance(points, SparsePoints):
        start = points.matrix.indptr
        return 16 * int((start[nodes + 1] - start[nodes]).sum(dtype=np.int64))
    return 8 * len(nodes)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse rows as passed by the user: columns in any order, duplicates, and stored zeros.

    Attributes
    ----------
    n_columns : int
        Number of columns.
    indptr, indices, data : ndarray
        The parts of a CSR matrix.
    """

    n_columns: int
    indptr: IntArray
    indices: IntArray
    data: FloatArray

    @classmethod
    def of(cls, rows: sp.csr_matrix) -> Self:
        """Return the stored form of rows."""
        return cls(int(rows.shape[1]), rows.indptr, rows.indices, rows.data)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the table."""
        return len(self.indptr) - 1, self.n_columns

    def matrix(self) -> sp.csr_matrix:
        """Return the rows."""
        return sp.csr_matrix((self.data, self.indices, self.indptr), shape=self.shape)


def _made(kind: type[_P], *state: Any) -> _P:
    """Return points from their state, as for subsets."""
    points: Any = object.__new__(kind)
    points._set(*state)
    made: _P = points
    return made


def _dense(parts: Mapping[str, Any]) -> DensePoints:
    columns = parts["columns"]
    if not columns.flags.c_contiguous or 0 in columns.shape:
        refuse("DensePoints.columns", "a table of at least one row and column, column by column")
    return DensePoints.of_columns(columns, parts["metric"])


def _sparse(parts: Mapping[str, Any]) -> SparsePoints:
    matrix = _csr("SparsePoints", parts, parts["n_columns"])
    return SparsePoints.of_matrix(matrix, parts["metric"])


def _metric(parts: Mapping[str, Any]) -> MetricPoints:
    rows, metric, params = parts["rows_of_X"], parts["metric"], parts["params"]
    if (rows.dtype == bool) != (metric in PAIRWISE_BOOLEAN_FUNCTIONS):
        wanted = "true and false for metrics that compare these, else numbers"
        refuse("MetricPoints.rows_of_X", wanted)
    _refuse_odd_arguments(params, rows.shape[1])
    # The metric must accept these arguments, which is tested on a row and its copy.
    points = _made(MetricPoints, rows[:1], metric, params)
    points.measure(points.at(np.array([0])))
    return _made(MetricPoints, rows, metric, params)


def _metric_parts(points: MetricPoints) -> Mapping[str, Any]:
    _refuse_odd_arguments(points.params, points.rows_of_X.shape[1])
    return {"rows_of_X": points.rows_of_X, "metric": points.metric, "params": points.params}


def _refuse_odd_arguments(params: dict[str, Any], width: int) -> None:
    """Raise for arguments of a metric whose size its code does not check."""
    for name, value in params.items():
        wanted = (width,) * _PER_COLUMN.get(name, 0)
        if np.shape(value) != wanted or not (wanted or is_plain(value)):
            raise ValueError(
                f"metric_params with {shown(name)} of shape {np.shape(value)} is not what a file "
                f"holds: single values, and 'w', 'V' and 'VI' with one number a column or pair of "
                f"columns."
            )


def _matrix(parts: Mapping[str, Any]) -> MatrixPoints:
    return _made(MatrixPoints, parts["distances"], parts["nodes"], parts["zero"])


def _graph(parts: Mapping[str, Any]) -> GraphPoints:
    graph = _csr("GraphPoints", parts, len(parts["keys"]))
    if graph.shape[0] != graph.shape[1]:
        refuse("GraphPoints.indptr", "those of a square matrix")
    return _made(GraphPoints, graph, parts["nodes"], parts["missing"], parts["keys"])


def _csr(owner: str, parts: Mapping[str, Any], width: int) -> sp.csr_matrix:
    """Return a sparse matrix whose columns are ascending in every row."""
    rows = SparseRows(width, parts["indptr"], parts["indices"], parts["data"])
    _check_sparse(owner, rows)
    start, columns = rows.indptr, rows.indices
    first = np.zeros(len(columns) + 1, dtype=bool)
    first[start] = True
    if len(columns) and not ((np.diff(columns) > 0) | first[1:-1]).all():
        refuse(f"{owner}.indices", "columns of the matrix, ascending in every row")
    return rows.matrix()


def _check_sparse(owner: str, rows: SparseRows) -> None:
    """Check values that SciPy uses as indices."""
    start, columns = rows.indptr, rows.indices
    if len(start) < 2 or start[0] != 0 or start[-1] != len(columns) or (np.diff(start) < 0).any():
        refuse(f"{owner}.indptr", "the beginnings of rows")
    if len(columns) and (columns.min() < 0 or columns.max() >= rows.n_columns):
        refuse(f"{owner}.indices", f"from 0 to {rows.n_columns - 1}")


def _sparse_rows(parts: Mapping[str, Any]) -> SparseRows:
    rows = SparseRows(**parts)
    _check_sparse("SparseRows", rows)
    return rows


def _parts_of_csr(matrix: sp.csr_matrix) -> dict[str, Any]:
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}


def _sparse_parts(points: SparsePoints) -> Mapping[str, Any]:
    width = int(points.matrix.shape[1])
    return {"metric": points.metric, "n_columns": width, **_parts_of_csr(points.matrix)}


def _graph_parts(points: GraphPoints) -> Mapping[str, Any]:
    own = {"keys": points.keys, "nodes": points.nodes, "missing": points.missing}
    return {**own, **_parts_of_csr(points.graph)}


_CSR = {
    "indptr": array("i4 i8", None),
    "indices": array("i4 i8", "stored"),
    "data": floats("stored"),
}
ENTRIES = (
    Entry(
        DensePoints,
        {"columns": array("f4 f8", None, None), "metric": one_of(*METRICS)},
        build=_dense,
        shared=True,
    ),
    Entry(
        SparsePoints,
        {"metric": one_of(*sparse_metrics()), "n_columns": whole(1), **_CSR},
        build=_sparse,
        read=_sparse_parts,
        shared=True,
    ),
    Entry(
        MetricPoints,
        {"rows_of_X": array("f4 f8 b1", None, None), "metric": text, "params": mapping},
        build=_metric,
        read=_metric_parts,
        shared=True,
    ),
    Entry(
        MatrixPoints,
        {
            "distances": array("f4 f8", "rows", "rows"),
            "nodes": places(None, "rows"),
            "zero": number,
        },
        build=_matrix,
        shared=True,
    ),
    Entry(
        GraphPoints,
        {
            "keys": array("u8", "rows"),
            "nodes": places(None, "rows"),
            "missing": number,
            **_CSR,
        },
        build=_graph,
        read=_graph_parts,
        shared=True,
    ),
    Entry(
        SparseRows,
        {**_CSR, "n_columns": whole(1), "data": array("f4 f8", "stored")},
        build=_sparse_rows,
    ),
)
