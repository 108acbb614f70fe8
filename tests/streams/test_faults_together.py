"""Several faults of a sensor at once: outliers, wrong clocks, gaps."""

import math

import numpy as np
import pytest
from marks import slow

from lapoleaf.streams import SeriesForecaster

START = 1000
STEP = 900.0


def noisy_sine(n=1400, seed=0):
    noise = np.random.default_rng(seed).normal(scale=0.05, size=n)
    return np.sin(2 * np.pi * np.arange(n) / 48) + noise


@pytest.fixture(scope="module")
def learnt():
    series = noisy_sine()[:START]
    return SeriesForecaster(window=6).fit(series, STEP * np.arange(START)).get_state()


@pytest.fixture
def forecaster(learnt):
    return SeriesForecaster(window=6).set_state(learnt)


def followed(forecaster, readings, times):
    """What was forecast for each reading."""
    said = np.empty(len(readings))
    for k, (reading, time) in enumerate(zip(readings, times, strict=True)):
        said[k] = forecaster.predict_next()
        forecaster.update(reading, time)
    return said


def late_error(said, truth):
    return np.abs(said - truth)[150:].mean()


def set_back(n, at, by=5000):
    """Times of a clock that is set back before reading ``at``."""
    times = STEP * np.arange(START, START + n)
    times[at:] -= STEP * by
    return times


@pytest.fixture(scope="module")
def error_without(learnt):
    """The error without any fault."""
    truth = noisy_sine()[START:]
    forecaster = SeriesForecaster(window=6).set_state(learnt)
    said = followed(forecaster, truth, STEP * np.arange(START, START + len(truth)))
    return late_error(said, truth)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("spike_at", [99, 100, 102, *slow(101, 103, 110)])
def test_a_spike_about_the_beginning_of_a_stretch_does_no_harm(forecaster, error_without, spike_at):
    truth = noisy_sine()[START:]
    readings = truth.copy()
    readings[spike_at] = 1e6
    said = followed(forecaster, readings, set_back(len(truth), 100))
    assert (forecaster.n_outliers_, forecaster.n_stretches_) == (1, 1)
    assert late_error(said, truth) < 1.05 * error_without


def test_an_outlier_with_a_wrong_time_is_a_missing_reading(forecaster, learnt):
    readings = noisy_sine()[START : START + 60]
    times = STEP * np.arange(START, START + 60)
    missing = SeriesForecaster(window=6).set_state(learnt)
    expected = followed(missing, np.where(np.arange(60) == 30, np.nan, readings), times)
    readings[30], times[30] = 1e6, 1e12
    assert np.array_equal(followed(forecaster, readings, times), expected)
    assert (forecaster.n_odd_, forecaster.n_outliers_) == (1, 0)
    assert (forecaster.n_readings_, forecaster.n_missing_) == (
        missing.n_readings_,
        missing.n_missing_,
    )


@pytest.mark.slow
def test_another_level_in_a_new_stretch_is_followed(forecaster):
    readings = noisy_sine()[START:].copy()
    readings[100:] += 50.0
    said = followed(forecaster, readings, set_back(len(readings), 100))
    assert np.abs(said - readings)[105:130].mean() < 0.2
    assert forecaster.n_outliers_ == 0
    assert forecaster.n_stretches_ == 1


@pytest.mark.parametrize("horizon", [1, 3])
def test_nothing_is_learned_across_the_beginning_of_a_stretch(horizon):
    series = noisy_sine()
    forecaster = SeriesForecaster(window=6, horizon=horizon)
    forecaster.fit(series[:START], STEP * np.arange(START))
    followed(forecaster, series[START : START + 10], STEP * np.arange(START, START + 10))
    forecasts = forecaster._follower.forecasts
    n_rows, n_scores = len(forecaster._model.waiting), len(forecasts.errors.scores)
    times = set_back(40, 10)[10:]
    # Two readings are held; all three, and those of a window and the horizon, teach nothing.
    followed(forecaster, series[START + 10 : START + 12], times[:2])
    length = 6 + horizon
    for k in range(2, length - 1):
        forecaster.update(series[START + 10 + k], times[k])
        assert len(forecaster._model.waiting) == n_rows
        # Of the stretch's readings those after the first ``horizon`` had been forecast in it.
        n_judged = len(forecasts.errors.scores) - n_scores
        assert n_judged == max(0, k + 1 - horizon)
    forecaster.update(series[START + 10 + length - 1], times[length - 1])
    assert len(forecaster._model.waiting) == n_rows + 1


def test_the_beginning_learns_no_window_across_a_stretch():
    forecaster = SeriesForecaster(window=6)
    series = noisy_sine(100)
    times = STEP * np.arange(100)
    times[50:] -= 1e9
    for reading, time in zip(series, times, strict=True):
        forecaster.update(reading, time)
    assert forecaster.n_stretches_ == 1
    # Two stretches of 50 readings have 44 windows each; in three more the first readings, at most
    # half, are filled in.
    assert len(forecaster._model.memory) == 91


def test_a_path_after_a_new_stretch(forecaster):
    series = noisy_sine()
    n_scores = len(forecaster._follower.forecasts.paths.scores)
    times = set_back(60, 30)
    for k in range(60):
        forecaster.update(series[START + k], times[k])
        path = forecaster.predict_path(12)
        assert np.isfinite(path.mean).all()
        assert (path.lower <= path.mean).all()
    truth = np.sin(2 * np.pi * np.arange(START + 60, START + 72) / 48)
    assert np.abs(path.mean - truth).max() < 0.5
    assert (path.upper - path.lower).max() < 2.0
    # The path that was being compared when the clock was set is dropped: 20 readings before it,
    # 20 after it.
    assert len(forecaster._follower.forecasts.paths.scores) - n_scores == 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("at", [30, 31, 32, 33, 40])
def test_a_state_amid_faults_of_time_and_value_gives_the_same_forecasts(forecaster, learnt, at):
    readings = noisy_sine()[START : START + 120].copy()
    times = set_back(120, 30)
    readings[[31, 40]] = 1e6, -1e6
    times[50] = 1e12
    followed(forecaster, readings[:at], times[:at])
    other = SeriesForecaster(window=6).set_state(forecaster.settle().get_state())
    said = followed(forecaster, readings[at:], times[at:])
    assert np.array_equal(followed(other, readings[at:], times[at:]), said)
    assert np.array_equal(forecaster.predict_path(25), other.predict_path(25))
    assert (other.n_outliers_, other.n_odd_, other.n_stretches_) == (2, 1, 1)


def test_a_reading_that_comes_again_replaces_the_outlier_it_was_sent_as(forecaster):
    readings = noisy_sine()[START : START + 20]
    times = STEP * np.arange(START, START + 20)
    followed(forecaster, readings[:10], times[:10])
    forecaster.update(1e6, times[10]).update(readings[10], times[10])
    assert forecaster._recent.values[-1] == readings[10]
    assert all(math.isnan(reading) for reading in forecaster._recent.held)
    forecaster.update(readings[11], times[11])
    assert (forecaster.n_outliers_, forecaster.n_late_) == (1, 1)


def test_a_late_outlier_is_not_used(forecaster):
    series = noisy_sine()
    forecaster.update(series[START + 1], STEP * (START + 1))
    before = forecaster.predict_next()
    forecaster.update(1e6, STEP * START)
    assert forecaster.predict_next() == before
    assert forecaster.n_late_ == 1
