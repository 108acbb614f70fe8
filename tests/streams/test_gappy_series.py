"""Readings that are missing all the time: learning begins, goes on, and memory stays bounded."""

import numpy as np
import pytest
from marks import slow

from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.beginning import Beginning
from lapoleaf.streams.filled_windows import Series
from lapoleaf.streams.folding import fold_series
from lapoleaf.streams.outliers import JumpGate


def noisy_sine(n):
    rng = np.random.default_rng(0)
    return np.sin(np.arange(n) / 15) + rng.normal(scale=0.05, size=n)


def errors_of(forecaster, readings, truth):
    told = []
    for reading in readings:
        told.append(forecaster.predict_next())
        forecaster.update(reading)
    return np.abs(np.array(told) - truth)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("every", [10, 3, *slow(4)])
def test_it_learns_where_every_so_many_readings_are_missing(every):
    truth = noisy_sine(900)
    series = truth.copy()
    series[::every] = np.nan
    forecaster = SeriesForecaster().update(0.0)
    found = errors_of(forecaster, series, truth)
    assert forecaster._follower.forecasts.is_fitted
    # Better than the last reading, although that is often not there.
    assert found[450:].mean() < 0.85 * np.abs(np.diff(truth)).mean()
    low, high = forecaster.predict_interval()
    assert 0.05 < high - low < 1.0


@pytest.mark.slow
def test_a_gappy_start_does_not_matter_later():
    truth = noisy_sine(2100)
    series = truth.copy()
    series[:1800:10] = np.nan
    found = {}
    for name, readings in (("whole", truth), ("gappy", series)):
        forecaster = SeriesForecaster(max_points=500).update(0.0)
        found[name] = errors_of(forecaster, readings, truth)[1850:].mean()
    assert forecaster._follower.beginning.is_over
    assert found["gappy"] < 1.05 * found["whole"]


def test_every_second_reading_is_no_worse_than_the_last_one():
    truth = noisy_sine(500)
    series = truth.copy()
    series[::2] = np.nan
    found = errors_of(SeriesForecaster().update(0.0), series, truth)
    last = np.roll(np.where(np.isnan(series), np.roll(series, 1), series), 1)
    assert found[200:].mean() <= 1.001 * np.abs(truth - last)[200:].mean()


def test_the_beginning_is_bounded_whatever_comes():
    beginning = Beginning()
    for k in range(20_000):
        beginning.add(np.nan if k % 20 else 1.0)
    assert len(beginning.readings()) == 3200
    assert len(beginning.state()["readings"]) < 6400
    assert beginning.is_due(1600)
    assert beginning.is_due(2000)
    beginning.tried(2000, enough=True)
    assert not beginning.is_due(2400)
    assert len(beginning.readings()) == 0


def test_windows_without_holes_are_those_of_fold_series():
    series = noisy_sine(60)
    for found, expected in zip(
        Series.of(series, JumpGate()).windows(5, 2), fold_series(series, 5, horizon=2), strict=True
    ):
        assert np.array_equal(found, expected)


def test_no_window_crosses_a_jump_and_none_is_mostly_filled():
    series = noisy_sine(80)
    series[40:] += 100.0
    series[60:64] = np.nan
    X, _, index = Series.of(series, JumpGate()).windows(6, 1)
    # All are at the last level.
    assert (X > 95.0).all()
    assert not set(range(40, 46)) & set(index.tolist())
    # What follows a filled reading, or a window of which less than half was measured.
    assert not set(range(60, 67)) & set(index.tolist())
    assert {59, 67} <= set(index.tolist())


def test_fit_takes_a_series_with_a_hole_in_every_window():
    series = noisy_sine(500)
    series[::10] = np.nan
    times = np.arange(500) * 900.0
    there = ~np.isnan(series)
    by_holes = SeriesForecaster().fit(series)
    by_times = SeriesForecaster().fit(series[there], times[there])
    assert by_holes.predict_next() == pytest.approx(by_times.predict_next(), abs=1e-9)
    assert abs(by_holes.predict_next() - np.sin(500 / 15)) < 0.2


def test_a_series_that_ends_with_a_long_hole_is_fitted():
    series = np.append(noisy_sine(300), np.full(400, np.nan))
    forecaster = SeriesForecaster(window=5).fit(series)
    assert np.isfinite(forecaster.predict_next())
    assert forecaster.n_missing_ == 400
