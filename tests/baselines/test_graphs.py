"""Graphs of near rows, and the two methods that solve on them."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.semi_supervised import LabelSpreading

from lapoleaf.baselines import LLGC, PoissonLearning
from lapoleaf.baselines.graphs import Surroundings, full_graph, neighbour_graph
from lapoleaf.baselines.llgc import full_scores, sparse_scores
from lapoleaf.baselines.poisson import (
    in_usual_heights,
    mixing_steps,
    potential,
    sources,
    walked_potential,
)


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


def first_of_each(truth):
    """Labels of the first row of every class."""
    y = np.full(len(truth), -1)
    y[np.unique(truth, return_index=True)[1]] = np.unique(truth)
    return y


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


@pytest.mark.parametrize("n_neighbors", [10, None])
def test_many_equal_rows_are_not_cut_off(n_neighbors):
    rng = np.random.default_rng(0)
    clouds = [rng.normal(size=(100, 2)) + middle for middle in ([0, 0], [12, 0])]
    X = np.concatenate([[*c, *np.repeat(c.mean(axis=0)[None], 15, axis=0)] for c in clouds])
    y = np.full(230, -1)
    y[[100, 215]] = [0, 1]
    labels = np.eye(230)[:, [100, 215]]
    assert (sparse_scores(neighbour_graph(X), labels).max(axis=1) > 0).all()
    found = LLGC(n_neighbors=n_neighbors).fit(X, y)
    assert found.transduction_.tolist() == [0] * 115 + [1] * 115


@pytest.mark.parametrize("n_neighbors", [10, None])
@pytest.mark.parametrize("sigma", [1e200, 10**200, 1e-200])
def test_a_width_of_any_size(cloud, n_neighbors, sigma):
    W = neighbour_graph(cloud, 10, sigma) if n_neighbors else full_graph(cloud, sigma)
    assert sp.csr_array(W).nnz == 0 if sigma < 1 else W.max() == 1.0
    y = np.where(np.arange(60) < 6, np.arange(60) % 2, -1)
    found = LLGC(n_neighbors=n_neighbors, sigma=sigma).fit(cloud, y)
    np.testing.assert_array_equal(found.predict(cloud), found.transduction_)
    if sigma < 1:
        nearest = np.linalg.norm(cloud[:, None] - cloud[None, :6], axis=2).argmin(axis=1)
        np.testing.assert_array_equal(found.transduction_, y[nearest])


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
    np.testing.assert_allclose(sparse_scores(graph, labels), expected, rtol=1e-9)
    np.testing.assert_allclose(full_scores(W, labels), expected, rtol=1e-9)


def chain(n):
    """Rows side by side, each joined to the next by a weight of 1."""
    return sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.99])
def test_llgc_solves_its_equation_far_from_the_labels(alpha):
    labels = np.zeros((300, 2))
    labels[[0, 299], [0, 1]] = 1.0
    found = sparse_scores(chain(300), labels, alpha)
    # Sums of terms that are not negative: every digit is right, however small the number.
    W = chain(300).toarray()
    root = np.sqrt(W.sum(axis=1))
    S, expected = W / np.outer(root, root), labels.copy()
    for _ in range(5000 if alpha > 0.9 else 1000):
        expected = labels + alpha * S @ expected
    assert expected[150].max() < (1e-8 if alpha > 0.9 else 1e-80)
    best = expected.max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / best, expected / best, atol=1e-4)
    # Too far for a number: still the right order.
    labels = np.zeros((3001, 2))
    labels[[0, 3000], [0, 1]] = 1.0
    found = sparse_scores(chain(3001), labels, alpha)
    assert found.argmax(axis=1)[:1500].max() == 0
    assert found.argmax(axis=1)[1501:].min() == 1
    assert (found.max(axis=1) > 0).all()


@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.99])
def test_llgc_follows_a_long_shape_to_its_end(alpha):
    X, truth = make_moons(1500, noise=0.05, random_state=0)
    found = LLGC(alpha=alpha).fit(X, first_of_each(truth))
    np.testing.assert_array_equal(found.transduction_, truth)


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


def test_poisson_in_a_long_part_of_the_graph_goes_by_its_labels():
    graph = sp.block_diag([chain(1000), chain(1000), chain(1000)], format="csr")
    labels = np.zeros((3000, 3))
    labels[[0, 1000, 1999, 2000], [0, 1, 2, 2]] = 1.0
    found = potential(graph, sources(labels.any(axis=1), labels))
    scores = found / labels.sum(axis=0)
    assert set(scores[:1000].argmax(axis=1)) == {0}
    assert set(scores[1000:2000].argmax(axis=1)) == {1, 2}
    assert set(scores[2000:].argmax(axis=1)) == {2}
    # In every part, the equation up to what is taken away evenly.
    left = laplacian(graph.toarray()) @ found - sources(labels.any(axis=1), labels)
    for start in (0, 1000, 2000):
        evenly = (left / graph.sum(axis=1)[:, None])[start : start + 1000]
        np.testing.assert_allclose(evenly, evenly[:1].repeat(1000, axis=0), atol=1e-7)


@pytest.mark.parametrize("solver", ["walk", "exact"])
def test_poisson_decides_far_from_the_labels(solver):
    X, truth = make_moons(4000 if solver == "walk" else 500, noise=0.02, random_state=0)
    found = PoissonLearning(solver=solver).fit(X, first_of_each(truth))
    np.testing.assert_array_equal(found.transduction_, truth)
    np.testing.assert_array_equal(found.predict(X), truth)
    np.testing.assert_array_equal(found.label_distributions_.argmax(axis=1), truth)


@pytest.mark.parametrize("solver", ["walk", "exact"])
def test_poisson_with_a_labelled_row_far_away(solver):
    blobs = make_blobs([150, 150], centers=[[0, 0], [8, 0]], shuffle=False, random_state=0)[0]
    X = np.concatenate([blobs, [[0, 50]]])
    truth = np.repeat([0, 1, 0], [150, 150, 1])
    y = first_of_each(truth)
    y[-1] = 0
    found = PoissonLearning(solver=solver).fit(X, y)
    np.testing.assert_array_equal(found.transduction_, truth)
    np.testing.assert_array_equal(found.predict_proba(X).argmax(axis=1), truth)
    # Some rows are sure, some are not.
    assert np.ptp(found.label_distributions_.max(axis=1)) > 0.1


def test_scores_in_usual_heights():
    scores = np.array([[1e-30, 2e-30, 0], [0, 0, 0], [1, 0, -1], [3, 2, 1], [-1e290, 0, 1e290]])
    found = in_usual_heights(scores)
    np.testing.assert_array_equal(found.argsort(axis=1), scores.argsort(axis=1))
    np.testing.assert_allclose(np.ptp(found, axis=1), [1e-30, 0, 1, 1, 10])


@pytest.mark.slow
def test_conjugate_gradients_that_fail_say_so():
    X, truth = load_digits(return_X_y=True)
    X, y = X[:300], np.where(np.arange(300) < 50, truth[:300], -1)
    message = r"PoissonLearning\(solver='exact'\) did not converge for .* use solver='walk'"
    with pytest.warns(ConvergenceWarning, match=message):
        PoissonLearning(solver="exact", sigma=2.0).fit(X, y)


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


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_columns", [3, 20])
@pytest.mark.parametrize("sigma", [None, 0.5])
def test_new_rows_have_the_mean_around_them(sigma, n_columns, as_rows):
    rng = np.random.default_rng(1)
    cloud, values = rng.normal(size=(60, n_columns)), rng.uniform(size=(60, 2))
    around = Surroundings(as_rows(cloud), 4, sigma)
    np.testing.assert_array_equal(around.mean(values, as_rows(cloud)), values)
    new = cloud[:3] + 0.3
    for row, found in zip(new, around.mean(values, as_rows(new)), strict=True):
        distance = np.linalg.norm(cloud - row, axis=1)
        near = np.argsort(distance)[:4]
        scale = distance[near[-1]] ** 2 / 2 if sigma is None else 2 * sigma**2
        weights = np.exp(-(distance[near] ** 2) / scale)
        np.testing.assert_allclose(found, weights @ values[near] / weights.sum())
    far = around.mean(values, as_rows(np.full((1, n_columns), 1e6)))
    assert np.isfinite(far).all()
