"""What columns are taken for, and what is left out."""

import datetime
import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest
from encoding.columns import framed, learnt

from lapoleaf import TableEncoder
from lapoleaf._encoding import LeftOut, Number, Strings, needs_encoding, read_frame

COUNTING = np.arange(5, 25)


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "PassengerId", "row index", "uuid"])
def test_what_is_all_different_and_named_like_an_id_is_left_out(name):
    mixed = COUNTING * 7919 % 101
    assert len(set(mixed)) == len(mixed)
    for values in (mixed, [f"x{k}" for k in mixed], pd.array(mixed, dtype="Int64")):
        plan = learnt(values, name=name)
        assert isinstance(plan, LeftOut)
        assert plan.reason.startswith("an id")
    assert isinstance(learnt(mixed + 0.25, name=name), Number)
    assert isinstance(learnt(mixed % 10, name=name), Number)


@pytest.mark.parametrize("name", ["idea", "acid", "paid", "grid", "humid", "width"])
def test_words_that_end_like_id_are_no_ids(name):
    assert isinstance(learnt(COUNTING * 7919 % 101, name=name), Number)


def test_what_counts_up_is_left_out_but_never_decimals():
    assert isinstance(learnt(COUNTING), LeftOut)
    assert isinstance(learnt([f"row {k}" for k in COUNTING]), LeftOut)
    assert isinstance(learnt([str(k) for k in COUNTING]), LeftOut)
    assert isinstance(learnt(COUNTING * 1.0), Number)
    assert isinstance(learnt(COUNTING * 2), Number)
    assert isinstance(learnt(COUNTING[::-1]), Number)
    assert isinstance(learnt(COUNTING[:9]), Number)


def test_ids_can_be_asked_for():
    assert isinstance(learnt(COUNTING, "number", name="id"), Number)
    assert isinstance(learnt([f"x{k}" for k in COUNTING], "string", name="id"), Strings)


@pytest.mark.parametrize(
    ("values", "reason"),
    [([3, 3, 3], "constant"), (["a"] * 3, "constant"), ([None] * 3, "no value"),
     ([np.nan] * 3, "no value"), (["NA", "", "?"], "no value"), ([pd.NaT] * 3, "no value"),
     ([True] * 3, "constant"), ([datetime.date(2020, 1, 1)] * 3, "constant")],
)  # fmt: skip
def test_nothing_to_learn_from(values, reason):
    assert learnt(values).description == f"left out: {reason}"


def test_ignored():
    assert learnt([1.0, 2.0], "ignore").description == "left out: as asked for"
    assert learnt([[1], [2]], "ignore").description == "left out: as asked for"


@pytest.mark.parametrize(
    ("value", "what"),
    [([1], "list"), ({"a": 1}, "dict"), ((1, 2), "tuple"), ({1}, "set"), (b"a", "bytes"),
     (np.arange(2), "ndarray"), (object(), "object"), (pd, "module")],
)  # fmt: skip
def test_nested_values_are_refused_in_one_sentence(value, what):
    column = np.empty(2, dtype=object)
    column[:] = ["a", value]
    with pytest.raises(TypeError, match=f"Column 'c' holds a {what} in row 1, which cannot be"):
        learnt(column)


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="Column 'c' holds complex numbers"):
        learnt([1j, 2j])


def test_objects_that_are_written_in_one_way_are_strings():
    found = learnt([uuid.uuid5(uuid.NAMESPACE_DNS, str(k)) for k in range(30)])
    assert isinstance(found, Strings)


def test_summary():
    frame = pd.DataFrame({
        "id": [f"a{k}" for k in range(60)],
        "size": [None, *range(1, 60)],
        "colour": ["red", "blue", None] * 20,
        "sold": [True, False] * 30,
        "when": pd.date_range("2020-01-01", periods=60).strftime("%d.%m.%Y"),
        "note": [f"we saw number {k} near the old mill" for k in range(60)],
    })  # fmt: skip
    assert TableEncoder(text_encoder="tfidf").fit(frame).summary().splitlines() == [
        "id       0 holes  left out: an id, different in every row",
        "size      1 hole  number, holes filled with 30",
        "colour  20 holes  category of 2 values, and one for holes",
        "sold     0 holes  boolean",
        "when     0 holes  date as %d.%m.%Y with time of week",
        "note     0 holes  text as n-grams of characters in 50 columns",
    ]


