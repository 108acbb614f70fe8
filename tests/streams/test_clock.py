"""Clocks of sensors: one odd time costs one reading, and no clock stops a series."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lapoleaf.cli import main
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.clock import Clock

REACH = 10
TIMES = st.lists(
    st.one_of(
        st.integers(-3, 3),
        st.integers(-30, 30),
        st.integers(-(10**6), 10**6),
        st.floats(-1e20, 1e20),
        st.sampled_from([-1.7e308, 1.7e308, 5e-324, 0.0]),
    ).map(float),
    max_size=40,
)


def taken(times, clock=None):
    """The values that come through when reading k is k, as one list a time."""
    clock = clock or Clock(REACH)
    return [clock.take(float(k), float(time)).values for k, time in enumerate(times)], clock


def through(found):
    return [int(value) for values in found for value in values if not math.isnan(value)]


def test_gaps_are_missing_readings():
    found, _ = taken([0, 1, 2, 3, 6, 7])
    assert [len(values) for values in found] == [1, 1, 1, 1, 3, 1]
    assert through(found) == list(range(6))


@given(
    st.integers(3, 19),
    st.one_of(st.integers(REACH + 1, 10**15), st.integers(-(10**15), -REACH)),
)
def test_a_single_odd_time_costs_its_reading_only(place, by):
    times = list(range(20))
    times[place] += by
    found, clock = taken(times)
    assert through(found) == [k for k in range(20) if k != place]
    assert (clock.n_odd, clock.n_late, clock.n_stretches) == (1, 0, 0)
    assert sum(map(len, found)) == 20


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("by", [10**12, -(10**12)])
def test_an_odd_time_among_the_first_costs_no_reading_after_it(place, by):
    times = list(range(20))
    times[place] += by
    found, clock = taken(times)
    assert set(through(found)) >= set(range(20)) - {place}
    assert clock.n_odd + clock.n_late <= 1


@given(st.integers(3, 30), st.integers(3, 10**12))
def test_a_clock_that_is_set_back_loses_nothing(place, by):
    times = [k if k < place else k - by for k in range(40)]
    found, clock = taken(times)
    assert through(found) == list(range(40))
    assert (clock.n_odd, clock.n_late, clock.n_stretches) == (0, 0, 1)
    # No window may cross: a missing reading stands between.
    values = [value for part in found for value in part]
    assert any(math.isnan(value) for value in values[: values.index(float(place))])


@given(st.integers(3, 30), st.integers(REACH + 1, 10**12))
def test_a_clock_that_is_set_forward_loses_nothing(place, by):
    found, clock = taken([k if k < place else k + by for k in range(40)])
    assert through(found) == list(range(40))
    assert (clock.n_odd, clock.n_late, clock.n_stretches) == (0, 0, 1)


def test_a_clock_that_stands_still_is_ignored():
    times = [0, 1, 2, 3, *[3] * 50, 54, 55]
    found, clock = taken(times)
    assert len(through(found)) == len(times) - 3
    assert clock.n_late == 3
    assert clock.n_stretches == 0


def test_readings_that_come_twice_are_late():
    found, clock = taken([0, 1, 2, 2, 3, 3, 4, 3, 5])
    assert through(found) == [0, 1, 2, 4, 6, 8]
    assert clock.n_late == 3


@given(TIMES)
@example([1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
@example([0.0, 1.0, 2.0, 900.0, math.nan, 901.0, 902.0, 903.0])
@example([0.0, 1.0, 0.0, -1.7e308, 0.0, -1.7e308, 0.0, 0.0])
def test_no_clock_stops_a_series(times):
    found, clock = taken(times)
    silent = 0
    for values in found:
        silent = 0 if any(not math.isnan(value) for value in values) else silent + 1
        assert silent < 5
    assert through(found) == sorted(set(through(found)))
    assert len(clock.held) < 5


@given(TIMES)
def test_every_reading_is_counted_once(times):
    assume(len(set(times)) == len(times))
    found, clock = taken(times)
    assert len(through(found)) + clock.n_late + clock.n_odd == len(times)
    assert min(clock.n_late, clock.n_odd, clock.n_stretches) >= 0


@given(TIMES, st.integers(0, 40))
def test_a_state_goes_on_equally(times, cut):
    whole, _ = taken(times)
    clock = taken(times[:cut])[1]
    other = Clock(REACH)
    other.restore(clock.state())
    rest = [
        other.take(float(k), time).values for k, time in enumerate(times[cut:], len(times[:cut]))
    ]
    assert np.array_equal(np.hstack([[], *rest]), np.hstack([[], *whole[cut:]]), equal_nan=True)


def test_a_missing_reading_with_a_time_is_counted_once():
    forecaster = SeriesForecaster(window=3)
    for k in range(20):
        forecaster.update(None if k == 10 else 8.0 + k % 3, 900.0 * k)
    assert (forecaster.n_readings_, forecaster.n_missing_) == (19, 1)


def test_the_forecaster_counts_odd_times_and_stretches():
    forecaster = SeriesForecaster(window=3)
    for k in range(60):
        time = 10**9 if k == 20 else k - (500 if k >= 40 else 0)
        forecaster.update(8.0 + k % 3, time)
    assert (forecaster.n_readings_, forecaster.n_missing_, forecaster.n_late_) == (59, 1, 0)
    assert (forecaster.n_odd_, forecaster.n_stretches_) == (1, 1)
    other = SeriesForecaster(window=3).set_state(forecaster.get_state())
    assert (other.n_odd_, other.n_stretches_) == (1, 1)


def test_fit_with_an_odd_last_time_goes_on():
    times = np.arange(300) * 900.0
    times[-1] = 1e15
    forecaster = SeriesForecaster(window=5).fit(np.sin(np.arange(300) / 7), times)
    for k in range(300, 310):
        forecaster.update(math.sin(k / 7), 900.0 * k)
    assert (forecaster.n_late_, forecaster.n_odd_) == (0, 0)
    assert forecaster.n_readings_ == 310


def test_the_command_tells_of_odd_times_and_of_stretches(tmp_path, capsys):
    lines = [f"{900 * k - (900_000 if k > 30 else 0)},{k % 7}" for k in range(50)]
    lines[10] = "1e12,5"
    path = tmp_path / "lines.csv"
    path.write_text("\n".join(["time,value", *lines]), encoding="utf-8")
    assert main(["stream", str(path), "--window", "3"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 51
    assert "line 12 has the time 1e12, which does not follow the others" in err
    assert "line 35: the clock was set, to -870300: a new stretch begins" in err
    assert "49 readings, 1 missing, 0 late" in err
    assert "1 with times that fit no others, 1 new stretch;" in err
