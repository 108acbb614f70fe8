"""Densities and neighbours from tiles of products: to the last bit those by differences."""

import math

import numpy as np
import pytest
import sklearn
from hard_rows import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st

from lapoleaf._density import gaussian_neighbourhoods, tile_kernels
from lapoleaf._points import merge_duplicates, products
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.dense_products import DenseProducts

WEIGHTS = ["ones", "whole", "fractions"]


def weights(kind, rng, n):
    return {
        "ones": lambda: np.ones(n),
        "whole": lambda: rng.integers(1, 5, n).astype(float),
        "fractions": lambda: rng.uniform(0.1, 3.0, n),
    }[kind]()


def nodes_of(X, weight, metric):
    return merge_duplicates(DensePoints(X, metric), weight)


def bandwidths_for(points):
    """From far below the distances to far above them."""
    D = points.rows(np.arange(points.n))
    typical = float(np.median(D[np.triu_indices(points.n, 1)]))
    return [typical * factor for factor in (1e-9, 0.1, 0.5, 1.0, 3.0, 1e9)]


def by_differences(points, population, widths, unit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DensePoints, "products", lambda self: None)
        return gaussian_neighbourhoods(points, population, widths, unit)


def check(nodes, widths, unit, whole, threads):
    found = gaussian_neighbourhoods(nodes.points, nodes.population, widths, unit, threads)
    expected = by_differences(nodes.points, nodes.population, widths, unit)
    np.testing.assert_array_equal(found.neighbours, expected.neighbours)
    np.testing.assert_array_equal(found.lengths, expected.lengths)
    if whole:
        np.testing.assert_array_equal(found.densities, expected.densities)
    else:
        # The same terms, summed in another order.
        np.testing.assert_allclose(found.densities, expected.densities, rtol=1e-13)


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 60), st.sampled_from([1, 2, 5, 70]),
    st.sampled_from(list(KINDS)), st.sampled_from(WEIGHTS),
    st.sampled_from(["euclidean", "sqeuclidean", "cosine"]),
    st.sampled_from([1, 2, 7, 16, 512]), st.sampled_from([1, 3]),
)  # fmt: skip
def test_equals_differences(seed, n, d, kind, weighted, metric, tile, threads):
    rng = np.random.default_rng(seed)
    weight = weights(weighted, rng, n)
    nodes = nodes_of(KINDS[kind](rng, n, d), weight, metric)
    if nodes.points.n < 2:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "TILE", max(tile, n // 8))
        widths = bandwidths_for(nodes.points)
        check(nodes, widths, weight.min(), weighted != "fractions", threads)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [130, 400])
def test_hundreds_of_rows(monkeypatch, kind, n):
    monkeypatch.setattr(products, "TILE", 64)
    rng = np.random.default_rng(n)
    nodes = nodes_of(KINDS[kind](rng, n, 6), np.ones(n), "euclidean")
    check(nodes, bandwidths_for(nodes.points), 1.0, True, 2)


@pytest.mark.parametrize("slack", [1e-9, 1e-3, 1.0])
def test_doubts_change_nothing(monkeypatch, slack):
    """The less products can be trusted, the more is measured by differences."""
    rng = np.random.default_rng(5)
    nodes = nodes_of(rng.normal(size=(300, 4)), np.ones(300), "euclidean")
    made = DenseProducts.of

    def doubtful(columns, metric, scale):
        found = made(columns, metric, scale)
        found.slack = slack
        found.doubt = slack * found.norms
        return found

    monkeypatch.setattr(DenseProducts, "of", doubtful)
    monkeypatch.setattr(products, "TILE", 100)
    check(nodes, bandwidths_for(nodes.points), 1.0, True, 1)


def test_products_that_are_off_change_nothing(monkeypatch):
    """Another BLAS sums in another order: errors within the bound, of any sign."""
    rng = np.random.default_rng(6)
    nodes = nodes_of(1e3 + rng.normal(size=(200, 9)), np.ones(200), "euclidean")
    multiply = DenseProducts._multiply

    def off(self, first, second, space):
        found = multiply(self, first, second, space)
        bound = np.add.outer(self.norms[first], self.norms[second]) * 2.0**-53 * 9
        return found + bound * rng.choice([-1.0, 0.0, 1.0], size=found.shape)

    monkeypatch.setattr(DenseProducts, "_multiply", off)
    check(nodes, bandwidths_for(nodes.points), 1.0, True, 1)


