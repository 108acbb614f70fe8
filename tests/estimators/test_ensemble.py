"""What holds for many forests as it does for one: order, weights, threads, tiny tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled import check_own_predictions, iris
from models import few_forests, few_forests_of_numbers
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from lapoleaf import propagate
from lapoleaf.estimators import class_ensemble

FORMS = {
    "dense": (np.asarray, {}),
    "sparse": (sp.csr_array, {}),
    "cosine": (np.asarray, {"metric": "cosine"}),
    "canberra": (np.asarray, {"metric": "canberra"}),
    "nan_euclidean": (np.asarray, {"metric": "nan_euclidean"}),
    "huge": (lambda X: 1e150 * X, {}),
    "tiny": (lambda X: 1e-150 * X, {}),
}


def distinct():
    """Rows of iris, moved a little so that no two distances are equal; every fifth has a label."""
    X, y, _ = iris(every=5)
    return X + np.random.default_rng(0).uniform(0, 1e-3, X.shape), y


def numbers(y):
    return np.where(y < 0, np.nan, 10.0 * y)


def fit_both(X, y, weight=None, **params):
    return [
        few_forests(**params).fit(X, y, weight),
        few_forests_of_numbers(**params).fit(X, numbers(y), weight),
    ]


def said(model):
    return getattr(model, "label_distributions_", model.transduction_)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("form", "params"), FORMS.values(), ids=FORMS)
def test_rows_in_another_order_get_the_same(form, params):
    X, y = distinct()
    order = np.random.default_rng(1).permutation(len(X))
    for one, other in zip(
        fit_both(form(X), y, **params), fit_both(form(X[order]), y[order], **params), strict=True
    ):
        np.testing.assert_allclose(said(other), said(one)[order], rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(12, 60),
    columns=st.integers(1, 4),
    values=st.integers(2, 4),
)
def test_ties_belong_to_the_points(seed, n, columns, values):
    """Whole numbers: equal rows, equal distances and equal densities abound."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, columns)).astype(float)
    # Equal rows are one point, and a table has several.
    X[:values, 0] = np.arange(values)
    y = np.where(rng.random(n) < 0.4, (X[:, 0] > 0).astype(int), -1)
    y[:2] = [0, 1]
    order = rng.permutation(n)
    new = X + 0.5
    for one, other in zip(fit_both(X, y), fit_both(X[order], y[order]), strict=True):
        np.testing.assert_allclose(said(other), said(one)[order], rtol=1e-5, atol=1e-6)
        found, wanted = (
            getattr(model, "predict_proba", model.predict)(new) for model in (other, one)
        )
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("exponent", [-40, 1, 7])
@pytest.mark.parametrize("build", ["full", "approximate"])
def test_units_that_are_a_power_of_two_apart(build, exponent):
    X, y = distinct()
    for one, other in zip(
        fit_both(X, y, build=build), fit_both(2.0**exponent * X, y, build=build), strict=True
    ):
        np.testing.assert_allclose(said(other), said(one), rtol=1e-9, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("form", "params"), FORMS.values(), ids=FORMS)
