"""Kernels over a tile of products: densities and candidates for neighbours, of both its sides.

A term of a density is ``2**30 * exp(-x)`` rounded to a whole number. From a product, x is known up
to a bound, and so is the number before it is rounded; where the bound leaves two whole numbers
possible, which is seldom, the pair is measured by differences. So terms are the same to the last
bit as if all distances came from differences, whatever the product was.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from lapoleaf._density.kernels import fixed_point_kernel
from lapoleaf._points.kernels import Finish
from lapoleaf._points.product_kernels import pair_distance
from lapoleaf._typing import FloatArray, IntArray

_ONE = 2.0**30
# Adding and subtracting it rounds to a whole number, halves to even.
_ROUND = 1.5 * 2.0**52
# From this exponent on terms are 0, if it is known to within _COARSE.
_FAR = 22.0
_COARSE = 2.0**-7
# Relative error of all that is not the exponent's own: the polynomial 7e-15, its rounding and six
# squarings 4e-14, the root and the quotient of the other way 1.2e-14.
_ROUNDING = 2.0**-43
_TINY = 1e-300
# exp(-x / 64) around the middle of [0, _FAR], in powers of z = x - 11: Taylor's series.
_C = tuple(math.exp(-11 / 64) * (-1 / 64) ** k / math.factorial(k) for k in range(11))
# Candidates are looked for so many at a time.
_CHUNK = 16


@njit(cache=True, nogil=True)
def squares_of_row(
    products: FloatArray, norm: float, norms: FloatArray, squares: FloatArray
) -> None:
    """Write the squared distances of a point, from its products with others."""
    for j in range(products.size):
        squares[j] = max(norm + norms[j] - 2.0 * products[j], 0.0)


@njit(cache=True, nogil=True)
def errors_of_row(
    doubt: float, doubts: FloatArray, finish: Finish, squares: FloatArray, errors: FloatArray
) -> None:
    """Write what bounds the errors of squares; where squares are distances, square both."""
    for j in range(squares.size):
        errors[j] = doubt + doubts[j]
    if not finish.rooted:
        for j in range(squares.size):
            errors[j] = (2.0 * squares[j] + errors[j]) * errors[j] + _TINY
            squares[j] = squares[j] * squares[j]


@njit(cache=True, nogil=True, inline="always")
def _exponential(z):  # type: ignore[no-untyped-def]
    """Give ``2**30 * exp(-(z + 11))`` for z in [-11, 11]."""
    p = _C[10] * z + _C[9]
    p = p * z + _C[8]
    p = p * z + _C[7]
    p = p * z + _C[6]
    p = p * z + _C[5]
    p = p * z + _C[4]
    p = p * z + _C[3]
    p = p * z + _C[2]
    p = p * z + _C[1]
    p = p * z + _C[0]
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    return p * p * _ONE


@njit(cache=True, nogil=True)
def terms_of_distances(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Give the ``fixed_point_kernel`` of every distance, several at once; the same to the bit."""
    terms, doubt = np.empty(distances.size), np.empty(distances.size)
    for j in range(distances.size):
        ratio = distances[j] / bandwidth
        p = _exponential(min(ratio * ratio, _FAR) - 11.0)
        whole = (p + _ROUND) - _ROUND
        doubt[j] = abs(p - whole) + p * _ROUNDING
        terms[j] = whole / _ONE
    for j in range(distances.size):
        if doubt[j] > 0.5:
            terms[j] = fixed_point_kernel(distances[j], bandwidth)
    return terms


