"""A sensor's next reading: learned from every one, whatever the sensor does."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from lapoleaf import LaPOLeaFRegressor
from lapoleaf.streams import SeriesForecaster


def made_series(n, seed=0):
    """Days, weather and noise, rounded as an instrument does."""
    rng = np.random.default_rng(seed)
    weather = np.cumsum(rng.normal(scale=0.02, size=n))
    return np.round(8 + np.sin(np.arange(n) / 15) + weather + rng.normal(scale=0.02, size=n), 2)


def run(forecaster, series):
    """Return the forecasts, and the ends of the intervals, of every reading."""
    told = []
    for reading in series:
        told.append((forecaster.predict_next(), *forecaster.predict_interval()))
        forecaster.update(reading)
    return np.array(told).T


@pytest.fixture(scope="module")
def fitted():
    forecaster = SeriesForecaster(window=5).fit(made_series(1200)[:1000])
    return forecaster.get_state()


@pytest.fixture
def forecaster(fitted):
    return SeriesForecaster(window=5).set_state(fitted)


def test_better_than_the_last_reading_and_intervals_hold(forecaster):
    series = made_series(1200)
    said, low, high = run(forecaster, series[1000:])
    truth = series[1000:]
    assert ((said - truth) ** 2).sum() < 0.8 * ((series[999:-1] - truth) ** 2).sum()
    assert 0.8 < ((low <= truth) & (truth <= high)).mean() < 0.98


def test_update_tells_the_error_of_the_last_forecast(forecaster):
    said = forecaster.predict_next()
    assert forecaster.update(9.0).last_error_ == 9.0 - said


def test_a_state_gives_the_same_forecasts(fitted):
    series = made_series(1200)[1000:]
    first, second = (SeriesForecaster(window=5).set_state(fitted) for _ in range(2))
    run(first, series[:50])
    second.set_state(first.settle().get_state())
    assert np.array_equal(run(first, series[50:]), run(second, series[50:]))


@pytest.mark.parametrize(
    ("name", "forged", "message"),
    [
        ("recent.values", None, "'recent.values' is not there"),
        ("more", np.zeros(3), "'more' is not expected"),
        ("gate.changes", np.array([np.nan]), "'gate.changes' holds NaN"),
        ("recent.values", np.zeros(30), "differ in length"),
        ("model.linear.weights", np.zeros(9), r"'model.linear.weights' has the shape \(9,\)"),
        ("model.kernel.targets", np.zeros(3), "differ in length"),
        ("paths.path", np.array(["a"]), "'paths.path' is not an array of float64"),
        ("numbers", np.array([1.0, np.nan, 0.0, 0.0]), "its counts are not counts"),
        ("clock.numbers", np.array([0.0, np.nan, -1.0, 0, 0, 0, 0]), "its counts are not counts"),
        ("forecasts.guesses", np.zeros((4, 5)), "more readings than a window"),
    ],
)
def test_a_forged_state_is_refused_and_changes_nothing(forecaster, fitted, name, forged, message):
    before = forecaster.predict_next()
    state = {**fitted, name: forged}
    if forged is None:
        del state[name]
    with pytest.raises(ValueError, match=message):
        forecaster.set_state(state)
    assert forecaster.predict_next() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("at", ["spike", "level", "gap"])
def test_a_state_amid_a_fault_gives_the_same_forecasts(fitted, at):
    series = made_series(1200)[1000:1100]
    faults = {"spike": 1e6, "level": series[20] + 30.0, "gap": np.nan}
    series[20] = faults[at]
    if at == "level":
        series[21:] += 30.0
    first, second = (SeriesForecaster(window=5).set_state(fitted) for _ in range(2))
    run(first, series[:21])
    second.set_state(first.settle().get_state())
    assert np.array_equal(run(first, series[21:]), run(second, series[21:]))
    assert np.array_equal(first.predict_path(25), second.predict_path(25))


def test_it_learns_without_fit_from_the_first_reading_on():
    series = made_series(450)
    forecaster = SeriesForecaster(window=5).update(series[0])
    assert forecaster.predict_next() == series[0]
    said, low, high = run(forecaster, series[1:])
    assert np.isfinite(said).all()
    truth = series[1:]
    late = slice(250, None)
    persistence = (np.diff(series) ** 2)[late].sum()
    assert ((said - truth) ** 2)[late].sum() < 0.9 * persistence
    assert 0.75 < ((low <= truth) & (truth <= high))[late].mean()


def test_it_says_so_before_the_first_reading():
    with pytest.raises(NotFittedError, match="no reading yet"):
        SeriesForecaster().predict_next()


def width(forecaster):
    low, high = forecaster.predict_interval()
    return high - low


def test_missing_readings_are_filled_in_and_intervals_widen(forecaster):
    widths = [width(forecaster)]
    for _ in range(30):
        forecaster.update(None)
        widths.append(width(forecaster))
        assert np.isfinite(forecaster.predict_next())
    assert (np.diff(widths) > 0).all()
    assert forecaster.n_missing_ == 30
    forecaster.update(8.0)
    assert width(forecaster) < widths[-1]


def test_a_stuck_sensor_widens_intervals_and_teaches_nothing(forecaster):
    for _ in range(120):
        forecaster.update(8.5)
    weights, before = forecaster._model.linear.weights, width(forecaster)
    for _ in range(100):
        forecaster.update(8.5)
    assert width(forecaster) > before
    assert np.array_equal(forecaster._model.linear.weights, weights)
    assert np.isfinite(forecaster.predict_next())


def test_a_spike_widens_intervals_and_is_soon_forgotten(forecaster):
    series = made_series(1200)[1000:]
    run(forecaster, series[:20])
    before = width(forecaster)
    forecaster.update(series[20] + 100.0)
    assert width(forecaster) > before
    said, _, _ = run(forecaster, series[21:])
    assert np.abs(said[10:] - series[31:]).max() < 1.0


def test_after_a_drift_of_level_forecasts_follow(forecaster):
    series = made_series(1200)[1000:] + 5.0
    said, low, high = run(forecaster, series)
    assert np.abs(said[20:] - series[20:]).mean() < 0.1
    assert ((low <= series) & (series <= high))[100:].mean() > 0.8


def test_timestamps_tell_of_missing_and_late_readings():
    series = made_series(300)
    times = np.arange(300) * 900.0
    forecaster = SeriesForecaster(window=5).fit(series, times)
    level = series[-1]
    forecaster.update(level, 300 * 900.0).update(level + 0.1, 303 * 900.0)
    assert forecaster.n_missing_ == 2
    guess = forecaster.predict_next()
    forecaster.update(level - 0.1, 301 * 900.0)
    assert forecaster.n_late_ == 1
    assert forecaster._recent.measured[-4:] == [True, True, False, True]
    assert forecaster._recent.values[-3] == level - 0.1
    assert forecaster.predict_next() != guess


def test_several_readings_ahead():
    series = np.sin(np.arange(700) / 10)
    forecaster = SeriesForecaster(window=4, horizon=5).fit(series[:600])
    errors = []
    for k in range(600, 690):
        errors.append(forecaster.predict_next() - series[k + 4])
        forecaster.update(series[k])
    assert np.abs(errors).max() < 0.02


def test_as_published_the_forest_answers_alone():
    series = made_series(320)
    forecaster = SeriesForecaster.as_published(window=5).fit(series[:300])
    plain = LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")
    windows = np.lib.stride_tricks.sliding_window_view(series, 6)
    plain.fit(windows[:295, :5], windows[:295, 5])
    for k in range(300, 310):
        assert forecaster.predict_next() == plain.predict(series[None, k - 5 : k])[0]
        forecaster.update(series[k])
        plain.partial_fit(series[None, k - 5 : k], series[k : k + 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"window": 0}, "window=0 must be"),
        ({"horizon": 0.5}, "horizon=0.5 must be"),
        ({"chunk": 0}, "chunk=0 must be"),
        ({"trend": "cubic"}, "trend='cubic' must be one of"),
        ({"coverage": 90}, "coverage=90 must be between 0 and 1"),
        ({"window_size": 3}, "window_size=3 must be None or"),
        ({"max_points": 2.5}, "max_points=2.5 must be None or"),
        ({"half_life": 0}, "half_life=0 must be None or"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        SeriesForecaster(**parameters).update(1.0)


def test_another_regressor_gets_a_sentence():
    with pytest.raises(TypeError, match="must be a LaPOLeaFRegressor"):
        SeriesForecaster("ridge").update(1.0)


def test_too_short_a_series_gets_a_sentence_and_changes_nothing(forecaster):
    before = forecaster.predict_next()
    with pytest.raises(ValueError, match="3 windows of 5 readings"):
        forecaster.fit(np.arange(8.0))
    assert forecaster.predict_next() == before


def test_a_sensor_that_is_stuck_from_the_start_is_answered_and_learned_when_it_moves():
    forecaster = SeriesForecaster(window=3).fit(np.full(60, 5.0))
    assert forecaster.predict_next() == 5.0
    moving = 5.0 + np.sin(np.arange(120) / 5)
    for reading in moving:
        forecaster.update(reading)
    assert abs(forecaster.predict_next() - (5.0 + np.sin(24.0))) < 0.1


def test_windows_of_one_reading():
    series = np.tile([1.0, 2.0, 4.0], 60)
    forecaster = SeriesForecaster(window=1).fit(series)
    assert abs(forecaster.predict_next() - 1.0) < 0.6
