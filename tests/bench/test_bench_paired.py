"""Paired comparison on real series: baselines that learn as they go."""

import argparse
import math

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

import benchmarks.data.seasons as seasons
from benchmarks.data.seasons import packaged_series
from benchmarks.data.water import made_series, windows_of
from benchmarks.methods import find, select
from benchmarks.methods.online import OfRiver, Refitted
from benchmarks.water.forecast import forecast
from benchmarks.water.paired import log_ratios, paired_tables, windows_within


@pytest.mark.parametrize("name", select("forecasts", "paired"))
def test_methods_follow_the_water(name):
    method = find("forecasts", name)
    if "river" in method.tags:
        pytest.importorskip("river")
    windows = windows_of(made_series(500), "do", 12, n_train=300, n_test=20)
    params = {"season": 96} if "seasonal" in method.tags else {}
    found = forecast(lambda: method.make(**params), windows)
    assert found.sse / 20 < 0.5 * windows.y.var()


def test_a_baseline_is_fitted_again_on_the_last_windows():
    method = Refitted(DummyRegressor, last=4, every=3)
    X = np.zeros((10, 2))
    method.fit(X, np.arange(10.0))
    assert method.predict(X[0]) == 7.5
    for reading in (20.0, 20.0):
        method.update(X[0], reading)
    assert method.predict(X[0]) == 7.5
    method.update(X[0], 20.0)
    assert method.predict(X[0]) == (9.0 + 3 * 20.0) / 4


class Constant:
    def __init__(self, value):
        self.value = value
        self.learnt = []

    def forecast(self, horizon):
        return [self.value]

    def learn_one(self, reading):
        self.learnt.append(reading)


def test_of_candidates_the_one_with_the_smallest_errors_goes_on():
    method = OfRiver([Constant(4.0), Constant(2.0), Constant(math.inf)])
    method.fit(np.zeros((4, 1)), np.array([4.0, 4.0, 2.0, 2.0]))
    window = np.array([3.0])
    assert method.predict(window) == 2.0
    method.update(window, 7.0)
    assert method.model.learnt == [4.0, 4.0, 2.0, 2.0, 7.0]
    # What has run away is replaced by the last reading.
    method.model.value = 1e9
    assert method.predict(window) == 3.0


def test_a_season_that_training_is_too_short_for_is_no_candidate():
    pytest.importorskip("river")
    method = find("forecasts", "Holt-Winters").make(season=365)
    readings = 10.0 + np.sin(np.arange(100) / 9.0)
    method.fit(np.zeros((100, 1)), readings)
    assert method.model.seasonality == 0
    assert abs(method.predict(readings[-1:]) - readings[-1]) < 0.5


def test_windows_have_no_hole_and_half_of_them_train_at_most():
    values = np.arange(60.0)
    values[30] = np.nan
    windows = windows_within(values, 1000, 1000)
    assert windows.X.shape == (60 - 12 - 13, 12)
    assert windows.n_train == 17
    assert not np.isnan(windows.X).any()
    assert np.array_equal(windows.y, windows.X[:, -1] + 1)


def test_ratios_are_those_of_root_mean_squares():
    ours, theirs = np.array([3.0, 4.0, 1.0, 1.0]), np.array([6.0, 8.0, 1.0, -1.0])
    assert np.exp(log_ratios(ours, theirs, 2)) == pytest.approx([0.5, 1.0])


def test_series_of_packages_have_seasons():
    for package in ("river", "statsmodels", "vega_datasets"):
        pytest.importorskip(package)
    found = {series.name: series for series in packaged_series()}
    assert len(found) == 7
    for series in found.values():
        assert series.season > 1
        assert np.isnan(series.values).mean() < 0.05
    co2 = found["CO2 at Mauna Loa, weekly"]
    assert len(co2.values) == 2284
    assert np.nanmin(co2.values) > 300


def test_a_package_that_is_missing_is_told(monkeypatch, capsys):
    monkeypatch.setattr(seasons, "_SOURCES", {"no_such_package": list})
    assert packaged_series() == []
    assert "no_such_package are left out" in capsys.readouterr().err


@pytest.mark.slow
def test_tables():
    errors, times = paired_tables(argparse.Namespace(quick=True, data=None))
    assert [row[0] for row in errors.rows] == ["made river, pH", "made river, DO", "mean"]
    assert len(errors.columns) == len(errors.rows[0]) == len(times.rows) + 1
    mean, error = map(float, errors.rows[0][1].split(" ± "))
    assert 0.3 < mean < 1.1
    assert error < 0.5
    assert all(row[1] <= row[2] for row in times.rows)
