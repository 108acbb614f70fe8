"""Kernel regression on the last windows, and how far forecasts use it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel_ridge

from lapoleaf import LaPOLeaFRegressor
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.blending import Blend
from lapoleaf.streams.kernel import RecentKernel
from lapoleaf.streams.memory import Memory


def test_one_row_by_hand():
    model = RecentKernel()
    model.fit(np.array([[1.0]]), np.array([4.0]))
    # The coefficient c has c + c = 4: kernel and ridge are 1.
    assert model.predict(np.array([[1.0], [2.0], [40.0]])) == pytest.approx([2.0, 2.0 / np.e, 0.0])


def test_a_row_of_half_the_weight_by_hand():
    model = RecentKernel(half_life=1.0)
    # Far from each other: the older has (1 + 2) c = 6, the newer (1 + 1) c = 6.
    model.fit(np.array([[0.0], [90.0]]), np.array([6.0, 6.0]))
    assert model.predict(np.array([[0.0], [90.0]])) == pytest.approx([2.0, 3.0])


@given(
    st.integers(1, 12),
    st.integers(1, 4),
    st.sampled_from([np.inf, 3.0]),
    st.integers(0, 2**32 - 1),
)
def test_it_is_kernel_ridge(n, columns, half_life, seed):
    rng = np.random.default_rng(seed)
    # Few values: equal rows are among them.
    rows, targets = rng.integers(-2, 3, (n, columns)).astype(float), rng.normal(size=n)
    others = rng.normal(size=(3, columns))
    model = RecentKernel(half_life=half_life)
    model.fit(rows, targets)
    wanted = kernel_ridge(rows, targets, others, half_life)
    np.testing.assert_allclose(model.predict(others), wanted, atol=1e-10)


def test_batches_are_the_last_rows_at_once():
    rng = np.random.default_rng(0)
    rows, targets = rng.normal(size=(70, 3)), rng.normal(size=70)
    model, at_once = RecentKernel(most=30), RecentKernel()
    for start in range(0, 70, 14):
        model.learn(rows[start : start + 14], targets[start : start + 14])
    at_once.fit(rows[-30:], targets[-30:])
    assert np.array_equal(model.rows, rows[-30:])
    assert np.array_equal(model.predict(rows), at_once.predict(rows))
    assert np.array_equal(model.predict(rows)[3], model.predict(rows[3:4])[0])


def test_rows_that_are_held_back_are_not_learnt_before_they_are_tried():
    X = np.random.default_rng(0).normal(size=(200, 4))
    blend = Blend(Memory(LaPOLeaFRegressor(n_forests=2, experts=None)), chunk=20)
    seen = []
    blend.fit(X, X[:, 0], lambda first: seen.append((first, blend.kernel.rows.copy())))
    ((first, rows),) = seen
    assert first == 160
    assert np.array_equal(rows, blend.scale.rows(X)[:160])
    assert np.array_equal(blend.kernel.rows, blend.scale.rows(X))


def bent_series(n, seed=0):
    """A reading depends on the two before it, but not linearly."""
    rng = np.random.default_rng(seed)
    values = np.zeros(n)
    for k in range(2, n):
        values[k] = 1.4 * np.tanh(3.0 * values[k - 1]) - 0.4 * values[k - 2]
        values[k] += 0.5 * rng.normal()
    return values


def error(series, n_train, is_used):
    forecaster = SeriesForecaster(window=4, max_jump=None).fit(series[:n_train])
    if not is_used:
        forecaster._model.kernel.predict = lambda rows: np.zeros(len(rows))
    squares = []
    for reading in series[n_train:]:
        squares.append((forecaster.predict_next() - reading) ** 2)
        forecaster.update(reading)
    return np.sqrt(np.mean(squares[5:])), forecaster


@pytest.mark.slow
def test_it_is_used_where_it_helps():
    series = bent_series(1300)
    with_kernel, forecaster = error(series, 800, True)
    without, _ = error(series, 800, False)
    assert forecaster._model.shares.values[2] > 0.2
    assert with_kernel < 0.985 * without


@pytest.mark.slow
def test_it_does_no_harm_where_there_is_nothing_to_learn():
    walk = np.cumsum(np.random.default_rng(1).normal(size=1300))
    with_kernel, _ = error(walk, 800, True)
    without, _ = error(walk, 800, False)
    assert with_kernel < 1.01 * without


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("bounds", "most"),
    [({}, 1000), ({"window_size": 60}, 60), ({"max_points": 80}, 80), ({"max_points": None}, 1000)],
)
def test_it_keeps_no_more_than_the_bound(bounds, most):
    forecaster = SeriesForecaster(window=3, **bounds).fit(bent_series(1500))
    assert len(forecaster._model.kernel.rows) == most
    for reading in bent_series(150, seed=1):
        forecaster.update(reading)
    assert len(forecaster._model.kernel.rows) == most
    assert forecaster.get_state()["model.kernel.coefficients"].shape == (most,)


def test_a_spike_that_is_let_in_stays_of_the_order_of_usual_errors():
    series = bent_series(700)
    series[650] = 1e9
    forecaster = SeriesForecaster(window=4, max_jump=None).fit(series[:600])
    usual = np.abs(forecaster._model.kernel.targets).max()
    for reading in series[600:]:
        forecaster.update(reading)
    kernel = forecaster._model.kernel
    assert np.abs(kernel.targets).max() < 10.0 * usual
    assert np.abs(kernel.rows).max() <= 30.0
