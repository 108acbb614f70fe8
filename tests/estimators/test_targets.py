"""Numbers: partial targets, several of them, a label 0, and the score."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import LINE, iris, random_labels
from models import few_forests_of_numbers, one_tree_of_numbers
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from strategies import clouds, grids

from lapoleaf import LaPOLeaFRegressor
from lapoleaf.baselines import LSSVR
from lapoleaf.streams import SeriesForecaster

NAN = float("nan")


def test_by_hand():
    """Row 1 leads rows 0 and 2, row 3 leads row 4; weights are 1 / 1 and 1 / 0.9."""
    model = LaPOLeaFRegressor.as_published(bandwidth=1.0, n_trees=2)
    model.fit(LINE, [1.0, NAN, 4.0, NAN, 20.0])
    mean = (1.0 / 1.0 + 4.0 / 0.9) / (1 / 1.0 + 1 / 0.9)
    np.testing.assert_allclose(model.transduction_, [1.0, mean, 4.0, 20.0, 20.0])
    np.testing.assert_allclose(model.predict([[-0.5], [8.5]]), [1.0, 20.0])
    assert model.given_.tolist() == [True, False, True, False, True]


def test_a_label_0_is_a_label():
    model = LaPOLeaFRegressor.as_published(bandwidth=1.0, n_trees=2)
    model.fit(LINE, [0.0, NAN, 6.0, NAN, 20.0])
    np.testing.assert_allclose(
        model.transduction_, [0.0, (6.0 / 0.9) / (1.0 + 1 / 0.9), 6.0, 20.0, 20.0]
    )
    model.fit(LINE, [0.0, NAN, NAN, NAN, 20.0])
    np.testing.assert_allclose(model.transduction_, [0.0, 0.0, 0.0, 20.0, 20.0])
    model.fit(LINE, [NAN, NAN, 0.0, NAN, NAN])
    np.testing.assert_array_equal(model.transduction_, np.zeros(5))


def test_a_given_number_below_a_given_number_does_not_reach_the_parent():
    """A given value stays, and its unlabelled children take it as it is (no overshooting)."""
    model = LaPOLeaFRegressor.as_published(bandwidth=1.0, n_trees=1)
    model.fit(LINE, [1000.0, 5.0, NAN, NAN, NAN])
    np.testing.assert_array_equal(model.transduction_, [1000.0, 5.0, 5.0, 5.0, 5.0])


def test_rows_at_one_place_share_their_mean():
    X, y = [[0.0], [0.0], [0.0], [5.0]], [1.0, 4.0, NAN, NAN]
    model = few_forests_of_numbers()
    np.testing.assert_allclose(model.fit(X, y).transduction_, 2.5)
    weighted = model.fit(X, y, sample_weight=[2, 1, 1, 1])
    np.testing.assert_allclose(weighted.transduction_, 2.0)
    why = weighted.explain(3)
    assert why.deciders.tolist() == [0, 1]
    np.testing.assert_allclose(why.shares, [2 / 3, 1 / 3])


FORMS = {
    "list with None": lambda y: [None if np.isnan(v) else v for v in y],
    "array": np.asarray,
    "float32": lambda y: y.astype(np.float32),
    "objects": lambda y: np.where(np.isnan(y), None, y),
    "pandas": pd.Series,
    "pandas, Float64": lambda y: pd.Series(pd.array(y, dtype="Float64")),
    "pandas, Int64": lambda y: pd.Series(y).astype("Int64"),
    "pandas, another index": lambda y: pd.Series(y, index=range(7, 7 + len(y))),
    "polars": lambda y: pl.Series(y, nan_to_null=True),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_numbers(form):
    X, y, _ = iris()
    numbers = np.where(y < 0, np.nan, 10.0 * y)
    model = few_forests_of_numbers().fit(X, form(numbers))
    plain = few_forests_of_numbers().fit(X, numbers)
    np.testing.assert_array_equal(model.transduction_, plain.transduction_)
    np.testing.assert_array_equal(model.given_, y >= 0)
    assert model.transduction_.dtype == np.float64


def test_minus_1_is_a_number():
    model = LaPOLeaFRegressor.as_published(bandwidth=1.0, n_trees=2)
    with pytest.warns(UserWarning, match="-1 was taken as a number"):
        model.fit(LINE, [-1.0, NAN, NAN, NAN, 3.0])
    assert model.predict([[1.0]]).tolist() == [-1.0]


# ---------------------------------------------------------------------------------- several targets


def partial_targets():
    X, truth = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    y = np.column_stack([truth, -2.0 * truth, X[:, 0] * 100])
    y[rng.random(y.shape) < 0.8] = np.nan
    return X[:200], y[:200]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", [np.array, pd.DataFrame, pl.DataFrame, np.asfortranarray], ids=str)
def test_every_target_is_as_if_it_were_alone(form):
    """A row may have some of the targets."""
    X, y = partial_targets()
    some = ~np.isnan(y)
    assert (some.any(axis=1) & ~some.all(axis=1)).any()
    model = few_forests_of_numbers().fit(X, form(y))
    assert model.transduction_.shape == y.shape
    np.testing.assert_array_equal(model.given_, some)
    new = X + 0.001
    for k in range(3):
        alone = few_forests_of_numbers().fit(X, y[:, k])
        np.testing.assert_array_equal(model.transduction_[:, k], alone.transduction_)
        np.testing.assert_array_equal(model.predict(new)[:, k], alone.predict(new))
    np.testing.assert_array_equal(model.predict(X), model.transduction_)
    kept = few_forests_of_numbers(mu=np.inf).fit(X, form(y))
    np.testing.assert_array_equal(kept.transduction_[some], y[some])


def test_one_column_stays_a_column():
    X, y = partial_targets()
    model = few_forests_of_numbers().fit(X, y[:, :1])
    assert model.transduction_.shape == model.predict(X).shape == (200, 1)
    alone = few_forests_of_numbers().fit(X, y[:, 0])
    np.testing.assert_array_equal(model.transduction_[:, 0], alone.transduction_)


# --------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed"),
        ([NAN] * 5, "y has no target: all are NaN"),
        ([[1.0, NAN]] * 5, "y has no target in column 1: all are NaN"),
        ([1.0, np.inf, NAN, 2.0, 3.0], "y contains infinity, first in row 1"),
        (["a"] * 5, "y must hold numbers"),
        (np.zeros((5, 2, 2)), "one or two dimensions"),
        (np.zeros((5, 0)), "one or two dimensions"),
        ([1.0, 2.0], "inconsistent numbers of samples"),
        (3.0, "one or two dimensions"),
    ],
    ids=range(9),
)
def test_bad_targets(y, words):
    with pytest.raises(ValueError, match=words):
        few_forests_of_numbers().fit(LINE, y)


def test_weight_0_on_every_target_of_a_column():
    y = np.array([[1.0, NAN], [NAN, 2.0], [3.0, NAN], [NAN, NAN], [5.0, NAN]])
    with pytest.raises(ValueError, match="sample_weight is 0 for every row that has a target"):
        few_forests_of_numbers().fit(LINE, y, sample_weight=[1, 0, 1, 1, 1])


# ------------------------------------------------------------------------------------------- score


def test_score_leaves_out_rows_without_a_number():
    X, truth = load_diabetes(return_X_y=True)
    y = np.where(np.arange(len(X)) % 3 == 0, truth, np.nan)
    model = few_forests_of_numbers().fit(X[::2], y[::2])
    known = ~np.isnan(y)
    assert model.score(X, y) == r2_score(truth[known], model.predict(X[known]))
    weight = np.arange(len(X)) % 5 + 0.5
    assert model.score(X, y, weight) == r2_score(
        truth[known], model.predict(X[known]), sample_weight=weight[known]
    )
    assert model.score(X, truth) == r2_score(truth, model.predict(X))


def test_score_of_several_targets_takes_whole_rows():
    X, y = partial_targets()
    y[:40] = np.nan_to_num(y[:40])
    whole = ~np.isnan(y).any(axis=1)
    model = few_forests_of_numbers().fit(X[50:], y[50:])
    assert model.score(X, y) == r2_score(y[whole], model.predict(X[whole]))


def test_score_without_a_number_says_so():
    model = few_forests_of_numbers().fit(LINE, [1.0, NAN, 4.0, NAN, 20.0])
    with pytest.raises(ValueError, match="y has no target"):
        model.score(LINE, [NAN] * 5)
    both = few_forests_of_numbers().fit(LINE, [[1.0, 2.0]] * 5)
    with pytest.raises(ValueError, match=r"target|row|0 sample"):
        both.score(LINE, [[1.0, NAN], [NAN, 2.0]] * 2 + [[NAN, 3.0]])


# -------------------------------------------------------------------------------------- properties


@given(
    st.one_of(grids(), clouds()),
    st.lists(st.one_of(st.just(NAN), st.floats(-1e6, 1e6)), min_size=30, max_size=30),
    st.integers(1, 9),
)
def test_forests_never_say_what_is_outside_what_was_given(X, numbers, n_trees):
    y = np.array(numbers[: len(X)])
    y[0] = 2.0
    n_trees = min(n_trees, len(np.unique(X, axis=0)))
    low, high = np.nanmin(y), np.nanmax(y)
    slack = 1e-9 * max(abs(low), abs(high))
    for model in (one_tree_of_numbers(n_trees=n_trees), few_forests_of_numbers(experts=None)):
        model.fit(X, y)
        for found in (model.transduction_, model.predict(X + 0.3), model.predict(X * 100)):
            assert np.isfinite(found).all()
            assert (found >= low - slack).all()
            assert (found <= high + slack).all()


@given(st.one_of(grids(), clouds()), st.lists(st.floats(-1e6, 1e6), min_size=30, max_size=30))
def test_a_trend_may_lead_outside_what_was_given_but_not_to_infinity(X, numbers):
    y = np.where(np.arange(len(X)) % 2, np.nan, numbers[: len(X)])
    model = few_forests_of_numbers().fit(X, y)
    for found in (model.transduction_, model.predict(X + 0.3), model.predict(X * 1e200)):
        assert np.isfinite(found).all()


def test_a_constant_stays_one():
    X, y = random_labels("wine", 20, 3, seed=0)
    model = few_forests_of_numbers().fit(X, np.where(y < 0, np.nan, 0.1))
    np.testing.assert_allclose(model.transduction_, 0.1, rtol=1e-12)


def test_numbers_that_are_too_large_for_sums():
    """Two of them added overflow, their mean does not: right, or refused, but not infinite."""
    model, refusal = few_forests_of_numbers(bandwidth=1.0), None
    try:
        model.fit(LINE, [1.5e308, NAN, 1.7e308, NAN, 1.6e308])
    except ValueError as error:
        refusal = str(error)
    if refusal is None:
        assert np.isfinite(model.transduction_).all()
    else:
        assert "y" in refusal.split()


# ------------------------------------------------------------------------------------ -1 or missing

MISSING = "y holds -1 in .* -1 was taken as a number. If it marks missing targets, use NaN"
KINDS = [few_forests_of_numbers, one_tree_of_numbers, LSSVR]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [[-1, 2.5, -1, 0.0, 7.0], [-1, 1, NAN, NAN, NAN]])
def test_minus_one_among_numbers_that_are_not_negative(kind, y):
    with pytest.warns(UserWarning, match=MISSING) as caught:
        kind().fit(LINE, y)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    "y",
    [
        [-1, -2.0, 3.0, 0.0, 7.0],
        [-1, -0.5, 3.0, 0.0, 7.0],
        [0.0, 1.0, NAN, 3.0, 1.0],
        [-1.5, 2.5, 3.0, 0.0, 7.0],
        [-1, -1, NAN, NAN, -1],
    ],
)
def test_minus_one_among_numbers_where_it_is_one(y):
    """Warnings are errors here."""
    one_tree_of_numbers().fit(LINE, y)


def test_minus_one_in_one_of_several_targets():
    y = [[1.0, -1.0], [2.0, -1.0], [NAN, NAN], [3.0, 4.0], [NAN, 2.0]]
    with pytest.warns(UserWarning, match="y holds -1 in 2 of 5 rows"):
        one_tree_of_numbers().fit(LINE, y)


def test_minus_one_that_comes_later():
    model = one_tree_of_numbers().fit(LINE, [0.0, NAN, NAN, NAN, 3.0])
    with pytest.warns(UserWarning, match=MISSING):
        model.partial_fit([[4.0]], [-1.0])
    # Once is enough.
    model.partial_fit([[5.0]], [-1.0])
    model.update_labels([1], [-1.0])
    model = one_tree_of_numbers().fit(LINE, [0.0, NAN, NAN, NAN, 3.0])
    with pytest.warns(UserWarning, match=MISSING):
        model.update_labels([1], [-1.0])
    with pytest.warns(UserWarning, match=MISSING):
        one_tree_of_numbers().partial_fit(LINE, [0.0, -1, -1, -1, 3.0])


def test_a_stream_that_falls_by_one_is_not_warned_of():
    readings = np.r_[np.arange(30.0), 28.0, np.arange(28.0, 50.0)]
    forecaster = SeriesForecaster(window=2).fit(readings[:29])
    for reading in readings[29:]:
        forecaster.update(reading)
