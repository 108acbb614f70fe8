"""Baselines take the same labels and rows as our classifier, and refuse others clearly."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from lapoleaf import LabelledKFold
from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, LSSVR, RGSSLMCC, PoissonLearning
from lapoleaf.baselines.base import ClassifyingBaseline

MODELS = {
    "LLGC": LLGC(),
    "LLGC of all pairs": LLGC(n_neighbors=None),
    "FLP": FLP(),
    "AGR": AGR(n_anchors=40),
    "HAGR": HAGR(n_anchors=(60, 30)),
    "RGSSLMCC": RGSSLMCC(),
    "RGSSLMCC of rows": RGSSLMCC(mu=0.01, lam=0.05),
    "PoissonLearning": PoissonLearning(),
    "PoissonLearning, exact": PoissonLearning(solver="exact"),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@every_model
def test_finds_the_classes_of_iris(model, few_labels):
    X, truth, y = few_labels
    found = clone(model).fit(X, y)
    assert np.mean(found.transduction_[y < 0] == truth[y < 0]) > 0.8
    assert found.label_distributions_.shape == (150, 3)
    np.testing.assert_allclose(found.label_distributions_.sum(axis=1), 1.0)
    assert found.score(X, y) > 0.8
    assert np.mean(found.predict(X + 0.01) == truth) > 0.8
    np.testing.assert_array_equal(found.given_, y >= 0)


@pytest.mark.parametrize("model", [FLP(), LLGC(), LSSVR()])
def test_labels_as_a_frame_keep_the_index(model, few_labels):
    X, _, y = few_labels
    numbers = np.where(y < 0, np.nan, y)
    names = pd.Index([f"iris {row}" for row in range(len(X))], name="flower")
    found = clone(model).fit(pd.DataFrame(X, index=names).add_prefix("x"), numbers)
    frame = found.labels_frame()
    pd.testing.assert_index_equal(frame.index, names)
    np.testing.assert_array_equal(frame["label"], found.transduction_)
    np.testing.assert_array_equal(frame["given"], y >= 0)
    if isinstance(found, ClassifyingBaseline):
        np.testing.assert_array_equal(frame["confidence"], found.label_distributions_.max(axis=1))
    else:
        assert frame["confidence"].isna().all()
    assert clone(model).fit(X, numbers).labels_frame().index.tolist() == list(range(len(X)))
    frame = clone(model).fit(pl.DataFrame(X), numbers).labels_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["id", "label", "confidence", "given"]
    with pytest.raises(NotFittedError):
        clone(model).labels_frame()


@every_model
def test_labels_of_every_kind(model, few_labels):
    X, _, y = few_labels
    plain = clone(model).fit(X, y).transduction_
    names = np.array(["a", "b", "c"])
    texts = [None if label < 0 else str(names[label]) for label in y]
    assert clone(model).fit(X, texts).transduction_.tolist() == names[plain].tolist()
    floats = np.where(y < 0, np.nan, y)
    np.testing.assert_array_equal(clone(model).fit(X, floats).transduction_, plain)
    own = clone(model).set_params(missing_label="?")
    marked = ["?" if label < 0 else str(names[label]) for label in y]
    assert own.fit(X, marked).transduction_.tolist() == names[plain].tolist()


@pytest.mark.sampled(4)
@every_model
def test_rows_of_every_kind(model, few_labels):
    X, _, y = few_labels
    plain = clone(model).fit(X, y)
    forms = [
        X.tolist(),
        np.asfortranarray(X),
        pd.DataFrame(X, columns=list("abcd")),
        pl.DataFrame(X, schema=list("abcd")),
        sp.csr_array(X),
        sp.csc_matrix(X),
    ]
    for form in forms:
        found = clone(model).fit(form, y)
        np.testing.assert_array_equal(found.transduction_, plain.transduction_)
        np.testing.assert_array_equal(found.predict(form), plain.predict(X))


@every_model
def test_changing_the_rows_afterwards_does_not_change_the_model(model, few_labels):
    X, _, y = few_labels
    rows, labels = X.copy(), y.copy()
    found = clone(model).fit(rows, labels)
    before = found.predict_proba(X + 0.05)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, y)
    rows[:] = 0.0
    np.testing.assert_array_equal(found.predict_proba(X + 0.05), before)


@every_model
def test_a_failed_fit_leaves_the_model_as_it_was(model, few_labels):
    X, _, y = few_labels
    found = clone(model).fit(X, y)
    kept = found.transduction_
    with pytest.raises(ValueError, match="y has no label"):
        found.fit(X, np.full(150, -1))
    assert found.transduction_ is kept
    bad = X.copy()
    bad[7, 2] = np.nan
    message = r"X contains NaN: the first is in row 7, column 2. Fill in or drop such rows first\.$"
    with pytest.raises(ValueError, match=message):
        found.fit(bad, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        found.fit(X, y[:-1])
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


@pytest.mark.filterwarnings("ignore:y has one class only")
@every_model
def test_few_rows_and_equal_rows(model):
    for X in (np.array([[1.0, 2.0]]), np.array([[0.0, 0.0], [1.0, 1.0]]), np.ones((12, 2))):
        y = np.full(len(X), -1)
        y[0] = 4
        assert clone(model).fit(X, y).transduction_.tolist() == [4] * len(X)
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 15, axis=0)
    y = np.full(30, -1)
    y[[0, 20]] = [1, 2]
    assert clone(model).fit(X, y).transduction_.tolist() == [1] * 15 + [2] * 15


@pytest.mark.parametrize("model", [LLGC(), PoissonLearning(), PoissonLearning(solver="exact")])
def test_what_no_label_reaches_gets_the_nearest_one(model):
    X = np.concatenate([np.arange(20.0), 100 + np.arange(20.0), 130 + np.arange(20.0)])[:, None]
    y = np.full(60, -1)
    y[[2, 25]] = [4, 7]
    found = model.fit(X, y)
    assert found.transduction_.tolist() == [4] * 20 + [7] * 40
    assert found.predict(X + 0.25).tolist() == [4] * 20 + [7] * 40


@pytest.fixture(scope="module")
def blobs():
    """Three blobs with three labels each, in 20 columns, and a fourth far away without any."""
    centres = np.zeros((4, 20))
    centres[[1, 2], [0, 1]] = 20.0
    centres[3, :2] = 300.0, 400.0
    X, truth = make_blobs([50] * 4, n_features=20, centers=centres, random_state=0)
    y = np.full(200, -1)
    for label in range(3):
        y[np.flatnonzero(truth == label)[:3]] = label
    return X, truth, y


@pytest.mark.sampled(5)
@every_model
def test_rows_of_the_fit_are_predicted_as_they_were_found(model, blobs):
    X, _, y = blobs
    found = clone(model).fit(X, y)
    np.testing.assert_array_equal(found.predict(X)[y < 0], found.transduction_[y < 0])
    best = found.classes_[found.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(best, found.predict(X))


@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"FLP"}))
def test_a_blob_that_no_label_reaches_gets_the_nearest_one(name, blobs):
    X, truth, y = blobs
    found = clone(MODELS[name]).fit(X, y)
    assert set(found.transduction_[truth == 3]) == {2}
    assert set(found.predict(X[truth == 3] + 0.1)) == {2}


class Silent(ClassifyingBaseline):
    """A method that reaches no row, and forbids the first class."""

    missing_label = "auto"

    def _check_parameters(self):
        pass

    def _scores_of_rows(self, rows, given, labels):
        return self._scores_of_new(rows)

    def _scores_of_new(self, rows):
        return np.where(rows[:, :1] > 5.0, [1.0, 0.0], [0.0, 0.0])

    def _weighed(self, scores):
        return scores * [0.0, 1.0]


def test_rows_are_lost_before_classes_are_weighed():
    X = np.array([[0.0], [0.0], [1.0], [2.0], [9.0]])
    found = Silent().fit(X, [0, 1, -1, 1, -1])
    # Equal rows keep what each was given; a row that is reached has no fallback.
    assert found.transduction_[[0, 1, 3]].tolist() == [0, 1, 1]
    np.testing.assert_array_equal(found.label_distributions_[4], [0.5, 0.5])
    np.testing.assert_array_equal(found.predict_proba([[1.8], [8.0]]), [[0.0, 1.0], [0.5, 0.5]])


@pytest.mark.parametrize("name", [name for name in MODELS if "LLGC" in name or "Poisson" in name])
def test_rows_far_from_the_origin(name, blobs):
    X, truth, y = (part[blobs[1] < 3] for part in blobs)
    found = clone(MODELS[name]).fit(X + 1e9, y)
    np.testing.assert_array_equal(found.transduction_, truth)
    np.testing.assert_array_equal(found.predict(X + 1e9), truth)


@pytest.mark.sampled(5)
@every_model
def test_rows_of_any_scale(model, blobs):
    X, truth, y = (part[blobs[1] < 3] for part in blobs)
    for scale in (1e130, 1e-130):
        found = clone(model).fit(X * scale, y)
        assert np.mean(found.transduction_ == truth) == 1.0
        assert np.mean(found.predict(X * scale) == truth) == 1.0
    for form in (np.asarray, sp.csr_array):
        with pytest.raises(
            ValueError, match=r"X has values up to .*, whose squares are not finite"
        ):
            clone(model).fit(form(X * 1e160), y)
        with pytest.raises(ValueError, match=r"X has values of .* at most, whose squares are 0"):
            clone(model).fit(form(X * 1e-200), y)
    with pytest.raises(ValueError, match=r"divide X, .*, by 2e\+161\.$"):
        clone(model).fit(X, y).predict(X * 1e160)


def test_a_grid_is_searched_by_the_labelled_rows(few_labels):
    X, _, y = few_labels
    search = GridSearchCV(AGR(n_anchors=40), {"gamma": [0.001, 0.1]}, cv=LabelledKFold(3))
    assert search.fit(X, y).best_score_ > 0.8


def test_a_fit_keeps_metadata_requests(few_labels):
    X, _, y = few_labels
    with config_context(enable_metadata_routing=True):
        model = AGR(n_anchors=40).set_score_request(sample_weight=True).fit(X, y)
        assert model.get_metadata_routing().score.requests == {"sample_weight": True}


BAD = [
    (LLGC(alpha=1.0), "alpha=1.0 must be a number between 0 and 1."),
    (LLGC(n_neighbors=0), "n_neighbors=0 must be a whole number of at least 1."),
    (LLGC(sigma=10**400), "must be a number above 0, or None."),
    (RGSSLMCC(mu="x"), "mu='x' must be a number above 0, or None."),
    (AGR(sigma=0), "sigma=0 must be a number above 0, or None."),
    (LLGC(sigma=-1), "sigma=-1 must be a number above 0, or None."),
    (
        FLP(n_components="all"),
        "n_components='all' must be a whole number of at least 1, or",
    ),
    (FLP(spread=0), "spread=0 must be a number above 0."),
    (FLP(tol=float("nan")), "tol=nan must be a number of at least 0."),
    (FLP(label_steps=0), "label_steps=0 must be a whole number of at least 1."),
    (AGR(n_anchors=2.5), "n_anchors=2.5 must be a whole number of at least 1, or 'auto'."),
    (HAGR(n_anchors="all"), "n_anchors='all' must be a sequence of whole numbers of at least 1"),
    (AGR(weights="flat"), "weights='flat' must be 'lae' or 'gaussian' or 'exponential'."),
    (AGR(gamma=0.0), "gamma=0.0 must be a number above 0."),
    (AGR(class_mass="no"), "class_mass='no' must be True or False."),
    (HAGR(n_anchors=40), "n_anchors=40 must be a sequence of whole numbers"),
    (HAGR(n_anchors=[[5, 2], [1]]), "n_anchors=[[5, 2], [1]] must be a sequence of whole numbers"),
    (HAGR(n_anchors=(5, 0)), "n_anchors=(5, 0) must be a sequence of whole numbers of at least 1"),
    (HAGR(n_anchors=(20, 40)), "must fall from layer to layer, the finest layer first."),
    (HAGR(class_prior=[1, 1]), "class_prior has 2 shares, but y has 3 classes"),
    (HAGR(class_prior="auto"), "class_prior='auto' must be None, or a share for every class."),
    (RGSSLMCC(lam=None), "lam=None must be a number above 0."),
    (RGSSLMCC(width="wide"), "width='wide' must be a number above 0, or 'auto'."),
    (RGSSLMCC(tol=-1), "tol=-1 must be a number of at least 0."),
    (RGSSLMCC(tol=float("nan")), "tol=nan must be a number of at least 0."),
    (PoissonLearning(solver="lu"), "solver='lu' must be 'walk' or 'exact'."),
]


@pytest.mark.parametrize(("model", "message"), BAD)
def test_bad_parameters(model, message, few_labels):
    X, _, y = few_labels
    with pytest.raises(ValueError, match=r"must be|must fall|but y has") as error:
        model.fit(X, y)
    assert message in str(error.value)


UNSOLVABLE = [
    (AGR(gamma=1e20), "gamma=1e+20 is so large that the given labels no longer count: use a"),
    (HAGR(gamma=1e20), "gamma=1e+20 is so large that the given labels no longer count: use a"),
    (RGSSLMCC(lam=1e20), "lam=1e+20 is so large that the given labels no longer count: use a"),
    (RGSSLMCC(mu=1e-30), "mu=1e-30 is too small for lam=0.1 and these rows"),
]


@pytest.mark.parametrize(("model", "message"), UNSOLVABLE)
def test_systems_that_cannot_be_solved(model, message, few_labels):
    X, _, y = few_labels
    with pytest.raises(ValueError, match="use a") as error:
        model.fit(X, y)
    assert message in str(error.value)


FAR = {
    "AGR": AGR(weights="gaussian"),
    "AGR, lae": AGR(),
    "HAGR": HAGR(),
    "FLP": FLP(),
    "RGSSLMCC of rows": RGSSLMCC(mu=0.01),
}


@pytest.mark.parametrize("model", FAR.values(), ids=FAR)
def test_rows_far_from_the_origin_keep_their_distances(model):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + np.array([[0, 0], [10, 0], [0, 10]])[truth] + [1e9, -2e9]
    y = np.where(np.arange(90) % 30 < 3, truth, -1)
    found = clone(model).fit(X, y)
    np.testing.assert_array_equal(found.transduction_, truth)
    np.testing.assert_array_equal(found.predict(X), truth)
    if model.get_params().get("weights") != "lae":
        near = clone(model).fit(X - [1e9, -2e9], y)
        np.testing.assert_allclose(found.label_distributions_, near.label_distributions_, atol=1e-3)


@pytest.mark.parametrize("model", FAR.values(), ids=FAR)
def test_a_model_of_dense_rows_predicts_sparse_ones(model, few_labels):
    X, _, y = few_labels
    found = clone(model).fit(X, y)
    np.testing.assert_allclose(
        found.predict_proba(sp.csr_array(X + 0.05)), found.predict_proba(X + 0.05), atol=1e-6
    )


@pytest.mark.parametrize("model", [FLP(), RGSSLMCC(mu=0.01)])
def test_new_rows_are_predicted_in_blocks(model, few_labels):
    X, _, y = few_labels
    found = clone(model).fit(X, y)
    new = np.random.default_rng(0).uniform(size=(20_000, 4))
    tracemalloc.start()
    try:
        parts = found.predict_proba(new)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000 * 150 * 8 / 2
    np.testing.assert_allclose(parts[5000:5010], found.predict_proba(new[5000:5010]), rtol=1e-9)
