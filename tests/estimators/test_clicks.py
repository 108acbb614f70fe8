"""Labels one at a time with what was chosen kept: equal to labelling afresh."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine, make_moons

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, io
from lapoleaf.estimators import choosing, class_clicks
from lapoleaf.estimators.experts import kernel_columns


def moons():
    X, y = make_moons(300, noise=0.15, random_state=0)
    return np.round(X, 1), y  # some rows are equal


def classes(name):
    if name == "moons":
        return moons()
    data = {"iris": load_iris, "wine": load_wine, "digits": load_digits}[name]()
    return data.data[:600], data.target[:600]


def numbers():
    data = load_diabetes()
    return data.data[:200], data.target[:200]


def given_at_first(y, rng, per_class=4):
    given = np.full(len(y), -1)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))[:per_class]
        given[rows] = label
    return given


def afresh(model):
    """Return the labelling by the same choices, propagated and solved in full."""
    fitted = model._fitted
    before = fitted.labelling
    if hasattr(before, "n_changes"):
        before = replace(before, n_changes=class_clicks._MAX_CHANGES)
    before = copy.deepcopy(before)  # no caches
    rows = fitted.rows
    return fitted.method.relabel(rows, fitted.given, fitted.choices, before)


def random_change(given, y, rng):
    """Add, change or take back a label; no class loses its last one."""
    kind = rng.choice(["give", "change", "take back"], p=[0.6, 0.2, 0.2])
    row = int(rng.choice(np.flatnonzero((given >= 0) != (kind == "give"))))
    if kind != "give" and (given == given[row]).sum() < 2:
        return random_change(given, y, rng)
    return row, {"give": y[row], "change": rng.choice(y), "take back": -1}[kind]


def check_clicks(model, X, y, n, every):
    rng = np.random.default_rng(0)
    given = given_at_first(y, rng)
    model.fit(X, given)
    chosen = model.chosen_
    for click in range(n):
        row, label = random_change(given, y, rng)
        given[row] = label
        model.update_labels(row, label, rechoose=False)
        if click % every == 0 or click == n - 1:
            fresh, found = afresh(model), model._fitted.labelling
            np.testing.assert_allclose(found.answers, fresh.answers, rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.result.labels, fresh.result.labels, rtol=0, atol=1e-9)
            np.testing.assert_array_equal(model.given_, given >= 0)
    assert model.chosen_ == chosen
    again = model.update_labels(row, label, rechoose=True)
    fresh = type(model)(**model.get_params()).fit(X, given)
    np.testing.assert_array_equal(again.label_distributions_, fresh.label_distributions_)
    assert again.chosen_ == fresh.chosen_


@pytest.mark.filterwarnings("ignore:Rows .* are equal")
@pytest.mark.parametrize("name", ["iris", "moons"])
def test_labels_one_at_a_time_are_those_of_labelling_afresh(name):
    model = LaPOLeaFClassifier(n_forests=5, random_state=0, scaling=None)
    check_clicks(model, *classes(name), n=25, every=6)


@pytest.mark.filterwarnings("ignore:Rows .* are equal")
@pytest.mark.filterwarnings("ignore:The .* given labels hardly predict")
@pytest.mark.parametrize(
    "params",
    [{"mu": 1e-6}, {"mu": np.inf}, {"build": "approximate"}, {"n_forests": 1, "experts": None}],
)
def test_many_rows_at_once_and_classes_that_come_and_go(params):
    X, y = classes("iris")
    rng = np.random.default_rng(3)
    weight = rng.choice([0.5, 1.0, 3.0], len(y))
    given = given_at_first(y, rng)
    model = LaPOLeaFClassifier(**{"n_forests": 3, "random_state": 0, "scaling": None, **params})
    model.fit(X, given, sample_weight=weight)
    seen = set()
    for _ in range(30):
        rows = rng.choice(len(y), rng.integers(1, 6), replace=False)
        # A fourth class comes and goes.
        labels = np.where(rng.random(len(rows)) < 0.6, y[rows], rng.integers(-1, 4, len(rows)))
        given[rows] = labels
        rechoose = [False, "auto", True][rng.choice(3, p=[0.8, 0.1, 0.1])]
        model.update_labels(rows, labels, rechoose=rechoose)
        fresh, found = afresh(model), model._fitted.labelling
        np.testing.assert_allclose(found.answers, fresh.answers, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(model.classes_, np.unique(given[given >= 0]))
        seen.add(len(model.classes_))
    assert seen == {3, 4}
    model.update_labels(rows, labels, rechoose=True)
    again = type(model)(**model.get_params()).fit(X, given, sample_weight=weight)
    np.testing.assert_array_equal(model.label_distributions_, again.label_distributions_)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Rows .* are equal")
@pytest.mark.filterwarnings("ignore:The .* given labels hardly predict")
@pytest.mark.parametrize("name", ["iris", "wine", "digits", "moons"])
def test_two_hundred_labels_one_at_a_time(name):
    X, y = classes(name)
    n = min(200, len(y) - 40)
    check_clicks(LaPOLeaFClassifier(random_state=0, scaling=None), X, y, n=n, every=20)


def check_numbers(model, n, every):
    X, y = numbers()
    rng = np.random.default_rng(1)
    given = np.where(rng.random(len(y)) < 0.2, y, np.nan)
    model.fit(X, given)
    for click in range(n):
        kind = rng.integers(3)
        row = int(rng.choice(np.flatnonzero(np.isnan(given) == (kind == 0))))
        given[row] = [y[row], y[row] + 1.0, np.nan][kind]
        model.update_labels(row, given[row], rechoose=False)
        if click % every == 0:
            fresh, found = afresh(model), model._fitted.labelling
            np.testing.assert_allclose(found.values, fresh.values, rtol=1e-9)
            np.testing.assert_allclose(found.std, fresh.std, rtol=1e-9)
    again = model.update_labels(row, given[row], rechoose=True)
    fresh = type(model)(**model.get_params()).fit(X, given)
    np.testing.assert_array_equal(again.transduction_, fresh.transduction_)
    np.testing.assert_array_equal(again.transduction_std_, fresh.transduction_std_)


def test_numbers_one_at_a_time_are_those_of_labelling_afresh():
    check_numbers(LaPOLeaFRegressor(n_forests=4, random_state=0, scaling=None), 8, 3)


@pytest.mark.slow
def test_many_numbers_one_at_a_time():
    check_numbers(LaPOLeaFRegressor(n_forests=20, random_state=0, scaling=None), 150, 30)


@pytest.mark.parametrize("maker", [one_tree(), LaPOLeaFClassifier.as_published(n_trees=3)])
def test_one_forest_keeps_its_settings(maker):
    X, y = classes("iris")
    model = maker.fit(X, given_at_first(y, np.random.default_rng(0)))
    chosen = model.chosen_
    model.update_labels([10, 60], y[[10, 60]], rechoose=False)
    assert model.chosen_ == chosen
    np.testing.assert_array_equal(model._fitted.labelling.answers, afresh(model).answers)
    numbers = one_tree_of_numbers().fit(X, np.where(np.arange(len(y)) % 7, np.nan, X[:, 0]))
    chosen = numbers.chosen_
    numbers.update_labels(3, 5.0, rechoose=False)
    assert numbers.chosen_ == chosen
    assert numbers.given_[3]


def counted(monkeypatch, model):
    """Return a list that gets an entry with every choice."""
    choices, method = [], type(model._fitted.method)
    plain = method.label
    monkeypatch.setattr(
        method, "label", lambda self, *args: choices.append(1) or plain(self, *args)
    )
    return choices


def test_auto_chooses_again_after_enough_labels(monkeypatch):
    X, y = classes("iris")
    given = given_at_first(y, np.random.default_rng(0), per_class=5)
    model = few_forests(n_forests=2).fit(X, given)
    choices = counted(monkeypatch, model)
    free = np.flatnonzero(given == -1)
    for number, row in enumerate(free[:10], start=1):
        model.update_labels(row, y[row])
        assert len(choices) == (number == 10)
    model.update_labels(free[10:19], y[free[10:19]])
    assert len(choices) == 1
    # Changed labels count, too.
    model.update_labels(free[0], (y[free[0]] + 1) % 3)
    assert len(choices) == 2
    assert model._fitted.since == choosing.SinceChoice(34)


@pytest.mark.parametrize("rechoose", ["auto", False])
def test_new_classes_and_the_last_label_of_a_class_are_chosen_by(monkeypatch, rechoose):
    X, y = classes("iris")
    given = np.full(len(y), -1)
    given[[0, 1, 2, 60, 61, 62]] = 0, 0, 0, 1, 1, 1
    model = few_forests(n_forests=2).fit(X, given)
    choices = counted(monkeypatch, model)
    assert model.update_labels(120, 2, rechoose=rechoose).classes_.tolist() == [0, 1, 2]
    assert model.update_labels(120, -1, rechoose=rechoose).classes_.tolist() == [0, 1]
    assert len(choices) == 2
    model.set_params(mu=0.5).update_labels(3, 0, rechoose=rechoose)
    assert model.chosen_["mu"] == 0.5
    model.partial_fit(X[:1] + 0.01)
    so_far = len(choices)
    model.update_labels(4, 0, rechoose=rechoose)
    assert len(choices) == so_far + 1


def test_the_first_labels_are_chosen_by():
    X, _ = classes("iris")
    model = few_forests(n_forests=2).partial_fit(X)
    model.update_labels([0, 149], ["a", "b"], rechoose=False)
    assert model.chosen_["mu"] > 0


def test_units_of_numbers_that_change_are_chosen_by():
    X, y = numbers()
    model = few_forests_of_numbers(n_forests=2).fit(X, np.where(np.arange(200) % 5, np.nan, y))
    model.update_labels(1, 1e6, rechoose=False)
    fresh = few_forests_of_numbers(n_forests=2)
    given = np.where(np.arange(200) % 5, np.nan, y)
    given[1] = 1e6
    np.testing.assert_array_equal(model.transduction_, fresh.fit(X, given).transduction_)


def test_a_model_that_was_saved_between_clicks_goes_on(tmp_path):
    X, y = classes("wine")
    model = LaPOLeaFClassifier(n_forests=3, random_state=0)
    model.fit(X, given_at_first(y, np.random.default_rng(0), 6))
    model.update_labels([5, 70], y[[5, 70]], rechoose=False)
    io.save(model, tmp_path / "model")
    loaded = io.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.label_distributions_, model.label_distributions_)
    assert loaded._fitted.since == model._fitted.since
    assert str(loaded.suspicious_labels(all=True)) == str(model.suspicious_labels(all=True))
    for each in (loaded, model):
        each.update_labels(100, y[100], rechoose=False)
    np.testing.assert_allclose(
        loaded.label_distributions_, model.label_distributions_, rtol=0, atol=1e-12
    )
    assert loaded.chosen_ == model.chosen_


def test_numbers_that_were_saved_between_clicks(tmp_path):
    X, y = numbers()
    model = LaPOLeaFRegressor(n_forests=3, random_state=0)
    model.fit(X, np.where(np.arange(200) % 6, np.nan, y)).update_labels(1, y[1], rechoose=False)
    io.save(model, tmp_path / "model")
    loaded = io.load(tmp_path / "model")
    for each in (loaded, model):
        each.update_labels(2, y[2], rechoose=False)
    np.testing.assert_allclose(loaded.transduction_, model.transduction_, rtol=1e-12)
    np.testing.assert_allclose(loaded.transduction_std_, model.transduction_std_, rtol=1e-12)


def test_kernels_beyond_the_memory_allowed_are_computed_again(monkeypatch):
    X, y = classes("wine")
    given = given_at_first(y, np.random.default_rng(0), 6)
    found = []
    for most in (2**28, 8 * len(X) * 5, 0):
        monkeypatch.setattr(kernel_columns, "MAX_BYTES", most)
        model = LaPOLeaFClassifier(n_forests=2, random_state=0, experts=["ridge"]).fit(X, given)
        model.update_labels(5, y[5], rechoose=False)
        found.append(model.update_labels(100, y[100], rechoose=False).label_distributions_)
        assert model._fitted.labelling.experts[0].columns.n_kept <= max(most // (8 * len(X)), 0)
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[2], found[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_clicks_do_not_depend_on_the_number_of_threads(n_jobs):
    X, y = classes("wine")
    given = given_at_first(y, np.random.default_rng(0), 6)
    found = []
    for jobs in (2, n_jobs):
        model = LaPOLeaFClassifier(n_forests=9, random_state=0, n_jobs=jobs).fit(X, given)
        found.append(model.update_labels(5, y[5], rechoose=False).label_distributions_)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("odd", ["never", None, 1, 2.0])
def test_what_is_no_answer_to_rechoose(odd):
    X, y = classes("iris")
    model = few_forests(n_forests=1).fit(X, y)
    with pytest.raises(ValueError, match=r"rechoose=.*must be 'auto', True or False"):
        model.update_labels(0, 0, rechoose=odd)