@njit(cache=True, nogil=True)
def terms_of_row(squares: FloatArray, errors: FloatArray, factor: float, terms: FloatArray) -> int:
    """Write ``2**30 * exp(-factor * squares)`` as whole numbers; count those in doubt.

    Written without a branch, so that several are worked on at once.
    """
    in_doubt = 0
    for j in range(squares.size):
        z = min(squares[j] * factor, _FAR) - 11.0
        p = _exponential(z)
        whole = (p + _ROUND) - _ROUND
        error = errors[j] * factor
        # exp(error) - 1 is less than 1.01 times an error that is not coarse.
        off = abs(p - whole) + p * (1.01 * error + _ROUNDING)
        in_doubt += (off > 0.5) | (error > _COARSE)
        terms[j] = whole
    return in_doubt


@njit(cache=True, nogil=True)
def settle_row(
    rows: FloatArray,
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
        if exponent - error > _FAR:
            terms[j] = 0.0
            continue
        # Generous: what is not in doubt comes out the same.
        term = _ONE * math.exp(-exponent)
        if error > _COARSE or abs(term - terms[j]) + term * 1.1 * (error + _ROUNDING) > 0.499:
            distance = pair_distance(rows, i, second + j, finish)
            terms[j] = _ONE * fixed_point_kernel(distance, bandwidth)


@njit(cache=True, nogil=True)
def weighted_sum(weights: FloatArray, terms: FloatArray) -> float:
    """Give the sum of the products, in an order that does not depend on the machine."""
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


@njit(cache=True, nogil=True)
def add_row(weight: float, terms: FloatArray, sums: FloatArray) -> None:
    """Add a row of terms, times the weight of its point, to the sums of the columns."""
    for j in range(terms.size):
        sums[j] += weight * terms[j]


@njit(cache=True, nogil=True)
def offer(square: float, node: int, squares: FloatArray, nodes: IntArray) -> None:
    """Take a node among the candidates, if its square is less than the largest of them."""
    place = squares.size - 1
    if square >= squares[place]:
        return
    while place > 0 and squares[place - 1] > square:
        squares[place] = squares[place - 1]
        nodes[place] = nodes[place - 1]
        place -= 1
    squares[place] = square
    nodes[place] = node


@njit(cache=True, nogil=True)
def offer_row(
    i: int,
    second: int,
    squares: FloatArray,
    row_squares: FloatArray,
    row_nodes: IntArray,
    column_squares: FloatArray,
    column_nodes: IntArray,
    reach: FloatArray,
) -> None:
    """Offer point i to all columns as candidate, and the columns to point i.

    ``reach`` holds the largest square among the candidates of each column.
    """
    last = row_squares.size - 1
    for start in range(0, squares.size, _CHUNK):
        stop = min(start + _CHUNK, squares.size)
        own = row_squares[last]
        near = 0
        if stop - start == _CHUNK:
            some, far = squares[start:stop], reach[start:stop]
            for j in range(_CHUNK):
                near += (some[j] < own) | (some[j] < far[j])
            if near == 0:
                continue
        for j in range(start, stop):
            offer(squares[j], second + j, row_squares, row_nodes)
            if squares[j] < reach[j]:
                offer(squares[j], i, column_squares[j], column_nodes[j])
                reach[j] = column_squares[j, last]


@njit(cache=True, nogil=True)
def work_on_tile(
    products: FloatArray,
    first: int,
    second: int,
    rows: FloatArray,
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
    """Add the terms of a tile to the sums of its rows and columns, and offer both as candidates.

    ``products`` are those of the points from ``first`` on with the points from ``second`` on; if
    they are the same points, each pair is looked at once. Give the number of terms in doubt.
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
        offer_row(
            i, second + start, s, row_squares[i], row_nodes[i],
            column_squares[here], column_nodes[here], reach[start:],
        )  # fmt: skip
        errors_of_row(doubts[i], doubts[here], finish, s, e)
        for b in range(bandwidths.size):
            found = terms_of_row(s, e, factors[b], t)
            if found > 0:
                settle_row(rows, finish, i, second + start, bandwidths[b], s, e, factors[b], t)
                in_doubt += found
            row_sums[b, i] += weighted_sum(population[here], t)
            add_row(population[i], t, column_sums[b, here])
    return in_doubt
