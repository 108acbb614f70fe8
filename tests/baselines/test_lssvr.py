"""LSSVR beside the systems it is said to equal."""

import tracemalloc

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import minmax_scale

from lapoleaf.baselines import LSSVR


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return minmax_scale(X)[:200], y[:200], minmax_scale(X)[200:260]


def mlssvr_twin(X, y, new, gamma, lam, p):
    """One output of MLSSVR: H = K + K / lambda + I / gamma, and the system with a constant."""
    K = np.exp(-p * ((X[:, None] - X) ** 2).sum(axis=2))
    n = len(X)
    system = np.zeros((n + 1, n + 1))
    system[0, 1:] = system[1:, 0] = 1.0
    system[1:, 1:] = (1 + 1 / lam) * K + np.eye(n) / gamma
    b, *a = np.linalg.solve(system, np.r_[0.0, y])
    return (1 + 1 / lam) * np.exp(-p * ((new[:, None] - X) ** 2).sum(axis=2)) @ a + b


def test_the_papers_parameters_are_one_output_of_mlssvr(diabetes):
    X, y, new = diabetes
    expected = mlssvr_twin(X, y, new, gamma=0.5, lam=5.0, p=3.0)
    plain = LSSVR(gamma=0.6, kernel_params={"gamma": 3.0}).fit(X, y)
    np.testing.assert_allclose(plain.predict(new), expected, rtol=1e-9)
    np.testing.assert_allclose(LSSVR.as_published().fit(X, y).predict(new), expected, rtol=1e-9)


def test_it_is_kernel_ridge_with_a_constant(diabetes):
    X, y, new = diabetes
    # A constant in the kernel, large enough not to be penalised.
    ridge = KernelRidge(kernel=lambda a, b: np.exp(-3 * np.sum((a - b) ** 2)) + 1e6, alpha=1 / 0.6)
    model = LSSVR.as_published().fit(X, y)
    np.testing.assert_allclose(model.predict(new), ridge.fit(X, y).predict(new), rtol=1e-4)
    centred = KernelRidge(kernel="rbf", gamma=3.0, alpha=1 / 0.6).fit(X, y - model.intercept_)
    expected = centred.predict(new) + model.intercept_
    np.testing.assert_allclose(model.predict(new), expected, rtol=1e-9)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-6)


def test_rows_without_a_target_are_predicted_and_teach_nothing(diabetes):
    X, y, _ = diabetes
    known = np.arange(200) % 3 > 0
    model = LSSVR().fit(X, np.where(known, y, np.nan))
    alone = LSSVR().fit(X[known], y[known])
    np.testing.assert_allclose(model.transduction_, alone.predict(X), rtol=1e-9)
    np.testing.assert_array_equal(model.given_, known)
    found = model.score(X, np.where(known, y, np.nan))
    assert found == pytest.approx(alone.score(X[known], y[known]))


def test_other_kernels(diabetes):
    X, y, new = diabetes
    model = LSSVR(kernel="poly", kernel_params={"degree": 3, "coef0": 1.0, "gamma": 1.0}).fit(X, y)
    own = LSSVR(kernel=lambda a, b: (a @ b + 1.0) ** 3).fit(X, y)
    np.testing.assert_allclose(model.predict(new), own.predict(new), rtol=1e-6)


def test_bad_parameters(diabetes):
    X, y, _ = diabetes
    with pytest.raises(ValueError, match=r"gamma=0 must be a number above 0\."):
        LSSVR(gamma=0).fit(X, y)
    with pytest.raises(ValueError, match="is not positive semidefinite on these rows"):
        LSSVR(kernel=lambda a, b: -float(a @ b)).fit(X, y)
    with pytest.raises(ValueError, match=r"y has no target: all are NaN"):
        LSSVR().fit(X, np.full(200, np.nan))
    with pytest.raises(ValueError, match=r"lam=0 must be a number above 0"):
        LSSVR.as_published(lam=0)


BAD_KERNELS = [
    ({"kernel": "rbff"}, "kernel='rbff' must be one of 'additive_chi2', "),
    ({"kernel": None}, "kernel=None must be one of "),
    ({"kernel": "precomputed"}, "kernel='precomputed' must be one of "),
    ({"kernel_params": 3}, "kernel_params=3 must be a dict, as in {'gamma': 3.0}, or None."),
    (
        {"kernel_params": {"gama": 3}},
        "kernel_params={'gama': 3} has 'gama', which kernel='rbf' does not take: its parameters "
        "are 'gamma'.",
    ),
    ({"kernel_params": {"gamma": -1}}, "kernel_params['gamma']=-1 must be a number above 0."),
]


@pytest.mark.parametrize(("params", "message"), BAD_KERNELS)
def test_bad_kernels(diabetes, params, message):
    X, y, _ = diabetes
    with pytest.raises(ValueError, match=r"must be|does not take") as error:
        LSSVR(**params).fit(X, y)
    assert message in str(error.value)


def test_a_kernel_that_overflows(diabetes):
    X, y, new = diabetes
    with pytest.raises(ValueError, match=r"kernel='poly' gives numbers .* scale the columns of X"):
        LSSVR(kernel="poly").fit(X * 1e120, y)
    model = LSSVR(kernel="poly").fit(X, y)
    with pytest.raises(ValueError, match=r"kernel='poly' gives numbers .* scale the columns of X"):
        model.predict(new * 1e120)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_far_from_the_origin(diabetes, kernel):
    X, y, new = diabetes
    model = LSSVR(kernel=kernel, kernel_params={"gamma": 3.0})
    near = model.fit(X, y).predict(new)
    np.testing.assert_allclose(model.fit(X + 1e9, y).predict(new + 1e9), near, rtol=1e-4)


def test_a_system_near_to_singular_is_not_passed_over(diabetes):
    X, y = load_diabetes(return_X_y=True)
    model = LSSVR(gamma=1e15, kernel_params={"gamma": 1e-3})
    with pytest.warns(LinAlgWarning, match=r"with kernel='rbf' leaves a system"):
        model.fit(X[:120], y[:120])
    np.testing.assert_array_equal(model.transduction_, model.predict(X[:120]))


def test_the_system_is_factored_in_its_place():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    tracemalloc.start()
    try:
        LSSVR().fit(X, X[:, 0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * 1000**2 * 8
