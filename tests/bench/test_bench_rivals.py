"""The methods that ours is compared with."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris, make_blobs
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import minmax_scale

from lapoleaf import LaPOLeaFClassifier
from lapoleaf.bench.graph_rivals import (
    llgc,
    llgc_scores,
    mixing_steps,
    neighbour_graph,
    one_hot_of,
    poisson,
    poisson_potential,
)
from lapoleaf.bench.regression_rivals import REGRESSION_RIVALS
from lapoleaf.bench.rivals import RIVALS, kernel_ridge
from lapoleaf.bench.splits import labels_a_class


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X), y, np.where(labels_a_class(y, 5, seed=1), y, -1)


@pytest.fixture(scope="module")
def cloud():
    return np.random.default_rng(0).normal(size=(60, 3))


def graph_twin(X, k):
    """The weights from their definition."""
    n = len(X)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    nearest = [sorted(set(range(n)) - {i}, key=lambda j: distance[i, j])[:k] for i in range(n)]
    reach = [distance[i, nearest[i][-1]] for i in range(n)]
    W = np.zeros((n, n))
    for i in range(n):
        for j in nearest[i]:
            W[i, j] = W[j, i] = np.exp(-2 * distance[i, j] ** 2 / (reach[i] * reach[j]))
    return W


def test_the_graph_is_that_of_its_definition(cloud):
    np.testing.assert_allclose(neighbour_graph(cloud, 5).toarray(), graph_twin(cloud, 5))


def test_the_graph_of_few_rows_and_of_equal_ones():
    np.testing.assert_allclose(
        neighbour_graph(np.array([[0.0], [1.0]])).toarray(), graph_twin(np.array([[0.0], [1.0]]), 1)
    )
    W = neighbour_graph(np.repeat([[0.0], [3.0]], 20, axis=0)).toarray()
    assert np.isfinite(W).all()
    assert not W.diagonal().any()
    assert W.max() == 1.0


def test_llgc_solves_its_equation(cloud):
    graph = neighbour_graph(cloud)
    labels = np.eye(60)[:, :3]
    W = graph.toarray()
    root = np.sqrt(W.sum(axis=1))
    expected = np.linalg.solve(np.eye(60) - 0.99 * W / np.outer(root, root), labels)
    np.testing.assert_allclose(llgc_scores(graph, labels), expected, rtol=1e-5, atol=1e-7)


def test_poisson_solves_its_equation(cloud):
    graph = neighbour_graph(cloud)
    assert connected_components(graph)[0] == 1
    source = np.zeros((60, 2))
    source[[3, 8, 11]] = [[2 / 3, -2 / 3], [-1 / 3, 1 / 3], [-1 / 3, 1 / 3]]
    potential = poisson_potential(graph, source, 5000)
    W = graph.toarray()
    np.testing.assert_allclose((np.diag(W.sum(axis=1)) - W) @ potential, source, atol=1e-8)
    np.testing.assert_allclose(W.sum(axis=1) @ potential, 0.0, atol=1e-8)


def test_poisson_stops_when_the_walk_has_mixed(cloud):
    graph = neighbour_graph(cloud)
    steps = mixing_steps(graph, np.arange(60) < 1, fewest=0)
    W = graph.toarray()
    step = W / W.sum(axis=0)
    end = W.sum(axis=1) / W.sum()

    def far(steps):
        return np.abs(np.linalg.matrix_power(step, steps)[:, 0] - end).max() > 1 / 60

    assert far(steps - 1)
    assert not far(steps)
    assert mixing_steps(graph, np.arange(60) < 1) == max(50, steps)
    apart = neighbour_graph(np.repeat([[0.0], [3.0]], 20, axis=0))
    assert mixing_steps(apart, np.arange(40) < 1) == 1000


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
