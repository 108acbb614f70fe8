"""Distances of sparse rows from float64 differences, in the order of their columns."""

from __future__ import annotations

from lapoleaf._compilation import kernel
from lapoleaf._points.kernels import accumulated, unit_row
from lapoleaf._typing import FloatArray, IntArray


@kernel
def unit_sparse_rows(start: IntArray, data: FloatArray) -> None:
    """Divide every row of a sparse matrix by its Euclidean norm."""
    for i in range(start.size - 1):
        unit_row(data[start[i] : start[i + 1]])


@kernel
def sparse_pair(left, left_data, right, right_data, operation):  # type: ignore[no-untyped-def]
    """Accumulate the differences of two sparse rows."""
    value = 0.0
    a, b = 0, 0
    while a < left.size or b < right.size:
        if b == right.size or (a < left.size and left[a] < right[b]):
            difference = left_data[a]
            a += 1
        elif a == left.size or right[b] < left[a]:
            difference = right_data[b]
            b += 1
        else:
            difference = left_data[a] - right_data[b]
            a += 1
            b += 1
        value = accumulated(operation, value, difference)
    return value


@kernel
def sparse_block(
    query_start: IntArray,
    query_columns: IntArray,
    query_data: FloatArray,
    start: IntArray,
    columns: IntArray,
    data: FloatArray,
    operation: int,
    out: FloatArray,
) -> None:
    """Write the accumulated differences of sparse queries to sparse points into ``out``."""
    for row in range(out.shape[0]):
        left = query_columns[query_start[row] : query_start[row + 1]]
        left_data = query_data[query_start[row] : query_start[row + 1]]
        for j in range(out.shape[1]):
            right = columns[start[j] : start[j + 1]]
            right_data = data[start[j] : start[j + 1]]
            out[row, j] = sparse_pair(left, left_data, right, right_data, operation)
