"""Water series, and methods that are asked and told one reading after the other."""

import numpy as np
import pytest

from lapoleaf.bench.water_data import Series, made_series, water_series, windows_of
from lapoleaf.bench.water_methods import FORECASTERS, Growing, Nearest, Persistence
from lapoleaf.bench.water_runs import forecast


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


@pytest.mark.parametrize("name", FORECASTERS)
def test_forecasters_follow_the_water(name):
    windows = windows_of(made_series(400), "do", 5, n_train=200, n_test=20)
    found = forecast(FORECASTERS[name], windows)
    assert found.predictions.shape == (20,)
    assert found.sse == pytest.approx(np.sum((found.predictions - windows.y[200:]) ** 2))
    assert found.sse / 20 < 0.5 * windows.y.var()
    assert found.training >= 0
    assert found.milliseconds > 0


def test_neighbours_that_were_told_are_asked():
    X = np.arange(10.0)[:, None]
    method = Nearest()
    method.fit(X, X[:, 0])
    window = np.array([100.0])
    assert method.predict(window) == 7.0
    for _ in range(5):
        method.tell(window, 50.0)
    assert method.predict(window) == 50.0
    persistence = Persistence()
    persistence.fit(X, X[:, 0])
    assert persistence.predict(np.array([1.0, 4.0])) == 4.0


def test_a_model_that_can_grow_is_told():
    class Model:
        def partial_fit(self, X, y):
            self.told = X, y

    method = Growing(Model(), at_once=2)
    method.tell(np.array([1.0, 2.0]), 3.0)
    assert not hasattr(method.model, "told")
    method.tell(np.array([2.0, 3.0]), 4.0)
    np.testing.assert_array_equal(method.model.told[0], [[1.0, 2.0], [2.0, 3.0]])
    np.testing.assert_array_equal(method.model.told[1], [3.0, 4.0])
    method.tell(np.array([3.0, 4.0]), 5.0)
    assert len(method.waiting) == 1
