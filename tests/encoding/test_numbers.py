"""Numbers keep their values: standardised, and never read where there are two ways to read them."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from encoding.columns import encoded, learnt
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf._encoding import Category, LeftOut, Number, Strings
from lapoleaf._encoding.number_forms import FORMS, form_of, number_in

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def test_by_pandas():
    values = pd.Series([3.0, 1.0, np.nan, 8.0, 2.0])
    filled = values.fillna(values.median())
    expected = (filled - values.mean()) / values.std(ddof=0)
    np.testing.assert_allclose(encoded(values)[:, 0], expected, rtol=1e-14)


def test_by_hand():
    plan = learnt([1.0, 3.0, np.nan, np.nan, np.nan, 5.0])
    assert (plan.mean * plan.unit, plan.median) == (3.0, 3.0)
    assert plan.feature_names == ("c", "c_missing")
    block = encoded([1.0, 3.0, np.nan, np.nan, np.nan, 5.0])
    np.testing.assert_allclose(block[:, 0], np.array([-1, 0, 0, 0, 0, 1]) * np.sqrt(1.5))
    np.testing.assert_allclose(block[:, 1], np.array([0, 0, 2, 2, 2, 0]))
    assert block[:, 1].var() == pytest.approx(1)


@pytest.mark.parametrize(("n_holes", "marked"), [(0, False), (2, False), (3, True)])
def test_frequent_holes_are_marked(n_holes, marked):
    values = np.arange(40.0) ** 2
    values[:n_holes] = np.nan
    assert (learnt(values).width == 2) == marked
    # A share of less than a twentieth is not frequent.
    assert learnt(np.concatenate((values, np.arange(60.0) ** 2))).width == 1


@given(st.lists(st.one_of(FLOATS, st.none()), min_size=2, max_size=60))
def test_numbers_can_be_read_off_again(values):
    held = [value for value in values if value is not None]
    column = pd.Series(values, dtype=np.float64)
    plan = learnt(column)
    if len(set(held)) < 2:
        assert not isinstance(plan, Number)
        return
    block = encoded(column)
    assert np.isfinite(block).all()
    # In the unit of the plan the largest is between 1 and 2, so that nothing overflows.
    back = (block[:, 0] * plan.std + plan.mean)[column.notna().to_numpy()]
    np.testing.assert_allclose(back, np.array(held) / plan.unit, rtol=1e-9, atol=1e-12)


@given(st.lists(FLOATS, min_size=2, max_size=20))
def test_numbers_in_strings_are_those_numbers(values):
    strings = [repr(value) for value in values]
    if any(text[:1] == "0" and text[1:2].isdigit() for text in strings):
        return
    plan, numbers = learnt(strings), learnt(values)
    assert type(plan) is type(numbers)
    if isinstance(plan, Number):
        assert (plan.mean, plan.std, plan.median) == (numbers.mean, numbers.std, numbers.median)


@given(st.floats(-1e9, 1e9), st.sampled_from(sorted(FORMS)))
def test_a_form_reads_what_was_written_in_it(value, form):
    """As people write thousands and decimals in four ways."""
    _, group, sign = FORMS[form]
    text = f"{value:,.4f}" if group else f"{value:.4f}"
    swapped = text.translate(str.maketrans({",": group, ".": sign}))
    assert number_in(swapped, form) == float(text.replace(",", ""))


@pytest.mark.parametrize(
    ("strings", "form"),
    [
        (["39.1", "-2e3", "7"], "plain"),
        (["39,1", "7", "-0,25"], "decimal comma"),
        (["1,234.5", "12"], "comma groups"),
        (["1.234,5", "12"], "point groups"),
        ([" 3 ", "4"], "plain"),
        (["1,234", "5,678"], None),
        (["1,234", "12"], None),
        (["01234", "98765"], None),
        (["1_000", "2"], None),
        (["٣", "2"], None),
        (["0x10", "2"], None),
        (["inf", "2"], None),
        ([], None),
    ],
)
def test_there_must_be_one_way_to_read_a_number(strings, form):
    assert form_of(strings) == form


def test_what_may_be_read_in_two_ways_stays_a_string():
    strings = [f"{k},{100 + k}" for k in range(1, 30)]
    assert isinstance(learnt(strings), Strings)
    with pytest.raises(ValueError, match=r"Column 'c' holds '1,101', whose comma may be"):
        learnt(strings, "number")


def test_postal_codes_keep_their_zeros():
    codes = ["01067", "10115", "20095"] * 4
    assert isinstance(learnt(codes), Category)
    assert learnt(codes).categories.tolist() == ["01067", "10115", "20095"]


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, 2, None, 5], dtype="Int64"),
        pd.array([1.0, 2.0, None, 5.0], dtype="Float32"),
        [1, "2", None, "5.0"],
        ["1", "2", "NA", "5"],
        ["1", " 2 ", "  ", "5"],
        [decimal.Decimal("1"), decimal.Decimal("2"), None, 5],
        pd.arrays.SparseArray([1.0, 2.0, np.nan, 5.0]),
    ],
    ids=["Int64", "Float32", "mixed", "strings", "blanks", "decimals", "sparse"],
)
def test_numbers_of_every_type(values):
    np.testing.assert_array_equal(encoded(values), encoded([1.0, 2.0, np.nan, 5.0]))


def test_whole_numbers_of_few_values_stay_numbers():
    assert isinstance(learnt([1, 2, 1, 2] * 5), Number)


def test_durations_are_seconds():
    values = pd.to_timedelta([1, 2, None, 4], unit="min")
    plan = learnt(values)
    assert (plan.duration, plan.median) == (True, 120.0)
    np.testing.assert_array_equal(encoded(values), encoded([60.0, 120.0, np.nan, 240.0]))
    objects = [datetime.timedelta(minutes=k) if k else None for k in (1, 2, 0, 4)]
    np.testing.assert_array_equal(encoded(values), encoded(objects))
    with pytest.raises(ValueError, match="holds numbers, but durations at the fit"):
        encoded(values, new=[1.0, 2.0])
    with pytest.raises(ValueError, match="holds durations, but numbers at the fit"):
        encoded([1.0, 2.0, 4.0], new=values)


@pytest.mark.parametrize(
    ("values", "new", "message"),
    [
        ([1.0, 2.0], ["1", "x"], "Column 'c' holds 'x' in row 1, which is not a number"),
        ([1.0, 2.0], pd.to_datetime(["2020-01-01"]), "holds dates, but numbers at the fit"),
        ([1.0, 2.0], [1.0, np.inf], "holds infinity in row 1"),
        ([1e-300, 2e-300], [1.0, 1e300], "too far from the numbers of the fit"),
    ],
)
def test_new_values_that_are_no_such_numbers(values, new, message):
    with pytest.raises(ValueError, match=message):
        encoded(values, new=new)


def test_numbers_that_no_float_holds():
    with pytest.raises(ValueError, match="Column 'c' holds a number: int too large"):
        learnt([10**400, 1])
    with pytest.raises(ValueError, match="holds infinity in row 0"):
        learnt([np.inf, 1.0])


def test_equal_numbers_written_in_two_ways_are_constant():
    assert isinstance(learnt(["1", "1.0"] * 5), LeftOut)
