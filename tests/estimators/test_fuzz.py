"""Unusual tables: no crash, no NaN, no silent nonsense."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from labelled import check_own_predictions
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers

from lapoleaf import LoDOG

DTYPES = ["float64", "float32", "float16", "int64", "int8", "uint8", "bool", "object"]
# Powers of ten whose squares and sums stay within floats.
SCALES = [-150, -100, -30, -5, 0, 0, 0, 5, 30, 100, 150]
METRICS = ["euclidean", "manhattan", "chebyshev", "sqeuclidean", "cosine", "canberra"]


@st.composite
def tables(draw):
    """Rows of any type and scale, with duplicates and constant columns, sometimes very few."""
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = draw(
        st.sampled_from(
            [
                rng.normal(size=(n, d)),
                rng.integers(0, 3, (n, d)).astype(float),
                rng.integers(0, 2, (n, d)).astype(float) + rng.normal(0, 1e-9, (n, d)),
                rng.standard_cauchy((n, d)),
            ]
        )
    )
    X = X[draw(arrays(int, n, elements=st.integers(0, n - 1)))] if draw(st.booleans()) else X
    if draw(st.booleans()):
        X[:, draw(st.integers(0, d - 1))] = draw(st.sampled_from([0.0, 1.0, -7.5]))
    dtype = draw(st.sampled_from(DTYPES))
    if dtype in ("float64", "object"):
        return (X * 10.0 ** draw(arrays(float, d, elements=st.sampled_from(SCALES)))).astype(dtype)
    low = 0 if dtype in ("uint8", "bool") else -100
    return np.clip(X, low, 100).astype(dtype)


@st.composite
def cases(draw):
    """A table, labels of tiny classes (some rows, or all, or one), weights, and parameters."""
    X = draw(tables())
    n = len(X)
    y = draw(arrays(int, n, elements=st.sampled_from([-1, -1, -1, 0, 1, 2, 7])))
    weight = None
    if draw(st.booleans()):
        weight = draw(arrays(float, n, elements=st.sampled_from([0, 0.5, 1, 1, 3, 1e-6, 1e6])))
    somewhere = draw(st.integers(0, n - 1))
    y[somewhere] = max(y[somewhere], 0)
    if weight is not None:
        weight[somewhere] = 1.0
    params = {
        "metric": draw(st.sampled_from(METRICS)),
        "percent": draw(st.sampled_from([0.01, 2.0, 20.0, 100.0])),
        "alpha": draw(st.sampled_from([0.0, 0.5, 0.9])),
        "cost": draw(st.sampled_from(["linear", "log", "power", "exponential", "water"])),
    }
    return X, y, weight, params


def quietly(fit, *arguments):
    """Fit; one class, one distinct point and the like are worth a warning, nothing else is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit(*arguments)


def new_rows(X):
    """Rows beside the table's and far from them."""
    rows = X.astype(float)
    return np.vstack([rows * 1.01, rows * 1e3, -rows, rows * 0.0])


def check_classifier(X, y, weight, params, make=few_forests):
    model = quietly(make(**params).fit, X, y, weight)
    for found in (model.label_distributions_, model.predict_proba(new_rows(X))):
        assert np.isfinite(found).all()
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)
    check_own_predictions(model, X)
    given = np.flatnonzero((y >= 0) & (model.tree_.node_of >= 0))
    np.testing.assert_array_equal(model.transduction_[given], y[given])
    np.testing.assert_array_equal(model.confidence_[given], 1.0)
    assert set(model.transduction_) <= set(y[given])


def fitted_regressor(X, y, weight, params, scale, make):
    numbers = np.where(y < 0, np.nan, scale * (y - 1.0))
    model = quietly(make(**params).fit, X, numbers, weight)
    for found in (model.transduction_, model.predict(new_rows(X))):
        assert np.isfinite(found).all()
    np.testing.assert_array_equal(model.predict(X), model.transduction_)
    return model, numbers if weight is None else numbers[weight > 0]


def check_forests_of_numbers(X, y, weight, params, scale, make):
    """Labels by the forests are means of the given ones."""
    model, counted = fitted_regressor(X, y, weight, params, scale, make)
    low, high = np.nanmin(counted), np.nanmax(counted)
    slack = 1e-9 * max(abs(low), abs(high))
    for found in (model.transduction_, model.predict(new_rows(X))):
        assert (found >= low - slack).all()
        assert (found <= high + slack).all()
    for row in range(0, len(X), 7):
        why = model.explain(row)
        assert np.isclose(why.shares.sum(), 1.0, rtol=1e-9)
        np.testing.assert_allclose(why.shares @ why.decider_labels, why.label, atol=slack)


def check_regressor(X, y, weight, params, scale):
    check_forests_of_numbers(X, y, weight, params, scale, one_tree_of_numbers)
    many = of_ensembles(params)
    model, counted = fitted_regressor(X, y, weight, many, scale, few_forests_of_numbers)
    slack = 1e-9 * np.nanmax(np.abs(counted))
    for row in range(0, len(X), 7):
        why = model.explain(row)
        assert np.isclose(why.shares.sum(), 1.0, rtol=1e-9)
        forests = why.predicted_by.get("forests", why.label)
        if model.tree_.node_of[row] >= 0:
            np.testing.assert_allclose(why.shares @ why.decider_labels, forests, atol=slack)


def check_clusters(X, weight, params):
    of_all = {name: value for name, value in params.items() if name not in ("alpha", "cost")}
    models = [LoDOG(cut=cut, **of_all) for cut in ("prominence", "gap", "stability")]
    for model in (*models, LoDOG(cut="objective", **params)):
        quietly(model.fit, X, None, weight)
        k = model.n_clusters_
        assert set(model.labels_) == set(range(k))
        assert model.labels_[model.cluster_centers_indices_].tolist() == list(range(k))
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert set(model.predict(new_rows(X))) <= set(range(k))


