"""Dates and times, beside the calendar of the standard library."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from encoding.columns import encoded, learnt, total_variance
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf._encoding import Category, Date, LeftOut, Strings

DAYS = pd.date_range("2019-03-01 08:30", periods=40, freq="31h")


def parts_by_hand(moment):
    """Sine and cosine of the place in the week and in the day."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    day = (moment - midnight) / datetime.timedelta(days=1)
    week = (moment.weekday() + day) / 7
    return [f(2 * math.pi * part) for part in (week, day) for f in (math.sin, math.cos)]


def test_by_hand():
    plan = learnt(DAYS)
    assert plan.cycles == ("week", "day")
    assert plan.feature_names == (
        "c", "c_week_sin", "c_week_cos", "c_day_sin", "c_day_cos",
    )  # fmt: skip
    block = encoded(DAYS) / np.repeat(plan.scales, [1, 2, 2])
    np.testing.assert_allclose(np.diff(block[:, 0]), 31 * 3600)
    expected = [parts_by_hand(moment.to_pydatetime()) for moment in DAYS]
    np.testing.assert_allclose(block[:, 1:], expected, atol=1e-12)


def test_the_parts_share_a_variance_of_one():
    block = encoded(DAYS)
    assert total_variance(block) == pytest.approx(1)
    for part in (block[:, :1], block[:, 1:3], block[:, 3:]):
        assert total_variance(part) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("moments", "cycles"),
    [
        (pd.date_range("2019", periods=20, freq="D"), ("week",)),
        (pd.date_range("2019-01-01", periods=30, freq="28D"), ("year",)),
        (pd.date_range("2019", periods=20, freq="min"), ()),
        (pd.date_range("2019", periods=23, freq="h"), ("day",)),
        (pd.date_range("2019", periods=1000, freq="17h"), ("year", "week", "day")),
    ],
    ids=["days", "every fourth week", "minutes", "hours", "all"],
)
def test_cycles_that_vary(moments, cycles):
    assert learnt(moments).cycles == cycles


def test_the_end_of_a_year_is_near_its_beginning():
    block = encoded(pd.date_range("2017-01-01", periods=1500, freq="D"))
    year = block[:, 1:3]
    near = np.linalg.norm(year[364] - year[366])
    assert near < np.linalg.norm(year[364] - year[364 - 180]) / 20


FORMATS = ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y", "%Y-%m-%d"]


@pytest.mark.parametrize("form", FORMATS)
def test_the_format_of_strings_is_found(form):
    strings = DAYS.strftime(form)
    plan = learnt(strings)
    assert plan.form == form
    read = pd.to_datetime(strings, format=form)
    np.testing.assert_array_equal(encoded(strings), encoded(read))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_of_every_unit(unit):
    np.testing.assert_array_equal(encoded(DAYS.as_unit(unit)), encoded(DAYS))


@pytest.mark.parametrize(
    "values",
    [
        [moment.to_pydatetime() for moment in DAYS],
        pd.Series(DAYS).astype(object),
        pd.Categorical(DAYS.astype(str)),
    ],
    ids=["datetime", "Timestamp", "a category"],
)
def test_dates_of_every_type(values):
    if isinstance(values, pd.Categorical):
        # Declared to be categories.
        assert isinstance(learnt(values), Category)
        return
    np.testing.assert_array_equal(encoded(values), encoded(DAYS))


def test_days_and_periods():
    days = pd.date_range("2019-03-01", periods=30)
    np.testing.assert_array_equal(encoded([day.date() for day in days]), encoded(days))
    np.testing.assert_array_equal(encoded(days.to_period("D")), encoded(days))


def test_times_of_a_day():
    times = [datetime.time(hour, 30) for hour in range(24)]
    plan = learnt(times)
    assert isinstance(plan, Date)
    assert plan.cycles == ("day",)


def test_clocks_of_a_time_zone_show_the_cycles():
    """At eight in the morning, in summer and in winter."""
    local = pd.date_range("2019-01-01 08:00", periods=300, freq="D", tz="Europe/Berlin")
    assert "day" not in learnt(local).cycles
    assert "day" in learnt(local.tz_convert("UTC")).cycles
    np.testing.assert_array_equal(
        encoded(local, new=local.tz_convert("Asia/Tokyo")), encoded(local)
    )


def test_dates_with_and_without_a_time_zone_are_not_mixed():
    with pytest.raises(ValueError, match="with a time zone, but with no time zone at the fit"):
        encoded(DAYS, new=DAYS.tz_localize("UTC"))
    with pytest.raises(ValueError, match="with no time zone, but with a time zone at the fit"):
        encoded(DAYS.tz_localize("UTC"), new=DAYS)


def test_offsets_in_strings():
    strings = [f"2020-01-{day:02d}T10:00:00+0{day % 3}:00" for day in range(1, 29)]
    np.testing.assert_array_equal(encoded(strings), encoded(pd.to_datetime(strings, utc=True)))


def test_holes():
    holes = np.arange(40) % 5 == 2
    values = pd.Series(DAYS).where(~holes)
    plan = learnt(values)
    assert (plan.n_missing, plan.is_marked) == (8, True)
    block = encoded(values)
    # The median for the seconds, the middle of the circle for cycles.
    median = np.flatnonzero(DAYS == pd.Timestamp(plan.origin, unit="us"))[0]
    assert (block[holes, 0] == block[median, 0]).all()
    assert not block[holes, 1:-1].any()
    assert (block[:, -1] > 0).tolist() == holes.tolist()
    assert np.isfinite(encoded(DAYS, new=[None, None])).all()


@given(
    st.lists(
        st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)),
        min_size=2, max_size=30,
    )
)  # fmt: skip
def test_dates_can_be_read_off_again(moments):
    plan = learnt(moments)
    if len(set(moments)) < 2:
        assert isinstance(plan, LeftOut)
        return
    seconds = encoded(moments)[:, 0] / plan.scales[0] + plan.mean
    origin = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=plan.origin)
    expected = [(moment - origin).total_seconds() for moment in moments]
    span = np.ptp(expected)
    np.testing.assert_allclose(seconds, expected, atol=1e-9 * span, rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "new", "message"),
    [
        (DAYS, [1.0, 2.0], "holds numbers, but dates at the fit"),
        (DAYS, ["2020-01-01"], "holds strings, but dates at the fit"),
        (DAYS.strftime("%Y-%m-%d"), ["2020-01-01", "soon"], "holds 'soon' in row 1, .* not a date"),
    ],
)
def test_new_values_that_are_no_such_dates(values, new, message):
    with pytest.raises(ValueError, match=message):
        encoded(values, new=new)


def test_columns_that_are_no_dates():
    assert isinstance(learnt([f"{k}-{k + 1} in {k}" for k in range(30)]), Strings)
    with pytest.raises(ValueError, match="no format fits all of them"):
        learnt(["2020-01-01", "yesterday"], "date")
    with pytest.raises(ValueError, match=r"holds numbers: use pandas\.to_datetime"):
        learnt([1.0, 2.0], "date")


def test_dates_beyond_all_clocks():
    with pytest.raises(ValueError, match="Column 'c' holds dates"):
        learnt(np.array([10**14, 2, 3], dtype="M8[s]"))
