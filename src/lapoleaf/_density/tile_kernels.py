"""Kernels over a tile of products: densities and candidates for neighbours, of both its sides.

A term of a density is ``2**30 * exp(-x)`` rounded to a whole number. From a product, x is known up
to a bound, and so is the unrounded number; in the rare case that two integers are possible, the
pair is measured by differences. So terms are identical to those computed from differences, to the
last bit.
"""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._density.kernels import FIXED_POINT_ONE, fixed_point_kernel
from lapoleaf._points.insertion_kernels import insert_sorted
from lapoleaf._points.kernels import Finish
from lapoleaf._points.product_kernels import Rows, pair_distance
from lapoleaf._typing import FloatArray, IntArray


@kernel
def largest_square(norm: float, nearest: float, slack: float) -> float:
    """Return an upper bound of the squares of the nearest points.

    ``nearest`` is the largest square among as many points as are wanted. A point as near as these
    has a norm that is not much larger, and so an error that is bounded.
    """
    # Twice, for the known points and for the one searched.
    norm_there = (math.sqrt(norm) + math.sqrt(nearest)) ** 2
    error = slack * (norm + norm_there) * 1.001 + 1e-299
    norm_there = (math.sqrt(norm) + math.sqrt(nearest + 2.0 * error)) ** 2
    return nearest + 2.0 * (slack * (norm + norm_there) * 1.001 + 1e-299)


@kernel
def neighbours_among_candidates(
    start: int,
    stop: int,
    rows: Rows,
    kind: Finish,
    norms: FloatArray,
    slack: float,
    row_squares: FloatArray,
    row_nodes: IntArray,
    column_squares: FloatArray,
    column_nodes: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    limits: FloatArray,
) -> None:
    """Write the neighbours of the points from ``start`` to ``stop``.

    ``limits`` is set to 0 if they are certain. Otherwise a point that is not a candidate may be
    nearer, and ``limits`` is set to the largest possible square of a neighbour.
    """
    k, last = neighbours.shape[1], row_squares.shape[1] - 1
    for i in range(start, stop):
        # Merge of two sorted lists.
        a, b = 0, 0
        for _ in range(k):
            if b > last or (a <= last and row_squares[i, a] <= column_squares[i, b]):
                a += 1
            else:
                b += 1
        nearest = max(
            row_squares[i, a - 1] if a > 0 else 0.0, column_squares[i, b - 1] if b > 0 else 0.0
        )
        limit = largest_square(norms[i], nearest, slack)
        complete = row_squares[i, last] > limit and column_squares[i, last] > limit
        limits[i] = 0.0 if complete else limit
        count = np.int64(0)
        for place in range(2 * last + 2):
            if place <= last:
                square, j = row_squares[i, place], row_nodes[i, place]
            else:
                square = column_squares[i, place - last - 1]
                j = column_nodes[i, place - last - 1]
            if square <= limit:
                distance = pair_distance(rows, i, j, kind)
                count = insert_sorted(distance, j, count, neighbours[i], lengths[i])


@kernel
def neighbours_within(
    nodes: IntArray,
    products: FloatArray,
    rows: Rows,
    kind: Finish,
    norms: FloatArray,
    limits: FloatArray,
    neighbours: IntArray,
    lengths: FloatArray,
) -> None:
    """Write the neighbours of ``nodes``, whose products with all points are given.

    Only squares up to the limit of a node are considered.
    """
    for row in range(nodes.size):
        i = nodes[row]
        count = np.int64(0)
        for j in range(norms.size):
            if j != i and norms[i] + norms[j] - 2.0 * products[row, j] <= limits[i]:
                distance = pair_distance(rows, i, j, kind)
                count = insert_sorted(distance, j, count, neighbours[i], lengths[i])


# Adding and subtracting it rounds to an integer, halves to even.
_ROUNDING_SHIFT = 1.5 * 2.0**52
# From this exponent on terms are 0, if it is known to within _MAX_EXPONENT_ERROR.
_MAX_EXPONENT = 22.0
_MAX_EXPONENT_ERROR = 2.0**-7
# Relative error of all that is not the exponent's own: the polynomial 7e-15, its rounding and six
# squarings 4e-14, the root and the quotient of the other way 1.2e-14.
_RELATIVE_ERROR = 2.0**-43
_MIN_ERROR = 1e-300
# exp(-x / 64) around the middle of [0, _MAX_EXPONENT], in powers of z = x - 11: Taylor's series.
_COEFFICIENTS = tuple(math.exp(-11 / 64) * (-1 / 64) ** k / math.factorial(k) for k in range(11))
# Number of candidates processed at a time.
_COLUMNS_PER_CHUNK = 16


