"""Columns in comparable units: how they are scaled, which scaling is chosen, where it counts."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, LeadingForestClassifier
from lapoleaf.estimators import scaling_choice
from lapoleaf.estimators.row_sample import sampled_rows
from lapoleaf.estimators.scaling import RankScaling, StandardScaling

KINDS = (StandardScaling, RankScaling)
NAMES = ("standard", "ranks")


def table(n=120, seed=0):
    """Three groups in a column of small numbers, and noise in one of large numbers."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    X = np.column_stack(
        [0.01 * (3 * truth + rng.normal(size=n) * 0.3), 1000 * rng.exponential(size=n)]
    )
    y = np.where(np.arange(n) < 15, truth, -1)
    return X, y, truth


def classifier(**params):
    return LaPOLeaFClassifier(**{"n_forests": 5, **params})


def scaled(kind, X, weight=None):
    X = np.asarray(X, dtype=float)
    return kind.of(X, np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float))


# How columns are scaled ------------------------------------------------------------------------


def test_standard_by_hand():
    X, _, _ = table()
    wanted = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(scaled(StandardScaling, X).apply(X), wanted, atol=1e-5)


def test_ranks_by_hand():
    X, _, _ = table()
    X[:40, 1] = 7.0
    wanted = StandardScaler().fit_transform(np.apply_along_axis(rankdata, 0, X))
    np.testing.assert_allclose(scaled(RankScaling, X).apply(X), wanted, atol=1e-9)


def test_ranks_between_and_beyond_known_numbers():
    scaling = scaled(RankScaling, [[0.0], [1.0], [3.0]])
    low, middle, high = scaling.apply(np.array([[0.0], [1.0], [3.0]]))[:, 0]
    assert middle == pytest.approx(0.0)
    found = scaling.apply(np.array([[0.5], [2.0], [-3.0], [6.0]]))[:, 0]
    np.testing.assert_allclose(found, [low / 2, high / 2, 2 * low - middle - high, 2 * high - low])


def test_ranks_of_many_numbers_are_kept_at_few():
    X = np.random.default_rng(0).lognormal(size=(20_000, 2))
    scaling = scaled(RankScaling, X)
    assert len(scaling.knots) <= 2000
    wanted = StandardScaler().fit_transform(np.apply_along_axis(rankdata, 0, X))
    np.testing.assert_allclose(scaling.apply(X), wanted, atol=0.005)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), exponent=st.integers(-60, 60))
