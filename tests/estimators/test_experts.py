"""Kernel ridge and trend against dense algebra and against fitting again without every label."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn import kernel_ridge as scikit_learn

from lapoleaf._points import make_points
from lapoleaf.estimators.experts import (
    CLASS_EXPERTS,
    NUMBER_EXPERTS,
    Estimate,
    KernelRidge,
    Trend,
)
from lapoleaf.estimators.experts import kernel_ridge as ridge_module
from lapoleaf.estimators.experts import trend as trend_module
from lapoleaf.estimators.experts.kernel_matrices import (
    eigen_decomposition,
    inverse_with_ridge,
    root_mean_square,
    solve,
    subset_of,
)
from lapoleaf.estimators.problem import Problem

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NODES = np.sort(RNG.permutation(40)[:18])
COUNT = RNG.integers(1, 4, 18).astype(float)
# Only relations of weights matter to the ridge: so its equations are as written below.
COUNT /= COUNT.mean()
LABELS = np.eye(3)[(X[NODES, 0] > 0).astype(int) + (X[NODES, 1] > 0.5)]
EVEN = np.full(3, 1 / 3)
TARGETS = np.sin(2 * X[NODES, 0]) + X[NODES, 1] ** 2 + 0.1 * RNG.normal(size=18)


def points():
    return make_points(X, "euclidean", None, np.ones(len(X)))


def problem_of(labels, count=COUNT):
    """Return the labels of NODES as a problem on all points."""
    labels = labels.reshape(len(NODES), -1)
    everywhere, counts = np.zeros((len(X), labels.shape[1])), np.zeros(len(X))
    everywhere[NODES], counts[NODES] = labels, count
    return Problem(everywhere, counts)


def dense_kernel(A, B, width):
    return np.exp(-((A[:, None] - B) ** 2).sum(-1) / width**2)


def ridge_kernel(A, B, width):
    """With a constant of variance 1 beside the kernel."""
    return 1.0 + dense_kernel(A, B, width)


# ------------------------------------------------------------------------------------------- ridge


def test_every_class_is_given_to_several_nodes():
    """So all labels count in leave-one-out of the tests below."""
    assert (LABELS.sum(axis=0) > 1).all()


def fitted_ridge():
    return KernelRidge().fit(points(), problem_of(LABELS))


def scikit(keep, model):
    """Fit scikit-learn's on some of the labels and ask it for all rows."""
    rows = X[NODES[keep]]
    other = scikit_learn.KernelRidge(alpha=model.ridge, kernel="precomputed")
    other.fit(ridge_kernel(rows, rows, model.width), LABELS[keep] - EVEN, COUNT[keep])
    return other.predict(ridge_kernel(X, rows, model.width)) + EVEN


def test_ridge_is_that_of_scikit_learn():
    model = fitted_ridge()
    np.testing.assert_allclose(model.at_nodes(points()), scikit(np.arange(18), model), atol=1e-10)
    np.testing.assert_array_equal(model.at_rows(X), model.at_nodes(points()))
    some = np.array([7, 3, 30])
    np.testing.assert_array_equal(model.at_nodes(points(), some), model.at_nodes(points())[some])


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
        K = ridge_kernel(X[NODES], X[NODES], unit / narrow**0.5)
        for weight in ridge_module._RIDGES:
            inverse = np.linalg.inv(K + np.diag(weight / COUNT))
            wrong = inverse @ (LABELS - EVEN) / np.diag(inverse)[:, None]
            assert errors <= COUNT @ (wrong**2).sum(axis=1) * (1 + 1e-9)


def test_ridge_of_many_labels(monkeypatch):
    """Solved for some of the labels; the others are predicted, as new points are."""
    monkeypatch.setattr(ridge_module, "MAX_CHOSEN_ON", 9)
    monkeypatch.setattr(ridge_module, "MAX_SOLVED", 7)
    model = fitted_ridge()
    marks = model.landmarks.columns.T
    assert len(marks) == 7
    places = np.array([np.flatnonzero((X[NODES] == mark).all(axis=1))[0] for mark in marks])

    def answer(keep, where):
        K = ridge_kernel(X[NODES[keep]], X[NODES[keep]], model.width)
        weights = np.linalg.solve(K + np.diag(model.ridge / COUNT[keep]), LABELS[keep] - EVEN)
        return ridge_kernel(where, X[NODES[keep]], model.width) @ weights + EVEN

    np.testing.assert_allclose(model.at_nodes(points()), answer(places, X), atol=1e-9)
    for place in range(18):
        keep = places[places != place]
        wanted = answer(keep, X[NODES[[place]]])[0]
        np.testing.assert_allclose(model.leave_one_out[place], wanted, atol=1e-9)


