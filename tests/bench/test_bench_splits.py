"""Which rows have a label in a benchmark."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapoleaf.bench.splits import labels_a_class, labels_at_random, share_at_random

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
