"""Kernel ridge and trend against dense algebra and against fitting again without every label."""

import numpy as np
import pytest
from lapoleaf.estimators.ridge import fit_ridge, root_mean_square
from lapoleaf.estimators.trend import _NOISES, fit_trend, matrices
from scipy.special import softmax
from sklearn.kernel_ridge import KernelRidge

from lapoleaf._points import make_points
from lapoleaf.estimators import ridge as ridge_module
from lapoleaf.estimators import trend as trend_module

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NODES = np.sort(RNG.permutation(40)[:18])
COUNT = RNG.integers(1, 4, 18).astype(float)
LABELS = np.eye(3)[(X[NODES, 0] > 0).astype(int) + (X[NODES, 1] > 0.5)]
EVEN = np.full(3, 1 / 3)
TARGETS = np.sin(2 * X[NODES, 0]) + X[NODES, 1] ** 2 + 0.1 * RNG.normal(size=18)


def points():
    return make_points(X, "euclidean", None, np.ones(len(X)))


def dense_kernel(A, B, width):
    return np.exp(-((A[:, None] - B) ** 2).sum(-1) / width**2)


# ------------------------------------------------------------------------------------------- ridge


def fitted_ridge():
    return fit_ridge(points(), NODES, LABELS, COUNT, np.ones(18, dtype=bool), EVEN)


def scikit(keep, model):
    """Fit scikit-learn's on some of the labels and ask it for all rows."""
    rows = X[NODES[keep]]
    other = KernelRidge(alpha=model.ridge, kernel="precomputed")
    other.fit(dense_kernel(rows, rows, model.width), LABELS[keep] - EVEN, COUNT[keep])
    return other.predict(dense_kernel(X, rows, model.width)) + EVEN


def test_ridge_is_that_of_scikit_learn():
    model = fitted_ridge()
    np.testing.assert_allclose(model.at_nodes(points()), scikit(np.arange(18), model), atol=1e-10)
    np.testing.assert_array_equal(model.at_rows(X), model.at_nodes(points()))
    np.testing.assert_array_equal(model.at_one(points(), 7), model.at_nodes(points())[[7]])


def test_ridge_without_a_label_is_fitting_without_it():
    model = fitted_ridge()
    for place, node in enumerate(NODES):
        wanted = scikit(np.delete(np.arange(18), place), model)[node]
        np.testing.assert_allclose(model.leave_one_out[place], wanted, atol=1e-10)


def test_ridge_has_the_width_and_weight_with_the_least_error():
    model = fitted_ridge()
    errors = ((model.leave_one_out - LABELS) ** 2).sum(axis=1) @ COUNT
    unit = root_mean_square(np.sqrt(((X[NODES][:, None] - X[NODES]) ** 2).sum(-1)))
    for narrow in ridge_module._NARROWNESS:
        K = dense_kernel(X[NODES], X[NODES], unit / narrow**0.5)
        for weight in ridge_module._RIDGES:
            inverse = np.linalg.inv(K + np.diag(weight / COUNT))
            wrong = inverse @ (LABELS - EVEN) / np.diag(inverse)[:, None]
            assert errors <= COUNT @ (wrong**2).sum(axis=1) * (1 + 1e-9)


def test_ridge_of_many_labels(monkeypatch):
    """Solved for some of the labels; the others are predicted, as new points are."""
    monkeypatch.setattr(ridge_module, "MOST_CHOSEN_ON", 9)
    monkeypatch.setattr(ridge_module, "MOST_SOLVED", 7)
    model = fitted_ridge()
    marks = model.landmarks.columns.T
    assert len(marks) == 7
    places = np.array([np.flatnonzero((X[NODES] == mark).all(axis=1))[0] for mark in marks])

    def answer(keep, where):
        K = dense_kernel(X[NODES[keep]], X[NODES[keep]], model.width)
        weights = np.linalg.solve(K + np.diag(model.ridge / COUNT[keep]), LABELS[keep] - EVEN)
        return dense_kernel(where, X[NODES[keep]], model.width) @ weights + EVEN

    np.testing.assert_allclose(model.at_nodes(points()), answer(places, X), atol=1e-9)
    for place in range(18):
        keep = places[places != place]
        wanted = answer(keep, X[NODES[[place]]])[0]
        np.testing.assert_allclose(model.leave_one_out[place], wanted, atol=1e-9)


# ------------------------------------------------------------------------------------------- trend


