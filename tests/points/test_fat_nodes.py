"""Rows at distance 0 become one node."""

import numpy as np
import pytest
import twins
from cases import FORMULAS
from hypothesis import given
from hypothesis import strategies as st
from strategies import grids, weighted_grids

from lapoleaf import leading_tree


def nodes(X, weight=None, metric="euclidean"):
    tree = leading_tree(X, metric=metric, sample_weight=weight, bandwidth=1.0)
    return tree.node_of.tolist(), tree.population.tolist()


@given(grids(), st.sampled_from(["euclidean", "manhattan", "chebyshev", "sqeuclidean"]))
def test_duplicates_merge(X, metric):
    _, node_of, population = twins.merge(twins.pair_distances(X, FORMULAS[metric]))
    assert nodes(X, metric=metric) == (node_of, population)


@given(weighted_grids())
def test_weights_add_up_and_weight_0_is_left_out(X_weight):
    X, weight = X_weight
    D = twins.pair_distances(X, FORMULAS["manhattan"])
    _, node_of, population = twins.merge(D, weight)
    assert nodes(X, weight) == (node_of, population)


def test_parallel_rows_are_one_node_under_cosine():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 6))
    # Multiples are not the same to the last bit once divided by their lengths.
    doubled = np.vstack([X, X * 3.3, X * 1e-5, -X])
    node_of, population = nodes(doubled, metric="cosine")
    assert node_of == [*range(20), *range(20), *range(20), *range(20, 40)]
    assert population == [3] * 20 + [1] * 20


def test_rows_that_rise_and_fall_together_are_one_node_under_correlation():
    X = np.random.default_rng(1).normal(size=(15, 5))
    node_of, _ = nodes(np.vstack([X, 2.5 * X + 7]), metric="correlation")
    assert node_of == [*range(15), *range(15)]


def test_rows_a_little_apart_stay_apart():
    assert nodes([[0.0], [1e-14], [1.0]])[0] == [0, 1, 2]
    angle = np.array([0.0, 1e-5, 1.0])
    assert nodes(np.column_stack([np.cos(angle), np.sin(angle)]), metric="cosine")[0] == [0, 1, 2]


def test_distance_0_is_not_always_passed_on():
    """Rows with holes: the first is at 0 from both others, they are not at 0 from each other."""
    hole = np.nan
    assert nodes([[1, hole], [1, 5], [1, 7], [4, 4]], metric="nan_euclidean")[0] == [0, 0, 0, 1]
    # The other way round: row 2 joins the first node it is at 0 from.
    assert nodes([[1, 5], [1, 7], [1, hole], [4, 4]], metric="nan_euclidean")[0] == [0, 1, 0, 2]


def test_equal_holes_are_equal_rows():
    X = np.array([[np.nan, 2.0], [0.0, 2.5], [-np.nan, 2.0]])
    assert nodes(X, metric="nan_euclidean")[0] == [0, 1, 0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_many_rows_at_distance_0_of_each_other(n_jobs):
    """More duplicates than a block has rows, found by distance and not by equal rows."""
    D = np.abs(np.subtract.outer(np.arange(300) % 3, np.arange(300) % 3)) * 1.0
    tree = leading_tree(D, metric="precomputed", n_jobs=n_jobs)
    np.testing.assert_array_equal(tree.node_of, np.arange(300) % 3)
    np.testing.assert_array_equal(tree.population, [100, 100, 100])
