"""update_labels: labels given, changed and taken back in a forest that stays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from lapoleaf import LaPOLeaFClassifier

IRIS = np.round(load_iris().data[::5], 1)  # 30 rows
IRIS[7] = IRIS[3]  # two rows in one node
N = len(IRIS)
NAMES = np.array(["a", "b", "c", "d"], dtype=object)
FEW_EXAMPLES = settings(max_examples=15)
MANY_EXAMPLES = settings(max_examples=60)


def assert_same(one, other):
    for name in ("transduction_", "label_distributions_", "confidence_", "given_", "classes_"):
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    if hasattr(one, "transduction_std_"):
        np.testing.assert_array_equal(one.transduction_std_, other.transduction_std_)
        for ends in zip(one.predict_interval(IRIS), other.predict_interval(IRIS), strict=True):
            np.testing.assert_array_equal(*ends)
    assert one.chosen_ == other.chosen_
    np.testing.assert_array_equal(one.predict(IRIS + 0.03), other.predict(IRIS + 0.03))
    assert str(one.explain(11)) == str(other.explain(11))


changes = st.lists(
    st.dictionaries(st.integers(0, N - 1), st.sampled_from([None, *NAMES]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)


makers = st.sampled_from(
    [
        few_forests(n_forests=3),
        few_forests(n_forests=2, mu=np.inf, class_prior=None),
        one_tree(),
        one_tree(mu="auto", coupling="auto", weights="auto", n_trees=4),
        LaPOLeaFClassifier.as_published(n_trees=3),
    ]
)


def check_changes(sequence, maker):
    y = np.full(N, None, dtype=object)
    y[[0, 29]] = ["a", "b"]
    model = clone(maker).fit(IRIS, y)
    for change in sequence:
        ids = list(change)
        wanted = y.copy()
        for row in ids:
            wanted[row] = change[row]
        if all(label is None for label in wanted):
            with pytest.raises(ValueError, match="remove the last label"):
                model.update_labels(ids, [None] * len(ids))
            continue
        y = wanted
        labels = np.array([change[row] for row in ids], dtype=object)
        model.update_labels(ids, labels, rechoose=True)
    if len({label for label in y if label is not None}) == 1:
        with pytest.warns(UserWarning, match="one class only"):
            fresh = clone(maker).fit(IRIS, y)
    else:
        fresh = clone(maker).fit(IRIS, y)
    assert_same(model, fresh)


@FEW_EXAMPLES
@given(changes, makers)
def test_any_sequence_of_changes_equals_a_fresh_fit_with_the_final_labels(sequence, maker):
    check_changes(sequence, maker)


@pytest.mark.slow
@MANY_EXAMPLES
@given(changes, makers)
def test_many_sequences_of_changes_equal_a_fresh_fit(sequence, maker):
    check_changes(sequence, maker)


targets = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float))
changed_targets = st.lists(
    st.dictionaries(st.integers(0, N - 1), st.tuples(targets, targets), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)


def check_changed_targets(sequence):
    y = np.full((N, 2), np.nan)
    y[[0, 12, 29]] = [[1.0, 2.0], [np.nan, 0.0], [4.0, np.nan]]
    model = few_forests_of_numbers().fit(IRIS, y)
    for change in sequence:
        wanted = y.copy()
        wanted[list(change)] = list(change.values())
        if np.isnan(wanted).all(axis=0).any():
            with pytest.raises(ValueError, match="y has no target in column"):
                model.update_labels(list(change), list(change.values()), rechoose=True)
            continue
        y = wanted
        model.update_labels(list(change), list(change.values()), rechoose=True)
    assert_same(model, few_forests_of_numbers().fit(IRIS, y))


@pytest.mark.slow
@FEW_EXAMPLES
@given(changed_targets)
def test_any_sequence_of_changes_of_several_targets_equals_a_fresh_fit(sequence):
    check_changed_targets(sequence)


@pytest.mark.slow
@MANY_EXAMPLES
@given(changed_targets)
def test_many_sequences_of_changes_of_several_targets_equal_a_fresh_fit(sequence):
    check_changed_targets(sequence)


def classifier(**params):
    y = np.full(N, None, dtype=object)
    y[[0, 13, 29]] = ["a", "b", "c"]
    return few_forests(**params).fit(IRIS, y)


def test_the_forests_stay():
    model = classifier()
    tree, forests, loss = model.tree_, model.forests_, model.chosen_["loss"]
    model.update_labels([3, 4, 5], ["d", "a", "b"])
    assert model.tree_ is tree
    assert all(now is then for now, then in zip(model.forests_, forests, strict=True))
    assert model.chosen_["loss"] != loss


def test_what_was_chosen_for_the_forest_stays():
    y = np.where(np.arange(N) % 2, None, NAMES[np.arange(N) // 10])
    model = one_tree(percent="auto", alpha="auto").fit(IRIS, y)
    tree, forest, chosen = model.tree_, model.forest_, dict(model.chosen_)
    model.update_labels([3, 5, 7], ["d", "a", "b"])
    assert model.tree_ is tree
    assert model.forest_ is forest
    assert model.chosen_["percent"] == chosen["percent"]
    assert model.chosen_["alpha"] == chosen["alpha"]
    assert model.chosen_["loss"] != chosen["loss"]


def test_what_does_not_touch_the_forest_is_chosen_anew():
    """Targets that follow the rows want no smoothing, noise wants much of it."""
    rng = np.random.default_rng(0)
    smooth, noise = IRIS[:, 2], rng.normal(size=N)
    for model, smoothest in ((one_tree_of_numbers(), 0.1), (few_forests_of_numbers(), 0.003)):
        model.fit(IRIS, smooth)
        assert model.chosen_["mu"] == np.inf
        model.update_labels(model.ids_, noise)
        assert model.chosen_["mu"] == smoothest


def test_new_classes_appear_and_unused_ones_go():
    model = classifier().update_labels([5, 13], ["d", None])
    assert model.classes_.tolist() == ["a", "c", "d"]
    assert model.transduction_[5] == "d"
    assert model.label_distributions_.shape == (N, 3)
    assert not model.given_[13]


def test_one_label_at_a_time():
    model = classifier().update_labels(7, "b")
    assert model.transduction_[7] == "b"
    numbers = few_forests_of_numbers(mu=np.inf).fit(IRIS, np.where(np.arange(N) < 3, 1.0, np.nan))
    assert numbers.update_labels(20, 5.0).transduction_[20] == 5.0


def test_rows_of_one_node_may_disagree():
    model = classifier().update_labels([3, 7], ["a", "b"])
    np.testing.assert_allclose(model.label_distributions_[[3, 7]], np.eye(3)[:2])
    np.testing.assert_allclose(model.predict_proba(IRIS[[3]]), [[0.5, 0.5, 0.0]])


def test_labels_of_another_kind_of_number_are_welcome_others_are_not():
    y = np.where(np.arange(N) % 7 == 0, np.arange(N) // 10, -1)
    model = few_forests().fit(IRIS, y)
    model.update_labels([1, 2], [2.0, -1])
    assert model.transduction_[1] == 2
    with pytest.raises(ValueError, match="another kind"):
        model.update_labels([1], ["two"])


ERRORS = [
    ([99], ["a"], "99"),
    ([-1], ["a"], "-1"),
    ([1, 1], ["a", "b"], "1 more than once"),
    ([1, 2], ["a"], "1 labels for 2 ids"),
    ([0, 13, 29], [None, None, None], "remove the last label"),
    ([1], [1.5], "class"),
    ([[1, 2]], ["a"], "one id or a list of ids"),
]


@pytest.mark.parametrize(("ids", "y", "sentence"), ERRORS)
def test_an_error_names_what_is_wrong_and_changes_nothing(ids, y, sentence):
    model = classifier()
    state, said = model._state, model.label_distributions_.copy()
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        model.update_labels(ids, y)
    assert sentence in str(caught.value)
    assert model._state is state
    np.testing.assert_array_equal(model.label_distributions_, said)


def test_targets_must_be_numbers_in_the_right_shape():
    model = few_forests_of_numbers().fit(IRIS, np.where(np.arange(N) < 3, 1.0, np.nan))
    for ids, y in [([1, 2], [1.0]), ([1], ["x"]), ([1], [np.inf])]:
        with pytest.raises(ValueError, match="y "):
            model.update_labels(ids, y)
    with pytest.raises(ValueError, match="y has no target"):
        model.update_labels([0, 1, 2], [np.nan] * 3)
    assert model.given_.sum() == 3


def test_it_needs_a_fitted_model():
    with pytest.raises(NotFittedError):
        few_forests().update_labels([0], ["a"])