def twin_models(keep, unit):
    """Every kernel and noise: log probability of some targets by dense algebra, and its answers.

    The scale of the targets is profiled: their variance times s, with the s that fits best.
    """
    center = np.average(TARGETS, weights=COUNT)
    spread = np.sqrt(np.average((TARGETS - center) ** 2, weights=COUNT))
    z, m = ((TARGETS - center) / spread)[keep], len(keep)
    given = points().take(NODES[keep])
    kernels = [
        trend_module.Kernel(narrow, *family)
        for narrow in trend_module._NARROWNESS
        for family in trend_module._TOGETHER
    ]
    found = []
    everywhere = dict(matrices(given, X, unit, kernels))
    for kernel, K in matrices(given, X[NODES[keep]], unit, kernels):
        for noise in _NOISES:
            C = K + np.diag(noise / COUNT[keep])
            scale = z @ np.linalg.solve(C, z) / m
            # The density of a normal distribution of variance scale * C.
            logarithm = -0.5 * (m * np.log(2 * np.pi * scale) + np.linalg.slogdet(C)[1] + m)
            answer = center + spread * (everywhere[kernel] @ np.linalg.solve(C, z))
            found.append((logarithm, kernel, noise, scale, C, answer, everywhere[kernel], spread))
    return found


def unit_of(nodes):
    return root_mean_square(np.sqrt(((X[nodes][:, None] - X[nodes]) ** 2).sum(-1)))


def averaged(models):
    """All models, each by its probability; those below a hundredth of the best are left out."""
    logarithms = np.array([model[0] for model in models])
    kept = logarithms >= logarithms.max() + np.log(trend_module._LEAST_SHARE)
    shares = softmax(np.where(kept, logarithms, -np.inf))
    return shares @ np.array([model[5] for model in models])


def test_trend_is_the_average_over_models_by_their_probability():
    trend = fit_trend(points(), NODES, TARGETS, COUNT)
    models = twin_models(np.arange(18), unit_of(NODES))
    values, _ = trend.at_nodes(points())
    np.testing.assert_allclose(values, averaged(models), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(trend.at_rows(X)[0], values)
    np.testing.assert_array_equal(trend.at_one(points(), 5)[0], values[[5]])


def test_trend_has_the_variance_of_its_most_probable_model():
    trend = fit_trend(points(), NODES, TARGETS, COUNT)
    best = max(twin_models(np.arange(18), unit_of(NODES)), key=lambda model: model[0])
    _, kernel, noise, scale, C, _, K, spread = best
    assert trend.kernels[0] == kernel
    known = np.einsum("ij,jk,ik->i", K, np.linalg.inv(C), K)
    left = 100.0 + 1.0 + kernel.together + kernel.product - known
    wanted = spread**2 * scale * (left + noise)
    np.testing.assert_allclose(trend.at_nodes(points())[1], wanted, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(
        trend.variance_without, spread**2 * scale / np.diag(np.linalg.inv(C)), rtol=1e-6
    )


def test_trend_without_a_target_is_fitting_and_weighing_without_it():
    trend = fit_trend(points(), NODES, TARGETS, COUNT)
    unit = unit_of(NODES)
    for place, node in enumerate(NODES):
        models = twin_models(np.delete(np.arange(18), place), unit)
        shares = softmax([model[0] for model in models])
        wanted = shares @ [model[5][node] for model in models]
        np.testing.assert_allclose(trend.leave_one_out[place], wanted, rtol=1e-5, atol=1e-6)


def test_equal_targets_are_their_own_trend():
    trend = fit_trend(points(), NODES, np.full(18, 4.0), COUNT)
    values, variance = trend.at_nodes(points())
    np.testing.assert_array_equal(values, 4.0)
    np.testing.assert_array_equal(variance, 0.0)


@pytest.mark.parametrize("most", [7, 17])
def test_trend_of_some_targets_is_near(monkeypatch, most):
    whole = fit_trend(points(), NODES, TARGETS, COUNT).at_nodes(points())[0]
    monkeypatch.setattr(trend_module, "MOST_CHOSEN_ON", most)
    monkeypatch.setattr(trend_module, "MOST_SOLVED", most)
    trend = fit_trend(points(), NODES, TARGETS, COUNT)
    assert trend.landmarks.n == most
    values, variance = trend.at_nodes(points())
    assert np.isfinite(values).all()
    assert (variance >= 0).all()
    if most == 17:
        assert np.corrcoef(values, whole)[0, 1] > 0.9


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_many_columns_are_measured_by_products(offset):
    rows = RNG.normal(size=(70, 90)) + offset
    many = make_points(rows, "euclidean", None, np.ones(70))
    landmarks = many.take(np.arange(0, 70, 3))
    queries = many.at(np.arange(70))
    by_products = ridge_module.measuring(landmarks)
    assert by_products != landmarks.measure
    found = by_products(queries)
    np.testing.assert_allclose(found, landmarks.measure(queries), rtol=1e-9, atol=1e-5)
    # A row's answer does not depend on who else is asked for.
    np.testing.assert_array_equal(by_products(queries[7:9]), found[7:9])


@pytest.mark.parametrize(("scale", "metric"), [(1e120, "euclidean"), (1.0, "manhattan")])
def test_others_are_measured_as_always(scale, metric):
    rows = RNG.normal(size=(20, 90)) * scale
    points = make_points(rows, metric, None, np.ones(20))
    assert ridge_module.measuring(points) == points.measure