def test_errors_of_many_classes_are_measured_on_random_sums(monkeypatch):
    """Squares sum to the same on average, and the choice does not cost more with more classes."""
    monkeypatch.setattr(ridge_module, "_MAX_SCORES_COMPARED", 64)
    many = np.random.default_rng(1).normal(size=(300, 500))
    sums = ridge_module._projected(many)
    assert sums.shape == (300, 64)
    assert (sums**2).sum() == pytest.approx((many**2).sum(), rel=0.05)
    np.testing.assert_array_equal(ridge_module._projected(many[:, :64]), many[:, :64])


# ------------------------------------------------------------------------------------------- trend


def fitted_trend(targets=TARGETS):
    return Trend().fit(points(), problem_of(targets))


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
    everywhere = dict(trend_module.matrices(given, X, unit, kernels))
    for kernel, K in trend_module.matrices(given, X[NODES[keep]], unit, kernels):
        for noise in trend_module._NOISES:
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
    kept = logarithms >= logarithms.max() + np.log(trend_module._MIN_RELATIVE_EVIDENCE)
    shares = softmax(np.where(kept, logarithms, -np.inf))
    return shares @ np.array([model[5] for model in models])


def test_trend_is_the_average_over_models_by_their_probability():
    trend = fitted_trend()
    models = twin_models(np.arange(18), unit_of(NODES))
    values, _ = trend.at_nodes(points())
    np.testing.assert_allclose(values, averaged(models), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(trend.at_rows(X)[0], values)
    some = np.array([5, 17, 2])
    np.testing.assert_array_equal(trend.at_nodes(points(), some).values, values[some])


def test_trend_has_the_variance_of_its_most_probable_model():
    trend = fitted_trend()
    best = max(twin_models(np.arange(18), unit_of(NODES)), key=lambda model: model[0])
    _, kernel, noise, scale, C, _, K, spread = best
    assert trend.kernels[0] == kernel
    known = np.einsum("ij,jk,ik->i", K, np.linalg.inv(C), K)
    left = 100.0 + 1.0 + kernel.together + kernel.product - known
    wanted = spread**2 * scale * (left + noise)
    np.testing.assert_allclose(trend.at_nodes(points())[1], wanted, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(
        trend.leave_one_out.variances, spread**2 * scale / np.diag(np.linalg.inv(C)), rtol=1e-6
    )


def test_trend_without_a_target_is_fitting_and_weighing_without_it():
    trend = fitted_trend()
    unit = unit_of(NODES)
    for place, node in enumerate(NODES):
        models = twin_models(np.delete(np.arange(18), place), unit)
        shares = softmax([model[0] for model in models])
        wanted = shares @ [model[5][node] for model in models]
        np.testing.assert_allclose(trend.leave_one_out.values[place], wanted, rtol=1e-5, atol=1e-6)


def test_equal_targets_are_their_own_trend():
    trend = fitted_trend(np.full(18, 4.0))
    values, variance = trend.at_nodes(points())
    np.testing.assert_array_equal(values, 4.0)
    np.testing.assert_array_equal(variance, 0.0)


@pytest.mark.parametrize("most", [7, 17])
def test_trend_of_some_targets_is_near(monkeypatch, most):
    whole = fitted_trend().at_nodes(points())[0]
    monkeypatch.setattr(trend_module, "MAX_CHOSEN_ON", most)
    monkeypatch.setattr(trend_module, "MAX_SOLVED", most)
    trend = fitted_trend()
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
    by_products = ridge_module._measuring(landmarks)
    assert by_products != landmarks.measure
    found = by_products(queries)
    np.testing.assert_allclose(found, landmarks.measure(queries), rtol=1e-9, atol=1e-5)
    # A row's answer does not depend on who else is asked for.
    np.testing.assert_array_equal(by_products(queries[7:9]), found[7:9])


@pytest.mark.parametrize(("scale", "metric"), [(1e120, "euclidean"), (1.0, "manhattan")])
def test_others_are_measured_as_always(scale, metric):
    rows = RNG.normal(size=(20, 90)) * scale
    points = make_points(rows, metric, None, np.ones(20))
    assert ridge_module._measuring(points) == points.measure


# ------------------------------------------------------------------------------ which labels count


def test_the_ridge_does_not_mind_labels_that_are_alone_in_their_class():
    """Nothing else can find them: width and weight are chosen by the others."""
    labels = np.hstack([LABELS, np.zeros((18, 1))])
    labels[4] = [0.0, 0.0, 0.0, 1.0]
    model = KernelRidge().fit(points(), problem_of(labels))
    others = np.arange(18) != 4
    wrong = ((model.leave_one_out - labels) ** 2).sum(axis=1)[others] @ COUNT[others]
    unit = unit_of(NODES)
    for narrow in ridge_module._NARROWNESS:
        K = ridge_kernel(X[NODES], X[NODES], unit / narrow**0.5)
        for weight in ridge_module._RIDGES:
            inverse = np.linalg.inv(K + np.diag(weight / COUNT))
            errors = inverse @ (labels - 0.25) / np.diag(inverse)[:, None]
            assert wrong <= COUNT[others] @ (errors**2).sum(axis=1)[others] * (1 + 1e-9)


def test_one_label_is_enough_for_a_ridge_and_three_for_a_trend():
    for m, is_enough in ((1, False), (2, False), (3, True)):
        problem = problem_of(TARGETS, np.where(np.arange(18) < m, 1.0, 0.0))
        assert KernelRidge().can_help(points(), problem)
        assert Trend().can_help(points(), problem) == is_enough
        if is_enough:
            assert len(Trend().fit(points(), problem).leave_one_out.values) == m


def test_experts_have_the_names_of_their_tables():
    for table in (CLASS_EXPERTS, NUMBER_EXPERTS):
        for name, expert in table.items():
            assert expert.name == name
    assert fitted_ridge().name == "ridge"
    assert fitted_trend().name == "trend"
    assert isinstance(fitted_trend().leave_one_out, Estimate)


# --------------------------------------------------------------------------------- kernel matrices


def test_solving_is_dense_algebra():
    K = dense_kernel(X[NODES], X[NODES], 1.5)
    weights, without = solve(K, LABELS, COUNT, 0.3)
    np.testing.assert_allclose((K + np.diag(0.3 / COUNT)) @ weights, LABELS, atol=1e-10)
    for place in range(18):
        keep = np.delete(np.arange(18), place)
        smaller = K[np.ix_(keep, keep)] + np.diag(0.3 / COUNT[keep])
        wanted = K[place, keep] @ np.linalg.solve(smaller, LABELS[keep])
        np.testing.assert_allclose(without[place], wanted, atol=1e-10)


def test_eigenvalues_are_those_of_the_weighted_kernel():
    K, root = dense_kernel(X[NODES], X[NODES], 1.5), np.sqrt(COUNT)
    values, vectors = eigen_decomposition(K, COUNT)
    wanted = root[:, None] * K * root
    np.testing.assert_allclose((vectors * values) @ vectors.T, wanted, atol=1e-12)


def test_negative_eigenvalues_are_compensated_twice_over():
    """The matrix has the eigenvalues -1 and 3."""
    K, once = np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2)
    np.testing.assert_allclose(eigen_decomposition(K, once)[0], [1.0, 5.0])
    inverse, ridge = inverse_with_ridge(K, once, 0.5)
    assert ridge == pytest.approx(2.5)
    np.testing.assert_allclose(inverse, np.linalg.inv(K + 2.5 * np.eye(2)))
    assert inverse_with_ridge(np.eye(2), once, 0.5)[1] == 0.5


def test_root_mean_square_by_hand():
    D = np.array([[0.0, 3.0], [3.0, 0.0]])
    assert root_mean_square(D) == 3.0
    assert root_mean_square(np.zeros((3, 3))) == 1.0
    np.testing.assert_allclose(root_mean_square(1e300 * D), 3e300)


def test_a_subset_does_not_depend_on_the_order_of_points():
    order = np.random.default_rng(3).permutation(40)
    shuffled = make_points(X[order], "euclidean", None, np.ones(40))
    chosen = subset_of(points(), 7)
    assert len(chosen) == 7
    assert sorted(order[subset_of(shuffled, 7)]) == chosen.tolist()
    np.testing.assert_array_equal(subset_of(points(), 40), np.arange(40))


def test_points_without_coordinates_are_chosen_evenly():
    D = np.sqrt(((X[:, None] - X) ** 2).sum(-1))
    matrix = make_points((D + D.T) / 2, "precomputed", None, np.ones(40))
    assert subset_of(matrix, 4).tolist() == [0, 13, 26, 39]