@settings(max_examples=20, deadline=None)
def test_order_units_and_weights_change_no_bit(kind, seed, exponent):
    rng = np.random.default_rng(seed)
    X = rng.choice([0.1, 0.3, 1e3, -7.7], (30, 3)) + rng.integers(0, 3, (30, 3)) * 1e-3
    weight = rng.integers(0, 4, 30) * 1.0
    weight[0] = 1.0
    wanted = scaled(kind, X, weight).apply(X)
    order = rng.permutation(30)
    np.testing.assert_array_equal(scaled(kind, X[order], weight[order]).apply(X), wanted)
    np.testing.assert_array_equal(
        scaled(kind, np.repeat(X, weight.astype(int), 0)).apply(X), wanted
    )
    times = 2.0**exponent
    np.testing.assert_array_equal(scaled(kind, X * times, weight).apply(X * times), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_extreme_numbers_are_safe(kind):
    ones = np.arange(1.0, 9.0)
    # The mean of the last column is none of its numbers.
    X = np.column_stack(
        [ones * 1e300, ones * 1e-300, ones * 5e-324, np.full(8, 1e308), np.zeros(8),
         np.where(ones > 7, 1.7e308, -1.7e308), np.where(ones > 7, 1.0, 1.0 + 2**-52)]
    )  # fmt: skip
    scaling = scaled(kind, X)
    found = scaling.apply(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[:, :2].std(axis=0), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(np.ptp(found[:, 3:5], axis=0), 0.0)
    np.testing.assert_allclose(found[:, 3:5], 0.0, atol=1e-6)
    assert np.isfinite(scaling.apply(np.full((1, 7), 1.7e308))).all()
    assert np.isfinite(scaling.apply(np.full((1, 7), -1.7e308))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_missing_numbers_stay_missing(kind):
    X, _, _ = table()
    holes = np.zeros(X.shape, dtype=bool)
    holes[3:9, 0] = holes[::7, 1] = True
    found = scaled(kind, np.where(holes, np.nan, X)).apply(np.where(holes, np.nan, X))
    np.testing.assert_array_equal(np.isnan(found), holes)
    kept = scaled(kind, X[~holes[:, 0], :1]).apply(X[~holes[:, 0], :1])
    np.testing.assert_array_equal(found[~holes[:, 0], 0], kept[:, 0])
    nothing = np.full((4, 1), np.nan)
    assert np.isnan(scaled(kind, nothing).apply(nothing)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_undo_returns_the_numbers_as_they_were_written(kind):
    X = np.array([[39.1, 3750.0, 0.1, 1e300], [46.5, 4123.5, 0.3, 2e300], [50.0, 2.0, 0.7, 3e300]])
    scaling = scaled(kind, X)
    for row in X:
        np.testing.assert_array_equal(scaling.undo(scaling.apply(row[None])[0]), row)
    new = np.array([60.25, -3.0, 0.45, 1.5e300])
    np.testing.assert_allclose(scaling.undo(scaling.apply(new[None])[0]), new)


# Which scaling is chosen -----------------------------------------------------------------------


def test_columns_of_different_units_are_standardised():
    X, y, truth = table()
    model = classifier().fit(X, y)
    assert model.scaling_.name == "standard"
    assert np.mean(model.transduction_ == truth) > 0.95
    # Without trees, which compare a column with itself only.
    as_they_are = classifier(scaling=None, experts=["ridge"]).fit(X, y)
    assert np.mean(as_they_are.transduction_ == truth) < 0.8


def test_numbers_are_scaled_as_classes_are():
    X, y, truth = table()
    model = LaPOLeaFRegressor(n_forests=5).fit(X, np.where(y >= 0, truth, np.nan))
    assert model.scaling_.name == "standard"
    several = np.where(y >= 0, [truth, -truth], np.nan).T
    assert LaPOLeaFRegressor(n_forests=5).fit(X, several).scaling_.name == "standard"


def test_ranks_where_labels_find_each_other_better():
    rng = np.random.default_rng(1)
    powers = rng.uniform(-8, 8, (300, 2))
    truth = (powers.sum(axis=1) > 0).astype(int)
    X = np.exp(powers) * [1.0, 1000.0]
    y = np.where(np.arange(300) < 60, truth, -1)
    model = classifier().fit(X, y)
    assert model.scaling_.name == "ranks"
    standard = classifier(scaling="standard").fit(X, y)
    assert model.score(X, truth) > standard.score(X, truth) + 0.1


def test_ranks_where_most_columns_have_long_tails():
    """Also with few labels, or none: a few rows would decide on standard deviations."""
    rng = np.random.default_rng(4)
    X = np.column_stack(
        [np.exp(2 * rng.normal(size=(300, 2))) * [1.0, 1000.0], rng.normal(size=300)]
    )
    y = np.where(np.arange(300) < 6, X[:, 0] > 1.0, -1).astype(int)
    assert classifier().fit(X, y).scaling_.name == "ranks"
    assert classifier().partial_fit(X).scaling_.name == "ranks"
    assert classifier().fit(X[:, 1:], y).scaling_.name == "standard"


def test_as_they_are_where_that_is_clearly_better():
    rng = np.random.default_rng(2)
    truth = np.arange(300) % 3
    X = np.column_stack([20.0 * truth + rng.normal(size=300), rng.normal(size=(300, 12))])
    y = np.where(np.arange(300) < 90, truth, -1)
    assert classifier().fit(X, y).scaling_ is None


def pixels(n):
    return load_digits(return_X_y=True)[0][:n]


def wide():
    return np.random.default_rng(0).normal(size=(80, 101)) * np.logspace(0, 4, 101)


STAY = {
    "one unit": (load_iris(return_X_y=True)[0], {}),
    "pixels": (pixels(200), {}),
    "pixels, some hardly ever dark": (pixels(600), {}),
    "standardised": (StandardScaler().fit_transform(load_wine(return_X_y=True)[0]), {}),
    "many columns": (wide(), {}),
    "one column": (table()[0][:, 1:], {}),
    "one column that varies": (np.column_stack([np.ones(120), table()[0][:, 1]]), {}),
    "sparse": (sp.csr_matrix(table()[0]), {}),
    "cosine": (table()[0], {"metric": "cosine"}),
    "a bandwidth": (table()[0], {"bandwidth": 1.0}),
    "weights of columns": (table()[0], {"metric": "minkowski", "metric_params": {"w": [1, 2]}}),
    "a function": (table()[0], {"metric": lambda a, b: abs(a - b).max()}),
}


@pytest.mark.parametrize("name", STAY)
def test_columns_stay_as_they_are(name):
    X, params = STAY[name]
    y = np.where(np.arange(X.shape[0]) < 8, np.arange(X.shape[0]) % 2, -1)
    assert classifier(**params).fit(X, y).scaling_ is None


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "sqeuclidean", "minkowski"])
def test_metrics_that_compare_columns(metric):
    X, y, truth = table()
    y = np.where(np.arange(len(y)) < 60, truth, -1)
    assert classifier(metric=metric).fit(X, y).scaling_.name in NAMES


def test_encoded_rows_are_scaled_already():
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=["small", "large"]).assign(colour=["red", "blue"] * 60)
    model = classifier().fit(frame, y)
    assert model.encoder_ is not None
    assert model.scaling_ is None


@pytest.mark.parametrize("change", ["order", "units", "weights"])
@pytest.mark.parametrize("n_labels", [15, 60])
def test_choice_depends_on_neither_order_nor_units_nor_repetition(change, n_labels):
    X, _, truth = table()
    X = np.round(X, 3)
    y, weight = np.where(np.arange(120) < n_labels, truth, -1), 1 + np.arange(120) % 2
    model = classifier().fit(X, y, sample_weight=weight)
    if change == "order":
        order = np.random.default_rng(3).permutation(120)
        other = classifier().fit(X[order], y[order], sample_weight=weight[order])
    elif change == "units":
        other = classifier().fit(X * 2.0**40, y, sample_weight=weight)
        np.testing.assert_array_equal(other.transduction_, model.transduction_)
        X = X * 2.0**40
    else:
        other = classifier().fit(X.repeat(weight, 0), y.repeat(weight))
    assert other.scaling_.name == model.scaling_.name
    unit = 2.0**40 if change == "units" else 1.0
    np.testing.assert_array_equal(other.scaling_.apply(X), model.scaling_.apply(X / unit))
    np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X / unit), atol=1e-9)


