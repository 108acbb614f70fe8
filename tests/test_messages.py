"""Messages show values as a user typed them, and errors are ours."""

import ast
import datetime
import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lapoleaf
from lapoleaf import (
    GrowingTree,
    LabelledKFold,
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
    baselines,
    leading_tree,
    lodog,
    propagate,
)
from lapoleaf._messages import shown
from lapoleaf.streams import SeriesForecaster, fold_series

SOURCE = Path(lapoleaf.__file__).parent
# As NumPy 2 writes its scalars and arrays.
OF_NUMPY = re.compile(r"\bnp\.\w+\(|\barray\(|dtype=")

VALUES = {
    "3333": np.int64(3333),
    "-2.5": np.float32(-2.5),
    "True": np.bool_(True),
    "'a'": np.str_("a"),
    "b'a'": np.bytes_(b"a"),
    "2.5": np.longdouble(2.5),
    "2020-01-01": np.datetime64("2020-01-01"),
    "[1, 2]": np.array([1, 2]),
    "[[1.0, nan]]": np.array([[1.0, np.nan]]),
    "5": np.array(5),
    "[1, 'a', None]": [np.int8(1), np.str_("a"), None],
    "(1,)": (np.int64(1),),
    "{'w': [0.5]}": {np.str_("w"): np.array([0.5])},
    "['2020-01-01']": ["2020-01-01"],
    "'folder/file'": Path("folder") / "file",
    "a DataFrame of shape (2, 1)": pd.DataFrame({"a": [1, 2]}),
    "own_metric": lambda: None,
}
VALUES["own_metric"].__name__ = "own_metric"


@pytest.mark.parametrize("wanted", VALUES)
def test_values_as_a_user_typed_them(wanted):
    assert shown(VALUES[wanted]) == wanted


def test_long_values_are_cut():
    assert shown(np.arange(10**6)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"
    assert len(shown("a" * 10**6)) < 500
    assert len(shown(dict.fromkeys(range(1000), "a" * 99))) < 500


def test_no_message_shows_a_value_in_another_way():
    """``{value!r}`` would write a scalar of NumPy with its type."""
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
    ]
    assert found == []


# -------------------------------------------------------------------------- parameters that are odd

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 1.5], [8.0, 9.0], [9.0, 8.0], [9.5, 9.0]])
CLASSES = np.array([0, -1, -1, 1, -1, -1])
NUMBERS = np.array([0.5, np.nan, np.nan, 1.5, np.nan, np.nan])
ODD = [np.int64(-3333), np.float64(-0.25), np.str_("odd"), np.array([np.int64(-3)]), [np.int64(-3)],
       {"odd": np.float64(3)}, np.array([[np.nan]]), np.datetime64("2020-01-01")]  # fmt: skip
BASELINES = [getattr(baselines, name) for name in baselines.__all__]