@kernel(no_cpython_wrapper=True)
def squares_of_row(
    products: FloatArray, norm: float, norms: FloatArray, squares: FloatArray
) -> None:
    """Write the squared distances of a point, from its products with others."""
    for j in range(products.size):
        squares[j] = max(norm + norms[j] - 2.0 * products[j], 0.0)


@kernel(no_cpython_wrapper=True)
def errors_of_row(
    doubt: float, doubts: FloatArray, finish: Finish, squares: FloatArray, errors: FloatArray
) -> None:
    """Write bounds of the errors of squares; where squares are distances, square both."""
    for j in range(squares.size):
        errors[j] = doubt + doubts[j]
    if not finish.rooted:
        for j in range(squares.size):
            errors[j] = (2.0 * squares[j] + errors[j]) * errors[j] + _MIN_ERROR
            squares[j] = squares[j] * squares[j]


@kernel(inline="always")
def _exponential(z):  # type: ignore[no-untyped-def]
    """Return ``2**30 * exp(-(z + 11))`` for z in [-11, 11]."""
    p = _COEFFICIENTS[10] * z + _COEFFICIENTS[9]
    p = p * z + _COEFFICIENTS[8]
    p = p * z + _COEFFICIENTS[7]
    p = p * z + _COEFFICIENTS[6]
    p = p * z + _COEFFICIENTS[5]
    p = p * z + _COEFFICIENTS[4]
    p = p * z + _COEFFICIENTS[3]
    p = p * z + _COEFFICIENTS[2]
    p = p * z + _COEFFICIENTS[1]
    p = p * z + _COEFFICIENTS[0]
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    return p * p * FIXED_POINT_ONE


