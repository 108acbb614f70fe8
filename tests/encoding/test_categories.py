"""Categories and booleans, beside columns of ones by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from encoding.columns import encoded, framed, learnt, total_variance
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf import TableEncoder
from lapoleaf._encoding import Boolean, Category, LeftOut


def one_hot(values):
    """A column of ones for every value, and one for holes, divided to a total variance of 1."""
    categories = sorted({value for value in values if value is not None})
    categories += [None] * any(value is None for value in values)
    block = np.array([[float(value == one) for one in categories] for value in values])
    return block / np.sqrt(total_variance(block))


@given(st.lists(st.sampled_from(["a", "b", "ü", None]), min_size=8, max_size=40))
def test_one_hot_by_hand(values):
    if len({*values} - {None}) < 2:
        return
    np.testing.assert_allclose(encoded(values, "category"), one_hot(values), rtol=1e-12)


def test_by_hand():
    block = encoded(["x", "y", "x", "x"])
    # Shares of 3/4 and 1/4: variances of 3/16 each, together 3/8.
    np.testing.assert_allclose(block, np.array([[1, 0], [0, 1], [1, 0], [1, 0]]) * np.sqrt(8 / 3))


def test_a_category_of_two_is_as_far_apart_as_a_boolean():
    strings = encoded(["yes", "no", "no", "yes"])
    truths = encoded([True, False, False, True])
    apart = np.linalg.norm(strings[0] - strings[1])
    assert apart == pytest.approx(abs(truths[0, 0] - truths[1, 0]))
    assert apart == pytest.approx(2.0)


def test_unknown_categories_are_zeros_and_holes_are_a_category_where_there_were_some():
    with_holes, without = ["a", "b", None, "a"], ["a", "b", "b", "a"]
    assert not encoded(with_holes, new=["c", "d"]).any()
    assert encoded(with_holes, new=[None, "a"])[0].tolist()[:2] == [0, 0]
    assert encoded(with_holes, new=[None, "a"])[0, 2] > 0
    assert not encoded(without, new=[None, "NA"]).any()


def test_missing_strings_are_holes():
    plan = learnt(["a", "b", "NA", "?", " ", "a"])
    assert (plan.n_missing, plan.categories.tolist()) == (3, ["a", "b"])


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["a", "b", None, "a"], categories=["b", "unused", "a"]),
        pd.array(["a", "b", None, "a"], dtype="string"),
        np.array(["a", "b", None, "a"], dtype=object),
        pd.Series(["a", "b", None, "a"]),
        pl.Series(["a", "b", None, "a"], dtype=pl.Categorical).to_pandas(),
    ],
    ids=["declared", "string", "object", "str", "polars"],
)
def test_categories_of_every_type(column):
    assert isinstance(learnt(column), Category)
    np.testing.assert_array_equal(encoded(column), encoded(["a", "b", None, "a"]))


def test_a_hole_does_not_change_the_names_of_whole_numbers():
    """It turns them into floats: 3 becomes 3.0."""
    plan = learnt([1, 2, 3] * 4, "category")
    assert plan.categories.tolist() == ["1", "2", "3"]
    block = plan.encode(framed([3.0, np.nan]).iloc[:, 0])
    assert block[0].nonzero()[0].tolist() == [2]
    assert not block[1].any()


def test_mixed_objects_are_categories_by_their_text():
    plan = learnt([1, "a", None, 2.5, True] * 3)
    assert plan.categories.tolist() == ["1", "2.5", "True", "a"]


def booleans(values):
    held = [value for value in values if value is not None]
    mean = sum(held) / len(held)
    true = [0.0 if value is None else value - mean for value in values]
    columns = [true, [float(value is None) for value in values]] if None in values else [true]
    block = np.array(columns).T
    return block / np.sqrt(total_variance(block))


@given(st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=30))
def test_booleans_by_hand(values):
    if len({*values} - {None}) < 2:
        return
    found = encoded(pd.array(values, dtype="boolean"))
    np.testing.assert_allclose(found, booleans(values), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "values",
    [
        ["True", "False", "NA", "True"],
        ["true", "false", "", "true"],
        [True, False, None, True],
        pd.array([True, False, None, True], dtype="boolean"),
    ],
    ids=["True", "true", "objects", "boolean"],
)
def test_booleans_of_every_type(values):
    assert isinstance(learnt(values), Boolean)
    np.testing.assert_array_equal(encoded(values), booleans([True, False, None, True]))


def test_yes_and_no_stay_categories():
    assert isinstance(learnt(["yes", "no"] * 4), Category)


def test_zeros_and_ones_are_booleans_if_asked_for():
    assert isinstance(learnt([0, 1, 1, 0], "boolean"), Boolean)
    assert isinstance(learnt([1, 1, 1, 1], "boolean"), LeftOut)
    with pytest.raises(ValueError, match=r"Column 'c' holds 2\.0 in row 1, which is neither true"):
        learnt([0, 2, 1], "boolean")
    with pytest.raises(ValueError, match="Column 'c' holds 'maybe' in row 0, which is neither"):
        encoded([True, False], new=["maybe"])


def test_a_single_value_with_frequent_holes_is_there_or_not():
    assert isinstance(learnt(["a"] * 30 + [None] * 10), Category)
    assert isinstance(learnt([7.0] * 30 + [None] * 10), Category)
    assert isinstance(learnt(["a"] * 39 + [None]), LeftOut)


def test_names_are_all_different():
    frame = pd.DataFrame({"a": ["missing", "x", None] * 3, "a_x": [1.0, 2.0, 3.0] * 3})
    names = TableEncoder().fit(frame).get_feature_names_out().tolist()
    assert names == ["a_missing", "a_x", "a_missing_2", "a_x_2"]
