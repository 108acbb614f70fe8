"""Folds over the labelled rows, with all unlabelled rows in training."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import iris
from models import few_forests_of_numbers
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

from lapoleaf import LabelledKFold

NAN = float("nan")


def check_folds(folds, X, y, labelled):
    """Every labelled row is tested once; unlabelled rows are always in training, never tested."""
    tested = []
    for train, test in folds.split(X, y):
        assert sorted([*train, *test]) == list(range(len(labelled)))
        assert train.tolist() == sorted(train)
        assert labelled[test].all()
        assert len(test) > 0
        tested += test.tolist()
    assert sorted(tested) == np.flatnonzero(labelled).tolist()


MARKED = {
    "-1": lambda y: y,
    "floats, -1": lambda y: y.astype(float),
    "NaN": lambda y: np.where(y < 0, NAN, y),
    "None": lambda y: np.where(y < 0, None, np.array(["a", "b", "c"])[y]),
    "list": lambda y: [None if label < 0 else f"class {label}" for label in y],
    "pandas": lambda y: pd.Series(np.where(y < 0, NAN, y)).astype("Int64"),
    "bools": lambda y: [None if label < 0 else bool(label == 2) for label in y],
}


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("mark", MARKED.values(), ids=MARKED)
def test_folds(mark, shuffle):
    X, y, _ = iris(every=4)
    folds = LabelledKFold(4, shuffle=shuffle, random_state=0 if shuffle else None)
    check_folds(folds, X, mark(y), y >= 0)
    assert folds.get_n_splits(X, y) == 4


def test_a_name_for_missing_labels():
    X, y, _ = iris(every=4)
    names = np.where(y < 0, "?", np.array(["a", "b", "c"])[y])
    check_folds(LabelledKFold(3, missing_label="?"), X, names, y >= 0)
    check_folds(LabelledKFold(3, missing_label=NAN), X, y, np.ones(len(y), dtype=bool))


def test_classes_are_spread_evenly():
    X, y, _ = iris(every=5)
    for _, test in LabelledKFold(5).split(X, y):
        assert np.bincount(y[test]).tolist() == [2, 2, 2]


def test_classes_of_fewer_rows_than_folds_are_spread_evenly():
    """Four labels a class, class after class, and five folds: no fold tests one class alone."""
    y = np.repeat(["a", "b", "c", None], 4)
    tests = [test for _, test in LabelledKFold(5).split(np.zeros((16, 1)), y)]
    assert sorted(np.concatenate(tests)) == list(range(12))
    for test in tests:
        assert len(set(y[test])) == len(test)


def test_shuffling():
    X, y, _ = iris(every=4)

    def tests(seed):
        folds = LabelledKFold(4, shuffle=True, random_state=seed)
        return [test.tolist() for _, test in folds.split(X, y)]

    assert tests(0) == tests(0)
    assert tests(0) != tests(1)


def test_targets():
    X, truth = load_diabetes(return_X_y=True)
    y = np.where(np.arange(len(X)) % 3 == 0, truth / 7, np.nan)
    check_folds(LabelledKFold(5), X, y, ~np.isnan(y))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_splits", [2, 5])
def test_targets_that_happen_to_be_whole_numbers(n_splits):
    """Diabetes' targets are whole numbers, many of them once: no classes to spread."""
    X, truth = load_diabetes(return_X_y=True)
    y = np.where(np.arange(len(X)) % 2 == 0, truth, np.nan)
    folds = LabelledKFold(n_splits)
    check_folds(folds, X, y, ~np.isnan(y))
    assert len(cross_val_score(few_forests_of_numbers(), X, y, cv=folds)) == n_splits


def test_several_targets():
    """A row is labelled if it has all."""
    X, truth = load_diabetes(return_X_y=True)
    y = np.column_stack([truth, truth])
    y[::2, 0], y[::3, 1] = np.nan, np.nan
    check_folds(LabelledKFold(4), X, y, ~np.isnan(y).any(axis=1))


def test_classes_of_one_row_each():
    check_folds(LabelledKFold(3), np.zeros((8, 1)), [0, 1, 2, 3, -1, -1, 4, 5], np.array(
        [True, True, True, True, False, False, True, True]
    ))  # fmt: skip


@pytest.mark.parametrize("n_splits", [5, 99])
def test_more_folds_than_labels(n_splits):
    y = [0, -1, 0, 1, -1, 1]
    with pytest.raises(ValueError, match=rf"n_splits={n_splits} is more than the 4 labelled rows"):
        list(LabelledKFold(n_splits).split(np.zeros((6, 1)), y))


@pytest.mark.parametrize("bad", [0, 1, -2])
def test_at_least_two_folds(bad):
    with pytest.raises(ValueError, match="n_splits"):
        list(LabelledKFold(bad).split(np.zeros((6, 1)), [0, -1, 0, 1, -1, 1]))


def test_it_says_what_it_is():
    assert repr(LabelledKFold(3, shuffle=True, random_state=7)) == (
        "LabelledKFold(n_splits=3, shuffle=True, random_state=7, missing_label='auto')"
    )


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=12, max_size=60), st.integers(2, 3))
def test_any_labels(labels, n_splits):
    y = np.array([0, 1] * 3 + labels)
    check_folds(LabelledKFold(n_splits), np.zeros((len(y), 1)), y, y >= 0)
