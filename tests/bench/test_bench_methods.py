"""The methods that ours is compared with."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import minmax_scale

from lapoleaf import LaPOLeaFClassifier
from lapoleaf.baselines.graphs import neighbour_graph
from benchmarks.methods.graphs import llgc, one_hot_of, poisson, poisson_on
from benchmarks.methods.regressors import REGRESSION_RIVALS
from benchmarks.methods.classifiers import RIVALS, kernel_ridge
from benchmarks.data.splits import labels_a_class


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X), y, np.where(labels_a_class(y, 5, seed=1), y, -1)


def test_poisson_on_a_graph_that_is_there_is_poisson_learning(iris):
    X, _, y = iris
    np.testing.assert_array_equal(poisson_on(neighbour_graph(X), X, y), poisson(X, y))


@pytest.mark.parametrize("method", [llgc, poisson])
def test_what_no_label_reaches_gets_the_nearest_one(method):
    X = np.concatenate([np.arange(20.0), 100 + np.arange(20.0), 130 + np.arange(20.0)])[:, None]
    y = np.full(60, -1)
    y[[2, 25]] = [4, 7]
    assert method(X, y).tolist() == [4] * 20 + [7] * 40


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_find_the_classes_of_iris(name, iris):
    X, truth, y = iris
    found = RIVALS[name](X, y)
    assert found.shape == truth.shape
    assert np.mean(found[y < 0] == truth[y < 0]) > 0.8
    assert (y == np.where(y < 0, -1, truth)).all()  # what was given is not written into


@pytest.mark.parametrize("name", RIVALS)
def test_numbers_of_classes_need_not_be_without_gaps(name):
    X, truth = make_blobs([15, 15], centers=[[0, 0], [9, 9]], random_state=0)
    y = np.full(30, -1)
    for label in (0, 1):
        y[np.flatnonzero(truth == label)[:6]] = 2 + 3 * label
    np.testing.assert_array_equal(RIVALS[name](X, y), 2 + 3 * truth)


@pytest.mark.filterwarnings("ignore:y has one class only")
@pytest.mark.parametrize("name", RIVALS)
def test_where_one_class_is_given_it_is_the_answer(name):
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.full(20, -1)
    y[[3, 5]] = 2
    assert RIVALS[name](X, y).tolist() == [2] * 20


def test_paper_is_the_published_algorithm(iris):
    X, _, y = iris
    expected = LaPOLeaFClassifier.as_published().fit(X, y).transduction_
    np.testing.assert_array_equal(RIVALS["paper"](X, y), expected)


def test_kernel_ridge_is_that_of_scikit_learn(iris):
    X, _, y = iris
    given = y >= 0
    model = KernelRidge(kernel="rbf", gamma=1 / (4 * X.var()), alpha=0.1)
    scores = model.fit(X[given], one_hot_of(y)[1][given] - 1 / 3).predict(X)
    np.testing.assert_array_equal(kernel_ridge(X, y), scores.argmax(axis=1))


@pytest.mark.parametrize("name", REGRESSION_RIVALS)
def test_regression_rivals_find_a_slope(name):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    truth = 100 + 30 * X[:, 0]
    y = np.where(rng.random(200) < 0.3, truth, np.nan)
    found = REGRESSION_RIVALS[name](X, y)
    hidden = np.isnan(y)
    assert found.shape == (200,)
    assert np.mean((found - truth)[hidden] ** 2) < 0.1 * truth.var()


@pytest.mark.parametrize("name", REGRESSION_RIVALS)
def test_equal_targets_are_the_answer(name):
    X = np.random.default_rng(0).uniform(size=(20, 2))
    y = np.where(np.arange(20) < 3, 7.0, np.nan)
    np.testing.assert_allclose(REGRESSION_RIVALS[name](X, y), 7.0)
