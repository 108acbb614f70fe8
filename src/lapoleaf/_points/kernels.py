"""Distances from float64 differences, summed column by column.

Every distance is the same to the last bit however rows are cut into blocks and shared among
threads: the sum of a pair always runs over the columns in order, and only pairs are worked on side
by side. No ``fastmath`` anywhere, so nothing is reordered or fused.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lapoleaf._typing import AnyArray, FloatArray, IntArray

# What a column's differences do to the running value of a pair.
SQUARES, ABSOLUTES, LARGEST = 0, 1, 2

_TILE = 256
# Outside these bounds a sum of squares may have lost digits to underflow or overflow.
SMALL, LARGE = 1e-280, 1e280


@njit(cache=True, nogil=True, inline="always")
def _accumulate(operation, x, column, values):  # type: ignore[no-untyped-def]
    if operation == SQUARES:
        for j in range(values.size):
            difference = x - column[j]
            values[j] += difference * difference
    elif operation == ABSOLUTES:
        for j in range(values.size):
            values[j] += abs(x - column[j])
    else:
        for j in range(values.size):
            values[j] = max(values[j], abs(x - column[j]))


@njit(cache=True, nogil=True)
def difference_block(
    queries: FloatArray, columns: FloatArray, operation: int, out: FloatArray
) -> None:
    """Write the combined differences of every query to every point into ``out``.

    ``queries`` is (m, d), ``columns`` holds the points as (d, n), ``out`` is (m, n).
    """
    n_columns, n = columns.shape
    tile = np.empty((n_columns, _TILE), dtype=np.float64)
    for start in range(0, n, _TILE):
        stop = min(start + _TILE, n)
        width = stop - start
        for c in range(n_columns):
            for j in range(width):
                tile[c, j] = columns[c, start + j]
        for row in range(queries.shape[0]):
            values = out[row, start:stop]
            values[:] = 0.0
            for c in range(n_columns):
                _accumulate(operation, queries[row, c], tile[c, :width], values)


@njit(cache=True, nogil=True)
def difference_pairs(
    columns: FloatArray, first: IntArray, second: IntArray, operation: int, out: FloatArray
) -> None:
    """Write the combined differences of point ``first[k]`` and ``second[k]`` into ``out[k]``."""
    for k in range(first.size):
        value = 0.0
        for c in range(columns.shape[0]):
            x = np.float64(columns[c, first[k]])
            difference = x - np.float64(columns[c, second[k]])
            if operation == SQUARES:
                value += difference * difference
            elif operation == ABSOLUTES:
                value += abs(difference)
            else:
                value = max(value, abs(difference))
        out[k] = value


@njit(cache=True, nogil=True)
def _scaled_norm(queries, row, columns, j):  # type: ignore[no-untyped-def]
    """Euclidean distance where its square would underflow or overflow."""
    largest = 0.0
    for c in range(columns.shape[0]):
        largest = max(largest, abs(queries[row, c] - np.float64(columns[c, j])))
    if largest == 0.0 or largest == np.inf:
        return largest
    total = 0.0
    for c in range(columns.shape[0]):
        part = (queries[row, c] - np.float64(columns[c, j])) / largest
        total += part * part
    return largest * math.sqrt(total)


@njit(cache=True, nogil=True)
def root_block(queries: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """Turn sums of squares in ``out`` into distances, without underflow or overflow."""
    for row in range(out.shape[0]):
        for j in range(out.shape[1]):
            square = out[row, j]
            if SMALL < square < LARGE:
                out[row, j] = math.sqrt(square)
            else:
                out[row, j] = _scaled_norm(queries, row, columns, j)


@njit(cache=True, nogil=True)
def missing_block(queries: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """Write Euclidean distances over the columns both rows have, scaled up to all columns.

    A pair without a common column gets NaN.
    """
    n_columns, n = columns.shape
    for row in range(queries.shape[0]):
        for j in range(n):
            total, present, largest = 0.0, 0, 0.0
            for c in range(n_columns):
                difference = queries[row, c] - np.float64(columns[c, j])
                if not math.isnan(difference):
                    total += difference * difference
                    present += 1
                    largest = max(largest, abs(difference))
            scale = 1.0
            if largest > 0.0 and largest < np.inf and not (SMALL < total < LARGE):
                total, scale = 0.0, largest
                for c in range(n_columns):
                    part = (queries[row, c] - np.float64(columns[c, j])) / scale
                    if not math.isnan(part):
                        total += part * part
            if present == 0:
                out[row, j] = np.nan
            else:
                out[row, j] = scale * math.sqrt(total / present * n_columns)


@njit(cache=True, nogil=True)
def unit_row(values: FloatArray) -> None:
    """Divide the numbers of a row by their Euclidean norm, unless they are all 0."""
    largest = 0.0
    for c in range(values.size):
        largest = max(largest, abs(values[c]))
    if largest == 0.0:
        return
    total = 0.0
    for c in range(values.size):
        values[c] /= largest
        total += values[c] * values[c]
    norm = math.sqrt(total)
    for c in range(values.size):
        values[c] /= norm


@njit(cache=True, nogil=True)
def unit_rows(rows: FloatArray) -> None:
    """Divide every row by its Euclidean norm."""
    for i in range(rows.shape[0]):
        unit_row(rows[i])


@njit(cache=True, nogil=True)
def unit_sparse_rows(start: IntArray, data: FloatArray) -> None:
    """Divide every row of a sparse matrix by its Euclidean norm."""
    for i in range(start.size - 1):
        unit_row(data[start[i] : start[i + 1]])


@njit(cache=True, nogil=True)
def _sparse_pair(left, left_data, right, right_data, operation, scale):  # type: ignore[no-untyped-def]
    """Combine the differences of two sparse rows over ``scale``, in the order of their columns."""
    value = 0.0
    a, b = 0, 0
    while a < left.size or b < right.size:
        if b == right.size or (a < left.size and left[a] < right[b]):
            difference = left_data[a] / scale
            a += 1
        elif a == left.size or right[b] < left[a]:
            difference = right_data[b] / scale
            b += 1
        else:
            difference = (left_data[a] - right_data[b]) / scale
            a += 1
            b += 1
        if operation == SQUARES:
            value += difference * difference
        elif operation == ABSOLUTES:
            value += abs(difference)
        else:
            value = max(value, abs(difference))
    return value


@njit(cache=True, nogil=True)
def sparse_block(
    query_start: IntArray,
    query_columns: IntArray,
    query_data: FloatArray,
    start: IntArray,
    columns: IntArray,
    data: FloatArray,
    operation: int,
    root: bool,
    out: FloatArray,
) -> None:
    """Write the combined differences of sparse queries to sparse points into ``out``.

    With ``root``, the square roots of the sums, without underflow or overflow.
    """
    for row in range(out.shape[0]):
        left = query_columns[query_start[row] : query_start[row + 1]]
        left_data = query_data[query_start[row] : query_start[row + 1]]
        for j in range(out.shape[1]):
            right = columns[start[j] : start[j + 1]]
            right_data = data[start[j] : start[j + 1]]
            value = _sparse_pair(left, left_data, right, right_data, operation, 1.0)
            if root and SMALL < value < LARGE:
                value = math.sqrt(value)
            elif root:
                scale = _sparse_pair(left, left_data, right, right_data, LARGEST, 1.0)
                value = scale
                if 0.0 < scale < np.inf:
                    square = _sparse_pair(left, left_data, right, right_data, operation, scale)
                    value = scale * math.sqrt(square)
            out[row, j] = value


@njit(cache=True, nogil=True)
def hash_rows(words: AnyArray) -> AnyArray:
    """Give a 64-bit hash of every row; ``words`` holds the rows' bits as (d, n)."""
    prime = np.uint64(0x100000001B3)
    shift = np.uint64(32)
    hashes = np.empty(words.shape[1], dtype=np.uint64)
    for i in range(hashes.size):
        hashes[i] = np.uint64(0xCBF29CE484222325)
    for c in range(words.shape[0]):
        for i in range(words.shape[1]):
            value = (hashes[i] ^ np.uint64(words[c, i])) * prime
            hashes[i] = value ^ (value >> shift)
    return hashes


def mixed(words: AnyArray) -> AnyArray:
    """Mix the bits of every word (the finaliser of SplitMix64)."""
    out = words.astype(np.uint64)
    out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return out ^ (out >> np.uint64(31))


@njit(cache=True, nogil=True)
def difference_row(query: FloatArray, columns: FloatArray, operation: int, out: FloatArray) -> None:
    """Write the combined differences of one query to the first ``out.size`` points into ``out``.

    Sums are those of :func:`difference_block` to the last bit; ``columns`` may hold more points.
    """
    for start in range(0, out.size, _TILE):
        values = out[start : min(start + _TILE, out.size)]
        values[:] = 0.0
        for c in range(columns.shape[0]):
            column = columns[c, start : start + values.size]
            _accumulate(operation, query[c], column, values)
