"""LeadingForestMap, and the maps of fitted models."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import pairwise_distances

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestMap,
    LoDOG,
    layout,
    leading_tree,
    load,
    save,
)
from lapoleaf.estimators.mapping import node_places
from lapoleaf.io import LoadError
from lapoleaf.io.encoding import Encoder

X, TRUTH = load_digits(return_X_y=True)
X, TRUTH = X[:300], TRUTH[:300]
Y = np.where(np.arange(300) % 10 == 0, TRUTH, -1)
FEW = {"n_forests": 10, "n_jobs": 1}


def classifier():
    return LaPOLeaFClassifier(**FEW).fit(X[:250], Y[:250])


# The transformer ----------------------------------------------------------------------------------


FORMS = {
    "dense": (X, {}),
    "float32": (X.astype(np.float32), {}),
    "sparse": (sp.csr_matrix(X), {}),
    "cosine": (X, {"metric": "cosine"}),
    "sparse cosine": (sp.csr_matrix(X), {"metric": "cosine"}),
    "canberra": (X, {"metric": "canberra"}),
    "a function": (X[:120], {"metric": lambda a, b: np.abs(a - b).max()}),
    "holes": (np.where(X == 3, np.nan, X), {"metric": "nan_euclidean"}),
    "precomputed": (pairwise_distances(X), {"metric": "precomputed"}),
    "approximate": (X, {"build": "approximate"}),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", FORMS)
def test_a_row_of_the_fit_has_its_own_place(form):
    rows, params = FORMS[form]
    model = LeadingForestMap(**FEW, **params).fit(rows)
    assert model.embedding_.shape == (rows.shape[0], 2)
    assert model.embedding_.dtype == np.float32
    assert model.trustworthiness_ > 0.9
    np.testing.assert_array_equal(model.transform(rows), model.embedding_)
    np.testing.assert_array_equal(model.transform(rows[7:9]), model.embedding_[7:9])


def test_new_rows_are_placed_one_by_one_among_their_neighbours():
    model = LeadingForestMap(**FEW).fit(X[:200])
    before = model.embedding_.copy()
    found = model.transform(X[200:])
    np.testing.assert_array_equal(model.embedding_, before)
    np.testing.assert_allclose(model.transform(X[205:206]), found[5:6], rtol=1e-5)
    near = np.linalg.norm(found[:, None] - before, axis=2).argsort(axis=1)[:, :5]
    assert np.mean(TRUTH[near] == TRUTH[200:, None]) > 0.75
    # None is in empty space.
    gap = np.linalg.norm(found[:, None] - before, axis=2).min(axis=1)
    assert gap.max() < 3


def test_duplicates_and_weights():
    rows = np.vstack([X[:100], X[:50], X[200:205]])
    weight = np.append(np.ones(150), np.zeros(5))
    model = LeadingForestMap(**FEW).fit(rows, sample_weight=weight)
    np.testing.assert_array_equal(model.embedding_[100:150], model.embedding_[:50])
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.transform(X[200:205]), model.embedding_[150:], rtol=1e-5)


def test_labels_do_not_move_the_map():
    plain = LeadingForestMap(**FEW).fit(X).embedding_
    np.testing.assert_array_equal(LeadingForestMap(**FEW).fit(X, TRUTH).embedding_, plain)
    one, other = LaPOLeaFClassifier(**FEW), LaPOLeaFClassifier(**FEW)
    np.testing.assert_array_equal(
        layout(one.fit(X, Y)).places, layout(other.fit(X, TRUTH[::-1])).places
    )


@pytest.mark.slow
def test_a_refit_stays_where_it_was():
    model = LeadingForestMap(**FEW).fit(X[:200])
    first = model.embedding_
    np.testing.assert_array_equal(model.fit(X[:200]).embedding_, first)
    grown = model.fit(X[:260]).embedding_
    size = np.ptp(first, axis=0).max()
    assert np.median(np.linalg.norm(grown[:200] - first, axis=1)) < 0.1 * size
    # Rows in another order are the same rows.
    order = np.random.default_rng(0).permutation(260)
    again = model.fit(X[:260][order]).embedding_
    assert np.median(np.linalg.norm(again - grown[order], axis=1)) < 0.1 * size
    cold = clone(model).set_params(warm_start=False)
    np.testing.assert_array_equal(cold.fit(X[:200]).fit(X[:260]).embedding_,
                                  LeadingForestMap(**FEW).fit(X[:260]).embedding_)  # fmt: skip
    # Other rows have another map.
    other = X[:200] + 0.5
    np.testing.assert_array_equal(
        LeadingForestMap(**FEW).fit(X[:200]).fit(other).embedding_,
        LeadingForestMap(**FEW).fit(other).embedding_,
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"exaggeration": 0}, "exaggeration=0 must be a positive number"),
        ({"exaggeration": "big"}, "exaggeration='big' must be a positive number"),
        ({"n_iterations": 2.5}, "n_iterations=2.5 must be a positive whole number"),
        ({"n_iterations": 0}, "n_iterations=0 must be a positive whole number"),
        ({"n_forests": 0}, "n_forests=0 must be a whole number of at least 1"),
        ({"n_forests": "many"}, "n_forests='many' must be a whole number of at least 1"),
    ],
)
def test_parameters_that_make_no_sense(params, message):
    with pytest.raises(ValueError, match=message):
        LeadingForestMap(**params).fit(X)


def test_exaggeration_and_iterations_count():
    maps = [
        LeadingForestMap(**FEW, **params).fit(X).embedding_
        for params in ({}, {"exaggeration": 4.0}, {"n_iterations": 20})
    ]
    assert np.ptp(maps[1], axis=0).max() < np.ptp(maps[0], axis=0).max()
    assert not np.array_equal(maps[0], maps[2])


def test_a_callback_sees_the_map_grow_and_may_end_it():
    seen = []
    model = LeadingForestMap(n_iterations=12, **FEW).fit(X, callback=seen.append)
    assert len(seen) == 12
    np.testing.assert_allclose(np.diff(seen[-1], axis=0), np.diff(model.embedding_, axis=0),
                               atol=1e-4)  # fmt: skip
    assert np.ptp(seen[0]) < np.ptp(seen[-1])

    def interrupt(places):
        raise KeyboardInterrupt

    before = model.embedding_
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:200], callback=interrupt)
    assert model.embedding_ is before


def test_progress_is_reported(capsys, monkeypatch):
    monkeypatch.setattr("lapoleaf._progress.Progress._every", 0.0)
    LeadingForestMap(n_iterations=5, verbose=1, **FEW).fit(X)
    assert "map: 100 %" in capsys.readouterr().err


# Maps of models -----------------------------------------------------------------------------------


def test_a_model_keeps_its_map():
    model = classifier()
    first = layout(model)
    assert layout(model).places is first.places
    assert repr(first).startswith("ForestMap(n_rows=250, trustworthiness=0.9")
    np.testing.assert_array_equal(np.asarray(first), first.places)
    np.testing.assert_array_equal(layout(model.update_labels([1], [5])).places, first.places)
    wide = layout(model, exaggeration=3.0)
    assert not np.array_equal(wide.places, first.places)
    assert layout(model, exaggeration=3.0).places is wide.places
    # Before any map nothing is computed for a file or a pickle.
    assert pickle.loads(pickle.dumps(classifier()))._fitted.rows.places is None
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(layout(copied, exaggeration=3.0).places, wide.places)


@pytest.mark.parametrize("n_first", [250, 60])
def test_rows_join_and_leave_and_nobody_else_moves(n_first):
    model = LaPOLeaFClassifier(**FEW).fit(X[:n_first], Y[:n_first])
    first = layout(model).places
    more = layout(model.partial_fit(X[250:], Y[250:])).places
    np.testing.assert_array_equal(more[:n_first], first)
    gap = np.linalg.norm(more[n_first:, None] - first, axis=2).min(axis=1)
    assert gap.max() < 0.2 * np.ptp(first, axis=0).max()
    fewer = layout(model.forget([0, 3])).places
    np.testing.assert_array_equal(fewer, np.delete(more, [0, 3], axis=0))
    # A row that is there already, and one of weight 0, have a place, too.
    again = layout(model.partial_fit(X[1:3], sample_weight=[1, 0])).places
    np.testing.assert_array_equal(again[-2], fewer[0])
    np.testing.assert_array_equal(again[-1], fewer[1])


def test_where_most_rows_are_new_the_map_is_new():
    model = LaPOLeaFClassifier(**FEW).fit(X[:80], Y[:80])
    first = layout(model).places
    more = layout(model.partial_fit(X[80:])).places
    assert np.isfinite(more).all()
    assert not np.array_equal(more[:80], first)


def test_start_from_places_of_another_model():
    first = layout(classifier()).places
    start = np.vstack([first, np.full((50, 2), np.nan)])
    model = LaPOLeaFClassifier(**FEW).fit(X, Y)
    found = layout(model, start=start).places
    size = np.ptp(first, axis=0).max()
    assert np.median(np.linalg.norm(found[:250] - first, axis=1)) < 0.1 * size
    assert layout(model).places is found
    with pytest.raises(ValueError, match=r"start has shape \(250, 2\), but must have shape \(300"):
        layout(model, start=first)


def test_every_kind_of_model_and_forests():
    trees = leading_tree(X[:250])
    numbers = LaPOLeaFRegressor(**FEW).fit(X[:250], TRUTH[:250] * 1.0)
    one = LeadingForestClassifier(n_jobs=1).fit(X[:250], Y[:250])
    model = classifier()
    for some in (numbers, one, LoDOG(n_jobs=1).fit(X[:250]), model.forests_, one.forest_, trees,
                 LeadingForestMap(**FEW).fit(X[:250])):  # fmt: skip
        found = layout(some, n_iterations=50)
        assert found.places.shape == (250, 2)
        assert found.trustworthiness > 0.85
    np.testing.assert_array_equal(layout(model.forests_).places, layout(model).places)
    start = layout(model).places
    again = layout(model.forests_, start=start).places
    assert np.median(np.linalg.norm(again - start, axis=1)) < 0.1 * np.ptp(start, axis=0).max()


def test_what_has_no_forests():
    with pytest.raises(TypeError, match="has no forests: pass a fitted classifier"):
        layout(LinearRegression())
    with pytest.raises(TypeError, match="has no forests"):
        layout([])
    with pytest.raises(NotFittedError):
        layout(LaPOLeaFClassifier())
    with pytest.raises(NotFittedError):
        LeadingForestMap().transform(X)
    with pytest.raises(ValueError, match="rows is for trees that were made from arrays"):
        layout(classifier(), X[:250])
    with pytest.raises(ValueError, match="trees of 250 and 20 nodes"):
        layout([leading_tree(X[:250]), leading_tree(X[:20])])
    with pytest.raises(ValueError, match=r"rows has shape \(3, 64\), but the tree was built from"):
        layout(leading_tree(X[:250]), X[:3])


def test_a_node_has_the_place_of_the_first_of_its_rows_that_has_one():
    tree = leading_tree([[0.0], [5.0], [0.0], [0.0], [7.0]])
    rows = np.array([[np.nan] * 2, [1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [np.nan] * 2])
    places, known = node_places(tree, rows)
    np.testing.assert_array_equal(places[known], [[2.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(known, [True, True, False])


# Files --------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["dense", "sparse cosine", "precomputed"])
def test_maps_are_saved(tmp_path, form):
    rows, params = FORMS[form]
    model = LeadingForestMap(**FEW, **params).fit(rows)
    save(model, tmp_path / "map")
    for mmap in (False, True):
        same = load(tmp_path / "map", mmap=mmap)
        np.testing.assert_array_equal(same.embedding_, model.embedding_)
        np.testing.assert_array_equal(same.transform(rows[:5]), model.embedding_[:5])
        assert same.trustworthiness_ == model.trustworthiness_
    # A refit goes on from the file.
    np.testing.assert_array_equal(load(tmp_path / "map").fit(rows).embedding_, model.embedding_)


def test_models_are_saved_with_their_map(tmp_path):
    model = classifier()
    places = layout(model).places
    save(model, tmp_path / "model")
    same = load(tmp_path / "model")
    np.testing.assert_array_equal(same._fitted.rows.places.places, places)
    more = layout(same.partial_fit(X[250:])).places
    np.testing.assert_array_equal(more[:250], places)
    save(same, tmp_path / "model")
    np.testing.assert_array_equal(layout(load(tmp_path / "model")).places, more)


def test_a_map_that_is_made_while_its_model_is_saved_does_no_harm(tmp_path, monkeypatch):
    model = classifier()
    layout(model)
    rows = model._fitted.rows
    kept = rows.kept_places
    rows.keep_places(None)
    encode = Encoder.value

    def value(self, part, place, *depth):
        if place == "n_built":
            rows.keep_places(kept)
        return encode(self, part, place, *depth)

    monkeypatch.setattr(Encoder, "value", value)
    save(model, tmp_path / "model")
    assert rows.kept_places is kept
    assert load(tmp_path / "model")._fitted.rows.places is None


def test_maps_that_do_not_fit_their_rows_are_refused(tmp_path):
    model = LeadingForestMap(**FEW).fit(X)
    model._rows.keep_places(None)
    with pytest.raises(ValueError, match="rows that all have a place"):
        save(model, tmp_path / "map")
    model = LeadingForestMap(**FEW).fit(X)
    model._rows.kept_places.places.flags.writeable = True
    model._rows.kept_places.places[3, 0] = np.nan
    with pytest.raises((ValueError, LoadError), match=r"RowPlaces.places must be finite"):
        save(model, tmp_path / "map")
