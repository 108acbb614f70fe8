"""Water series, and forecasters that are updated reading by reading."""

import numpy as np
import pytest

from benchmarks.data.water import Series, made_series, water_series, windows_of
from benchmarks.methods import find, select
from benchmarks.methods.forecasters import Growing, Live, Nearest, Persistence
from benchmarks.water.bounded_memory import joined, run_blocks, slope_row
from benchmarks.water.few_targets import rows_of
from benchmarks.water.forecast import forecast
from lapoleaf import LaPOLeaFRegressor
from lapoleaf.streams import SeriesForecaster


def test_windows_are_measured_and_in_order():
    values = np.arange(30.0)
    measured = np.ones(30, dtype=bool)
    measured[10] = False
    windows = windows_of(Series("a", {"do": values}, measured), "do", 3, n_train=5, n_test=10)
    assert windows.n_train == 5
    assert windows.X.shape == (15, 3)
    np.testing.assert_array_equal(windows.y, windows.X[:, -1] + 1)
    # Those with reading 10 are left out: from 7 to 10.
    assert windows.X[:, 0].tolist() == [*range(7), *range(11, 19)]
    with pytest.raises(ValueError, match="The series a has 23 windows of 4 measured readings"):
        windows_of(Series("a", {"do": values}, measured), "do", 3, n_train=20, n_test=10)


def test_series_are_read_or_made(tmp_path, capsys):
    assert [series.name for series in water_series(None)] == ["made river"]
    assert "a made series takes its place" in capsys.readouterr().err
    (tmp_path / "water").mkdir()
    (tmp_path / "water" / "Creek_run.csv").write_text(
        "timestamp,ph,do,filled\n2019-01-01 00:00,8.1,11.5,0\n2019-01-01 00:15,8.2,11.4,1\n"
    )
    (series,) = water_series(tmp_path)
    assert series.name == "Creek"
    np.testing.assert_array_equal(series.values["do"], [11.5, 11.4])
    assert series.measured.tolist() == [True, False]


@pytest.mark.parametrize("name", select("forecasts", "water"))
def test_forecasters_follow_the_water(name):
    windows = windows_of(made_series(400), "do", 5, n_train=200, n_test=20)
    found = forecast(find("forecasts", name).make, windows)
    assert found.predictions.shape == (20,)
    assert found.sse == pytest.approx(np.sum((found.predictions - windows.y[200:]) ** 2))
    assert found.sse / 20 < 0.5 * windows.y.var()
    assert found.training >= 0
    assert found.milliseconds > 0


def test_later_windows_are_neighbours_too():
    X = np.arange(10.0)[:, None]
    method = Nearest()
    method.fit(X, X[:, 0])
    window = np.array([100.0])
    assert method.predict(window) == 7.0
    for _ in range(5):
        method.update(window, 50.0)
    assert method.predict(window) == 50.0
    persistence = Persistence()
    persistence.fit(X, X[:, 0])
    assert persistence.predict(np.array([1.0, 4.0])) == 4.0


def test_windows_join_a_forest():
    X = np.arange(30.0)[:, None]
    method = Growing(LaPOLeaFRegressor.as_published(bandwidth=1.0))
    method.fit(X, X[:, 0])
    method.update(np.array([12.25]), 50.0)
    assert method.predict(np.array([12.25])) == 50.0


def test_windows_with_gaps_are_the_readings_that_a_forecaster_is_told():
    values = made_series(420).values["do"]
    whole = np.lib.stride_tricks.sliding_window_view(values, 4)
    kept = np.r_[0:200, 230:400, 410:416]
    X, y = whole[kept, :3], whole[kept, 3]
    method = Live()
    method.fit(X[:370], y[:370])
    said = []
    for window, reading in zip(X[370:], y[370:], strict=True):
        said.append(method.predict(window))
        method.update(window, reading)
    forecaster = SeriesForecaster(window=3)
    forecaster.fit(np.concatenate([values[:203], [np.nan], values[230:403]]))
    for reading in (np.nan, *values[410:413]):
        forecaster.update(reading)
    for answer, reading in zip(said, values[413:419], strict=True):
        assert answer == forecaster.predict_next()
        forecaster.update(reading)


def test_joined_series_repeat_with_noise():
    values = made_series(50)
    found = joined([values, values], 150)
    assert len(found) == 150
    assert np.array_equal(found[:50], values.values["do"])
    assert np.isnan(found[50])
    assert 0 < np.nanmax(np.abs(found[102:150] - found[:48])) < 0.1


@pytest.mark.slow
def test_bounds_are_measured_and_kept():
    values = joined([made_series(2300)], 2300)
    blocks = run_blocks(values, 2, "test", max_points=300)
    assert [block.points <= 300 for block in blocks] == [True, True]
    assert all(block.sse > 0 for block in blocks)


def test_rows_of_few_targets_are_a_day_of_ph_and_the_hour():
    series = made_series(300)
    X, y = rows_of(series, 100)
    assert X.shape == (100, 98)
    assert np.array_equal(y, series.values["do"][96:196])
    assert np.allclose((X[:, 96:] ** 2).sum(axis=1), 48.0)


def test_slopes_of_blocks():
    assert slope_row("MB", [444.5] * 9, 900) == ("MB", 0.0, 0.0, 0.0, 1.0)
    _, slope, low, high, p = slope_row("ms", [1.0, 2.0, 3.1, 4.0, 5.0], 1000)
    assert low < 100 < high
    assert slope == pytest.approx(100, rel=0.01)
    assert p < 1e-4
