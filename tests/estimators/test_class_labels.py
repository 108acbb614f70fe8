"""Labels in all the forms they come in, and what stands for one that is missing."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from labelled import HEAPS, LINE, in_two_heaps
from models import few_forests, one_tree
from sklearn.exceptions import DataConversionWarning

from lapoleaf import LaPOLeaFClassifier, LeadingForestClassifier

NAN = float("nan")


def fit_heaps(y, **params):
    return few_forests(bandwidth=1.0, **params).fit(HEAPS, y)


def array(values, dtype=None):
    return np.array(values, dtype=dtype)


def check_two_heaps(model, first, second, kind):
    """Each heap got its label, in the type of the labels."""
    assert model.classes_.tolist() == sorted([first, second])
    assert model.classes_.dtype.kind == kind
    assert model.given_.tolist() == [True, *[False] * 4, True, *[False] * 4]
    assert model.transduction_.tolist() == [first] * 5 + [second] * 5
    found = model.predict(HEAPS)
    assert found.tolist() == [first] * 5 + [second] * 5
    assert found.dtype == model.transduction_.dtype == model.classes_.dtype


# What y is made with, its two classes, what marks the rest, and the type of NumPy's arrays of it.
AUTOMATIC = {
    "list of ints": (list, 4, 2, -1, "i"),
    "list of floats": (list, 4.0, 2.0, -1.0, "f"),
    "list of ints and None": (list, 4, 2, None, "i"),
    "list of strings and None": (list, "x", "a", None, "U"),
    "list of strings and NaN": (list, "x", "a", NAN, "U"),
    "list of strings and NA": (list, "x", "a", pd.NA, "U"),
    "list of strings and -1": (list, "x", "a", -1, "U"),
    "tuple of strings and None": (tuple, "x", "a", None, "U"),
    "list of bools and None": (list, True, False, None, "b"),
    "list of ints and NA": (list, 4, 2, pd.NA, "i"),
    "int64": (array, 4, 2, -1, "i"),
    "int8": (lambda y: array(y, np.int8), 4, 2, -1, "i"),
    "float64, -1": (array, 4.0, 2.0, -1.0, "f"),
    "float64, NaN": (array, 4.0, 2.0, NAN, "f"),
    "float32, NaN": (lambda y: array(y, np.float32), 4.0, 2.0, NAN, "f"),
    "-1 is a class beside NaN": (array, -1.0, 1.0, NAN, "f"),
    "objects, None": (lambda y: array(y, object), "x", "a", None, "U"),
    "objects, NaN": (lambda y: array(y, object), "x", "a", NAN, "U"),
    "objects, ints, -1": (lambda y: array(y, object), 4, 2, -1, "i"),
    "objects, bools, -1": (lambda y: array(y, object), True, False, -1, "b"),
    "pandas, objects": (lambda y: pd.Series(y, dtype=object), "x", "a", None, "U"),
    "pandas, ints, -1": (pd.Series, 4, 2, -1, "i"),
    "pandas, floats": (pd.Series, 4.0, 2.0, NAN, "f"),
    "pandas, Int64": (lambda y: pd.Series(y, dtype="Int64"), 4, 2, pd.NA, "i"),
    "pandas, string": (lambda y: pd.Series(y, dtype="string"), "x", "a", pd.NA, "U"),
    "pandas, category": (lambda y: pd.Series(y, dtype="category"), "x", "a", None, "U"),
    "pandas, boolean": (lambda y: pd.Series(y, dtype="boolean"), True, False, pd.NA, "b"),
    "pandas, another index": (lambda y: pd.Series(y, index=range(50, 60)), 4, 2, -1, "i"),
    "polars, strings": (pl.Series, "x", "a", None, "U"),
    "polars, categories": (lambda y: pl.Series(y, dtype=pl.Categorical), "x", "a", None, "U"),
    "polars, bools": (pl.Series, True, False, None, "b"),
    "polars, ints": (pl.Series, 4, 2, None, "i"),
    "polars, ints, -1": (pl.Series, 4, 2, -1, "i"),
    "polars, floats": (pl.Series, 4.0, 2.0, None, "f"),
}


@pytest.mark.parametrize(
    ("make", "first", "second", "missing", "kind"), AUTOMATIC.values(), ids=AUTOMATIC
)
def test_missing_labels_are_found(make, first, second, missing, kind):
    model = fit_heaps(make(in_two_heaps(first, second, missing)))
    check_two_heaps(model, first, second, kind)


EXPLICIT = {
    "a string": ("x", "a", "?", "U"),
    "the empty string": ("x", "a", "", "U"),
    "a number": (4, 2, 99, "i"),
    "a number, -1 is a class": (-1, 1, 99, "i"),
    "a float": (4.0, 2.0, -9.0, "f"),
    "None": ("x", "a", None, "U"),
    "NaN": (4.0, 2.0, NAN, "f"),
    "NA": ("x", "a", pd.NA, "U"),
    "-1 among strings": ("x", "a", -1, "U"),
    "a number of NumPy": (4, 2, np.int64(99), "i"),
}


@pytest.mark.parametrize("container", [list, np.array, pd.Series])
@pytest.mark.parametrize(("first", "second", "missing", "kind"), EXPLICIT.values(), ids=EXPLICIT)
def test_missing_label_can_be_named(first, second, missing, kind, container):
    if container is np.array and isinstance(first, str) and not isinstance(missing, str):
        y = np.array(in_two_heaps(first, second, missing), dtype=object)
    else:
        y = container(in_two_heaps(first, second, missing))
    check_two_heaps(fit_heaps(y, missing_label=missing), first, second, kind)


@pytest.mark.parametrize("missing", [None, NAN, pd.NA])
def test_any_null_is_missing_where_a_null_is_named(missing):
    y = ["x", None, NAN, pd.NA, None, "a", None, NAN, pd.NA, None]
    check_two_heaps(fit_heaps(y, missing_label=missing), "x", "a", "U")


def test_whole_numbers_too_large_for_floats_stay_apart():
    """2**53 and 2**53 + 1 are the same float."""
    first, second = 2**53 + 1, 2**53
    y = in_two_heaps(first, second, None)
    for container in (list, pl.Series, lambda values: pd.Series(values, dtype="Int64")):
        check_two_heaps(fit_heaps(container(y)), first, second, "i")


@pytest.mark.parametrize("y", [in_two_heaps(True, False, -1), in_two_heaps(True, False, NAN)])
def test_a_list_is_read_like_an_array_of_objects(y):
    """NumPy would turn true and false into numbers beside numbers."""
    as_objects, as_list = fit_heaps(np.array(y, dtype=object)), fit_heaps(y)
    assert as_list.classes_.dtype == as_objects.classes_.dtype == bool
    assert as_list.transduction_.tolist() == as_objects.transduction_.tolist()


@pytest.mark.parametrize(
    "y",
    [
        np.array(["x"] * 5 + ["a"] * 5),
        np.array([b"x"] * 5 + [b"a"] * 5),
        np.array([True] * 5 + [False] * 5),
        np.array([300] * 5 + [200] * 5, dtype=np.uint16),
        np.array([3] * 5 + [0] * 5, dtype=np.float16),
    ],
    ids=lambda y: str(y.dtype),
)
def test_nothing_missing(y):
    model = fit_heaps(y)
    assert model.given_.all()
    assert model.classes_.dtype == y.dtype
    np.testing.assert_array_equal(model.transduction_, y)


# ----------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda y: np.array(y, dtype=object)])
@pytest.mark.parametrize("bad", [2.5, float("inf"), 1e-9])
def test_numbers_that_are_no_classes_point_to_the_regressor(make, bad):
    with pytest.raises(ValueError, match=r"Unknown label type.*use LaPOLeaFRegressor") as caught:
        fit_heaps(make(in_two_heaps(1.0, bad, NAN)))
    assert str(bad) in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("a", 1, "mixes numbers and text"),
        ("a", True, "mixes text and true or false"),
        (True, 7, "mixes numbers and true or false"),
        ("a", 2.5, "mixes numbers and text"),
    ],
)
@pytest.mark.parametrize("make", [list, lambda y: np.array(y, dtype=object)])
def test_labels_of_several_kinds_are_refused(make, first, second, words):
    with pytest.raises(ValueError, match=words):
        fit_heaps(make(in_two_heaps(first, second, None)))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (in_two_heaps({"a"}, {"b"}, None), r"y holds \{'a'\} of type set"),
        (in_two_heaps(1j, 2j, None), "of type complex"),
        (np.array(["2020-01-01"] * 10, dtype="datetime64[D]"), r"y holds datetime64"),
    ],
    ids=["sets", "complex", "dates"],
)
def test_things_that_are_no_labels_are_refused(y, words):
    with pytest.raises(ValueError, match=f"Unknown label type.*{words}"):
        fit_heaps(y)


def test_a_null_that_is_not_the_missing_label_is_no_class():
    with pytest.raises(ValueError, match="y holds None"):
        fit_heaps(in_two_heaps(1, 2, None), missing_label=-1)


@pytest.mark.parametrize(
    ("value", "params"),
    [
        (-1, {}),
        (None, {}),
        (NAN, {}),
        (pd.NA, {}),
        ("?", {"missing_label": "?"}),
        (99, {"missing_label": 99}),
    ],
)
def test_at_least_one_label_must_be_given(value, params):
    with pytest.raises(ValueError, match="y has no label: all 10 entries are missing"):
        fit_heaps([value] * 10, **params)


def test_weight_0_on_every_label_is_no_label():
    y = in_two_heaps(0, 1, -1)
    weight = np.where(np.array(y) == -1, 1.0, 0.0)
    with pytest.raises(ValueError, match="sample_weight is 0 for every row that has a label"):
        few_forests().fit(HEAPS, y, sample_weight=weight)


def test_y_must_be_there():
    with pytest.raises(ValueError, match="requires y to be passed"):
        fit_heaps(None)


@pytest.mark.parametrize("length", [0, 2, 9, 11])
def test_one_label_a_row(length):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples|has no label"):
        fit_heaps(np.arange(length))


def test_two_columns_are_refused():
    with pytest.raises(ValueError, match=r"1d array|1-D|shape"):
        fit_heaps(np.ones((10, 2), dtype=int))


@pytest.mark.parametrize("make", [np.array, pd.DataFrame, pl.DataFrame, list], ids=str)
def test_one_column_is_taken_with_a_warning(make):
    y = in_two_heaps("x", "a", None)
    columns = {"y": y} if make in (pd.DataFrame, pl.DataFrame) else [[label] for label in y]
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        model = fit_heaps(make(columns))
    check_two_heaps(model, "x", "a", "U")


# -------------------------------------------------------------------------------- what is doubted


@pytest.mark.parametrize(("make", "number"), [(int, "ints"), (float, "floats")])
def test_only_minus_1_and_1_warns(make, number):
    y = [make(value) for value in in_two_heaps(1, 1, -1)]
    with pytest.warns(UserWarning, match="only -1 and 1.*pass missing_label=None") as caught:
        model = fit_heaps(y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert model.classes_.tolist() == [1]
    assert (model.transduction_ == 1).all()


def test_the_way_out_of_that_warning():
    y = [-1] * 5 + [1] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit_heaps(y, missing_label=None)
    assert model.classes_.tolist() == [-1, 1]
    assert model.transduction_.tolist() == y


@pytest.mark.parametrize("label", ["only", 3, 0.0, True])
def test_one_class_only_warns(label):
    y = in_two_heaps(label, label, None)
    with pytest.warns(UserWarning, match="y has one class only") as caught:
        model = fit_heaps(y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert f"only, {label!r}:" in str(caught[0].message)
    assert model.transduction_.tolist() == [label] * 10
    np.testing.assert_array_equal(model.predict_proba(HEAPS * 1e6), np.ones((10, 1)))


def test_only_1_without_a_missing_label_has_one_class_only():
    with pytest.warns(UserWarning, match="y has one class only"):
        fit_heaps([1] * 10)


def test_one_distinct_point_warns_the_user():
    with pytest.warns(UserWarning, match="X has one distinct point only") as caught:
        model = few_forests().fit([[2.0]] * 4, ["a", "b", None, "a"])
    assert caught[0].filename == __file__
    np.testing.assert_allclose(model.label_distributions_[2], [2 / 3, 1 / 3])
    assert model.predict([[2.0], [9.0]]).tolist() == ["a", "a"]


# ------------------------------------------------------------------------------- duplicates, mixed


def test_rows_at_one_place_share_their_labels():
    X = [[0.0], [0.0], [0.0], [5.0]]
    model = one_tree(n_trees=1).fit(X, ["a", "b", "b", None])
    np.testing.assert_allclose(model.predict_proba(X), [[1 / 3, 2 / 3]] * 4)
    np.testing.assert_allclose(model.label_distributions_, [[1, 0], [0, 1], [0, 1], [1 / 3, 2 / 3]])
    assert model.transduction_.tolist() == ["a", "b", "b", "b"]
    weighted = one_tree(n_trees=1).fit(X, ["a", "b", "b", None], [4, 1, 1, 1])
    np.testing.assert_allclose(weighted.predict_proba(X), [[2 / 3, 1 / 3]] * 4)


# --------------------------------------------------------------------------------- min_confidence


def marked(a, b, missing):
    """Labels for ``LINE``: at least 0.9 sure everywhere but in row 1, which hangs between two."""
    return [a, missing, b, missing, b]


def same(value, marker):
    """Whether a value is the marker: NaN is NaN, None is None, NA is NA."""
    if marker is None or marker is pd.NA or value is None or value is pd.NA:
        return value is marker
    return value == marker or (value != value and marker != marker)


# y, what is said about it, what marks an unsure row, and the type of array that holds it.
UNSURE = {
    "ints": (np.array(marked(3, 5, -1)), {}, -1, "i"),
    "small ints": (np.array(marked(3, 5, -1), dtype=np.int8), {}, -1, "i"),
    "floats": (np.array(marked(3.0, 5.0, -1.0)), {}, -1.0, "f"),
    "floats, NaN": (np.array(marked(3.0, 5.0, NAN)), {}, NAN, "f"),
    "float32, NaN": (np.array(marked(3.0, 5.0, NAN), dtype=np.float32), {}, NAN, "f"),
    "strings, None": (marked("x", "y", None), {}, None, "O"),
    "strings, NA": (marked("x", "y", pd.NA), {}, pd.NA, "O"),
    "strings, -1": (marked("x", "y", -1), {}, -1, "O"),
    "bools, None": (marked(True, False, None), {}, None, "O"),
    "objects, -1": (np.array(marked(3, 5, -1), dtype=object), {}, -1, "i"),
    "a string": (marked("x", "y", "?"), {"missing_label": "?"}, "?", "U"),
    "a longer string": (marked("x", "y", "unknown"), {"missing_label": "unknown"}, "unknown", "U"),
    "a number": (marked(3, 5, 99), {"missing_label": 99}, 99, "i"),
    "a number of NumPy": (marked(3, 5, 99), {"missing_label": np.int64(99)}, 99, "i"),
}


@pytest.mark.parametrize(("y", "params", "missing", "kind"), UNSURE.values(), ids=UNSURE)
def test_unsure_rows_come_back_as_missing(y, params, missing, kind):
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=1, min_confidence=0.9, **params)
    model.fit(LINE, y)
    np.testing.assert_allclose(model.label_distributions_.max(axis=1), [1, 10 / 19, 1, 1, 1])
    a, b = y[0], y[2]
    for found in (model.transduction_, model.predict(LINE)):
        assert found[[0, 2, 3, 4]].tolist() == [a, b, b, b]
        assert same(found[1], missing)
        assert found.dtype.kind == kind
    assert same(model.explain([1.0]).label, missing)


@pytest.mark.parametrize(
    ("labels", "params", "missing"),
    [
        ([3, 5], {}, -1),
        ([3.0, 5.0], {}, -1.0),
        (["x", "y"], {}, None),
        ([True, False], {}, None),
        ([3, 5], {"missing_label": NAN}, NAN),
        ([3, 5], {"missing_label": None}, None),
        (["x", "y"], {"missing_label": "?"}, "?"),
    ],
    ids=str,
)
def test_unsure_rows_where_no_label_was_missing(labels, params, missing):
    """Two rows at one place disagree."""
    a, b = labels
    model = few_forests(bandwidth=1.0, min_confidence=0.9, **params)
    X = [[0.0], [0.0], [8.0], [9.0]]
    model.fit(X, [a, b, b, b])
    assert model.transduction_.tolist() == [a, b, b, b]
    found = model.predict(X)
    assert found[2:].tolist() == [b, b]
    assert same(found[0], missing)
    assert same(found[1], missing)


def test_as_confident_as_demanded_is_enough():
    y = marked("x", "y", None)
    model = few_forests(bandwidth=1.0)
    lowest = model.fit(LINE, y).label_distributions_[1].max()
    model.set_params(min_confidence=float(lowest))
    assert None not in model.fit(LINE, y).transduction_.tolist()
    model.set_params(min_confidence=float(np.nextafter(lowest, 1)))
    assert model.fit(LINE, y).transduction_.tolist() == ["x", None, "y", "y", "y"]


def test_far_rows_are_unsure():
    model = fit_heaps(in_two_heaps("x", "a", None), min_confidence=0.6)
    assert model.predict([[0.5], [20.5], [1e6]]).tolist() == ["x", "a", None]


@pytest.mark.parametrize("bad", [-0.1, 1.1, "high", True, NAN])
def test_min_confidence_must_be_a_probability(bad):
    with pytest.raises(ValueError, match=r"min_confidence=.* must be a probability from 0 to 1"):
        fit_heaps(in_two_heaps(0, 1, -1), min_confidence=bad)


# ------------------------------------------------------------------------------------------ score


def test_score_counts_only_rows_with_a_label():
    model = fit_heaps(in_two_heaps("x", "a", None))
    truth = ["x", "x", "x", "a", None, "a", "a", None, "x", NAN]
    assert model.score(HEAPS, truth) == 5 / 7
    assert model.score(HEAPS, truth, sample_weight=[1, 1, 1, 0, 9, 1, 1, 9, 3, 9]) == 5 / 8


def test_score_counts_unsure_rows_as_wrong():
    y = marked(3, 5, pd.NA)
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=1, min_confidence=0.9).fit(
        LINE, y
    )
    assert model.score(LINE, [3, 5, 5, 5, 5]) == 4 / 5


@pytest.mark.parametrize(
    ("y", "weight"), [([None] * 10, None), (["x", *[None] * 9], [0, *[1] * 9])]
)
def test_score_without_a_label_says_so(y, weight):
    model = fit_heaps(in_two_heaps("x", "a", None))
    with pytest.raises(ValueError, match=r"label|sample_weight"):
        model.score(HEAPS, y, sample_weight=weight)


# ------------------------------------------------------------------------------- names of classes

NUL = [["ä\0", "ä", None], np.array(["ä\0", "ä", None], dtype=object), ("a\0", "a", "b")]


@pytest.mark.parametrize("y", [*NUL, ["a\0", "b", "c"], [b"a\0", b"a", b"b"]], ids=str)
def test_classes_that_numpy_could_not_tell_apart(y):
    """Arrays of text have no NUL at the end: both classes would become one."""
    model = LeadingForestClassifier()
    with pytest.raises(ValueError, match=r"y holds b?'[äa]\\x00', which ends with a NUL character"):
        model.fit([[0.0], [1.0], [5.0]], y)


def test_such_classes_later():
    model = LeadingForestClassifier().fit([[0.0], [1.0], [5.0]], ["a", None, "b"])
    for change in (
        lambda: model.update_labels([1], ["a\0"]),
        lambda: model.partial_fit([[2.0]], ["a\0"]),
        lambda: model.score([[2.0]], ["a\0"]),
    ):
        with pytest.raises(ValueError, match="NUL"):
            change()


def test_other_odd_names_are_classes():
    names = ["\0a", "", " ", "a ", "a", "ä", "a\u0308", "\n"]
    X = [[10.0 * k] for k in range(len(names))]
    model = LeadingForestClassifier().fit(X, names)
    assert sorted(model.classes_.tolist()) == sorted(names)
    assert model.predict(X).tolist() == names
