"""The registry of methods: ours, and the baselines."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import minmax_scale
from threadpoolctl import threadpool_limits

from benchmarks.data.splits import labels_a_class
from benchmarks.methods import METHODS, find, select
from benchmarks.methods.adapters import LeafPerLabels
from benchmarks.methods.classifiers import ShrunkenDiscriminants
from benchmarks.methods.graphs import one_hot_of, poisson_on
from benchmarks.methods.method import KINDS
from lapoleaf import LaPOLeaFClassifier
from lapoleaf.baselines.graphs import neighbour_graph

CLASSIFIERS = sorted({*select("classes", "clean"), *select("classes", "paper")} - {"lapoleaf"})
REGRESSORS = sorted({*select("numbers", "regression"), *select("numbers", "few targets")})


@pytest.fixture(autouse=True)
def one_thread():
    """Measure as the benchmarks do: threads of small problems only wait for each other."""
    with threadpool_limits(1):
        yield


def classes(name, X, y):
    return find("classes", name).make().fit(X, y).transduction_


def numbers(name, X, y):
    return find("numbers", name).make().fit(X, y).transduction_


def test_names_of_a_kind_are_unique_and_kinds_are_known():
    names = [(method.kind, method.name) for method in METHODS]
    assert len(set(names)) == len(names)
    assert {kind for kind, _ in names} == set(KINDS)


def test_every_method_is_made_anew_and_selected_somewhere():
    for method in METHODS:
        params = {"seed": 0} if method.kind in ("queries", "label errors") else method.grid[0]
        assert method.make(**params) is not method.make(**params)
        assert method.tags
        assert method.name in select(method.kind, method.tags[0])


def test_ours_come_first():
    for kind, tag in [
        ("classes", "clean"), ("classes", "images"), ("classes", "paper"), ("classes", "speed"),
        ("numbers", "regression"), ("numbers", "few targets"), ("forecasts", "water"),
        ("forecasts", "paired"),
        ("queries", "start"), ("queries", "rounds"), ("label errors", "doubt"),
    ]:  # fmt: skip
        first, *others = select(kind, tag).values()
        assert "ours" in first.tags
        # Beside it only the same with a part left out.
        assert all(method.name.startswith("no ") for method in others if "ours" in method.tags)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X), y, np.where(labels_a_class(y, 5, seed=1), y, -1)


def test_poisson_on_a_graph_that_is_there_is_poisson_learning(iris):
    X, _, y = iris
    np.testing.assert_array_equal(poisson_on(neighbour_graph(X), X, y), classes("poisson", X, y))


@pytest.mark.parametrize("name", ["llgc", "poisson"])
def test_what_no_label_reaches_gets_the_nearest_one(name):
    X = np.concatenate([np.arange(20.0), 100 + np.arange(20.0), 130 + np.arange(20.0)])[:, None]
    y = np.full(60, -1)
    y[[2, 25]] = [4, 7]
    assert classes(name, X, y).tolist() == [4] * 20 + [7] * 40


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_find_the_classes_of_iris(name, iris):
    X, truth, y = iris
    found = classes(name, X, y)
    assert found.shape == truth.shape
    assert np.mean(found[y < 0] == truth[y < 0]) > 0.8
    assert (y == np.where(y < 0, -1, truth)).all()  # what was given is not written into


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_numbers_of_classes_need_not_be_without_gaps(name):
    X, truth = make_blobs([15, 15], centers=[[0, 0], [9, 9]], random_state=0)
    y = np.full(30, -1)
    for label in (0, 1):
        y[np.flatnonzero(truth == label)[:6]] = 2 + 3 * label
    np.testing.assert_array_equal(classes(name, X, y), 2 + 3 * truth)


@pytest.mark.filterwarnings("ignore:y has one class only")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_where_one_class_is_given_it_is_the_answer(name):
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.full(20, -1)
    y[[3, 5]] = 2
    assert classes(name, X, y).tolist() == [2] * 20


def test_paper_is_the_published_algorithm(iris):
    X, _, y = iris
    expected = LaPOLeaFClassifier.as_published().fit(X, y).transduction_
    np.testing.assert_array_equal(classes("paper", X, y), expected)


def test_kernel_ridge_is_that_of_scikit_learn(iris):
    X, _, y = iris
    given = y >= 0
    model = KernelRidge(kernel="rbf", gamma=1 / (4 * X.var()), alpha=0.1)
    scores = model.fit(X[given], one_hot_of(y)[1][given] - 1 / 3).predict(X)
    np.testing.assert_array_equal(classes("kernel-ridge", X, y), scores.argmax(axis=1))


@pytest.mark.parametrize("name", ["lda", "boosting"])
def test_one_label_a_class_is_enough(name):
    X, truth = make_blobs([15, 15], centers=[[0, 0], [9, 9]], random_state=0)
    y = np.full(30, -1)
    y[[np.argmax(truth == 0), np.argmax(truth == 1)]] = 0, 1
    assert classes(name, X, y).shape == (30,)
    if name == "lda":
        np.testing.assert_array_equal(classes(name, X, y), truth)


def test_shrunken_discriminants_near_those_of_scikit_learn(iris):
    # Where labels are many, it hardly matters how they are shrunken.
    X, truth, _ = iris
    found = ShrunkenDiscriminants().fit(X, truth).predict(X)
    expected = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, truth).predict(X)
    assert np.mean(found == expected) > 0.96


def test_constant_columns_do_not_matter_to_discriminants(iris):
    X, truth, _ = iris
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    np.testing.assert_array_equal(
        ShrunkenDiscriminants().fit(wider, truth).predict(wider),
        ShrunkenDiscriminants().fit(X, truth).predict(X),
    )


@pytest.mark.parametrize(("n_labels", "leaf"), [(4, 1), (19, 1), (40, 4), (900, 20)])
def test_leaves_suit_the_number_of_labels(n_labels, leaf):
    X = np.random.default_rng(0).uniform(size=(n_labels, 2))
    model = LeafPerLabels(HistGradientBoostingRegressor(max_iter=1)).fit(X, X[:, 0])
    assert model.model.min_samples_leaf == leaf


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_find_a_slope(name):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    truth = 100 + 30 * X[:, 0]
    y = np.where(rng.random(200) < 0.3, truth, np.nan)
    found = numbers(name, X, y)
    hidden = np.isnan(y)
    assert found.shape == (200,)
    assert np.mean((found - truth)[hidden] ** 2) < 0.1 * truth.var()


# Those that are tuned by cross-validation need more than three targets.
@pytest.mark.parametrize("name", select("numbers", "regression"))
def test_equal_targets_are_the_answer(name):
    X = np.random.default_rng(0).uniform(size=(20, 2))
    y = np.where(np.arange(20) < 3, 7.0, np.nan)
    np.testing.assert_allclose(numbers(name, X, y), 7.0)