# Many rows: a sample ---------------------------------------------------------------------------


def test_a_sample_holds_rows_in_proportion_to_their_weights():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (3000, 2)) * [1.0, 0.1]
    weight = np.where(X[:, 0] == 2, 5.0, 1.0)
    weight[X[:, 1] == 0.1] = 0.0
    rows = sampled_rows(X, weight, 1000)
    assert len(rows) == 1000
    assert (weight[rows] > 0).all()
    for row in np.unique(X, axis=0):
        share = weight[(X == row).all(axis=1)].sum() / weight.sum()
        assert abs((X[rows] == row).all(axis=1).mean() - share) <= 0.002


@pytest.mark.parametrize("change", ["order", "units", "weights", "float32"])
def test_a_sample_depends_on_neither_order_nor_units_nor_repetition(change):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3)).astype(np.float32).astype(np.float64)
    weight = rng.integers(1, 4, 400)
    wanted = np.sort(X[sampled_rows(X, weight.astype(float), 50)], axis=0)
    if change == "order":
        order = rng.permutation(400)
        rows = X[order][sampled_rows(X[order], weight[order].astype(float), 50)]
    elif change == "units":
        units = np.array([1.0, 2.0**30, 2.0**-30])
        rows = X[sampled_rows(X * units, weight.astype(float), 50)]
    elif change == "weights":
        twice = X.repeat(weight, 0)
        rows = twice[sampled_rows(twice, np.ones(len(twice)), 50)]
    else:
        rows = X[sampled_rows(X.astype(np.float32), weight.astype(float), 50)]
    np.testing.assert_array_equal(np.sort(rows, axis=0), wanted)


def test_holes_and_extreme_numbers_in_a_sample():
    X = np.array([[1e308, np.nan], [-1e308, 0.0], [np.nan, np.nan], [0.0, 5e-324]] * 25)
    assert len(sampled_rows(X, np.ones(100), 10)) == 10


@pytest.mark.parametrize("kind", KINDS)
def test_scalings_of_a_sample_are_near_those_of_all_rows(kind):
    X = np.random.default_rng(2).normal(size=(20_000, 3)) * [1.0, 10.0, 1000.0]
    everything, some = (
        scaled(kind, rows) for rows in (X, X[sampled_rows(X, np.ones(20_000), 4000)])
    )
    difference = everything.apply(X) - some.apply(X)
    assert np.abs(difference).mean() < 0.03


