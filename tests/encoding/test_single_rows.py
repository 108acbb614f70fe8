"""A row alone is read as it is read among others."""

import datetime

import numpy as np
import pandas as pd
import pytest
from encoding.columns import encoded, framed, learnt

from lapoleaf import TableEncoder
from lapoleaf._encoding import Date, Number

UTC = datetime.UTC
MIXED = {
    "dates and strings": [datetime.datetime(2020, 1, 1, 5), "a", datetime.date(2020, 1, 2)],
    "times and strings": [datetime.time(5, 30), "a", datetime.time(6)],
    "durations and strings": [datetime.timedelta(days=1), "a", datetime.timedelta(seconds=1.5)],
    "zones and strings": [datetime.datetime(2020, 1, 1, tzinfo=UTC), "a", "b"],
    "numbers and truths": [1, True, 2.5],
    "numbers and strings": [3, "a", 3.0],
    "stamps and strings": [pd.Timestamp("2020-01-01 05:00"), "a", 7],
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_objects_alone(name):
    values = np.empty(6, dtype=object)
    values[:] = MIXED[name] * 2
    frame = framed(values)
    encoder = TableEncoder(kinds={"c": "category"}).fit(frame)
    together = encoder.transform(frame)
    assert together[:, :-1].any(axis=1).all()
    for row in range(6):
        assert encoder.transform(frame[row : row + 1]).tobytes() == together[row].tobytes()


def test_missing_strings_among_objects_do_not_make_them_strings():
    """A column of times with "NA" is one of times, as each of its rows alone is."""
    times = [datetime.time(hour) for hour in range(20)]
    assert isinstance(learnt([*times, "NA"]), Date)
    aware = [datetime.datetime(2020, 1, 1 + k, tzinfo=UTC) for k in range(20)]
    np.testing.assert_array_equal(
        encoded([*aware, "?"], new=aware[:1]), encoded([*aware, None])[:1]
    )
    assert isinstance(learnt([1, 2.5, "NA", "7"]), Number)


def test_the_rank_of_few_ngrams_is_found():
    """Directions of rounding errors would be scaled up to unit length."""
    plan = learnt([f"{k} {name}" for k in range(1, 9) for name in ("Oak", "Elm", "Ash")], "string")
    singular = np.linalg.svd(plan.vectors.projection, compute_uv=False)
    np.testing.assert_allclose(singular, 1)
