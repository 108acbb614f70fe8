"""Rows in all the forms they come in, weights, threads, and scikit-learn's own machinery."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from cases import own_metric
from labelled import iris, whole_numbers
from models import PAIRS, few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lapoleaf import (
    LabelledKFold,
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
)


def targets(y):
    """Numbers instead of classes, NaN where missing."""
    return np.where(y < 0, np.nan, 10.0 * y)


def fit_all(X, y, sample_weight=None, pair="few forests", **params):
    """One of each estimator, fitted on the same rows."""
    classifying, numbering = PAIRS[pair]
    return [
        classifying(**params).fit(X, y, sample_weight),
        numbering(**params).fit(X, targets(y), sample_weight),
        LoDOG(**params).fit(X, sample_weight=sample_weight),
    ]


def answers(model):
    return model.labels_ if isinstance(model, LoDOG) else model.transduction_


def check_same(model, plain):
    """Check two models fitted on the same rows in other forms."""
    for name in ("density", "delta", "parent", "population", "node_of"):
        np.testing.assert_array_equal(getattr(model.tree_, name), getattr(plain.tree_, name), name)
    assert model.bandwidth_ == plain.bandwidth_
    np.testing.assert_array_equal(model.forest_.roots, plain.forest_.roots)
    np.testing.assert_array_equal(answers(model), answers(plain))


def check_form(form, X, **params):
    """Fit and predict rows in a form of their own, and as a plain table."""
    y = whole_numbers()[1]
    for model, plain in zip(fit_all(form, y, **params), fit_all(X, y, **params), strict=True):
        check_same(model, plain)
        assert model.n_features_in_ == X.shape[1]
        np.testing.assert_array_equal(model.predict(form), plain.predict(X))


# ------------------------------------------------------------------------------------- NumPy, lists

NUMBERS = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "longdouble", "object",
]  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_every_type_of_number(dtype):
    X, _ = whole_numbers()
    check_form(X.astype(dtype), X)


def test_true_and_false():
    X, _ = whole_numbers()
    rows = X[:, :3] > np.median(X[:, :3], axis=0)
    check_form(rows, rows.astype(float))


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


ORDERS = {
    "Fortran": np.asfortranarray,
    "every other column of a wider table": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "back to front, twice": lambda X: X[::-1].copy()[::-1],
    "transposed": lambda X: X.T.copy().T,
    "read-only": read_only,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "lists": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X)),
    "list of arrays": list,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arrange", ORDERS.values(), ids=ORDERS)
def test_every_order_of_numbers(arrange):
    X, _ = whole_numbers()
    check_form(arrange(X), X)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_memory_mapped(tmp_path, mode, dtype):
    X, _ = whole_numbers()
    np.save(tmp_path / "X.npy", X.astype(dtype))
    mapped = np.load(tmp_path / "X.npy", mmap_mode=mode)
    check_form(mapped, X)
    np.testing.assert_array_equal(np.load(tmp_path / "X.npy"), X)


def test_memory_mapped_by_joblib(tmp_path):
    X, y = whole_numbers()
    joblib.dump((X, y, targets(y)), tmp_path / "data")
    X_, y_, targets_ = joblib.load(tmp_path / "data", mmap_mode="r")
    check_same(few_forests().fit(X_, y_), few_forests().fit(X, y))
    check_same(
        few_forests_of_numbers().fit(X_, targets_), few_forests_of_numbers().fit(X, targets(y))
    )


def test_arguments_are_not_written_into():
    X, y, _ = iris()
    weight = np.arange(len(X)) % 3.0
    before = X.copy(), y.copy(), targets(y), weight.copy()
    numbers = targets(y)
    few_forests(metric="cosine").fit(X, y, weight).predict(X)
    few_forests_of_numbers().fit(X, numbers, weight).predict(X)
    for now, then in zip((X, y, numbers, weight), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_changing_the_rows_afterwards_does_not_change_the_model(form):
    X, y, _ = iris(every=3)
    rows = form(X)
    models = fit_all(rows, y)
    (rows if form is np.array else rows.data)[:] = 0.0
    for model in models:
        np.testing.assert_array_equal(model.predict(form(X)), answers(model))


def test_changing_the_labels_afterwards_does_not_change_the_model():
    X, y, _ = iris(every=3)
    labels, numbers = y.copy(), targets(y)
    models = few_forests().fit(X, labels), few_forests_of_numbers().fit(X, numbers)
    before = [str(model.explain(1)) for model in models]
    labels[:], numbers[:] = 0, -5.0
    assert [str(model.explain(1)) for model in models] == before


# ------------------------------------------------------------------------------------------ sparse

FORMATS = [
    f"{name}_{kind}"
    for name in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    for kind in ("matrix", "array")
]


def check_sparse(form, X):
    """As a plain table in one tree; as any other sparse matrix in forests."""
    check_form(form, X, pair="one tree")
    y = whole_numbers()[1]
    for model, plain in zip(fit_all(form, y), fit_all(sp.csr_array(X), y), strict=True):
        check_same(model, plain)
        np.testing.assert_array_equal(model.predict(form), plain.predict(X))


def thinned():
    """Whole numbers of which most are 0."""
    X, _ = whole_numbers()
    return np.where(X > np.median(X, axis=0), X, 0.0)


@pytest.mark.sampled(5)
@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("name", FORMATS)
def test_every_sparse_format(name):
    X = thinned()
    check_sparse(getattr(sp, name)(X), X)


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_sparse_numbers(dtype):
    X = thinned().astype(dtype)
    check_sparse(sp.csr_array(X), X.astype(float))


def test_sparse_with_long_indices():
    X = thinned()
    rows = sp.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    check_sparse(rows, X)


def test_sparse_with_stored_zeros_and_entries_in_parts():
    X = thinned()
    row, column = np.nonzero(np.ones_like(X))
    halves = np.concatenate([X.ravel() / 2] * 2), (np.tile(row, 2), np.tile(column, 2))
    check_sparse(sp.coo_array(halves, shape=X.shape), X)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "sqeuclidean", "cosine"])
def test_sparse_metrics(metric):
    X, y = thinned(), whole_numbers()[1]
    sparse = one_tree(metric=metric).fit(sp.csr_array(X), y)
    dense = one_tree(metric=metric).fit(X, y)
    np.testing.assert_array_equal(sparse.transduction_, dense.transduction_)
    many = few_forests(metric=metric).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(many.predict(sp.csc_array(X)), many.transduction_)


def test_sparse_metric_that_is_not_there():
    with pytest.raises(ValueError, match=r"does not take a sparse X.*X.toarray\(\)"):
        few_forests(metric="canberra").fit(sp.csr_array(thinned()), whole_numbers()[1])


# ------------------------------------------------------------------------------------------ frames

NAMES = ["petal", "sepal", "third", "fourth"]


def pandas_frame(X, names=NAMES):
    return pd.DataFrame(X, columns=names, index=np.arange(len(X))[::-1])


def polars_frame(X, names=NAMES):
    return pl.DataFrame(X, schema=list(names))


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
def test_frames_keep_the_names_of_their_columns(frame):
    X, y = whole_numbers()
    check_form(frame(X), X)
    for model in fit_all(frame(X), y):
        assert model.feature_names_in_.tolist() == NAMES
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame(X, ["petal", "sepal", "third", "other"]))
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame(X[:, [1, 0, 2, 3]], [NAMES[k] for k in (1, 0, 2, 3)]))
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict(X)


def test_plain_rows_have_no_names():
    X, y = whole_numbers()
    for model in fit_all(X, y):
        assert not hasattr(model, "feature_names_in_")
        with pytest.warns(UserWarning, match="was fitted without feature names"):
            model.predict(pandas_frame(X))


def test_fitting_again_on_plain_rows_forgets_the_names():
    X, y = whole_numbers()
    model = few_forests().fit(pandas_frame(X), y).fit(X, y)
    assert not hasattr(model, "feature_names_in_")


def test_frames_of_several_types():
    X, y = whole_numbers()
    frame = pandas_frame(X).astype(
        {"petal": "int8", "sepal": "Int64", "third": "float32", "fourth": "Float64"}
    )
    check_form(frame, X)
    weight = pd.Series(np.arange(len(X)) % 3, index=frame.index)
    model = few_forests().fit(frame, pd.Series(y, index=frame.index), weight)
    check_same(model, few_forests().fit(X, y, weight.to_numpy()))


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
def test_a_new_row_of_a_frame_is_explained(frame):
    X, y = whole_numbers()
    model = few_forests().fit(frame(X), y)
    assert model.explain(frame(X)[3:4]).label == model.transduction_[3]


# --------------------------------------------------------------------------------- what is refused


NO_TABLES = {
    "one dimension": ([1.0, 2.0, 3.0], "Expected 2D array"),
    "three dimensions": (np.zeros((3, 2, 2)), "dim 3"),
    "strings": ([["a"], ["b"], ["c"]], r"X holds text in column 0 \('a' in row 0\)"),
    "no rows": (np.zeros((0, 2)), r"0 sample\(s\)"),
    "no columns": (np.zeros((3, 0)), r"0 feature\(s\)"),
    "NaN": ([[1.0], [np.nan], [2.0]], r"X contains NaN.*row 1, column 0"),
    "infinity": ([[1.0], [np.inf], [2.0]], r"X contains infinity.*row 1, column 0"),
    "complex": (np.full((3, 1), 1j), "Complex data not supported"),
    "sparse NaN": (sp.csr_array([[1.0, 0.0], [0.0, np.nan], [2.0, 0.0]]), r"NaN.*row 1, column 1"),
}


@pytest.mark.parametrize(("X", "words"), NO_TABLES.values(), ids=NO_TABLES)
@pytest.mark.parametrize("model", [few_forests(), few_forests_of_numbers(), LoDOG()], ids=str)
def test_what_is_no_table_of_numbers(model, X, words):
    with pytest.raises(ValueError, match=words):
        clone(model).fit(X, [0, 1, 2])


@pytest.mark.parametrize("model", [few_forests(), few_forests_of_numbers(), LoDOG()], ids=str)
def test_prediction_checks_its_rows(model):
    X, y = whole_numbers()
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    model = clone(model).fit(X, y)
    with pytest.raises(ValueError, match="4 features"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match=r"X contains NaN.*row 0, column 1"):
        model.predict([[1.0, np.nan, 1.0, 1.0]])
    with pytest.raises(ValueError, match=r"X contains infinity"):
        model.predict([[1.0, np.inf, 1.0, 1.0]])


# ----------------------------------------------------------------------------------------- weights


def test_weight_2_is_the_row_twice():
    X, y, _ = iris()
    rng = np.random.default_rng(2)
    times = rng.integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), times - 1)
    rows = np.concatenate([np.arange(len(X)), again])
    for weighted, written in zip(fit_all(X, y, times), fit_all(X[rows], y[rows]), strict=True):
        np.testing.assert_array_equal(weighted.tree_.parent, written.tree_.parent)
        np.testing.assert_array_equal(weighted.tree_.population, written.tree_.population)
        np.testing.assert_allclose(answers(weighted)[rows], answers(written), rtol=1e-12)


@pytest.mark.slow
def test_rows_of_weight_0_are_left_out_and_answered_like_new_rows():
    X, y, _ = iris(every=4)
    inside = np.random.default_rng(5).random(len(X)) < 0.7
    X[~inside] += 0.05
    for weighted, without in zip(
        fit_all(X, y, inside.astype(float)), fit_all(X[inside], y[inside]), strict=True
    ):
        assert (weighted.tree_.node_of >= 0).tolist() == inside.tolist()
        np.testing.assert_array_equal(weighted.tree_.parent, without.tree_.parent)
        np.testing.assert_array_equal(answers(weighted)[inside], answers(without))
        np.testing.assert_array_equal(answers(weighted)[~inside], without.predict(X[~inside]))
        np.testing.assert_array_equal(weighted.predict(X), answers(weighted))


def test_a_label_of_weight_0_decides_nothing():
    X, y, _ = iris()
    wrong = np.append(y, 2)
    rows, weight = np.vstack([X, X[:1]]), np.append(np.ones(len(X)), 0.0)
    model = few_forests().fit(rows, wrong, weight)
    plain = few_forests().fit(X, y)
    np.testing.assert_array_equal(model.label_distributions_[:-1], plain.label_distributions_)
    assert model.transduction_[-1] == plain.transduction_[0] == 0


@pytest.mark.parametrize("weight", [[1, 2], [-1] * 150, [np.nan] * 150, [0] * 150, ["a"] * 150])
def test_bad_weights(weight):
    X, y, _ = iris()
    for model in (few_forests(), few_forests_of_numbers(), LoDOG()):
        with pytest.raises(ValueError, match="sample_weight"):
            model.fit(X, y, sample_weight=weight)


# ------------------------------------------------------------------------------- threads and memory


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n_jobs", [2, 3, -1, None])
def test_threads_do_not_matter(n_jobs):
    X, y, _ = iris()
    new = X + 0.03
    for model, plain in zip(fit_all(X, y, n_jobs=n_jobs), fit_all(X, y, n_jobs=1), strict=True):
        check_same(model, plain)
        np.testing.assert_array_equal(model.predict(new), plain.predict(new))


@pytest.mark.parametrize("bad", [0, 1.5, "all"])
def test_bad_number_of_threads(bad):
    X, y, _ = iris()
    with pytest.raises(ValueError, match="n_jobs"):
        few_forests(n_jobs=bad).fit(X, y)


# ---------------------------------------------------------------------------------- other metrics


def distances(A, B):
    """Exact for whole numbers."""
    return np.sqrt(((A[:, None] - B) ** 2).sum(-1))


def stored(D):
    """A sparse matrix that stores every entry, the zeros too."""
    row, column = np.nonzero(np.ones_like(D))
    graph = sp.coo_array((D.ravel(), (row, column)), shape=D.shape).tocsr()
    assert graph.nnz == D.size
    return graph


@pytest.mark.parametrize("form", [np.asarray, stored])
def test_precomputed_distances_are_as_good_as_rows(form):
    X, y = whole_numbers()
    new = np.random.default_rng(0).integers(0, 80, (60, 4)).astype(float)
    D, D_new = form(distances(X, X)), form(distances(new, X))
    for model, plain in zip(
        fit_all(D, y, pair="one tree", metric="precomputed"),
        fit_all(X, y, pair="one tree"),
        strict=True,
    ):
        check_same(model, plain)
        np.testing.assert_array_equal(model.predict(D), answers(plain))
        np.testing.assert_array_equal(model.predict(D_new), plain.predict(new))


def test_precomputed_with_rows_of_weight_0():
    X, y = whole_numbers()
    weight = (np.arange(len(X)) % 7 != 0).astype(float)
    D = distances(X, X)
    for form in (D, stored(D)):
        for model, plain in zip(
            fit_all(form, y, weight, pair="one tree", metric="precomputed"),
            fit_all(X, y, weight, pair="one tree"),
            strict=True,
        ):
            check_same(model, plain)


def test_precomputed_distances_may_be_stored_as_a_graph():
    X, y = whole_numbers()
    D = distances(X, X)
    weight = (np.arange(len(X)) % 7 != 0).astype(float)
    for model, plain in zip(
        fit_all(stored(D), y, weight, metric="precomputed"),
        fit_all(D, y, weight, metric="precomputed"),
        strict=True,
    ):
        check_same(model, plain)
        np.testing.assert_array_equal(model.predict(stored(D)), answers(plain))


def test_precomputed_is_cut_by_columns_in_cross_validation():
    X, y = whole_numbers()
    folds = LabelledKFold(3)
    # One forest: ties of an ensemble go by the points, which a matrix does not have.
    rows = cross_val_score(one_tree(), X, y, cv=folds)
    matrix = cross_val_score(one_tree(metric="precomputed"), distances(X, X), y, cv=folds)
    np.testing.assert_array_equal(rows, matrix)


def test_negative_distances_of_new_rows_are_refused():
    X, y = whole_numbers()
    D = distances(X, X)
    model = few_forests(metric="precomputed").fit(D, y)
    with pytest.raises(ValueError, match="negative"):
        model.predict(-D[:3])


def with_holes(X):
    holes = np.random.default_rng(1).random(X.shape) < 0.15
    holes[:, 2] = False
    return np.where(holes, np.nan, X)


def test_missing_values():
    X, y = whole_numbers()
    holes = with_holes(X)
    D = pairwise_distances(holes, metric="nan_euclidean")
    for model, plain in zip(
        fit_all(holes, y, metric="nan_euclidean"), fit_all(D, y, metric="precomputed"), strict=True
    ):
        np.testing.assert_array_equal(model.tree_.node_of, plain.tree_.node_of)
        np.testing.assert_allclose(model.tree_.delta, plain.tree_.delta, rtol=1e-6)
        np.testing.assert_array_equal(model.predict(holes), answers(model))


def test_without_missing_values_nan_euclidean_is_euclidean():
    X, y = whole_numbers()
    for model, plain in zip(
        fit_all(X, y, metric="nan_euclidean"), fit_all(X, y, metric="euclidean"), strict=True
    ):
        check_same(model, plain)


def test_a_new_row_that_shares_no_value_with_any_is_no_nonsense():
    """Its distances are not defined."""
    X, y = whole_numbers()
    model = few_forests(metric="nan_euclidean").fit(with_holes(X), y)
    with pytest.raises(ValueError, match=r"NaN|missing|distance"):
        model.predict_proba([[np.nan] * 4])


def test_true_or_false_metrics_warn_of_other_numbers():
    with pytest.warns(DataConversionWarning, match="other than 0 counts as true"):
        few_forests(metric="jaccard").fit(thinned(), whole_numbers()[1])


def test_metric_of_ones_own_and_its_parameters():
    X, y = whole_numbers()
    # One forest: ties of an ensemble go by the points, which a matrix does not have.
    model = one_tree(metric=own_metric).fit(X[:60], y[:60])
    D = np.array([[own_metric(a, b) for b in X[:60]] for a in X[:60]])
    check_same(model, one_tree(metric="precomputed").fit(D, y[:60]))
    cubic = few_forests(metric="minkowski", metric_params={"p": 3}).fit(X, y)
    D = (np.abs(X[:, None] - X) ** 3).sum(-1) ** (1 / 3)
    np.testing.assert_allclose(
        cubic.tree_.delta, few_forests(metric="precomputed").fit(D, y).tree_.delta
    )


# --------------------------------------------------------------------- scikit-learn's own machinery


def test_pipeline():
    X, y, truth = iris()
    scaled = StandardScaler().fit_transform(X)
    for model in (few_forests(), few_forests_of_numbers(), LoDOG()):
        labels = targets(y) if isinstance(model, LaPOLeaFRegressor) else y
        pipe = make_pipeline(StandardScaler(), model).fit(X, labels)
        plain = clone(model).fit(scaled, labels)
        np.testing.assert_array_equal(answers(pipe[-1]), answers(plain))
        np.testing.assert_array_equal(pipe.predict(X), answers(plain))
    pipe = make_pipeline(StandardScaler(), few_forests()).fit(X, y)
    assert pipe.score(X, truth) > 0.75


def test_clone_takes_parameters_and_nothing_else():
    X, y, _ = iris()
    for model in (
        one_tree(percent=5, missing_label=-1, n_trees=4),
        few_forests(missing_label=-1, class_prior=[1, 2, 1]),
    ):
        model.fit(X, y)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "tree_")
        assert "_state" not in vars(copy)
        check_same(copy.fit(X, y), model)


@pytest.mark.parametrize("send", [pickle, joblib], ids=["pickle", "joblib"])
@pytest.mark.parametrize("metric", ["euclidean", "canberra", "precomputed"])
def test_stored_models_answer_alike(tmp_path, send, metric):
    X, y = whole_numbers()
    rows = distances(X, X) if metric == "precomputed" else X
    for model in fit_all(rows, y, metric=metric, n_jobs=1):
        if send is pickle:
            again = pickle.loads(pickle.dumps(model))
        else:
            joblib.dump(model, tmp_path / "model")
            again = joblib.load(tmp_path / "model")
        check_same(again, model)
        np.testing.assert_array_equal(again.predict(rows), answers(model))
        if not isinstance(model, LoDOG):
            assert str(again.explain(7)) == str(model.explain(7))


@pytest.mark.slow
def test_grid_search_over_strings_and_none():
    X, y, truth = iris(every=5)
    species = load_iris().target_names
    names = np.where(y < 0, None, species[y])
    searches = [
        GridSearchCV(one_tree(), {"percent": [2, 20], "n_trees": [None, 3]}, cv=LabelledKFold(3)),
        GridSearchCV(few_forests(), {"mu": ["auto", 0.1]}, cv=LabelledKFold(3)),
    ]
    for search in searches:
        for form in (names, names.tolist(), pd.Series(names)):
            search.fit(X, form)
            assert search.best_score_ > 0.8
            assert np.mean(search.predict(X) == species[truth]) > 0.8


NUMBER_GRIDS = [
    (one_tree_of_numbers(), {"percent": [2, 20]}),
    (few_forests_of_numbers(), {"experts": ["auto", None]}),
]


def test_grid_search_for_numbers():
    X, truth = (part[:150] for part in load_diabetes(return_X_y=True))
    y = np.where(np.arange(len(X)) % 2 == 0, truth + 0.5, np.nan)
    for model, grid in NUMBER_GRIDS:
        search = GridSearchCV(model, grid, cv=LabelledKFold(4)).fit(X, y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_estimator_.tree_.n_rows == len(X)


@pytest.mark.slow
def test_grid_search_for_several_numbers():
    X, truth = (part[:150] for part in load_diabetes(return_X_y=True))
    y = np.column_stack([truth, -truth])
    y[::2, 0], y[::3, 1] = np.nan, np.nan
    for model, grid in NUMBER_GRIDS:
        search = GridSearchCV(model, grid, cv=LabelledKFold(3))
        assert search.fit(X, y).predict(X).shape == y.shape
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_cross_validation_by_hand():
    """The score of each fold is the accuracy on its labelled rows, with the rest in training."""
    X, y, truth = iris(every=4)
    folds = LabelledKFold(4, shuffle=True, random_state=0)
    scores = cross_val_score(few_forests(), X, y, cv=folds)
    for score, (train, test) in zip(scores, folds.split(X, y), strict=True):
        assert (y[train] == -1).sum() == (y == -1).sum()
        model = few_forests().fit(X[train], y[train])
        assert score == np.mean(model.predict(X[test]) == truth[test])


def test_parameters_are_checked_in_fit():
    X, y, _ = iris()
    for bad in ({"percent": 0}, {"percent": "a"}, {"bandwidth": -1}, {"alpha": 1.0}, {"cost": "x"}):
        (name,) = bad
        for kind in (LeadingForestClassifier, LeadingForestRegressor, LoDOG):
            with pytest.raises(ValueError, match=name):
                kind(**bad).fit(X, y)
    for kind in (LaPOLeaFClassifier, LaPOLeaFRegressor):
        with pytest.raises(ValueError, match="bandwidth"):
            kind(bandwidth=-1).fit(X, y)
    for kind in (LeadingForestClassifier, LeadingForestRegressor):
        for number in (0, 151, 2.5):
            with pytest.raises(ValueError, match=f"n_trees={number}"):
                kind(n_trees=number).fit(X, y)
