"""What must not matter: the order of rows, how duplicates are written, the unit of measurement."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from right_tree import check_right_tree
from strategies import clouds, grids, percents, weighted_grids

from lapoleaf import leading_tree, lodog

shuffles = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def check_permutation(X, rng, percent):
    new = rng.permutation(len(X))
    tree, moved = leading_tree(X, percent=percent), leading_tree(X[new], percent=percent)
    assert moved.bandwidth == tree.bandwidth
    np.testing.assert_array_equal(moved.density, tree.density[new])
    # Ties aside: nobody equally dense, no two distances from one node equal.
    D = tree.points.rows(np.arange(len(X)))
    assume(len(set(tree.density)) == len(X))
    assume(all(len(set(row)) == len(X) for row in D))
    np.testing.assert_array_equal(moved.delta, tree.delta[new])
    place = np.argsort(new)
    np.testing.assert_array_equal(
        moved.parent, np.where(tree.parent < 0, -1, place[tree.parent])[new]
    )
    assert place[lodog(tree).roots].tolist() == lodog(moved).roots.tolist()


@given(clouds(), shuffles, st.sampled_from([20.0, 40.0, 100.0]))
def test_permuting_rows_permutes_results(X, rng, percent):
    check_permutation(X, rng, percent)


@pytest.mark.slow
@settings(max_examples=2000)
@given(clouds(max_rows=60), shuffles, st.sampled_from([10.0, 40.0, 100.0]))
def test_permuting_rows_permutes_results_at_length(X, rng, percent):
    check_permutation(X, rng, percent)


@given(weighted_grids(), shuffles, percents)
def test_densities_follow_their_rows_even_with_ties(X_weight, rng, percent):
    X, weight = X_weight
    new = rng.permutation(len(X))
    tree = leading_tree(X, percent=percent, sample_weight=weight)
    moved = leading_tree(X[new], percent=percent, sample_weight=weight[new])
    np.testing.assert_array_equal(moved.to_rows(moved.density), tree.to_rows(tree.density)[new])
    check_right_tree(moved, moved.points.rows(np.arange(moved.n_nodes)))


@given(st.one_of(grids(), clouds(max_rows=15)), st.data(), percents)
def test_a_row_twice_is_a_row_of_weight_2(X, data, percent):
    times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X))))
    # The smallest weight is the unit: it has to be one row in both.
    times[0] = 1
    weighted = leading_tree(X, percent=percent, sample_weight=times)
    # Copies at the end, so that first appearances stay in order.
    again = np.concatenate([np.repeat(X[k : k + 1], t - 1, axis=0) for k, t in enumerate(times)])
    written = leading_tree(np.concatenate([X, again]), percent=percent)
    assert written.bandwidth == weighted.bandwidth
    for name in ("population", "density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(written, name), getattr(weighted, name))
    assert lodog(written).roots.tolist() == lodog(weighted).roots.tolist()


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_variances_count_rows_by_weight(metric):
    X = np.random.default_rng(3).normal(size=(40, 3)) * [1, 5, 20]
    times = np.arange(40) % 4 + 1
    weighted = leading_tree(X, metric=metric, sample_weight=times)
    copies = np.repeat(np.arange(40), times - 1)
    written = leading_tree(np.concatenate([X, X[copies]]), metric=metric)
    np.testing.assert_allclose(weighted.delta, written.delta, rtol=1e-9)
    np.testing.assert_array_equal(weighted.parent, written.parent)


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "mahalanobis"])
@pytest.mark.parametrize("weight", [1e-200, 1 / 40, 0.01, 3.0, 1e200])
def test_equal_weights_are_no_weights(metric, weight):
    """Whatever their unit, even if they add up to 1 or to less."""
    X = np.random.default_rng(3).normal(size=(40, 3))
    plain = leading_tree(X, metric=metric)
    weighted = leading_tree(X, metric=metric, sample_weight=np.full(40, weight))
    np.testing.assert_array_equal(weighted.parent, plain.parent)
    np.testing.assert_allclose(weighted.density / weight, plain.density, rtol=1e-9)


def test_weights_of_all_sizes():
    X = np.random.default_rng(3).normal(size=(31, 2))
    tree = leading_tree(X, sample_weight=10.0 ** np.arange(-45, 48, 3))
    check_right_tree(tree, tree.points.rows(np.arange(31)))
    # The heaviest row outweighs everything.
    assert tree.root == 30


@given(weighted_grids(), percents)
def test_a_row_of_weight_0_is_no_row(X_weight, percent):
    X, weight = X_weight
    tree = leading_tree(X, percent=percent, sample_weight=weight)
    without = leading_tree(X[weight > 0], percent=percent, sample_weight=weight[weight > 0])
    assert (tree.node_of[weight == 0] == -1).all()
    np.testing.assert_array_equal(tree.node_of[weight > 0], without.node_of)
    assert tree.bandwidth == without.bandwidth
    for name in ("population", "density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(without, name))


@given(
    st.one_of(grids(), clouds()),
    st.integers(-60, 60),
    st.sampled_from(["euclidean", "manhattan", "chebyshev", "sqeuclidean"]),
    percents,
)
def test_scaling_scales_distances_and_nothing_else(X, k, metric, percent):
    factor = 4.0**k if metric == "sqeuclidean" else 2.0**k
    tree = leading_tree(X, metric=metric, percent=percent)
    scaled = leading_tree(X * 2.0**k, metric=metric, percent=percent)
    assert scaled.bandwidth == tree.bandwidth * factor
    np.testing.assert_array_equal(scaled.delta, tree.delta * factor)
    for name in ("node_of", "population", "density", "parent"):
        np.testing.assert_array_equal(getattr(scaled, name), getattr(tree, name))
    assert lodog(scaled).n_trees == lodog(tree).n_trees
    np.testing.assert_allclose(lodog(scaled).objective, lodog(tree).objective, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e200])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "nan_euclidean"])
def test_extreme_units(scale, metric):
    X = np.random.default_rng(8).normal(size=(120, 3))
    tree, scaled = leading_tree(X, metric=metric), leading_tree(X * scale, metric=metric)
    np.testing.assert_array_equal(scaled.parent, tree.parent)
    np.testing.assert_allclose(scaled.density, tree.density, rtol=1e-9)
    np.testing.assert_allclose(scaled.delta / scale, tree.delta, rtol=1e-14)
    np.testing.assert_array_equal(lodog(scaled).roots, lodog(tree).roots)


@pytest.mark.parametrize("scale", [1e-200, 1e-20, 1e20, 1e200])
@pytest.mark.parametrize("metric", ["cosine", "canberra", "braycurtis"])
def test_metrics_without_a_unit_do_not_see_it(scale, metric):
    X = np.random.default_rng(8).uniform(1, 2, size=(60, 3))
    tree, scaled = leading_tree(X, metric=metric), leading_tree(X * scale, metric=metric)
    np.testing.assert_array_equal(scaled.parent, tree.parent)
    np.testing.assert_allclose(scaled.density, tree.density, rtol=1e-9)


def test_tiny_and_huge_distances_in_one_table():
    """Two heaps of size 1e-140, 1e140 apart."""
    heap = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [0.0, 1.0]]) * 1e-140
    X = np.concatenate([heap, heap[:, ::-1]])
    X[4:, 0] += 1e140
    tree = leading_tree(X, bandwidth=4e-140)
    D = tree.points.rows(np.arange(tree.n_nodes))
    assert D[0, 1] == pytest.approx(5e-140, rel=1e-15)
    check_right_tree(tree, D)


def test_what_is_too_small_beside_the_largest_number_counts_as_0():
    X = np.array([[0.0, 0.0], [1e-180, 0.0], [1e180, 0.0], [1e180, 1e-150]])
    for metric in ("euclidean", "nan_euclidean"):
        tree = leading_tree(X, metric=metric, bandwidth=1.0)
        np.testing.assert_array_equal(tree.node_of, [0, 0, 1, 1])
        assert tree.delta[1] == 1e180
    sparse = leading_tree(sp.csr_array(X), bandwidth=1.0)
    np.testing.assert_array_equal(sparse.node_of, [0, 0, 1, 1])
    assert leading_tree(X, metric="manhattan", bandwidth=1.0).n_nodes == 4


def test_shifting_rows_changes_nothing():
    X = np.random.default_rng(4).integers(0, 1024, (90, 3)) / 64
    tree, moved = leading_tree(X), leading_tree(X - 4096.0)
    np.testing.assert_array_equal(moved.density, tree.density)
    np.testing.assert_array_equal(moved.parent, tree.parent)
