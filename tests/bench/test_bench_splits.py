"""Which rows have a label in a benchmark."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.data.splits import (
    flipped_labels,
    labels_a_class,
    labels_at_random,
    labels_of_every_class,
    share_at_random,
    thinned_classes,
)
from benchmarks.data.tasks import numbered

classes = st.lists(st.integers(0, 4), min_size=2, max_size=60).map(np.array)
seeds, rates = st.integers(0, 99), st.integers(1, 9)


@settings(deadline=None)
@given(classes, rates, seeds)
def test_so_many_labels_a_class_and_never_more_than_half_of_one(y, rate, seed):
    given = labels_a_class(y, rate, seed)
    for label in np.unique(y):
        assert given[y == label].sum() == min(rate, (y == label).sum() // 2)


@settings(deadline=None)
@given(classes, rates, seeds)
def test_a_split_is_the_same_whoever_asks(y, rate, seed):
    np.testing.assert_array_equal(labels_a_class(y, rate, seed), labels_a_class(y, rate, seed))
    np.testing.assert_array_equal(labels_at_random(y, rate, seed), labels_at_random(y, rate, seed))


@settings(deadline=None)
@given(classes, rates, seeds)
def test_the_same_total_at_random(y, rate, seed):
    total = labels_a_class(y, rate, seed).sum()
    assert labels_at_random(y, rate, seed).sum() == max(total, 2)


def test_seeds_give_different_splits_and_every_row_has_its_chance():
    y = np.repeat([0, 1], 20)
    for split in (labels_a_class, labels_at_random):
        found = np.array([split(y, 3, seed) for seed in range(200)])
        assert len(np.unique(found, axis=0)) > 190
        np.testing.assert_allclose(found.mean(axis=0), 6 / 40, atol=0.11)
    spread = [labels_at_random(y, 3, seed)[:20].sum() for seed in range(50)]
    assert min(spread) < 3 < max(spread)


@pytest.mark.parametrize(("n", "share", "expected"), [(100, 0.05, 5), (10, 0.01, 2), (7, 0.5, 4)])
def test_a_share_of_all_rows(n, share, expected):
    assert share_at_random(n, share, 0).sum() == expected


@given(classes, st.integers(1, 40), seeds)
def test_every_class_has_a_label_and_half_of_the_rows_none(y, total, seed):
    n_classes = len(np.unique(y))
    given = labels_of_every_class(y, total, seed)
    assert len(np.unique(y[given])) == n_classes
    assert given.sum() == max(n_classes, min(total, len(y) // 2))
    np.testing.assert_array_equal(given, labels_of_every_class(y, total, seed))


def test_the_one_row_of_every_class_is_any_of_its_rows():
    y = np.repeat([0, 1], [30, 4])
    found = np.array([labels_of_every_class(y, 2, seed) for seed in range(400)])
    np.testing.assert_allclose(found.mean(axis=0), np.repeat([1 / 30, 1 / 4], [30, 4]), atol=0.08)


@given(classes, seeds)
def test_thinned_classes_keep_four_rows_or_all_they_have(y, seed):
    rows = thinned_classes(y, seed)
    assert (np.diff(rows) > 0).all()
    for label in np.unique(y):
        before, after = (y == label).sum(), (y[rows] == label).sum()
        assert min(4, before) <= after <= before


def test_classes_are_thinned_step_by_step_in_random_order():
    y = np.repeat([0, 1, 2], 1000)
    sizes = np.array([np.bincount(y[thinned_classes(y, seed)]) for seed in range(60)])
    np.testing.assert_array_equal(np.sort(sizes, axis=1), [[100, 316, 1000]] * 60)
    assert len(np.unique(sizes, axis=0)) == 6
    np.testing.assert_array_equal(thinned_classes(np.zeros(9, dtype=int), 0), np.arange(9))


@given(classes.map(numbered), rates, seeds)
def test_one_given_label_in_five_becomes_another_class(y, rate, seed):
    given = labels_at_random(y, rate, seed)
    if y.max() == 0:
        return
    noisy = flipped_labels(y, given, seed)
    wrong = noisy != y
    assert not wrong[~given].any()
    assert wrong.sum() == max(round(0.2 * given.sum()), int(given.sum() >= 3))
    assert noisy.min() >= 0
    assert noisy.max() <= y.max()


def test_wrong_labels_are_of_all_other_classes():
    y = np.zeros(3000, dtype=int)
    y[-3:] = [1, 2, 3]
    noisy = flipped_labels(y, np.arange(3000) < 2000, seed=1)
    np.testing.assert_allclose(np.bincount(noisy)[1:] / 400, [1 / 3] * 3, atol=0.06)