@kernel
def terms_of_distances(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Return the ``fixed_point_kernel`` of every distance, several at once; the same to the bit."""
    terms, doubt = np.empty(distances.size), np.empty(distances.size)
    for j in range(distances.size):
        ratio = distances[j] / bandwidth
        p = _exponential(min(ratio * ratio, _MAX_EXPONENT) - 11.0)
        whole = (p + _ROUNDING_SHIFT) - _ROUNDING_SHIFT
        doubt[j] = abs(p - whole) + p * _RELATIVE_ERROR
        terms[j] = whole / FIXED_POINT_ONE
    for j in range(distances.size):
        if doubt[j] > 0.5:
            terms[j] = fixed_point_kernel(distances[j], bandwidth)
    return terms


@kernel
def terms_of_row(squares: FloatArray, errors: FloatArray, factor: float, terms: FloatArray) -> int:
    """Write ``2**30 * exp(-factor * squares)`` as whole numbers; count those in doubt.

    Without branches, so that it can be vectorised.
    """
    in_doubt = 0
    for j in range(squares.size):
        z = min(squares[j] * factor, _MAX_EXPONENT) - 11.0
        p = _exponential(z)
        whole = (p + _ROUNDING_SHIFT) - _ROUNDING_SHIFT
        error = errors[j] * factor
        # exp(error) - 1 is less than 1.01 times a small error.
        off = abs(p - whole) + p * (1.01 * error + _RELATIVE_ERROR)
        in_doubt += (off > 0.5) | (error > _MAX_EXPONENT_ERROR)
        terms[j] = whole
    return in_doubt


@kernel(no_cpython_wrapper=True)
def measure_doubtful_terms(
    rows: Rows,
    finish: Finish,
    i: int,
    second: int,
    bandwidth: float,
    squares: FloatArray,
    errors: FloatArray,
    factor: float,
    terms: FloatArray,
) -> None:
    """Measure the pairs in doubt by differences and write their terms."""
    for j in range(squares.size):
        exponent, error = squares[j] * factor, errors[j] * factor
        if exponent - error > _MAX_EXPONENT:
            terms[j] = 0.0
            continue
        # Conservative: terms that are not in doubt give the same result.
        term = FIXED_POINT_ONE * math.exp(-exponent)
        if (
            error > _MAX_EXPONENT_ERROR
            or abs(term - terms[j]) + term * 1.1 * (error + _RELATIVE_ERROR) > 0.499
        ):
            distance = pair_distance(rows, i, second + j, finish)
            terms[j] = FIXED_POINT_ONE * fixed_point_kernel(distance, bandwidth)


@kernel
def weighted_sum(weights: FloatArray, terms: FloatArray) -> float:
    """Return the sum of the products, in an order that does not depend on the machine."""
    a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = terms.size - terms.size % 8
    for j in range(0, whole, 8):
        a0 += weights[j] * terms[j]
        a1 += weights[j + 1] * terms[j + 1]
        a2 += weights[j + 2] * terms[j + 2]
        a3 += weights[j + 3] * terms[j + 3]
        a4 += weights[j + 4] * terms[j + 4]
        a5 += weights[j + 5] * terms[j + 5]
        a6 += weights[j + 6] * terms[j + 6]
        a7 += weights[j + 7] * terms[j + 7]
    for j in range(whole, terms.size):
        a0 += weights[j] * terms[j]
    return float(((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)))


@kernel(no_cpython_wrapper=True)
def add_row(weight: float, terms: FloatArray, sums: FloatArray) -> None:
    """Add a row of terms, times the weight of its point, to the sums of the columns."""
    for j in range(terms.size):
        sums[j] += weight * terms[j]


@kernel
def update_candidates(
    i: int,
    second: int,
    squares: FloatArray,
    row_squares: FloatArray,
    row_nodes: IntArray,
    column_squares: FloatArray,
    column_nodes: IntArray,
    reach: FloatArray,
) -> None:
    """Update the candidates of all columns with point i, and those of point i with the columns.

    ``reach`` holds the largest square among the candidates of each column.
    """
    last = row_squares.size - 1
    for start in range(0, squares.size, _COLUMNS_PER_CHUNK):
        stop = min(start + _COLUMNS_PER_CHUNK, squares.size)
        own = row_squares[last]
        near = 0
        if stop - start == _COLUMNS_PER_CHUNK:
            some, far = squares[start:stop], reach[start:stop]
            for j in range(_COLUMNS_PER_CHUNK):
                near += (some[j] < own) | (some[j] < far[j])
            if near == 0:
                continue
        for j in range(start, stop):
            # Lists are initially filled with infinite distances.
            if squares[j] < row_squares[last]:
                insert_sorted(squares[j], second + j, last + 1, row_nodes, row_squares)
            if squares[j] < reach[j]:
                insert_sorted(squares[j], i, last + 1, column_nodes[j], column_squares[j])
                reach[j] = column_squares[j, last]


@kernel
def add_tile(
    products: FloatArray,
    first: int,
    second: int,
    rows: Rows,
    finish: Finish,
    norms: FloatArray,
    doubts: FloatArray,
    population: FloatArray,
    bandwidths: FloatArray,
    factors: FloatArray,
    row_sums: FloatArray,
    column_sums: FloatArray,
    row_squares: FloatArray,
    row_nodes: IntArray,
    column_squares: FloatArray,
    column_nodes: IntArray,
) -> int:
    """Add the terms of a tile to the sums of its rows and columns, and update candidates of both.

    ``products`` are those of the points from ``first`` on with the points from ``second`` on; if
    they are the same points, each pair counts once. Returns the number of terms in doubt.
    """
    width = products.shape[1]
    squares, errors, terms = np.empty(width), np.empty(width), np.empty(width)
    reach = column_squares[second : second + width, -1].copy()
    in_doubt = 0
    for row in range(products.shape[0]):
        i = first + row
        start = row + 1 if first == second else 0
        here = slice(second + start, second + width)
        s, e, t = squares[start:], errors[start:], terms[start:]
        squares_of_row(products[row, start:], norms[i], norms[here], s)
        update_candidates(
            i, second + start, s, row_squares[i], row_nodes[i],
            column_squares[here], column_nodes[here], reach[start:],
        )  # fmt: skip
        errors_of_row(doubts[i], doubts[here], finish, s, e)
        for b in range(bandwidths.size):
            found = terms_of_row(s, e, factors[b], t)
            if found > 0:
                measure_doubtful_terms(
                    rows, finish, i, second + start, bandwidths[b], s, e, factors[b], t
                )
                in_doubt += found
            row_sums[b, i] += weighted_sum(population[here], t)
            add_row(population[i], t, column_sums[b, here])
    return in_doubt
