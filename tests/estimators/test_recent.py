"""New rows are answered by labels of shortly before, as long as few rows have joined."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, LeadingForestClassifier
from lapoleaf.estimators.recent import _keys_of


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(700, centers=3, n_features=4, random_state=0)


def _classifier(blobs, n=600, given=300, **params):
    X, y = blobs
    y = np.where(np.arange(len(y)) < given, y, -1)
    return LaPOLeaFClassifier(n_forests=5, missing_label=-1, **params).fit(X[:n], y[:n])


def _is_computed(model):
    return model._state.now.is_computed


def test_few_joined_rows_wait_until_their_labels_are_asked_for(blobs):
    X, y = blobs
    model = _classifier(blobs)
    before = model.predict_proba(X[620:])
    model.partial_fit(X[600:606], y[600:606])
    assert_array_equal(model.predict_proba(X[620:]), before)
    assert not _is_computed(model)
    assert len(model.transduction_) == 606
    assert _is_computed(model)
    afresh = _classifier(blobs).partial_fit(X[600:606], y[600:606])
    assert_array_equal(afresh.transduction_, model.transduction_)
    assert_array_equal(afresh.predict_proba(X[620:]), model.predict_proba(X[620:]))
    assert np.abs(model.predict_proba(X[620:]) - before).max() > 0


def test_a_fiftieth_more_rows_or_labels_are_labelled_at_once(blobs):
    X, y = blobs
    model = _classifier(blobs)
    for row in range(600, 612):
        model.partial_fit(X[[row]]).predict(X[620:])
        assert not _is_computed(model)
    model.partial_fit(X[[612]]).predict(X[620:])
    assert _is_computed(model)
    few = _classifier(blobs, given=49).partial_fit(X[[600]], y[[600]])
    few.predict(X[620:])
    assert _is_computed(few)
    heavy = _classifier(blobs).partial_fit(X[[600]], sample_weight=[100.0])
    heavy.predict(X[620:])
    assert _is_computed(heavy)


def test_a_row_that_has_joined_is_answered_as_such(blobs):
    X, _ = blobs
    model = _classifier(blobs)
    model.predict(X[620:])
    other = (model.predict(X[[600]])[0] + 1) % 3
    model.partial_fit(X[[600]], [other])
    assert model.predict(X[[600]])[0] == other


def test_what_labels_mean_is_labelled_at_once(blobs):
    X, y = blobs
    new_class = _classifier(blobs).partial_fit(X[[600]], [7])
    assert new_class.predict_proba(X[620:]).shape[1] == 4
    other = _classifier(blobs).set_params(mu=1.0).partial_fit(X[[600]])
    other.predict(X[620:])
    assert _is_computed(other)
    gone = _classifier(blobs).partial_fit(X[[600]]).forget([3])
    gone.predict(X[620:])
    assert _is_computed(gone)
    changed = _classifier(blobs).partial_fit(X[[600]]).update_labels(3, y[3])
    assert _is_computed(changed)


def test_one_forest_does_not_wait(blobs):
    X, y = blobs
    model = LeadingForestClassifier(missing_label=-1).fit(X[:600], y[:600])
    model.partial_fit(X[[600]], y[[600]]).predict(X[620:])
    assert model._state.recent is None


def test_memory_does_not_grow_with_the_number_of_calls(blobs):
    X, _ = blobs
    model = _classifier(blobs)
    for row in range(600, 606):
        model.partial_fit(X[[row]]).predict(X[620:])
    assert len(model._state.recent.joined) == 6
    assert model._state.recent.fitted.rows.weight.size == 600
    _ = model.transduction_
    model.partial_fit(X[[606]])
    assert len(model._state.recent.joined) == 1
    assert model._state.recent.fitted.rows.weight.size == 606


def test_copies_are_labelled(blobs):
    X, y = blobs
    model = _classifier(blobs).partial_fit(X[600:603], y[600:603])
    model.predict(X[620:])
    copy = pickle.loads(pickle.dumps(model))
    assert copy._state.recent is None
    assert_array_equal(copy.predict_proba(X[620:]), model.predict_proba(X[620:]))


def test_numbers_and_intervals_wait_too(blobs):
    X, y = blobs
    targets = X[:, 0] + y
    model = LaPOLeaFRegressor(n_forests=3, experts=None).fit(X[:600], targets[:600])
    before = (*model.predict(X[620:], return_std=True), *model.predict_interval(X[620:]))
    model.partial_fit(X[600:604], targets[600:604])
    after = (*model.predict(X[620:], return_std=True), *model.predict_interval(X[620:]))
    assert_array_equal(after, before)
    assert not _is_computed(model)
    assert model.predict(X[[600]])[0] == pytest.approx(targets[600], abs=0.5)


def test_equal_rows_have_equal_keys():
    one, other = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[-0.0, 1.0]], dtype=np.float32)
    assert_array_equal(np.isin(_keys_of(one), _keys_of(other)), [True, False])
