"""Weights and constants with the least penalised log-loss, against a general solver of scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from lapoleaf.estimators.least_loss import least_loss

RNG = np.random.default_rng(0)
LABELS = np.eye(3)[RNG.choice(3, 40, p=[0.6, 0.3, 0.1])]
PARTS = RNG.normal(size=(3, 40, 3)) + np.array([1.5, 0.5, 0.0])[:, None, None] * LABELS
COUNT = RNG.integers(1, 4, 40).astype(float)
START = np.array([1.0, 0.5, 0.2])


def penalised(weights, constants):
    """The definition: log-loss, and a price of departing from the start."""
    scores = np.tensordot(weights, PARTS, 1) + constants
    loss = -(COUNT[:, None] * LABELS * log_softmax(scores, axis=1)).sum()
    # 40 labels of three classes are 13 a class.
    of_constants = 8.0 * (1 + (10 / (40 / 3)) ** 2)
    price = (((weights - START) / (0.5 * START)) ** 2).sum() + of_constants * (constants**2).sum()
    return loss + price / 2


@pytest.mark.parametrize("with_constants", [False, True])
def test_it_is_the_minimum(with_constants):
    weights, constants, loss = least_loss(PARTS, LABELS, COUNT, START, with_constants)
    assert loss == pytest.approx(penalised(weights, constants), rel=1e-12)
    n = 6 if with_constants else 3

    def general(at):
        return penalised(at[:3], np.append(at[3:], np.zeros(6 - n)))

    bounds = [(0.05 * START[0], None), (0, None), (0, None), *[(None, None)] * (n - 3)]
    options = {"xtol": 1e-12, "ftol": 1e-14, "maxiter": 10_000, "maxfev": 100_000}
    found = minimize(
        general, np.append(START, np.zeros(n - 3)), method="Powell", bounds=bounds, options=options
    )
    assert loss <= found.fun + 1e-6
    np.testing.assert_allclose(weights, found.x[:3], atol=1e-3)
    np.testing.assert_allclose(constants[: n - 3], found.x[3:], atol=1e-3)
    assert constants.any() == with_constants


def test_bounds_hold_where_a_part_is_wrong():
    wrong = np.stack([-20.0 * LABELS, -20.0 * LABELS, 3.0 * LABELS])
    weights, _, _ = least_loss(wrong, LABELS, 100.0 * COUNT, START, False)
    assert weights[0] == pytest.approx(0.05 * START[0])
    assert weights[1] == pytest.approx(0.0, abs=1e-12)
    assert weights[2] > START[2]


def test_the_order_of_labels_matters_by_rounding_alone():
    one = least_loss(PARTS, LABELS, COUNT, START, True)
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(40)
        other = least_loss(PARTS[:, order], LABELS[order], COUNT[order], START, True)
        np.testing.assert_allclose(one[0], other[0], rtol=1e-12)
        np.testing.assert_allclose(one[1], other[1], atol=1e-12)


def test_the_loss_does_not_change_to_first_order():
    weights, constants, _ = least_loss(PARTS, LABELS, COUNT, START, True)
    scores = np.tensordot(weights, PARTS, 1) + constants
    errors = COUNT[:, None] * (np.exp(log_softmax(scores, axis=1)) - LABELS)
    of_weights = (PARTS * errors).sum(axis=(1, 2)) + (weights - START) / (0.5 * START) ** 2
    of_constants = errors.sum(axis=0) + 8.0 * (1 + (10 / (40 / 3)) ** 2) * constants
    np.testing.assert_allclose(of_weights, 0.0, atol=1e-11)
    np.testing.assert_allclose(of_constants, 0.0, atol=1e-11)
