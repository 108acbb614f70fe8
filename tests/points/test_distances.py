"""Distances: dense, sparse, precomputed, in pairs; and the same in float32 and far from 0."""

import numpy as np
import pytest
import scipy.sparse as sp
import twins
from cases import FORMULAS, METRICS, PARAMS, formula, rows_for, table
from sklearn.exceptions import DataConversionWarning

from lapoleaf import leading_tree

DIFFERENCES = ["euclidean", "sqeuclidean", "manhattan", "chebyshev"]
NATIVE = [*DIFFERENCES, "cosine"]
NAMED = {"ids": lambda m: m if isinstance(m, str) else m.__name__}


def assert_same_tree(a, b):
    """Check that two trees are equal to the last bit."""
    assert a.bandwidth == b.bandwidth
    for name in ("node_of", "population", "density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("metric", DIFFERENCES)
@pytest.mark.parametrize("n", [2, 255, 256, 257, 600])
def test_whole_numbers_are_measured_without_error(metric, n):
    X = np.column_stack([np.arange(n), np.arange(n) * 37 % 101, np.arange(n) * 11 % 17]) * 1.0
    points = leading_tree(X, metric=metric, bandwidth=1.0).points
    D = twins.pair_distances(X, FORMULAS[metric])
    np.testing.assert_array_equal(points.rows(np.arange(n)), D)


@pytest.mark.parametrize("metric", METRICS, **NAMED)
def test_distances_of_pairs_are_those_of_rows(metric):
    X = rows_for(metric, table("iris")[:60])
    points = leading_tree(X, metric=metric, metric_params=PARAMS.get(metric)).points
    rng = np.random.default_rng(0)
    i, j = rng.integers(points.n, size=(2, 200))
    different = i != j
    i, j = i[different], j[different]
    np.testing.assert_array_equal(points.pairs(i, j), points.rows(i)[np.arange(len(i)), j])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_pairs_at_extreme_distances(scale):
    points = leading_tree(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]) * scale).points
    found = points.pairs(np.array([0, 1, 0]), np.array([1, 2, 2]))
    np.testing.assert_allclose(found / scale, [5.0, 5.0, 10.0], rtol=1e-15)


@pytest.mark.parametrize("metric", NATIVE)
@pytest.mark.parametrize("data", ["iris", "digits"])
def test_sparse_rows_give_the_tree_of_dense_rows(metric, data):
    X = table(data)
    sparse = leading_tree(sp.csr_array(X), metric=metric)
    assert_same_tree(sparse, leading_tree(X, metric=metric))
    i, j = np.arange(20), np.arange(20) + 7
    np.testing.assert_array_equal(sparse.points.pairs(i, j), sparse.points.rows(i)[i, j])


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_array])
def test_any_sparse_format(form):
    X = table("digits")[:50]
    assert_same_tree(leading_tree(form(X)), leading_tree(X))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_sparse_rows_at_extreme_distances(scale):
    X = table("iris")[:40] * scale
    assert_same_tree(leading_tree(sp.csr_array(X)), leading_tree(X))


def test_sparse_rows_stored_in_disorder():
    """Columns out of order, a column stored twice (it adds up) and stored zeros."""
    data, columns = [4.0, 3.0, 1.0, 0.0, 1.0, 2.0, 2.0], [1, 0, 1, 0, 2, 0, 0]
    X = sp.csr_array((data, columns, [0, 2, 4, 7]), shape=(3, 3))
    rows = np.array([[3.0, 4, 0], [0, 1, 0], [4, 0, 1]])
    assert_same_tree(leading_tree(X, bandwidth=2.0), leading_tree(rows, bandwidth=2.0))


@pytest.mark.parametrize("metric", NATIVE)
def test_sparse_rows_of_zeros(metric):
    X = np.array([[0.0, 0, 0], [1, 0, 2], [0, 0, 0], [0, 1, 1], [2, 0, 4]])
    sparse = leading_tree(sp.csr_array(X), metric=metric, percent=50)
    assert_same_tree(sparse, leading_tree(X, metric=metric, percent=50))


def test_a_row_of_zeros_is_at_cosine_distance_1_from_all_others():
    X = np.array([[0.0, 0], [1, 0], [0, 0], [0, 2], [3, 3]])
    tree = leading_tree(X, metric="cosine", bandwidth=1.0)
    np.testing.assert_array_equal(tree.node_of, [0, 1, 0, 2, 3])
    expected = [0, 1, 1, 1]
    np.testing.assert_array_equal(tree.points.rows(np.array([0]))[0], expected)