def test_the_choice_by_a_sample(monkeypatch):
    X, _, truth = table(600)
    y = np.where(np.arange(600) < 300, truth, -1)
    everything = classifier().fit(X, y)
    monkeypatch.setattr(scaling_choice, "_MAX_LEARNT_FROM", 100)
    some = classifier().fit(X, y)
    assert some.scaling_.name == everything.scaling_.name
    order = np.random.default_rng(3).permutation(600)
    other = classifier().fit(X[order], y[order])
    np.testing.assert_array_equal(other.scaling_.apply(X), some.scaling_.apply(X))


# Where scaling counts --------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [LaPOLeaFClassifier, LaPOLeaFRegressor])
def test_equals_rows_scaled_by_hand(kind, name):
    X, y, truth = table(260)
    weight = np.where(np.arange(260) % 9 == 4, 0.0, 1.0)
    labels = y if kind is LaPOLeaFClassifier else np.where(y >= 0, truth, np.nan)
    new = table(20, seed=5)[0]
    model = kind(n_forests=5, scaling=name).fit(X[:250], labels[:250], weight[:250])
    by_hand = kind(n_forests=5, scaling=None)
    apply = model.scaling_.apply
    by_hand.fit(apply(X[:250]), labels[:250], weight[:250])

    def compare():
        np.testing.assert_array_equal(model.transduction_, by_hand.transduction_)
        np.testing.assert_array_equal(model.predict(new), by_hand.predict(apply(new)))
        np.testing.assert_array_equal(model.suggest(4), by_hand.suggest(4))
        why, wanted = model.explain(new[0]), by_hand.explain(apply(new[:1])[0])
        np.testing.assert_array_equal(why.shares, wanted.shares)

    compare()
    for one, rows in ((model, X[250:]), (by_hand, apply(X[250:]))):
        one.partial_fit(rows, labels[250:]).update_labels([100, 101], truth[100:102]).forget([3])
    compare()


@pytest.mark.parametrize("name", NAMES)
def test_explanations_show_cells_in_the_units_of_the_user(name):
    X, y, _ = table()
    frame = pd.DataFrame(X.round(3), columns=["small", "large"])
    model = classifier(scaling=name).fit(frame, y)
    why = model.explain(40)
    assert why.cells[40] == frame.iloc[40].to_dict()
    for reason in why.reasons:
        assert why.cells[reason.row] == frame.iloc[reason.row].to_dict()
    new = frame.iloc[[7]] * 1.5
    assert model.explain(new).cells[-1] == new.iloc[0].to_dict()


def test_the_first_batch_decides_if_it_is_large_enough():
    X, y, _ = table()
    model = classifier().partial_fit(X[:49], y[:49])
    assert model.scaling_ is None
    assert model.partial_fit(X[49:]).scaling_ is None
    model = classifier().partial_fit(X[:50])
    first = model.scaling_
    assert first.name == "standard"
    assert model.partial_fit(X[50:], y[50:]).update_labels([0], [1]).scaling_ is first
    assert classifier(scaling="ranks").partial_fit(X[:9]).scaling_.name == "ranks"


def test_suggestions_before_any_label():
    X, _, _ = table()
    wanted = classifier(scaling=None).suggest(3, X=scaled(StandardScaling, X).apply(X))
    np.testing.assert_array_equal(classifier().suggest(3, X=X), wanted)


def test_float32_rows():
    X, y, _ = table()
    model = classifier().fit(X.astype(np.float32), y)
    assert model.scaling_.name == "standard"
    assert model.predict(X[:3].astype(np.float32)).shape == (3,)


def test_missing_numbers_with_a_metric_that_allows_them():
    X, y, _ = table()
    X[::10, 1] = np.nan
    model = classifier(metric="nan_euclidean", scaling="standard").fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert classifier(metric="nan_euclidean").fit(X, y).scaling_ is None


def test_models_of_one_forest_do_not_scale():
    X, y, _ = table()
    assert not hasattr(LeadingForestClassifier().fit(X, y), "scaling_")


# What is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("scaling", ["minmax", 3, True, ["ranks"], np.ones(3)])
def test_unknown_scalings(scaling):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"scaling=.* must be 'auto', None, 'standard' or 'ranks'"):
        classifier(scaling=scaling).fit(X, y)


def test_rows_that_cannot_be_scaled():
    X, y, _ = table()
    with pytest.raises(ValueError, match="scaling='ranks' is for dense rows"):
        classifier(scaling="ranks").fit(sp.csr_matrix(X), y)
    distances = np.abs(X[:, :1] - X[:, 0])
    with pytest.raises(ValueError, match="X has distances"):
        classifier(scaling="standard", metric="precomputed").fit(distances, y)
