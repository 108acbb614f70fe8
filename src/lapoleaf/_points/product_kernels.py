"""Kernels for matrix products, with differences where products are not accurate enough."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._points.kernels import SQUARES, Finish, finished
from lapoleaf._points.sparse_kernels import sparse_pair
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Dense rows (n, d) in a tuple of one; or row starts, columns and data of a CSR matrix.
DenseRows: TypeAlias = "tuple[FloatArray]"
SparseRows: TypeAlias = "tuple[IntArray, IntArray, FloatArray]"
Rows: TypeAlias = "DenseRows | SparseRows"


@kernel(no_cpython_wrapper=True)
def pair_distance(rows: Any, i: int, j: int, finish: Finish) -> float:
    """Return the distance of two rows by differences, bitwise identical to that in a block.

    The length of a tuple is part of its type, and only the branch for this type is compiled.
    """
    if len(rows) == 1:
        return dense_pair_distance(rows[0], i, j, finish)
    return sparse_pair_distance(rows, i, j, finish)


@kernel(no_cpython_wrapper=True)
def sparse_pair_distance(rows: SparseRows, i: int, j: int, finish: Finish) -> float:
    """Return the distance of two rows of a CSR matrix."""
    start, columns, data = rows
    left, right = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
    square = sparse_pair(columns[left], data[left], columns[right], data[right], SQUARES)
    first_empty, second_empty = start[i] == start[i + 1], start[j] == start[j + 1]
    return float(finished(square, finish, first_empty, second_empty))


@kernel(no_cpython_wrapper=True)
def dense_pair_distance(rows: FloatArray, i: int, j: int, finish: Finish) -> float:
    """Return the distance of two dense rows."""
    square, first, second = 0.0, 1.0, 1.0
    for c in range(rows.shape[1]):
        difference = np.float64(rows[i, c]) - np.float64(rows[j, c])
        square += difference * difference
    if finish.unit_rows:
        first, second = 0.0, 0.0
        for c in range(rows.shape[1]):
            first = max(first, abs(rows[i, c]))
            second = max(second, abs(rows[j, c]))
    return float(finished(square, finish, first == 0.0, second == 0.0))


@kernel
def pair_distances(
    rows: Rows, first: IntArray, second: IntArray, finish: Finish, out: FloatArray
) -> None:
    """Write the distance of rows ``first[k]`` and ``second[k]`` into ``out[k]``."""
    for k in range(first.size):
        out[k] = pair_distance(rows, first[k], second[k], finish)


@kernel
def pairs_between(
    products: FloatArray,
    first: int,
    second: int,
    norms: FloatArray,
    low: float,
    high: float,
    rows: IntArray,
    columns: IntArray,
) -> int:
    """Write the pairs of a tile whose squares are in [low, high] and return their number.

    ``products`` are those of the points from ``first`` on with the points from ``second`` on; with
    ``first == second``, each pair is visited once.
    """
    found = 0
    for i in range(products.shape[0]):
        own = norms[first + i]
        for j in range(i + 1 if first == second else 0, products.shape[1]):
            square = own + norms[second + j] - 2.0 * products[i, j]
            if low <= square <= high:
                rows[found] = first + i
                columns[found] = second + j
                found += 1
    return found


@kernel
def sparse_products(
    rows: SparseRows,
    nodes: IntArray,
    start: IntArray,
    others: IntArray,
    data: FloatArray,
    first: int,
    out: FloatArray,
) -> None:
    """Write the products of the rows ``nodes`` of a CSR matrix with m other rows.

    They are written into the m columns of ``out`` from ``first`` on, which are 0. The others are
    given column by column: column c has entries from ``start[c]`` to ``start[c + 1]``, in the rows
    ``others``.
    """
    row_start, columns, values = rows
    for row in range(nodes.size):
        products = out[row, first:]
        for entry in range(row_start[nodes[row]], row_start[nodes[row] + 1]):
            column, value = columns[entry], values[entry]
            for k in range(start[column], start[column + 1]):
                products[others[k]] += value * data[k]


@kernel
def join_first(later: IntArray, earlier: IntArray, first: IntArray) -> None:
    """Merge points with earlier ones at distance 0 that are their own representatives."""
    for k in range(later.size):
        i, j = later[k], earlier[k]
        if first[i] == i and first[j] == j:
            first[i] = j


@kernel
def shortlist(
    products: FloatArray,
    own: FloatArray,
    norms: FloatArray,
    k: int,
    slack: float,
    least: float,
    zero: float,
    listed: IntArray,
) -> BoolArray:
    """Write the points that can be among the k nearest of every row, ascending.

    ``products`` (m, n) are those of rows of squared lengths ``own`` with points of squared lengths
    ``norms``. A square is off by at most ``least`` and ``slack`` times the sum of both lengths.
    Points whose squares can be at most ``zero`` are listed, too. Returns whether all of them found
    a place in the row of ``listed``.
    """
    complete = np.ones(own.size, dtype=np.bool_)
    nodes, reach = np.empty(k, dtype=np.int64), np.empty(k)
    for row in range(own.size):
        count, farthest = np.int64(0), np.inf
        for j in range(norms.size):
            most = (own[row] + norms[j]) * (1.0 + slack) - 2.0 * products[row, j]
            if most < farthest:
                count = insert_sorted(most, j, count, nodes, reach)
                if count == k:
                    farthest = reach[k - 1]
        limit = max(reach[k - 1] + least, zero) + least
        found = 0
        for j in range(norms.size):
            fewest = (own[row] + norms[j]) * (1.0 - slack) - 2.0 * products[row, j]
            if fewest <= limit:
                if found == listed.shape[1]:
                    complete[row] = False
                    break
                listed[row, found] = j
                found += 1
    return complete
