"""What rows are recognised by: their names or cells, whatever else has changed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapoleaf.inputs import read
from lapoleaf.inputs.row_keys import RowKey, canonical, keys_of

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.5, np.nan, 1.0],
        "colour": ["red", None, "blue", "red"],
        "seen": ["2024-05-01", "2024-05-02", None, "2024-05-01"],
        "count": [3, 4, 5, 3],
    }
)


def keys(frame, **options):
    found = keys_of(read(frame, **options))
    return [found.of(row) for row in range(len(frame))]


def test_equal_rows_are_counted():
    found = keys(FRAME)
    assert found[3] == RowKey(found[0].key, 1)
    assert len({key.key for key in found}) == 3


CHANGES = {
    "order": lambda frame: frame[["seen", "count", "size", "colour"]],
    "floats": lambda frame: frame.assign(count=frame["count"].astype(float)),
    "decimals": lambda frame: frame.assign(count=frame["count"].map("{:.2f}".format)),
    "blanks": lambda frame: frame.assign(size=frame["size"].map(lambda cell: f" {cell} ")),
    "times": lambda frame: frame.assign(
        seen=frame["seen"].map(lambda d: f"{d} 00:00:00" if isinstance(d, str) else d)
    ),
    "labels": lambda frame: frame.assign(label=["a", "b", None, "a"]),
    "categories": lambda frame: frame.assign(colour=frame["colour"].astype("category")),
}


@pytest.mark.parametrize("form", CHANGES)
def test_the_same_cells_in_another_form_are_the_same(form):
    assert keys(CHANGES[form](FRAME)) == keys(FRAME)


def test_rows_keep_their_keys_in_another_order_and_beside_others():
    order = [2, 0, 3, 1]
    more = pd.concat([FRAME.iloc[order], FRAME.assign(size=99.0)], ignore_index=True)
    found = keys(more)[:4]
    assert [key.key for key in found] == [keys(FRAME)[row].key for row in order]


def test_a_change_of_one_cell_changes_one_key():
    changed = FRAME.copy()
    changed.loc[1, "count"] = 7
    same = [a == b for a, b in zip(keys(changed), keys(FRAME), strict=True)]
    assert same == [True, False, True, True]


def test_cells_of_other_columns_are_other_cells():
    one, two = pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"a": [2], "b": [1]})
    assert keys(one) != keys(two)


def test_names_count_alone():
    frame = FRAME.assign(name=["x", "y", "z", "007"])
    changed = frame.assign(size=5.0)
    assert keys(frame, id="name") == keys(changed, id="name")
    assert keys(frame, id="name")[3] == RowKey("=007", 0)


def test_only_columns_that_were_there_count():
    found = keys_of(read(FRAME.assign(more=1)), list(FRAME.columns))
    assert [found.of(row) for row in range(4)] == keys(FRAME)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_keys_lead_back_to_their_rows(values, data):
    found = keys_of(read(np.array(values, dtype=float)[:, None]))
    rows = data.draw(st.permutations(range(len(values))))
    assert found.rows_of([found.of(row) for row in rows]).tolist() == list(rows)
    # The twin: how many equal rows are before each.
    expected = [values[:row].count(value) for row, value in enumerate(values)]
    assert found.occurrences.tolist() == expected
    unknown = [RowKey("=nobody", 0), RowKey("zz", 0), RowKey(found.of(0).key, len(values))]
    assert found.rows_of(unknown).tolist() == [-1, -1, -1]
    assert found.rows_of([]).tolist() == []


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("39.10", 39.1, True),
        (" a ", "a", True),
        ("007", 7, False),
        ("", None, True),
        (True, "true", True),
        (2**60, str(2**60), True),
        (2**60, 2**60 + 1, False),
        ("1_000", 1000, False),
        ("nan", None, False),
        (-0.0, 0, True),
    ],
)
def test_what_a_person_takes_for_equal(one, other, equal):
    assert (canonical(one) == canonical(other)) is equal
