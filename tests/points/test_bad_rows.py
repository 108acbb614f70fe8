"""What cannot be data gets one clear sentence that names the parameter."""

import numpy as np
import pytest
import scipy.sparse as sp

from lapoleaf import leading_tree

nan, inf = np.nan, np.inf


def refused(*args, **kwargs):
    """Build a tree that must be refused; return the message."""
    with pytest.raises((ValueError, TypeError)) as caught:
        leading_tree(*args, **kwargs)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (nan, "X contains NaN: the first is in row 1, column 2."),
        (inf, "X contains infinity: the first is in row 1, column 2."),
        (-inf, "X contains infinity: the first is in row 1, column 2."),
    ],
)
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_nan_and_infinity(bad, sentence, form):
    X = np.array([[1.0, 2, 3], [4, 5, bad], [bad, 8, 9]])
    assert refused(form(X)).startswith(sentence)


def test_large_numbers_are_no_infinity():
    X = np.array([[1e308, 1e308], [1e308, 0.0]])
    assert leading_tree(X).n_nodes == 2


def test_missing_values_need_a_metric_that_knows_them():
    X = np.array([[1.0, nan], [2, 3], [3, 3]])
    assert "nan_euclidean" in refused(X)
    assert leading_tree(X, metric="nan_euclidean").n_nodes == 3
    X[2, 1] = inf
    assert "infinity: the first is in row 2, column 1" in refused(X, metric="nan_euclidean")


def test_nan_in_precomputed_distances():
    D = np.array([[0, nan], [nan, 0]])
    assert "row 0, column 1" in refused(D, metric="precomputed")


def test_rows_without_a_common_column():
    """No distance exists: the message must name that."""
    X = [[1, nan], [nan, 2], [3, 4], [5, 6.0]]
    assert "nan_euclidean" in refused(X, metric="nan_euclidean")


@pytest.mark.parametrize("X", [[], [[]], np.empty((0, 3)), np.empty((3, 0)), sp.csr_array((0, 4))])
def test_empty(X):
    assert refused(X).startswith("X is empty")


NO_TABLES = {
    "strings": [["a", "b"], ["c", "d"]],
    "objects": np.array([["a", "b"], ["c", "d"]], dtype=object),
    "a dictionary": np.array([[1.0, {}], [2.0, 3.0]], dtype=object),
    "complex": np.array([[1 + 2j, 1.0], [0.0, 3.0]]),
    "many complex": np.zeros((30, 30), dtype=complex),
    "rows of different lengths": [[1.0, 2.0], [3.0]],
    "a list": [1.0, 2.0, 3.0],
    "a long vector": np.arange(100.0),
    "three dimensions": np.zeros((2, 2, 2)),
    "a number": 5.0,
    "nothing": None,
    "text": "text",
}


@pytest.mark.parametrize("X", NO_TABLES.values(), ids=NO_TABLES)
def test_no_table_of_numbers(X):
    assert refused(X).startswith("X ")


def test_numbers_in_object_arrays_are_numbers():
    X = np.array([[1, 2.0], [3, 4]], dtype=object)
    np.testing.assert_array_equal(leading_tree(X).delta, leading_tree([[1.0, 2], [3, 4]]).delta)


def test_precomputed_must_be_square():
    for X in (np.zeros((2, 3)), sp.csr_array(np.ones((2, 3)))):
        assert "square" in refused(X, metric="precomputed")
        assert "(2, 3)" in refused(X, metric="precomputed")


def test_precomputed_must_not_be_negative():
    D = np.array([[0, -1.5], [-1.5, 0]])
    for X in (D, sp.csr_array(D)):
        assert "-1.5" in refused(X, metric="precomputed")


def test_precomputed_must_be_symmetric():
    D = np.array([[0.0, 1, 2], [1, 0, 3], [2, 4, 0]])
    sentence = refused(D, metric="precomputed")
    assert "X[1, 2] = 3.0" in sentence
    assert "X[2, 1] = 4.0" in sentence


def test_asymmetry_is_found_in_any_stripe():
    D = np.ones((2100, 2100))
    np.fill_diagonal(D, 0)
    D[2050, 2060] = 2
    assert "X[2050, 2060] = 2.0" in refused(D, metric="precomputed")


def test_a_graph_needs_a_distance():
    assert "X" in refused(sp.csr_array((3, 3)), metric="precomputed")


@pytest.mark.parametrize("percent", [0, -1, 100.1, nan, inf, "2", None, True, 2j])
def test_percent(percent):
    assert refused([[0.0], [1.0]], percent=percent).startswith(f"percent={percent!r}")


@pytest.mark.parametrize("bandwidth", [0, -1.0, nan, inf, "1", 1j])
def test_bandwidth(bandwidth):
    assert refused([[0.0], [1.0]], bandwidth=bandwidth).startswith(f"bandwidth={bandwidth!r}")


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ([1.0, 2.0], "2"),
        ([[1.0], [1.0], [1.0]], "shape"),
        ([1.0, -1.0, 1.0], "row 1 has -1.0"),
        ([1.0, 1.0, nan], "row 2 has nan"),
        ([inf, 1.0, 1.0], "row 0 has inf"),
        ([0.0, 0.0, 0.0], "for every row"),
        (["a", "b", "c"], "numbers"),
    ],
    ids=["short", "column", "negative", "nan", "infinite", "all 0", "text"],
)
def test_sample_weight(weight, sentence):
    found = refused([[0.0], [1.0], [2.0]], sample_weight=weight)
    assert found.startswith("sample_weight")
    assert sentence in found


@pytest.mark.parametrize("metric", ["no such metric", 3, None, ["euclidean"]])
def test_metric(metric):
    assert refused([[0.0], [1.0]], metric=metric).startswith(f"metric={metric!r}")


def test_metric_that_does_not_fit_the_rows():
    X = np.random.default_rng(0).normal(size=(10, 3))
    assert refused(X, metric="haversine").startswith("metric='haversine'")
    assert refused(sp.csr_array(X), metric="canberra").startswith("metric='canberra'")
    with pytest.raises(ValueError, match=r"^metric='canberra' .*metric_params=.*nonsense"):
        leading_tree(X, metric="canberra", metric_params={"nonsense": 1})
    with pytest.raises(ValueError, match=r"^metric_params=\[1\] must be a dict of arguments"):
        leading_tree(X, metric="minkowski", metric_params=[1])
    flat = np.column_stack([X[:, 0], X[:, 0] * 2])
    assert refused(flat, metric="mahalanobis").startswith("metric='mahalanobis'")


@pytest.mark.parametrize("value", [-1.0, nan, inf])
def test_callable_that_gives_no_distance(value):
    sentence = refused([[0.0], [1.0], [2.0]], metric=lambda a, b: value)
    assert str(value) in sentence
    assert "metric" in sentence


def test_build():
    assert refused([[0.0], [1.0]], build="quick").startswith("build='quick'")


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2"])
def test_n_jobs(n_jobs):
    assert refused([[0.0], [1.0]], n_jobs=n_jobs).startswith(f"n_jobs={n_jobs!r}")


def test_distances_that_overflow():
    for percent in (2.0, 100.0):
        assert refused([[1.7e308], [-1.7e308]], percent=percent).startswith("X holds numbers so")
    assert refused([[1e308], [-1e308], [0.0]], percent=100).startswith("X holds numbers so")
    X = [[1e200, 0.0], [0.0, 1e200]]
    assert refused(X, metric="sqeuclidean").startswith("X holds numbers so")