@pytest.mark.parametrize("weighted", WEIGHTS)
def test_the_same_bits_for_every_number_of_threads_and_memory(monkeypatch, weighted):
    monkeypatch.setattr(products, "TILE", 32)
    rng = np.random.default_rng(7)
    weight = weights(weighted, rng, 300)
    nodes = nodes_of(1e6 + rng.normal(size=(300, 5)), weight, "euclidean")

    def build(threads):
        return gaussian_neighbourhoods(
            nodes.points, nodes.population, [0.5, 2.0], weight.min(), threads
        )

    alone = build(1)
    for threads in (2, 3, 8):
        for megabytes in (0.001, 1000):
            with sklearn.config_context(working_memory=megabytes):
                found = build(threads)
            np.testing.assert_array_equal(found.densities, alone.densities)
            np.testing.assert_array_equal(found.neighbours, alone.neighbours)
            np.testing.assert_array_equal(found.lengths, alone.lengths)


def test_more_ties_than_candidates():
    """Corners of a simplex: everybody is as near as everybody else, so numbers decide."""
    nodes = nodes_of(np.eye(60), np.ones(60), "euclidean")
    found = gaussian_neighbourhoods(nodes.points, nodes.population, [1.0], 1.0)
    assert found.neighbours[0].tolist() == list(range(1, 21))
    assert found.neighbours[59].tolist() == list(range(20))
    assert (found.lengths == math.sqrt(2)).all()


# ------------------------------------------------------------------------------ kernels


@given(st.floats(0, 60), st.sampled_from([0.0, 1e-15, 1e-12, 1e-6, 0.5]))
def test_terms_are_right_or_in_doubt(exponent, error):
    """Whatever the exponent is within its error: a term that is not in doubt is rounded right."""
    terms = np.empty(1)
    in_doubt = tile_kernels.terms_of_row(np.array([exponent]), np.array([error]), 1.0, terms)
    if not in_doubt:
        for x in (exponent - error, exponent, exponent + error):
            assert terms[0] == round(2**30 * math.exp(-max(x, 0.0)))


def test_few_terms_are_in_doubt():
    exponents = np.random.default_rng(0).uniform(0, 25, 100_000)
    errors = np.full(100_000, 1e-13)
    terms = np.empty(100_000)
    assert tile_kernels.terms_of_row(exponents, errors, 1.0, terms) < 50
    twin = np.rint(2**30 * np.exp(-exponents))
    assert (terms != twin).sum() < 20
    assert np.abs(terms - twin).max() <= 1


def test_terms_near_a_half_are_in_doubt():
    """2**30 * exp(-x) = k + 1/2 to the last bit of x."""
    k = np.array([0, 1, 2, 1000, 10**6, 2**29, 2**30 - 1])
    exponents = np.log(2.0**30 / (k + 0.5))
    found = [
        tile_kernels.terms_of_row(np.array([x]), np.array([0.0]), 1.0, np.empty(1))
        for x in exponents
    ]
    assert found == [1] * len(k)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100])
def test_weighted_sum(n):
    rng = np.random.default_rng(n)
    weights, terms = rng.integers(0, 9, (2, n)).astype(float)
    assert tile_kernels.weighted_sum(weights, terms) == (weights * terms).sum()


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(1, 8), st.integers(0, 50))
def test_candidates_are_the_nearest(whole, k, split):
    """Squares of one point to others, offered in two parts: the smallest are kept, sorted."""
    squares = np.array(whole, dtype=float)
    n = len(squares)
    lists = [np.full((1, k), np.inf), np.zeros((1, k), dtype=np.int64)]
    columns = [np.full((n, k), np.inf), np.zeros((n, k), dtype=np.int64)]
    for part in (slice(0, split), slice(split, n)):
        some = squares[part]
        reach = columns[0][part, -1].copy()
        tile_kernels.update_candidates(
            99, part.start, some, lists[0][0], lists[1][0],
            columns[0][part], columns[1][part], reach,
        )  # fmt: skip
        assert (reach == columns[0][part, -1]).all()
    kept = np.sort(squares)[:k]
    assert lists[0][0, : len(kept)].tolist() == kept.tolist()
    assert (squares[lists[1][0, : len(kept)]] == kept).all()
    assert len(set(lists[1][0, : len(kept)])) == len(kept)
    assert (columns[0][:, 0] == squares).all()
    assert (columns[1][:, 0] == 99).all()


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from([1e-15, 1e-9]))
def test_largest_square_leaves_room(norm, nearest, slack):
    """For the error of a point as far as the farthest, whose norm is as large as it can be."""
    limit = tile_kernels.largest_square(norm, nearest, slack)
    norm_there = (math.sqrt(norm) + math.sqrt(nearest)) ** 2
    assert limit >= nearest + 2 * slack * (norm + norm_there)
    assert limit <= nearest + 3 * slack * (norm + norm_there) + 1e-290
