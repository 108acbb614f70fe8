"""The whole tree on small random sets: exactly the twin's where distances are exact."""

import numpy as np
import pytest
import twins
from cases import FORMULAS
from hypothesis import given, settings
from hypothesis import strategies as st
from right_tree import check_right_tree
from strategies import clouds, grids, percents, weighted_grids

from lapoleaf import leading_tree

exact_metrics = st.sampled_from(["euclidean", "manhattan", "chebyshev", "sqeuclidean"])


def check_equal(X, weight, percent, metric):
    D = twins.pair_distances(X, FORMULAS[metric])
    repeats = None if weight is None else weight.astype(int)
    d_c = twins.bandwidth(D, percent, repeats)
    first, node_of, population = twins.merge(D, weight)
    unit = 1 if weight is None else min(w for w in weight if w > 0)
    D = D[np.ix_(first, first)]
    rho = twins.densities(D, population, d_c, unit)
    parent, delta = twins.leaders(D, rho)

    tree = leading_tree(X, percent=percent, metric=metric, sample_weight=weight)

    assert tree.bandwidth == d_c
    assert tree.node_of.tolist() == node_of
    assert tree.population.tolist() == population
    assert tree.density.tolist() == rho
    assert tree.order.tolist() == twins.order(rho)
    assert tree.root == twins.order(rho)[0]
    assert tree.parent.tolist() == parent
    assert tree.delta.tolist() == delta
    assert tree.gamma.tolist() == [r * d for r, d in zip(rho, delta, strict=True)]
    check_right_tree(tree, D)


@given(grids(), percents, exact_metrics)
def test_grids(X, percent, metric):
    check_equal(X, None, percent, metric)


@given(weighted_grids(), percents, exact_metrics)
def test_weighted_grids(X_weight, percent, metric):
    check_equal(*X_weight, percent, metric)


@pytest.mark.slow
@settings(max_examples=3000)
@given(grids(max_rows=40, largest=6), percents, exact_metrics)
def test_grids_at_length(X, percent, metric):
    check_equal(X, None, percent, metric)


@pytest.mark.slow
@settings(max_examples=3000)
@given(weighted_grids(), percents, exact_metrics)
def test_weighted_grids_at_length(X_weight, percent, metric):
    check_equal(*X_weight, percent, metric)


@given(grids(max_rows=45, largest=6))
def test_more_neighbours_than_are_kept(X):
    """Far more rows than the 20 neighbours a node keeps, and a bandwidth that makes few dense."""
    check_equal(np.vstack([X, X + 30, X + 90]), None, 1.0, "euclidean")


def check_right(X, percent, metric):
    D = twins.pair_distances(X, FORMULAS[metric])
    first, node_of, _ = twins.merge(D)
    tree = leading_tree(X, percent=percent, metric=metric)
    assert tree.node_of.tolist() == node_of
    D = D[np.ix_(first, first)]
    rho = twins.densities(D, tree.population.tolist(), tree.bandwidth)
    np.testing.assert_allclose(tree.density, rho, rtol=1e-9, atol=2**-29)
    check_right_tree(tree, D)


@given(clouds(), percents, exact_metrics)
def test_clouds(X, percent, metric):
    check_right(X, percent, metric)


@pytest.mark.slow
@settings(max_examples=2000)
@given(clouds(max_rows=80), percents, exact_metrics)
def test_clouds_at_length(X, percent, metric):
    check_right(X, percent, metric)


numbers = st.floats(-1e3, 1e3, allow_subnormal=False, width=32)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=12, unique=True), percents)
def test_any_floats(rows, percent):
    """What hypothesis finds nasty: tiny next to large, nearly equal rows."""
    X = np.array(rows, dtype=float) + 0.0
    if len(np.unique(X, axis=0)) > 1:
        check_right(X, percent, "manhattan")


def test_grid_of_points():
    """A square grid: every density has its symmetric equals, every distance its ties."""
    X = np.array([(x, y) for x in range(9) for y in range(9)], dtype=float)
    check_equal(X, None, 5.0, "euclidean")
    check_equal(np.roll(X, 31, axis=0), None, 5.0, "euclidean")


def test_ties_by_hand():
    """The corners of a square: equal densities and distances, so numbers alone decide."""
    tree = leading_tree([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], bandwidth=1.0)
    assert tree.order.tolist() == [0, 1, 2, 3]
    assert tree.parent.tolist() == [-1, 0, 0, 1]
    assert tree.delta.tolist() == [np.sqrt(2), 1, 1, 1]


@pytest.mark.parametrize("sides", [[10.0, -10.0], [-10.0, 10.0]])
def test_ties_beyond_the_neighbours(sides):
    """Two heavy points equally far from a peak with more, and less dense, neighbours than kept."""
    around = [x for k in range(1, 16) for x in (k / 16, -k / 16)]
    X = np.array([*sides, 0.0, *around])[:, None]
    weight = np.array([100.0, 100, 9, *np.ones(30)])
    tree = leading_tree(X, bandwidth=0.5, sample_weight=weight)
    assert tree.order[:3].tolist() == [0, 1, 2]
    assert tree.parent[:3].tolist() == [-1, 0, 0]
    assert tree.delta[:3].tolist() == [20, 20, 10]


def test_two_rows():
    """Equally dense: the first leads the second."""
    tree = leading_tree([[0.0], [5.0]])
    assert (tree.bandwidth, tree.root) == (5.0, 0)
    assert tree.parent.tolist() == [-1, 0]
    assert tree.delta.tolist() == [5.0, 5.0]
    np.testing.assert_allclose(tree.density, np.exp(-1), atol=2**-31)


def test_two_rows_of_different_weight():
    """The heavy one has less weight around it than the light one, but more in itself."""
    tree = leading_tree([[0.0], [5.0]], bandwidth=5.0, sample_weight=[1, 3])
    np.testing.assert_allclose(tree.density, [3 * np.exp(-1), 2 + np.exp(-1)], atol=1e-8)
    assert tree.parent.tolist() == [1, -1]


@pytest.mark.parametrize("X", [[[3.0, 4.0]], [[1.5]] * 7, [[-0.0], [0.0]]], ids=str)
@pytest.mark.parametrize(
    "metric", ["euclidean", "cosine", "canberra", "nan_euclidean", "seuclidean", "mahalanobis"]
)
def test_one_distinct_point(X, metric):
    with pytest.warns(UserWarning, match="X has one distinct point only") as caught:
        tree = leading_tree(X, metric=metric)
    assert caught[0].filename == __file__
    assert tree.node_of.tolist() == [0] * len(X)
    assert tree.population.tolist() == [len(X)]
    assert tree.density.tolist() == [len(X) - 1]
    assert tree.parent.tolist() == [-1]
    assert tree.delta.tolist() == [0.0]


def test_one_row_that_counts():
    with pytest.warns(UserWarning, match="one distinct point"):
        tree = leading_tree([[1.0], [2.0], [3.0]], sample_weight=[0, 2.5, 0])
    assert tree.node_of.tolist() == [-1, 0, -1]
    assert tree.density.tolist() == [0.0]


def test_all_distances_0():
    with pytest.warns(UserWarning, match="one distinct point"):
        assert leading_tree(np.zeros((4, 4)), metric="precomputed").n_nodes == 1