def of_ensembles(params):
    """Return the parameters that models of many forests have too."""
    return {name: value for name, value in params.items() if name == "metric"}


def check(X, y, weight, params, scale):
    check_classifier(X, y, weight, params, one_tree)
    check_classifier(X, y, weight, of_ensembles(params), few_forests)
    check_regressor(X, y, weight, params, scale)
    check_clusters(X, weight, params)


scales = st.sampled_from([1.0, -3.0, 1e-150, 1e149, 1e-300])


@given(cases(), scales)
def test_any_table(case, scale):
    check(*case, scale)


@pytest.mark.parametrize(
    ("X", "weight", "params"),
    [
        # Density times delta is beyond all numbers.
        (
            1e150 * np.array([[2.5], [-0.5], [-0.2], [-1.2], [1.1], [3.0], [1.0], [271.0]]),
            np.array([1e6, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
            {"metric": "sqeuclidean", "percent": 0.01, "alpha": 0.0, "cost": "linear"},
        ),
        # Directions that differ by so little that the square of it is 0.
        (
            np.array([[1.25e4, -1.3e-151], [6.4e4, 1.0e-151]]),
            None,
            {"metric": "cosine", "percent": 0.01, "alpha": 0.0, "cost": "linear"},
        ),
    ],
)
def test_tables_at_the_end_of_numbers(X, weight, params):
    check(X, np.where(np.arange(len(X)) == 1, 0, -1), weight, params, 1.0)


@pytest.mark.slow
@settings(max_examples=2000)
@given(cases(), scales)
def test_any_table_at_length(case, scale):
    check(*case, scale)


def right_or_refused(fit, arguments, word):
    """Fit, or return None where one clear error, with this word, explains why not."""
    try:
        return fit(*arguments)
    except ValueError as error:
        refusal = str(error)
    assert word in refusal
    return None


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("size", [1e160, 1e200, 1e300, 1.7e308])
def test_numbers_too_large_to_measure(size, metric):
    X = np.array([[-1.0, 0.5], [0.9, 0.2], [0.3, -0.7], [1.0, 1.0]]) * size
    fit = few_forests(metric=metric).fit
    model = right_or_refused(fit, (X, [0, 1, -1, -1]), "overflow")
    if model is None:
        assert metric == "sqeuclidean" or size > 1e307
    else:
        assert np.isfinite(model.label_distributions_).all()
        np.testing.assert_array_equal(model.predict(X), model.transduction_)


@pytest.mark.parametrize("weight", [1e-300, 1e-30, 1e30, 1e300])
def test_equal_weights_of_any_size_are_no_weights(weight):
    X = np.array([[0.0], [1.0], [1.9], [7.0], [8.0]])
    y = [0, -1, -1, -1, 1]
    # Labels that weigh more are more labels, and so count a little more against the links.
    for make, slack in ((one_tree, 1e-9), (few_forests, 0.05)):
        plain = make().fit(X, y)
        model = right_or_refused(make().fit, (X, y, [weight] * 5), "sample_weight")
        if model is None:
            assert weight > 1e100
        else:
            np.testing.assert_allclose(
                model.label_distributions_, plain.label_distributions_, rtol=slack
            )


@pytest.mark.parametrize("weight", [[1e-300, 1, 1, 1, 1e300], [1e-320, 1, 1, 1, 1]], ids=str)
def test_weights_of_very_different_size(weight):
    X = np.array([[0.0], [1.0], [1.9], [7.0], [8.0]])
    fit = few_forests().fit
    model = right_or_refused(fit, (X, [0, -1, -1, -1, 1], weight), "sample_weight")
    if model is not None:
        assert np.isfinite(model.label_distributions_).all()
        assert model.transduction_[[0, 4]].tolist() == [0, 1]


def test_distances_of_very_different_size():
    """The label of a child counts however light the child is: 1e-300 beside 1e10."""
    X = np.array([[0.0, 2e5], [0.0, 1e5], [1e-150, 1e5]])
    for model in (one_tree(metric="sqeuclidean", n_trees=1), few_forests(metric="sqeuclidean")):
        quietly(model.fit, X, [0, -1, -1])
        assert model.transduction_.tolist() == [0, 0, 0]
        np.testing.assert_array_equal(model.label_distributions_, 1.0)


def test_tiny_targets_and_light_children():
    """A weight of 1e-180 times a target of 1e-150 is 0; the mean is not."""
    X = np.array([[2e-150, 1e30], [1e-150, 0.0], [2e-150, 0.0], [1e-150, 1e30]])
    for row in range(4):
        y = np.full(4, np.nan)
        y[row] = 1e-150
        for model in (one_tree_of_numbers(percent=0.01, n_trees=1), few_forests_of_numbers()):
            np.testing.assert_allclose(model.fit(X, y).transduction_, 1e-150, rtol=1e-9)


def test_many_rows_in_few_places():
    X = np.random.default_rng(0).integers(0, 2, (2000, 3)).astype(float)
    y = np.full(2000, -1)
    y[:8] = np.arange(8) % 2
    model = few_forests().fit(X, y)
    assert model.tree_.n_nodes == 8
    check_own_predictions(model, X)


def test_more_columns_than_rows():
    X = np.random.default_rng(0).normal(size=(12, 3000))
    check_classifier(X, np.array([0, 1] + [-1] * 10), None, {})


def test_every_row_a_class_of_its_own():
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = few_forests().fit(X, np.arange(200))
    np.testing.assert_array_equal(model.transduction_, np.arange(200))
    np.testing.assert_array_equal(model.predict(X), np.arange(200))
