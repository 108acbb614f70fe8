"""FLP and RGSSL-MCC: what the reconstructions promise."""

import numpy as np
import pytest

from lapoleaf.baselines import FLP, RGSSLMCC
from lapoleaf.baselines.flp import first_projection, harmony, harmony_gradient, walk_on
from lapoleaf.baselines.graphs import neighbour_graph
from lapoleaf.baselines.rgssl_mcc import supervised_laplacian


def harmony_twin(X, B, F):
    n = len(X)
    S = np.array(
        [[np.exp(-np.sum((B.T @ (X[i] - X[j])) ** 2)) for j in range(n)] for i in range(n)]
    )
    S -= np.eye(n)
    P = S / S.sum(axis=1, keepdims=True)
    return np.sum((F - P @ F) ** 2)


def test_the_gradient_of_flp_is_that_by_finite_differences():
    rng = np.random.default_rng(0)
    X, B, F = rng.normal(size=(15, 4)), rng.normal(size=(4, 2)), rng.uniform(size=(15, 3))
    walk = walk_on(X @ B)
    assert harmony(walk, F) == pytest.approx(harmony_twin(X, B, F))
    found = harmony_gradient(X, B, walk, F)
    for i in range(4):
        for j in range(2):
            step = np.zeros((4, 2))
            step[i, j] = 1e-6
            difference = harmony_twin(X, B + step, F) - harmony_twin(X, B - step, F)
            assert found[i, j] == pytest.approx(difference / 2e-6, rel=1e-5, abs=1e-8)


def test_the_first_projection_of_flp_has_its_spread(cloud):
    features = cloud @ first_projection(cloud, 2, spread=7.0)
    squares = ((features[:, None] - features) ** 2).sum(axis=2)
    assert np.median(squares[np.triu_indices(60, 1)]) == pytest.approx(7.0)


def test_flp_comes_nearer_to_harmony(few_labels):
    X, truth, y = few_labels
    model = FLP().fit(X, y)
    assert (np.diff(model.objective_) < 0).mean() > 0.5
    assert model.objective_[-1] < 0.9 * model.objective_[0]
    labels = model.label_distributions_
    P = walk_on(X @ model.projection_)
    assert model.objective_[-1] == pytest.approx(harmony(P, labels), rel=1e-6)
    np.testing.assert_array_equal(model.transduction_[y >= 0], truth[y >= 0])
    np.testing.assert_array_equal(model.predict(X), model.transduction_)


@pytest.mark.parametrize("mu", [None, 0.01])
@pytest.mark.parametrize("width", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_the_objective_of_rgssl_mcc_never_falls(few_labels, mu, width, lam):
    X, _, y = few_labels
    noisy = y.copy()
    given = np.flatnonzero(y >= 0)
    noisy[given[::4]] = (noisy[given[::4]] + 1) % 3
    model = RGSSLMCC(mu=mu, width=width, lam=lam, tol=0.0, max_iter=30).fit(X, noisy)
    assert len(model.objective_) > 3
    fall = -np.diff(model.objective_).min()
    assert fall <= 1e-9 * np.abs(model.objective_).max()


def test_rgssl_mcc_says_its_objective(few_labels):
    X, _, y = few_labels
    model = RGSSLMCC(width=0.5, lam=0.2, max_iter=4).fit(X, y)
    labels = (y[:, None] == model.classes_).astype(float)
    L = supervised_laplacian(neighbour_graph(X).toarray(), y >= 0, labels)
    trust = model.trust_
    F = np.linalg.solve(np.diag(trust) + 0.2 * L + 1e-8 * np.eye(150), trust[:, None] * labels)
    errors = ((F - labels)[y >= 0] ** 2).sum(axis=1)
    expected = 2 * 0.5**2 * np.exp(-errors / (2 * 0.5**2)).sum() - 0.2 * np.trace(F.T @ L @ F)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_given_labels_go_into_the_graph():
    graph = np.array([[0, 0.5, 0.5, 0], [0.5, 0, 0.2, 0], [0.5, 0.2, 0, 0.1], [0, 0, 0.1, 0]])
    given = np.array([True, True, False, True])
    labels = np.array([[1.0, 0], [0, 1], [0, 0], [1, 0]])
    W = np.array([[0, 0, 0.5, 1], [0, 0, 0.2, 0], [0.5, 0.2, 0, 0.1], [1, 0, 0.1, 0]])
    root = np.sqrt(W.sum(axis=1))
    np.testing.assert_allclose(
        supervised_laplacian(graph, given, labels), np.eye(4) - W / np.outer(root, root)
    )


def test_a_given_label_counts_as_much_as_it_is_found(few_labels):
    X, _, y = few_labels
    y = y.copy()
    y[np.flatnonzero(y == 1)[0]] = 0
    model = RGSSLMCC(width=0.3, lam=0.5, tol=1e-12, max_iter=500).fit(X, y)
    labels = (y[:, None] == model.classes_).astype(float)
    L = supervised_laplacian(neighbour_graph(X).toarray(), y >= 0, labels)
    trust = model.trust_
    F = np.linalg.solve(np.diag(trust) + 0.5 * L + 1e-8 * np.eye(150), trust[:, None] * labels)
    errors = ((F - labels)[y >= 0] ** 2).sum(axis=1)
    np.testing.assert_allclose(trust[y >= 0], np.exp(-errors / (2 * 0.3**2)), atol=1e-6)
    assert not trust[y < 0].any()


def test_rgssl_mcc_as_a_function_of_the_rows(few_labels):
    X, truth, y = few_labels
    model = RGSSLMCC(mu=0.01, lam=0.05).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), model.label_distributions_, atol=1e-9)
    assert np.mean(model.predict(X + 0.01) == truth) > 0.85
