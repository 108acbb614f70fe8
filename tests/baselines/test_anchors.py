"""Anchors: how rows are made of them, and the labels they carry."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from lapoleaf.baselines import AGR, HAGR
from lapoleaf.baselines.anchor_graph import class_masses
from lapoleaf.baselines.anchors import Anchors, find_anchors
from lapoleaf.baselines.embedding import local_anchor_embedding, on_simplex
from lapoleaf.baselines.hagr import _usual_sizes


def qp_twin(x, U):
    """The best convex combination of the columns of U by a general solver."""
    s = U.shape[1]
    best = minimize(
        lambda z: 0.5 * np.sum((x - U @ z) ** 2),
        np.full(s, 1 / s),
        jac=lambda z: U.T @ (U @ z - x),
        bounds=[(0, 1)] * s,
        constraints={"type": "eq", "fun": lambda z: z.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return best.x


def agr_twin(Z, given, labels, gamma):
    """The labels of the anchors from the graph of all rows."""
    W = Z @ np.diag(1 / Z.sum(axis=0)) @ Z.T
    L = np.diag(W.sum(axis=1)) - W
    Zl = Z[given]
    system = Zl.T @ Zl + gamma * Z.T @ L @ Z + 1e-6 * np.eye(Z.shape[1])
    return np.linalg.solve(system, Zl.T @ labels[given])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_local_anchor_embedding_is_what_a_qp_solver_finds(form):
    rng = np.random.default_rng(0)
    X, anchors = rng.normal(size=(40, 6)), rng.normal(size=(12, 6))
    nearest = np.array([rng.permutation(12)[:4] for _ in range(40)])
    found = local_anchor_embedding(form(X), anchors, nearest, n_steps=2000, tol=0.0)
    for x, z, which in zip(X, found, nearest, strict=True):
        U = (anchors / np.linalg.norm(anchors, axis=1, keepdims=True))[which].T
        np.testing.assert_allclose(z, qp_twin(x / np.linalg.norm(x), U), atol=1e-6)


@pytest.mark.slow
def test_ten_steps_of_the_embedding_are_near_its_end():
    X, _ = load_digits(return_X_y=True)
    anchors = find_anchors(X, 100, 0)
    nearest = np.argsort(((X[:, None] - anchors) ** 2).sum(axis=2), axis=1)[:, :3]
    few = local_anchor_embedding(X, anchors, nearest)
    many = local_anchor_embedding(X, anchors, nearest, n_steps=500, tol=1e-12)
    np.testing.assert_allclose(few.sum(axis=1), 1.0)
    assert few.min() >= 0.0
    unit, centres = normalize(X), normalize(anchors)[nearest]
    errors = [((unit - np.einsum("ns,nsd->nd", z, centres)) ** 2).sum(axis=1) for z in (few, many)]
    assert errors[1].mean() < errors[0].mean() < 1.05 * errors[1].mean()


def test_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(0)
    for point, found in zip(P := rng.normal(size=(30, 4)), on_simplex(P), strict=True):
        np.testing.assert_allclose(found, qp_twin(point, np.eye(4)), atol=1e-7)


@pytest.mark.parametrize(("weights", "power"), [("gaussian", 2), ("exponential", 1)])
def test_shares_by_a_kernel(cloud, weights, power):
    centres = cloud[::6]
    anchors = Anchors.around(cloud, centres, 3, weights, None)
    distance = np.linalg.norm(cloud[:, None] - centres[None], axis=2)
    assert anchors.sigma == pytest.approx(np.sort(distance, axis=1)[:, 2].mean())
    expected = np.exp(-((distance / anchors.sigma) ** power))
    expected[distance > np.sort(distance, axis=1)[:, [2]]] = 0.0
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(anchors.shares(cloud).toarray(), expected)


@pytest.mark.parametrize("weights", ["lae", "gaussian"])
def test_agr_solves_its_equation(few_labels, weights):
    X, _, y = few_labels
    model = AGR(n_anchors=30, weights=weights, gamma=0.05).fit(X, y)
    Z = Anchors.around(X, model.anchors_, 3, weights, None).shares(X).toarray()
    labels = (y[:, None] == model.classes_).astype(float)
    A = agr_twin(Z, y >= 0, labels, 0.05)
    np.testing.assert_allclose(model.anchor_labels_, A, atol=1e-8)
    F = Z @ A / (Z @ A).sum(axis=0)
    np.testing.assert_array_equal(model.transduction_[y < 0], F.argmax(axis=1)[y < 0])
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    np.testing.assert_array_equal(model.predict(X), F.argmax(axis=1))


@pytest.mark.parametrize("weights", ["lae", "gaussian", "exponential"])
def test_hagr_with_one_layer_is_agr(few_labels, weights):
    X, _, y = few_labels
    agr = AGR(n_anchors=30, weights=weights).fit(X, y)
    hagr = HAGR(n_anchors=(30,), weights=weights).fit(X, y)
    np.testing.assert_array_equal(hagr.anchors_[0], agr.anchors_)
    np.testing.assert_allclose(hagr.label_distributions_, agr.label_distributions_, rtol=1e-12)
    np.testing.assert_allclose(hagr.predict_proba(X + 0.1), agr.predict_proba(X + 0.1))


def test_hagr_takes_its_graph_from_the_finest_layer(few_labels):
    X, _, y = few_labels
    model = HAGR(n_anchors=(60, 30, 12), weights="gaussian", sigma=0.2, gamma=0.1).fit(X, y)
    fine, middle, coarse = model.anchors_
    Z01 = Anchors(fine, 3, "gaussian", 0.2).shares(X).toarray()
    Z12 = Anchors(middle, 3, "gaussian", 0.2).shares(fine).toarray()
    Z23 = Anchors(coarse, 3, "gaussian", 0.2).shares(middle).toarray()
    Z = Z01 @ Z12 @ Z23
    L = np.eye(len(X)) - Z01 @ np.diag(1 / Z01.sum(axis=0)) @ Z01.T
    labels = (y[:, None] == model.classes_).astype(float)
    Zl = Z[y >= 0]
    system = Zl.T @ Zl + 0.1 * Z.T @ L @ Z + 1e-6 * np.eye(len(coarse))
    expected = np.linalg.solve(system, Zl.T @ labels[y >= 0])
    np.testing.assert_allclose(model.anchor_labels_, expected, atol=1e-8)


def test_a_class_that_is_expected_more_often_is_found_more_often(few_labels):
    X, _, y = few_labels
    plain = HAGR(n_anchors=(60, 30)).fit(X, y)
    moved = HAGR(n_anchors=(60, 30), class_prior=[1, 4, 1]).fit(X, y)
    assert (moved.transduction_ == 1).sum() > (plain.transduction_ == 1).sum()


def test_a_class_that_nobody_expects_goes_to_given_rows_only(few_labels):
    X, _, y = few_labels
    model = HAGR(class_prior=[0, 0, 1]).fit(X, y)
    np.testing.assert_array_equal(model.transduction_, np.where(y < 0, 2, y))
    assert (model.predict(X + 0.01) == 2).all()
    np.testing.assert_array_equal(model.predict_proba(X)[:, :2], 0.0)


def test_layers_fall_even_where_there_are_fewer_rows(few_labels):
    X, _, y = few_labels
    sizes = [len(layer) for layer in HAGR(n_anchors=(1000, 500, 40)).fit(X, y).anchors_]
    assert sizes == [len(np.unique(X, axis=0)), 40]
    with_one = HAGR(n_anchors=(1000, 500)).fit(X, y)
    assert [len(layer) for layer in with_one.anchors_] == sizes[:1]


def test_usual_layers_are_bounded():
    assert _usual_sizes(10_000) == (1000, 250)
    assert _usual_sizes(1_000_000) == (5000, 1000)
    for n in range(1, 3000, 7):
        sizes = _usual_sizes(n)
        assert sizes[-1] >= 1
        assert len(sizes) == 1 or sizes[0] > sizes[1]


def test_a_class_without_mass_is_not_raised_above_the_others():
    scores = np.array([[0.9, 0.1], [0.8, 0.05], [0.7, -0.3]])
    np.testing.assert_array_equal(class_masses(scores), [1.0, 1.0])
    np.testing.assert_allclose(class_masses(np.abs(scores)), [2.4, 0.45])


@pytest.mark.parametrize("weights", ["gaussian", "exponential"])
def test_a_tiny_sigma_leaves_the_nearest_anchor(cloud, weights):
    found = Anchors(cloud[::6], 3, weights, 1e-200).shares(cloud).toarray()
    distance = np.linalg.norm(cloud[:, None] - cloud[::6][None], axis=2)
    np.testing.assert_array_equal(found, distance == distance.min(axis=1, keepdims=True))