def test_new_rows_in_other_units(form, params):
    """Noise of new rows is drawn in the unit of the build."""
    X, y = distinct()
    X = np.concatenate([X, X + 0.01])
    y = np.concatenate([y, y])
    grown = []
    for factor in (1.0, 8.0):
        rows = form(factor * X)
        model = few_forests(**params).fit(rows[:280], y[:280]).partial_fit(rows[280:], y[280:])
        grown.append(said(model))
    np.testing.assert_allclose(grown[1], grown[0], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("graph", [False, True], ids=["matrix", "graph"])
def test_distances_in_another_order_get_the_same(graph):
    X, y = distinct()
    order = np.random.default_rng(1).permutation(len(X))
    D = kneighbors_graph(X, 20, mode="distance") if graph else pairwise_distances(X)
    D = D.maximum(D.T) if graph else (D + D.T) / 2
    for one, other in zip(
        fit_both(D, y, metric="precomputed"),
        fit_both(D[order][:, order], y[order], metric="precomputed"),
        strict=True,
    ):
        np.testing.assert_allclose(said(other), said(one)[order], rtol=1e-7, atol=1e-9)
        np.testing.assert_array_equal(one.predict(D), one.transduction_)


@pytest.mark.parametrize("mu", ["auto", np.inf])
def test_given_labels_are_kept(mu):
    X, y = distinct()
    model, of_numbers = fit_both(X, y, mu=mu)
    given = y >= 0
    np.testing.assert_array_equal(model.transduction_[given], y[given])
    np.testing.assert_array_equal(model.confidence_[given], 1.0)
    if mu == np.inf:
        np.testing.assert_array_equal(of_numbers.transduction_[given], numbers(y)[given])


def test_weight_2_is_the_row_twice():
    X, y = distinct()
    times = np.random.default_rng(2).integers(1, 4, len(X))
    rows = np.concatenate([np.arange(len(X)), np.repeat(np.arange(len(X)), times - 1)])
    for weighted, written in zip(fit_both(X, y, times), fit_both(X[rows], y[rows]), strict=True):
        for one, other in zip(weighted.forests_, written.forests_, strict=True):
            np.testing.assert_array_equal(one.tree.parent, other.tree.parent)
        np.testing.assert_allclose(said(weighted)[rows], said(written), rtol=1e-9, atol=1e-12)


def test_rows_of_weight_0_are_answered_like_new_rows():
    X, y = distinct()
    inside = np.random.default_rng(5).random(len(X)) < 0.7
    for weighted, without in zip(
        fit_both(X, y, inside.astype(float)), fit_both(X[inside], y[inside]), strict=True
    ):
        np.testing.assert_array_equal(weighted.transduction_[inside], without.transduction_)
        np.testing.assert_array_equal(weighted.transduction_[~inside], without.predict(X[~inside]))
        np.testing.assert_array_equal(weighted.predict(X), weighted.transduction_)


def test_threads_change_no_bit():
    X, y = distinct()
    new = X + 0.1
    for one, two in zip(fit_both(X, y, n_jobs=1), fit_both(X, y, n_jobs=2), strict=True):
        np.testing.assert_array_equal(said(one), said(two))
        np.testing.assert_array_equal(one.predict(new), two.predict(new))
        assert str(one.explain(3)) == str(two.explain(3))


def test_a_number_repeats_and_none_does_not():
    X, y = distinct()
    for make, labels in ((few_forests, y), (few_forests_of_numbers, numbers(y))):
        fits = [make(random_state=seed, experts=None).fit(X, labels) for seed in (3, 3, 4)]
        np.testing.assert_array_equal(said(fits[0]), said(fits[1]))
        assert (said(fits[0]) != said(fits[2])).any()
        chance = [make(random_state=None, experts=None).fit(X, labels) for _ in range(2)]
        assert (said(chance[0]) != said(chance[1])).any()


def test_one_forest_takes_no_randomness():
    X, y = distinct()
    state = np.random.RandomState(0)
    before = state.get_state()[1].copy()
    model = few_forests(n_forests=1, random_state=state).fit(X, y)
    np.testing.assert_array_equal(state.get_state()[1], before)
    np.testing.assert_array_equal(said(model), said(few_forests(n_forests=1).fit(X, y)))


@pytest.mark.parametrize(
    ("n_rows", "wanted"), [(150, 100), (10_000, 100), (50_000, 20), (10**6, 10)]
)
def test_how_many_forests(n_rows, wanted):
    for make in (few_forests, few_forests_of_numbers):
        method = make(n_forests="auto")._method()
        assert method._number_of_forests(n_rows) == wanted


@pytest.mark.parametrize("bad", [0, -1, 2.5, "many", None, True])
def test_a_bad_number_of_forests(bad):
    with pytest.raises(ValueError, match=r"n_forests=.* must be a whole number of at least 1"):
        few_forests(n_forests=bad).fit(*distinct())


def test_bad_experts():
    for model in (few_forests(experts="yes"), few_forests_of_numbers(experts=0.1)):
        with pytest.raises(ValueError, match=r"experts=.* must be 'auto'"):
            model.fit(*distinct())


@pytest.mark.parametrize("mu", [0.0, -1, "much", None, np.nan])
def test_a_bad_mu(mu):
    for make in (few_forests, few_forests_of_numbers):
        with pytest.raises(ValueError, match=r"mu=.* must be a positive number"):
            make(mu=mu).fit(*distinct())


@pytest.mark.parametrize("seed", ["seed", -1, 2**32])
def test_a_bad_random_state(seed):
    with pytest.raises(ValueError, match=r"random_state=.* must be a whole number"):
        few_forests(random_state=seed).fit(*distinct())


@pytest.mark.filterwarnings("ignore:y has one class only", "ignore:X has one distinct point")
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("labelled", [1, 4], ids=["one label", "all labels"])
def test_tiny_tables(n, constant, labelled):
    X = np.zeros((n, 2)) if constant else np.arange(2.0 * n).reshape(n, 2) ** 2
    y = np.where(np.arange(n) < labelled, np.arange(n) % 2, -1)
    for model in fit_both(X, y):
        assert np.isfinite(said(model)).all()
        assert np.isfinite(model.predict(X + 0.5)).all()
        check_own_predictions(model, X)
        model.explain(0)
        if not constant and hasattr(model, "classes_"):
            np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])


def test_one_class():
    X, y = distinct()
    with pytest.warns(UserWarning, match="one class only"):
        model = few_forests().fit(X, np.where(y < 0, None, "only"))
    np.testing.assert_array_equal(model.label_distributions_, 1.0)


def test_all_rows_have_a_label():
    X, _ = distinct()
    truth = iris()[2]
    np.testing.assert_array_equal(few_forests().fit(X, truth).transduction_, truth)


def test_choices_by_some_labels_and_forests(monkeypatch):
    """With very many labels and classes, choices are made on a part of them, in any order."""
    X, y = distinct()
    monkeypatch.setattr(class_ensemble, "MAX_CHOSEN_ON", 12)
    monkeypatch.setattr(class_ensemble, "MIN_CHOSEN_ON", 12)
    monkeypatch.setattr(class_ensemble, "MAX_LABELS_IN_FORESTS", 1)
    monkeypatch.setattr(class_ensemble, "MIN_FORESTS", 3)
    model = few_forests().fit(X, y)
    assert len(model.forests_) > 3
    plain = np.mean([propagate(forest, *labels_of(X, y), mu=model.chosen_["mu"],
        weights="self-tuned").labels for forest in model.forests_], axis=0)  # fmt: skip
    np.testing.assert_allclose(model._state.now.labelled[1].result.labels, plain, rtol=1e-9)
    order = np.random.default_rng(1).permutation(len(X))
    other = few_forests().fit(X[order], y[order])
    assert other.chosen_["sharpness"] == pytest.approx(model.chosen_["sharpness"], rel=1e-12)
    np.testing.assert_allclose(said(other), said(model)[order], atol=1e-9)


def labels_of(X, y):
    return np.where(y[:, None] >= 0, np.eye(3)[y], 0.0), y >= 0
