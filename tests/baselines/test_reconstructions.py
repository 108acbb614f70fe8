"""FLP and RGSSL-MCC: what the reconstructions promise."""

import numpy as np
import pytest
import scipy.sparse as sp
from marks import slow
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale

from benchmarks.data.splits import labels_a_class
from lapoleaf.baselines import FLP, RGSSLMCC
from lapoleaf.baselines.flp import (
    _descended,
    first_projection,
    harmony,
    harmony_gradient,
    walk_on,
)
from lapoleaf.baselines.graphs import neighbour_graph
from lapoleaf.baselines.rgssl_mcc import supervised_laplacian, total_variance


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
    assert model.objective_[-1] < 0.2 * model.objective_[0]
    labels = model.label_distributions_
    P = walk_on(X @ model.projection_)
    assert model.objective_[-1] == pytest.approx(harmony(P, labels), rel=1e-6)
    np.testing.assert_array_equal(model.transduction_[y >= 0], truth[y >= 0])
    np.testing.assert_array_equal(model.predict(X), model.transduction_)


@pytest.mark.parametrize("length", [0.1, 100.0])
def test_a_step_of_the_features_of_flp_never_leads_up(few_labels, length):
    X, truth, _ = few_labels
    labels = np.eye(3)[truth]
    projection = first_projection(X, 3, 10.0)
    walk, values = walk_on(X @ projection), []
    for _ in range(30):
        values.append(harmony(walk, labels))
        projection, walk, length = _descended(X, projection, walk, labels, length)
        np.testing.assert_allclose(walk.weights, walk_on(X @ projection).weights)
    assert (np.diff(values) <= 0.0).all()
    assert values[-1] < 0.9 * values[0]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_a_usual_run_of_flp_ends_by_itself(load):
    """A warning would be an error."""
    X, truth = load(return_X_y=True)
    for seed in range(3):
        y = np.where(labels_a_class(truth, 5, seed=seed), truth, -1)
        model = FLP().fit(minmax_scale(X), y)
        change = np.abs(np.diff(model.objective_)) / model.objective_[0]
        assert change[-1] <= 0.01 < change[:-1].min()
        assert model.n_iter_ == len(change)


def test_too_few_steps_bring_a_warning(few_labels):
    X, _, y = few_labels
    with pytest.warns(ConvergenceWarning, match="FLP stopped after max_rounds=2 while"):
        assert FLP(max_rounds=2).fit(X, y).n_iter_ == 2
    with pytest.warns(ConvergenceWarning, match="RGSSLMCC stopped after max_iter=2 steps"):
        assert RGSSLMCC(max_iter=2).fit(X, y).n_iter_ == 2


def test_the_median_distance_of_many_rows_is_that_of_a_sample():
    rows = np.random.default_rng(0).normal(size=(1500, 3))
    features = rows @ first_projection(rows, 3, spread=7.0)
    squares = ((features[:, None] - features) ** 2).sum(axis=2)
    assert np.median(squares[np.triu_indices(1500, 1)]) == pytest.approx(7.0, rel=0.05)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("mu", [None, 0.01])
@pytest.mark.parametrize("width", [0.2, 1.0, *slow(0.3)])
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
    model = RGSSLMCC(width=0.5, lam=0.2).fit(X, y)
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


def test_a_width_so_small_that_no_label_counts(few_labels):
    X, _, y = few_labels
    noisy = y.copy()
    given = np.flatnonzero(y >= 0)
    noisy[given[::4]] = (noisy[given[::4]] + 1) % 3
    message = r"width=0\.01 is so small that no given label counts: take a larger one or 'auto'"
    with pytest.raises(ValueError, match=message):
        RGSSLMCC(width=0.01, lam=1).fit(X, noisy)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_variance_of_all_columns(form):
    X = np.random.default_rng(0).poisson(0.3, size=(50, 7)).astype(float)
    assert total_variance(form(X)) == pytest.approx(X.var(axis=0).sum())
