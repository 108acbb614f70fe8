"""Distances from float64 differences, accumulated column by column.

Every distance is the same to the last bit however rows are cut into blocks and shared among
threads: the sum of a pair always runs over the columns in order, and only pairs are processed in
parallel. Without ``fastmath``, nothing is reordered or fused.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# How differences of a column are accumulated for a pair. The last operation omits columns with a
# missing value, and rescales.
SQUARES, ABSOLUTES, LARGEST, PRESENT_SQUARES = 0, 1, 2, 3

_TILE = 256


class Finish(NamedTuple):
    """Conversion of an accumulated value to a distance.

    Attributes
    ----------
    rooted : bool
        Whether its square root is taken.
    factor : float
        Factor of the result.
    unit_rows : bool
        Whether rows are of unit length, in which case a row of zeros is at distance 1 from all
        others.
    """

    rooted: bool
    factor: float
    unit_rows: bool


@kernel(inline="always")
def finished(value, finish, first_empty, second_empty):  # type: ignore[no-untyped-def]
    """Return the distance of two rows from their accumulated value and whether they are all 0."""
    if finish.rooted:
        value = math.sqrt(value)
    value *= finish.factor
    if finish.unit_rows and (first_empty or second_empty):
        value = 0.0 if first_empty and second_empty else 1.0
    return value


@kernel
def finish_values(values: FloatArray, finish: Finish) -> None:
    """Convert accumulated values (k,) to distances, without special rows of zeros."""
    for k in range(values.size):
        values[k] = finished(values[k], finish, False, False)


@kernel
def finish_block(
    values: FloatArray, finish: Finish, first_empty: AnyArray, second_empty: AnyArray
) -> None:
    """Turn accumulated values (m, n) of m rows and n rows into distances."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[i, j] = finished(values[i, j], finish, first_empty[i], second_empty[j])


@kernel
def finish_pairs(
    values: FloatArray, finish: Finish, first_empty: AnyArray, second_empty: AnyArray
) -> None:
    """Turn accumulated values (k,) of pairs into distances."""
    for k in range(values.size):
        values[k] = finished(values[k], finish, first_empty[k], second_empty[k])


@kernel(inline="always")
def accumulated(operation, value, difference):  # type: ignore[no-untyped-def]
    """Return the value of a pair after one more column."""
    if operation == SQUARES:
        return value + difference * difference
    if operation == ABSOLUTES:
        return value + abs(difference)
    return max(value, abs(difference))


@kernel(inline="always")
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


@kernel
def _present_squares(query, columns, values):  # type: ignore[no-untyped-def]
    """Write sums of squares over the columns both rows have, scaled up to all; NaN if none."""
    present = np.zeros(values.size, dtype=np.int64)
    values[:] = 0.0
    for c in range(columns.shape[0]):
        column = columns[c]
        for j in range(values.size):
            difference = query[c] - column[j]
            is_present = difference == difference
            values[j] += difference * difference if is_present else 0.0
            present[j] += is_present
    for j in range(values.size):
        values[j] = values[j] / present[j] * columns.shape[0] if present[j] > 0 else np.nan


@kernel
def _present_block(queries, columns, out):  # type: ignore[no-untyped-def]
    n = columns.shape[1]
    for start in range(0, n, _TILE):
        stop = min(start + _TILE, n)
        for row in range(queries.shape[0]):
            _present_squares(queries[row], columns[:, start:stop], out[row, start:stop])


@kernel
def _block(queries, columns, operation, out):  # type: ignore[no-untyped-def]
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


def difference_block(
    queries: FloatArray, columns: FloatArray, operation: int, out: FloatArray
) -> None:
    """Write the accumulated differences of every query to every point into ``out``.

    ``queries`` is (m, d), ``columns`` holds the points as (d, n), ``out`` is (m, n).
    """
    if operation == PRESENT_SQUARES:
        _present_block(queries, columns, out)
    else:
        _block(queries, columns, operation, out)


@kernel
def _row(query, columns, operation, out):  # type: ignore[no-untyped-def]
    for start in range(0, out.size, _TILE):
        values = out[start : min(start + _TILE, out.size)]
        values[:] = 0.0
        for c in range(columns.shape[0]):
            column = columns[c, start : start + values.size]
            _accumulate(operation, query[c], column, values)


def difference_row(query: FloatArray, columns: FloatArray, operation: int, out: FloatArray) -> None:
    """Write the accumulated differences of one query to the first ``out.size`` points.

    Values are those of :func:`difference_block` to the last bit; ``columns`` may hold more points.
    """
    if operation == PRESENT_SQUARES:
        _present_squares(query, columns[:, : out.size], out)
    else:
        _row(query, columns, operation, out)


@kernel
def _present_pairs(columns, first, second, out):  # type: ignore[no-untyped-def]
    for k in range(first.size):
        other = columns[:, second[k] : second[k] + 1]
        _present_squares(columns[:, first[k]], other, out[k : k + 1])


@kernel
def _pairs(columns, first, second, operation, out):  # type: ignore[no-untyped-def]
    for k in range(first.size):
        value = 0.0
        for c in range(columns.shape[0]):
            x = np.float64(columns[c, first[k]])
            value = accumulated(operation, value, x - np.float64(columns[c, second[k]]))
        out[k] = value


def difference_pairs(
    columns: FloatArray, first: IntArray, second: IntArray, operation: int, out: FloatArray
) -> None:
    """Write the accumulated differences of point ``first[k]`` and ``second[k]`` into ``out[k]``."""
    if operation == PRESENT_SQUARES:
        _present_pairs(columns, first, second, out)
    else:
        _pairs(columns, first, second, operation, out)


@kernel
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


@kernel
def unit_rows(rows: FloatArray) -> None:
    """Divide every row by its Euclidean norm."""
    for i in range(rows.shape[0]):
        unit_row(rows[i])


@kernel
def _hash(words, hashes):  # type: ignore[no-untyped-def]
    prime = np.uint64(0x100000001B3)
    shift = np.uint64(32)
    for c in range(words.shape[0]):
        for i in range(words.shape[1]):
            value = (hashes[i] ^ np.uint64(words[c, i])) * prime
            hashes[i] = value ^ (value >> shift)


def hash_rows(words: AnyArray) -> AnyArray:
    """Return a 64-bit hash of every row; ``words`` holds the rows' bits as (d, n)."""
    hashes = np.full(words.shape[1], 0xCBF29CE484222325, dtype=np.uint64)
    _hash(words, hashes)
    return hashes


def mixed(words: AnyArray) -> AnyArray:
    """Mix the bits of every word (the finaliser of SplitMix64)."""
    out = words.astype(np.uint64)
    out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return out ^ (out >> np.uint64(31))