# ------------------------------------------------------------------------------------- frames

PLAIN = {
    "numbers": pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}),
    "booleans": pd.DataFrame({"a": [True, False]}),
    "nullable": pd.DataFrame({"a": pd.array([1, 2], dtype="Int64")}),
    "number objects": pd.DataFrame({"a": [1, 2.5]}, dtype=object),
    "polars": pl.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.5, 1.5]}),
    "array": np.array([["a"]]),
    "list": [["a"]],
    "no rows": pd.DataFrame({"a": ["x"]})[:0],
}
MIXED = {
    "hole": pd.DataFrame({"a": [1.0, None]}),
    "nullable hole": pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
    "string": pd.DataFrame({"a": ["1", "2"]}),
    "category": pd.DataFrame({"a": pd.Categorical([1, 2])}),
    "date": pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}),
    "objects": pd.DataFrame({"a": [1, None]}, dtype=object),
    "polars hole": pl.DataFrame({"a": [1, None]}),
    "polars nan": pl.DataFrame({"a": [1.0, float("nan")]}),
    "polars string": pl.DataFrame({"a": ["x"]}),
    "polars boolean hole": pl.DataFrame({"a": [True, None]}),
}


@pytest.mark.parametrize("name", PLAIN)
def test_frames_of_numbers_are_not_encoded(name):
    assert not needs_encoding(PLAIN[name])


@pytest.mark.parametrize("name", MIXED)
def test_mixed_frames_are_encoded(name):
    assert needs_encoding(MIXED[name])


def test_a_frame_of_polars_is_that_of_pandas():
    frame = pd.DataFrame({
        "n": [1.0, None, 3.0, 2.0], "s": ["a", None, "b", "a"], "b": [True, None, False, True],
        "d": pd.date_range("2020", periods=4), "t": pd.to_timedelta(range(4), unit="s"),
        "c": pd.Categorical(["x", "y", "x", None]),
    })  # fmt: skip
    encoder = TableEncoder().fit(frame)
    other = TableEncoder().fit(pl.from_pandas(frame))
    assert encoder.summary() == other.summary()
    expected = encoder.transform(frame)
    for one in (encoder, other):
        for rows in (frame, pl.from_pandas(frame)):
            assert one.transform(rows).tobytes() == expected.tobytes()
    assert read_frame(frame) is frame


def test_a_lazy_frame_is_refused():
    with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
        TableEncoder().fit(pl.DataFrame({"a": ["x"]}).lazy())


@pytest.mark.parametrize(
    ("name", "values"), [("pandas", [1.0, 2.0]), ("skrub", ["2020-01-01"] * 2)]
)
def test_without_the_extra_there_is_one_sentence(name, values, monkeypatch):
    frame = framed(["2020-01-01", "2021-05-05"])
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=rf'{name}, .*pip install "lapoleaf\[tables\]"'):
        TableEncoder().fit(frame)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"kinds": {"c": "numbers"}}, ValueError, r"kinds\['c'\] must be one of"),
        ({"kinds": {"d": "number"}}, ValueError, "kinds names the column 'd', which X does not"),
        ({"kinds": ["number"]}, TypeError, "kinds must be a mapping"),
        ({"text_encoder": "bert"}, ValueError, "text_encoder must be one of .* is 'bert'"),
    ],
)
def test_wrong_parameters(params, error, message):
    with pytest.raises(error, match=message):
        TableEncoder(**params).fit(framed([1.0, 2.0]))


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="X has two columns 'a': rename one of them"):
        TableEncoder().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