def complaints(call):
    """Return what a call complains of, an error or warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except (ValueError, TypeError, OSError) as error:
            return [str(error), *(str(warning.message) for warning in caught)]
        return [str(warning.message) for warning in caught]


def check(call, *about):
    for message in complaints(call):
        assert not OF_NUMPY.search(message), (*about, message)


ESTIMATORS = [
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
    SeriesForecaster,
    *BASELINES,
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_odd_parameters_of_estimators(kind):
    numbers = kind in (LaPOLeaFRegressor, LeadingForestRegressor) or kind.__name__ == "LSSVR"
    y = NUMBERS if numbers else CLASSES
    complained = 0
    for name in inspect.signature(kind).parameters:
        for value in ODD:
            arguments = [np.arange(30.0)] if kind is SeriesForecaster else [X, y]

            def call(name=name, value=value, arguments=arguments):
                kind(**{name: value}).fit(*arguments)

            complained += len(complaints(call)) > 0
            check(call, name, value)
    assert complained > 10


def functions():
    tree = leading_tree(X)
    forest = lodog(tree, n_trees=2)
    labels, given = np.zeros(6), [True] + [False] * 5
    model = LeadingForestClassifier(n_trees=2).fit(X, CLASSES)
    regressor = LeadingForestRegressor(n_trees=2).fit(X, NUMBERS)
    growing = GrowingTree(tree)
    return {
        "leading_tree": lambda odd: leading_tree(odd),
        "sample_weight": lambda odd: leading_tree(X, sample_weight=odd),
        "metric": lambda odd: leading_tree(X, metric=odd),
        "metric_params": lambda odd: leading_tree(X, metric="minkowski", metric_params=odd),
        "alpha": lambda odd: lodog(tree, alpha=odd),
        "cost": lambda odd: lodog(tree, cost=odd),
        "labels": lambda odd: propagate(forest, odd, given),
        "given": lambda odd: propagate(forest, labels, odd),
        "mu": lambda odd: propagate(forest, labels, given, mu=odd),
        "solver": lambda odd: propagate(forest, labels, given, solver=odd),
        "y": lambda odd: LeadingForestClassifier().fit(X, odd),
        "y of one row": lambda odd: LeadingForestClassifier().fit(X, [odd, 1, -1, -1, -1, 0]),
        "missing_label": lambda odd: LeadingForestClassifier(missing_label=odd).fit(X, [odd] * 6),
        "targets": lambda odd: LeadingForestRegressor().fit(X, odd),
        "a target": lambda odd: LeadingForestRegressor().fit(X, [odd, 1, 1, 1, 1, 0]),
        "predict": lambda odd: model.predict(odd),
        "explain": lambda odd: model.explain(odd),
        "target": lambda odd: regressor.explain(0, target=odd),
        "coverage": lambda odd: regressor.predict_interval(X, coverage=odd),
        "suggest": lambda odd: model.suggest(odd),
        "ids": lambda odd: model.update_labels(odd, [0]),
        "new labels": lambda odd: model.update_labels([1], odd),
        "new targets": lambda odd: regressor.update_labels([1], odd),
        "forget": lambda odd: model.forget(odd),
        "insert": lambda odd: growing.insert(odd),
        "remove": lambda odd: growing.remove(odd),
        "n_splits": lambda odd: list(LabelledKFold(odd).split(X, CLASSES)),
        "fold_series": lambda odd: fold_series(np.arange(9.0), odd),
        "save": lambda odd: lapoleaf.save(model, odd),
        "load": lambda odd: lapoleaf.load(odd),
    }


@pytest.mark.parametrize("name", functions())
def test_odd_arguments_of_functions(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = functions()[name]
    for odd in [*ODD, np.int64(10**6), np.array(["a", "b"]), np.array([[None, "a"]], dtype=object)]:
        check(lambda odd=odd: call(odd), name, odd)
    assert any(complaints(lambda odd=odd: call(odd)) for odd in ODD)


# --------------------------------------------------------------------- entries without numbers

DAYS = pd.date_range("2020-01-01", periods=6)
LETTERS = list("abcdef")
A = X[:, 0]
NO_NUMBERS = {
    "dates": (pd.DataFrame({"a": A, "when": DAYS}), "dates in column 'when'"),
    "only dates": (pd.DataFrame({"when": DAYS}), "dates in column 'when'"),
    "dates of a zone": (pd.DataFrame({"when": DAYS.tz_localize("UTC")}), "dates in column 'when'"),
    "days": (pd.DataFrame({"d": [datetime.date(2020, 1, 1)] * 6}), "dates in column 'd'"),
    "periods": (pd.DataFrame({"d": DAYS.to_period("D")}), "dates in column 'd'"),
    "durations": (pd.DataFrame({"a": A, "d": DAYS - DAYS[0]}), "durations in column 'd'"),
    "text": (pd.DataFrame({"a": A, "name": LETTERS}), "text in column 'name' ('a' in row 0)"),
    "category": (pd.DataFrame({"b": pd.Categorical(LETTERS)}), "text in column 'b' ('a' in row 0)"),
    "numbered columns": (pd.DataFrame([[1.0, "x"]] * 6), "text in column 1 ('x' in row 0)"),
    "polars dates": (pl.DataFrame({"a": A, "d": DAYS.to_pydatetime()}), "dates in column 'd'"),
    "polars text": (pl.DataFrame({"a": A, "b": LETTERS}), "text in column 'b' ('a' in row 0)"),
    "polars duration": (
        pl.DataFrame({"d": [datetime.timedelta(1)] * 6}),
        "durations in column 'd'",
    ),
    "datetime64": (np.array([["2020-01-01"]] * 6, dtype="M8[D]"), "dates in column 0 (2020-01-01"),
    "timedelta64": (np.array([[1]] * 6, dtype="m8[s]"), "durations in column 0"),
    "str": (np.array([["1", "x"]] * 6), "text in column 1 ('x' in row 0)"),
    "objects": (np.array([[1.0, "x"]] * 6, dtype=object), "text in column 1 ('x' in row 0)"),
    "lists": ([[1.0, "x"]] * 6, "text in column 1 ('x' in row 0)"),
    "complex": (X * 1j, "complex numbers in column 0"),
    "complex column": (pd.DataFrame({"a": A, "c": A * 1j}), "complex numbers in column 'c'"),
    "a dict": (pd.DataFrame({"a": A, "b": [{}] * 6}), "{} of type dict in column 'b', row 0"),
    "lists in lists": ([[[1.0, 2.0], [3.0]]] * 6, "rows have different lengths"),
    "missing": (pd.DataFrame({"a": pd.Series([1, pd.NA] * 3, dtype=object)}), "column 'a', row 1"),
    "masked": (np.ma.masked_array(X, mask=X > 9), "X.filled(np.nan)"),
    "twice": (pd.DataFrame(X, columns=["a", "a"]), "two columns 'a'"),
    "too large": ([[10**400, 1]] * 6, "column 0, row 0"),
    "records": (np.zeros(6, dtype=[("a", float)]), "structured_to_unstructured"),
}
ENTRANCES = {
    "fit": lambda X: LaPOLeaFClassifier(n_forests=2, encoder=None).fit(X, CLASSES),
    "fit of numbers": lambda X: LeadingForestRegressor().fit(X, NUMBERS),
    "LoDOG": lambda X: LoDOG().fit(X),
    "predict": lambda X: LeadingForestClassifier().fit(X_OF_TWO, CLASSES).predict(X),
    "partial_fit": lambda X: LeadingForestClassifier().fit(X_OF_TWO, CLASSES).partial_fit(X),
    "baseline": lambda X: baselines.LLGC().fit(X, CLASSES),
}
X_OF_TWO = X


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_entries_that_are_no_numbers(kind, entrance):
    table, words = NO_NUMBERS[kind]
    with pytest.raises((ValueError, TypeError)) as caught:
        ENTRANCES[entrance](table)
    message = str(caught.value)
    assert message.startswith("X ")
    assert words in message
    assert not OF_NUMPY.search(message.replace("X.filled(np.nan)", ""))


def test_missing_numbers_are_found_by_the_name_of_their_column():
    frame = pd.DataFrame({"a": A, "size": [1.0, np.nan, 1, 1, 1, 1]})
    for model in (LeadingForestClassifier(), baselines.LLGC()):
        with pytest.raises(ValueError, match="row 1, column 'size'"):
            model.fit(frame, CLASSES)
    fitted = LeadingForestClassifier().fit(frame.fillna(1.0), CLASSES)
    with pytest.raises(ValueError, match="row 1, column 'size'"):
        fitted.predict(frame)


def test_numbers_in_other_forms_are_numbers():
    wanted = leading_tree(X).parent
    text = X.astype(str)
    for form in (text, text.tolist(), X.astype(object), pd.DataFrame(X).astype("Float64")):
        np.testing.assert_array_equal(leading_tree(form).parent, wanted)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.array(["a", "1", "2", "3", "4", "5"]), "but row 0 has 'a'"),
        (DAYS.to_numpy(), "but row 0 has 2020-01-01"),
        ([1.0, {}, 1, 1, 1, 1], "but row 1 has {}"),
        ([[1.0], [2.0, 3.0]], "rows have different lengths"),
    ],
)
def test_targets_that_are_no_numbers(y, words):
    with pytest.raises(ValueError, match="y must hold numbers, with NaN where missing") as caught:
        LeadingForestRegressor().fit(X, y)
    assert words in str(caught.value)
