"""Densities in fixed point, and the nearest neighbours found on the way."""

import math

import numpy as np
import pytest
import twins
from cases import FORMULAS, table
from hypothesis import given
from hypothesis import strategies as st
from strategies import clouds, grids, weighted_grids

from lapoleaf import leading_tree
from lapoleaf._density import gaussian_neighbourhoods
from lapoleaf._density.kernels import fixed_point_kernel
from lapoleaf._density.tile_kernels import terms_of_distances


def distances(X):
    return twins.pair_distances(X, FORMULAS["euclidean"])


@given(grids(), st.sampled_from([0.3, 1.0, 2.0, 7.5]))
def test_equals_twin(X, bandwidth):
    first, _, population = twins.merge(distances(X))
    rho = twins.densities(distances(X[first]), population, bandwidth)
    assert leading_tree(X, bandwidth=bandwidth).density.tolist() == rho


@given(weighted_grids(), st.sampled_from([0.3, 1.0, 2.0, 7.5]))
def test_weights_equal_twin(X_weight, bandwidth):
    X, weight = X_weight
    first, _, population = twins.merge(distances(X), weight)
    unit = min(w for w in weight if w > 0)
    rho = twins.densities(distances(X[first]), population, bandwidth, unit)
    assert leading_tree(X, bandwidth=bandwidth, sample_weight=weight).density.tolist() == rho


@given(weighted_grids(), st.sampled_from([0.25, 0.1, 1 / 3]))
def test_fractional_weights(X_weight, factor):
    X, weight = X_weight
    tree = leading_tree(X, bandwidth=1.5, sample_weight=weight * factor)
    plain = leading_tree(X, bandwidth=1.5, sample_weight=weight)
    np.testing.assert_allclose(tree.population, plain.population * factor, rtol=1e-15)
    np.testing.assert_allclose(tree.density, plain.density * factor, rtol=1e-12, atol=1e-15)


def test_by_hand():
    """At 0, 1 and 3 with bandwidth 1: e**-1 = .367879, e**-4 = .018316, e**-9 = .000123."""
    tree = leading_tree([[0.0], [1.0], [3.0]], bandwidth=1.0)
    np.testing.assert_allclose(tree.density, [0.368003, 0.386195, 0.018439], atol=5e-7)


def test_merging_equal_weights_leaves_densities_as_they_were():
    """Three rows at 0, one at 1: each at 0 has two at distance 0 and one at 1."""
    tree = leading_tree([[0.0], [0.0], [1.0], [0.0]], bandwidth=1.0)
    one = round(2**30 * math.exp(-1)) / 2**30
    assert tree.density.tolist() == [2 + one, 3 * one]


def test_terms_are_multiples_of_a_billionth():
    for distance in np.linspace(0, 6, 1001):
        term = fixed_point_kernel(distance, 1.3)
        assert term * 2**30 == int(term * 2**30)
        assert term == pytest.approx(math.exp(-((distance / 1.3) ** 2)), abs=2**-31)


def test_terms_vanish_where_they_round_to_0():
    """2**30 * exp(-x**2) is one half at x = 4.6357."""
    edge = math.sqrt(31 * math.log(2))
    assert fixed_point_kernel(edge * (1 - 1e-6), 1.0) == 2**-30
    assert fixed_point_kernel(edge * (1 + 1e-6), 1.0) == 0.0
    assert fixed_point_kernel(np.inf, 1.0) == 0.0
    assert fixed_point_kernel(0.0, 1e-300) == 1.0


def test_sums_are_exact_in_any_order():
    """The same sums in whole numbers; a term may differ in its last bit."""
    X = np.random.default_rng(0).normal(size=(1500, 2))
    tree = leading_tree(X, bandwidth=0.7)
    d = np.sqrt(((X[:3, None] - X) ** 2).sum(-1)) / 0.7
    for i in range(3):
        terms = [round(2**30 * math.exp(-(x * x))) for j, x in enumerate(d[i]) if j != i]
        assert abs(tree.density[i] * 2**30 - sum(terms)) <= 2


@given(st.one_of(grids(max_rows=40), clouds(max_rows=40)))
def test_nearest_neighbours(X):
    tree = leading_tree(X, bandwidth=1.0)
    near = gaussian_neighbourhoods(tree.points, tree.population, [1.0], 1.0)
    D = tree.points.rows(np.arange(tree.n_nodes))
    for i, row in enumerate(D):
        others = sorted((d, j) for j, d in enumerate(row) if j != i)[:20]
        assert near.neighbours[i].tolist() == [j for _, j in others]
        assert near.lengths[i].tolist() == [d for d, _ in others]


def test_densities_of_all_kinds_of_points_agree():
    X = table("wine")
    D = distances(X)
    rows, matrix = leading_tree(X), leading_tree(D, metric="precomputed")
    np.testing.assert_allclose(rows.density, matrix.density, rtol=1e-9)
    np.testing.assert_array_equal(rows.parent, matrix.parent)


def test_terms_of_many_distances_are_those_of_each():
    draws = np.random.default_rng(0)
    distances = np.concatenate(
        [[0.0, 1e-300, 4.6, 4.636, 4.637, 4.64, 5.0, 1e200, np.inf], 5.0 * draws.random(200_000)]
    )
    for bandwidth in (1.0, 0.37):
        terms = terms_of_distances(distances, bandwidth)
        each = [fixed_point_kernel(distance, bandwidth) for distance in distances.tolist()]
        np.testing.assert_array_equal(terms, each)