@pytest.mark.parametrize("metric", METRICS, **NAMED)
def test_float32_is_measured_in_float64(metric):
    X = rows_for(metric, table("wine"))[:100]
    X = X if X.dtype == bool else X.astype(np.float32)
    single = leading_tree(X, metric=metric, metric_params=PARAMS.get(metric))
    double = leading_tree(X.astype(float), metric=metric, metric_params=PARAMS.get(metric))
    assert_same_tree(single, double)


@pytest.mark.parametrize("metric", DIFFERENCES)
def test_columns_far_from_0_lose_nothing(metric):
    """Differences are exact where products of rows would lose ten digits."""
    X = np.random.default_rng(5).integers(0, 2**12, (80, 4)) / 2**10
    assert_same_tree(leading_tree(X + 1e6, metric=metric), leading_tree(X, metric=metric))


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, -0.0], [1.0, 0.0]])
    for metric in ("euclidean", "nan_euclidean", "canberra"):
        tree = leading_tree(X, metric=metric)
        np.testing.assert_array_equal(tree.node_of, [0, 0, 1, 1], err_msg=metric)


def test_missing_values_are_left_out_and_made_up_for():
    X = np.array([[0.0, 0, 0, np.nan], [3, np.nan, 4, 1], [1, 1, 1, 1]])
    row = leading_tree(X, metric="nan_euclidean").points.rows(np.array([0]))[0]
    # Two of four columns in common: twice the sum of squares; then three of four.
    np.testing.assert_allclose(row, [0, np.sqrt(2 * 25), np.sqrt(4 / 3 * 3)], rtol=1e-15)


def test_graph_semantics():
    """Smaller of both directions; missing: twice the largest; stored zeros are zeros."""
    nan = np.nan
    graph = np.array(
        [
            [nan, 1.0, nan, nan, nan],
            [2.0, nan, 0.0, nan, nan],
            [nan, nan, nan, 4.0, nan],
            [nan, nan, 3.0, nan, nan],
            [nan, nan, nan, 3.5, 99.0],
        ]
    )
    i, j = np.nonzero(~np.isnan(graph))
    stored = sp.coo_array((graph[i, j], (i, j)), shape=(5, 5))
    tree = leading_tree(stored, metric="precomputed", bandwidth=1.0)
    # Rows 1 and 2 are one point, and row 1 speaks for it. The largest distance that counts is
    # 3.5: 4 has a shorter way back, and a point's distance to itself is no distance.
    np.testing.assert_array_equal(tree.node_of, [0, 1, 1, 2, 3])
    expected = [[0, 1, 7, 7], [1, 0, 7, 7], [7, 7, 0, 3.5], [7, 7, 3.5, 0]]
    np.testing.assert_array_equal(tree.points.rows(np.arange(4)), expected)
    pairs = tree.points.pairs(np.array([0, 3, 2]), np.array([1, 2, 0]))
    np.testing.assert_array_equal(pairs, [1, 3.5, 7])


def test_a_matrix_that_is_symmetric_up_to_rounding_is_taken():
    X = table("iris")[:30]
    D = twins.pair_distances(X, FORMULAS["euclidean"])
    D[3, 4] *= 1 + 1e-12
    assert leading_tree(D, metric="precomputed").n_nodes == leading_tree(X).n_nodes


def test_almost_0_in_a_matrix_is_0():
    D = np.array([[0, 1e-13, 1], [1e-13, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(leading_tree(D, metric="precomputed").node_of, [0, 0, 1])
    D[0, 1] = D[1, 0] = 1e-11
    np.testing.assert_array_equal(leading_tree(D, metric="precomputed").node_of, [0, 1, 2])


def test_a_matrix_is_not_written_into():
    D = twins.pair_distances(table("iris"), formula("euclidean", None))
    before = D.copy()
    D.flags.writeable = False
    leading_tree(D, metric="precomputed")
    np.testing.assert_array_equal(D, before)


@pytest.mark.parametrize("metric", [*NATIVE, "canberra", "nan_euclidean"])
def test_rows_are_not_written_into(metric):
    X = table("iris")
    before = X.copy()
    leading_tree(X, metric=metric)
    np.testing.assert_array_equal(X, before)
    sparse = sp.csr_array(X)
    if metric in NATIVE:
        leading_tree(sparse, metric=metric)
        np.testing.assert_array_equal(sparse.toarray(), before)


def test_a_metric_that_compares_true_and_false_says_so():
    X = table("iris")[:20] - 3
    with pytest.warns(DataConversionWarning, match="metric='jaccard'") as caught:
        tree = leading_tree(X, metric="jaccard")
    assert caught[0].filename == __file__
    assert_same_tree(tree, leading_tree(X != 0, metric="jaccard"))
