"""Forecasts of several readings in a row, with intervals from past ones."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.paths import STEPS, PathErrors, rolled


def walk(n, seed=0):
    """Readings whose errors add up: a random walk with a pull to its mean."""
    rng = np.random.default_rng(seed)
    values = np.zeros(n)
    for k in range(1, n):
        values[k] = 0.98 * values[k - 1] + rng.normal()
    return values


@pytest.fixture(scope="module")
def fitted():
    return SeriesForecaster(window=5).fit(walk(1200)[:1000]).get_state()


@pytest.fixture
def forecaster(fitted):
    return SeriesForecaster(window=5).set_state(fitted)


def test_the_first_step_is_the_next_reading(forecaster):
    path = forecaster.predict_path(3)
    assert path.mean[0] == forecaster.predict_next()
    assert (path.lower[0], path.upper[0]) == pytest.approx(forecaster.predict_interval())
    mean, lower, upper = path
    assert mean.shape == lower.shape == upper.shape == (3,)


def test_a_path_is_that_of_a_forecaster_that_reads_its_own_forecasts(forecaster, fitted):
    other = SeriesForecaster(window=5).set_state(fitted)
    for expected in forecaster.predict_path(8).mean:
        assert other.predict_next() == pytest.approx(expected)
        other.update(None)


def test_a_path_changes_nothing(forecaster):
    before = forecaster.get_state()
    forecaster.predict_path(30)
    after = forecaster.get_state()
    assert before.keys() == after.keys()
    for name in before:
        assert np.array_equal(before[name], after[name], equal_nan=True)


@pytest.mark.slow
def test_intervals_widen_and_hold_at_every_step(forecaster):
    series = walk(1200)
    held = []
    for k in range(1000, 1180):
        path = forecaster.predict_path(30)
        assert (np.diff(path.upper - path.lower) > -1e-9).all()
        truth = series[k : k + 20]
        held.append((path.lower[:20] <= truth) & (truth <= path.upper[:20]))
        forecaster.update(series[k])
    share = np.mean(held, axis=0)
    # Paths overlap: 180 of them are as good as a dozen at 20 steps.
    assert (share[[0, 4]] > 0.82).all()
    assert share[19] > 0.7
    widths = path.upper - path.lower
    # Errors of a walk grow as the square root of the steps, not as the steps.
    assert 1.5 < widths[19] / widths[0] < 10.0
    assert len(forecaster._follower.forecasts.paths.scores) > 9


def test_errors_of_paths_are_those_that_were_made():
    errors = PathErrors()
    errors.begin(np.zeros(STEPS), scale=2.0)
    assert not errors.wants_path()
    for k in range(STEPS):
        errors.learn(np.nan if k == 3 else float(k))
    assert errors.wants_path()
    assert np.array_equal(errors.scores[0, :3], [0.0, 0.5, 1.0])
    assert np.isnan(errors.scores[0, 3])


def test_widths_are_quantiles_and_go_on_growing():
    errors = PathErrors()
    errors.add(np.outer(np.arange(1.0, 100.0), np.sqrt(np.arange(1, STEPS + 1))))
    widths = errors.relative_widths(80, 0.9, first=1.0)
    assert widths[0] == 1.0
    assert widths[4] == pytest.approx(90.0 * np.sqrt(5))
    assert widths[79] == pytest.approx(90.0 * np.sqrt(80))
    few = PathErrors().relative_widths(4, 0.9, first=2.0)
    assert few.tolist() == [2.0, 4.0, 6.0, 8.0]


def test_several_readings_ahead_the_path_meets_the_forecast():
    series = np.sin(np.arange(700) / 10)
    forecaster = SeriesForecaster(window=4, horizon=5).fit(series[:600])
    path = forecaster.predict_path(12)
    assert path.mean[4] == pytest.approx(forecaster.predict_next())
    assert np.abs(path.mean - series[600:612]).max() < 0.05


def test_rolling_uses_windows_that_are_a_horizon_before():
    double = rolled(lambda windows: 2.0 * windows[:, -1], np.array([[1.0, 3.0, 5.0]]), 2, 4)
    assert double.tolist() == [[6.0, 10.0, 12.0, 20.0]]


def test_as_published_and_before_anything_is_learnt():
    series = walk(200)
    published = SeriesForecaster.as_published(window=5).fit(series)
    path = published.predict_path(4)
    assert np.isfinite(path.lower).all()
    young = SeriesForecaster().update(3.0)
    assert young.predict_path(2).mean.tolist() == [3.0, 3.0]
    assert young.predict_path(2).upper.tolist() == [np.inf, np.inf]
    with pytest.raises(NotFittedError, match="no reading yet"):
        SeriesForecaster().predict_path(2)


@pytest.mark.parametrize("h", [0, -1, 2.5, True, "3"])
def test_a_bad_number_of_steps_gets_a_sentence(forecaster, h):
    with pytest.raises(ValueError, match=r"h=.* must be a whole number, 1 or more"):
        forecaster.predict_path(h)
