"""Windows of a series: none crosses a gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapoleaf.streams import fold_series


def slowly_folded(values, window, horizon):
    rows = []
    for start in range(len(values) - window - horizon + 1):
        span = values[start : start + window + horizon]
        if not any(np.isnan(span)):
            rows.append((*span[:window], span[-1], start + window + horizon - 1))
    return rows


@given(
    st.lists(st.one_of(st.integers(0, 9), st.none()), max_size=30),
    st.integers(1, 4),
    st.integers(1, 3),
)
@settings(deadline=None, max_examples=60)
def test_windows_are_those_of_the_slow_twin(values, window, horizon):
    series = [np.nan if v is None else float(v) for v in values]
    X, y, index = fold_series(series, window, horizon=horizon)
    found = [(*row, target, place) for row, target, place in zip(X, y, index, strict=True)]
    assert found == slowly_folded(series, window, horizon)


def test_no_window_crosses_a_gap_in_time():
    times = [0, 15, 30, 45, 90, 105, 120]
    X, y, index = fold_series(np.arange(7.0), 2, times)
    assert X.tolist() == [[0, 1], [1, 2], [4, 5]]
    assert y.tolist() == [2, 3, 6]
    assert index.tolist() == [2, 3, 6]


def test_late_readings_are_put_in_order_and_the_last_of_equal_times_counts():
    times = np.array(
        ["2019-01-01 00:15", "2019-01-01 00:00", "2019-01-01 00:30", "2019-01-01 00:30"]
    )
    X, y, index = fold_series([1.0, 0.0, 9.0, 2.0], 2, times)
    assert X.tolist() == [[0, 1]]
    assert y.tolist() == [2]
    assert index.tolist() == [3]


def test_a_short_series_has_no_windows():
    X, y, index = fold_series([1.0, 2.0], 5)
    assert X.shape == (0, 5)
    assert len(y) == len(index) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], 0), "window=0 must be a whole number, 1 or more"),
        (([1.0], 2.5), "window=2.5 must be"),
        (([[1.0]], 1), "values must be one series"),
        (([np.inf], 1), "infinite readings"),
        (
            (["8.1", "n/a"], 1),
            "values must hold numbers, with NaN where missing, but row 1 has 'n/a'",
        ),
        (([1.0, 2.0], 1, [0]), "timestamps has 1 entries, but there are 2 values"),
        (([1.0], 1, [np.nan]), "one is missing or infinite"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        fold_series(*arguments)


@pytest.mark.parametrize("time", ["now", "today", "99999-01-01", "2019-02-30", "", "12:00"])
def test_a_text_that_is_no_date_is_no_time(time):
    with pytest.raises(ValueError, match="is not a time: write it as '2019-01-01 00:15'"):
        fold_series([1.0, 2.0], 1, ["2019-01-01", time])


@pytest.mark.parametrize("kind", ["U", "S", "O", "datetime64[us]"])
def test_dates_as_texts_and_as_dates_are_the_same(kind):
    days = np.array(["2019-01-01", "2019-01-03", "2019-01-02"]).astype(kind)
    X, y, index = fold_series([1.0, 3.0, 2.0], 1, days)
    assert X.ravel().tolist() == [1.0, 2.0]
    assert y.tolist() == [2.0, 3.0]
    assert index.tolist() == [2, 1]
