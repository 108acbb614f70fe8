"""Graphs of near rows, and the two methods that solve on them."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.semi_supervised import LabelSpreading

from lapoleaf.baselines import LLGC, PoissonLearning
from lapoleaf.baselines.graphs import Surroundings, full_graph, neighbour_graph
from lapoleaf.baselines.llgc import full_scores, sparse_scores
from lapoleaf.baselines.poisson import mixing_steps, potential, sources, walked_potential


def graph_twin(X, k, sigma=None):
    """The weights from their definition."""
    n = len(X)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    nearest = [sorted(set(range(n)) - {i}, key=lambda j: distance[i, j])[:k] for i in range(n)]
    reach = [distance[i, nearest[i][-1]] for i in range(n)]
    W = np.zeros((n, n))
    for i in range(n):
        for j in nearest[i]:
            scale = reach[i] * reach[j] / 2 if sigma is None else 2 * sigma**2
            W[i, j] = W[j, i] = np.exp(-(distance[i, j] ** 2) / scale)
    return W


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("sigma", [None, 0.7])
def test_the_graph_is_that_of_its_definition(cloud, sigma):
    np.testing.assert_allclose(
        neighbour_graph(cloud, 5, sigma).toarray(), graph_twin(cloud, 5, sigma)
    )


def test_the_graph_of_few_rows_and_of_equal_ones():
    two = np.array([[0.0], [1.0]])
    np.testing.assert_allclose(neighbour_graph(two).toarray(), graph_twin(two, 1))
    assert neighbour_graph(two[:1]).shape == (1, 1)
    W = neighbour_graph(np.repeat([[0.0], [3.0]], 20, axis=0)).toarray()
    assert np.isfinite(W).all()
    assert not W.diagonal().any()
    assert W.max() == 1.0


def test_the_graph_of_all_pairs(cloud):
    distance = np.linalg.norm(cloud[:, None] - cloud[None], axis=2)
    gaussian = np.exp(-(distance**2) / (2 * 0.7**2)) - np.eye(60)
    np.testing.assert_allclose(full_graph(cloud, 0.7), gaussian, atol=1e-12)
    reach = np.sort(distance, axis=1)[:, 10]
    tuned = np.exp(-2 * distance**2 / np.outer(reach, reach)) - np.eye(60)
    np.testing.assert_allclose(full_graph(cloud), tuned, atol=1e-12)


def test_llgc_solves_its_equation(cloud):
    graph = neighbour_graph(cloud)
    labels = np.eye(60)[:, :3]
    W = graph.toarray()
    root = np.sqrt(W.sum(axis=1))
    expected = np.linalg.solve(np.eye(60) - 0.99 * W / np.outer(root, root), labels)
    np.testing.assert_allclose(sparse_scores(graph, labels), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(full_scores(W, labels), expected, rtol=1e-9)


@pytest.mark.parametrize("n_neighbors", [10, None])
@pytest.mark.parametrize("alpha", [0.5, 0.99])
def test_llgc_is_label_spreading_run_to_its_end(few_labels, n_neighbors, alpha):
    X, _, y = few_labels

    def graph(rows, _):
        return full_graph(rows) if n_neighbors is None else neighbour_graph(rows).toarray()

    spreading = LabelSpreading(kernel=graph, alpha=alpha, max_iter=10_000, tol=1e-12).fit(X, y)
    model = LLGC(alpha=alpha, n_neighbors=n_neighbors).fit(X, y)
    np.testing.assert_allclose(
        model.label_distributions_, spreading.label_distributions_, atol=1e-5
    )
    np.testing.assert_array_equal(model.transduction_, spreading.transduction_)


def test_poisson_solves_its_equation(cloud, few_labels):
    graph = neighbour_graph(cloud)
    assert connected_components(graph)[0] == 1
    W = graph.toarray()
    given = np.isin(np.arange(60), [3, 8, 11])
    labels = np.zeros((60, 2))
    labels[[3, 8, 11], [0, 1, 1]] = 1.0
    source = sources(given, labels)
    np.testing.assert_allclose(source[[3, 8]], [[2 / 3, -2 / 3], [-1 / 3, 1 / 3]])
    for found in (potential(graph, source), walked_potential(graph, source, 5000)):
        assert np.abs(laplacian(W) @ found - source).max() < 1e-8
        np.testing.assert_allclose(W.sum(axis=1) @ found, 0.0, atol=1e-8)
    X, _, y = few_labels
    X, y = X[50:], y[50:]
    model = PoissonLearning(solver="exact", n_neighbors=20).fit(X, y)
    W = neighbour_graph(X, 20).toarray()
    one_hot = (y[:, None] == model.classes_).astype(float)
    equation = laplacian(W) @ model.potential_ - sources(y >= 0, one_hot)
    assert np.abs(equation).max() < 1e-8


def test_poisson_in_parts_of_the_graph_is_where_the_published_steps_lead():
    X = np.concatenate([np.arange(20.0), 100 + np.arange(20.0)])[:, None]
    given = np.isin(np.arange(40), [2, 9, 25])
    labels = np.zeros((40, 2))
    labels[[2, 9, 25], [0, 1, 1]] = 1.0
    graph = neighbour_graph(X)
    assert connected_components(graph)[0] == 2
    source = sources(given, labels)
    np.testing.assert_allclose(
        potential(graph, source), walked_potential(graph, source, 1000), atol=1e-6
    )


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


@pytest.mark.parametrize("sigma", [None, 0.5])
def test_new_rows_have_the_mean_around_them(cloud, sigma):
    values = np.random.default_rng(1).uniform(size=(60, 2))
    around = Surroundings(cloud, 4, sigma)
    np.testing.assert_array_equal(around.mean(values, cloud), values)
    new = cloud[:3] + 0.3
    for row, found in zip(new, around.mean(values, new), strict=True):
        distance = np.linalg.norm(cloud - row, axis=1)
        near = np.argsort(distance)[:4]
        scale = distance[near[-1]] ** 2 / 2 if sigma is None else 2 * sigma**2
        weights = np.exp(-(distance[near] ** 2) / scale)
        np.testing.assert_allclose(found, weights @ values[near] / weights.sum())
    far = around.mean(values, np.full((1, 3), 1e6))
    assert np.isfinite(far).all()
