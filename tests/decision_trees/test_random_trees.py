"""Random decision trees against a slow twin that splits as their definition says."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lapoleaf._decision_trees import Entries, RandomTrees

_MASK = 2**64 - 1


def mixed(value):
    """Return the next number of SplitMix64."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def fraction(bits):
    return (bits >> 11) / 2**53


def impurity(labels, count):
    """Return the weighted squared distance of labels from their mean."""
    mean = np.average(labels, axis=0, weights=count)
    return float(count @ ((labels - mean) ** 2).sum(axis=1))


def twin_leaf(rows, labels, count, query, seed, n_tried):
    """Return the labelled rows in the leaf that a query falls into."""
    here, key = np.arange(len(rows)), mixed(seed)
    while len(here) > 1 and impurity(labels[here], count[here]) > 1e-9:
        split = twin_split(rows[here], labels[here], count[here], key, n_tried)
        if split is None:
            break
        column, threshold = split
        goes_left = query[column] <= threshold
        here = here[(rows[here, column] <= threshold) == goes_left]
        key = mixed(key ^ (1 if goes_left else 2))
    return here


def twin_split(rows, labels, count, bits, n_tried):
    """Return the best of some random splits, the first of equals; None if nothing varies."""
    columns, tried = list(range(rows.shape[1])), []
    for n_drawn in range(len(columns)):
        bits = mixed(bits)
        place = n_drawn + int(fraction(bits) * (len(columns) - n_drawn))
        columns[n_drawn], columns[place] = columns[place], columns[n_drawn]
        values = rows[:, columns[n_drawn]]
        if values.min() == values.max():
            continue
        bits = mixed(bits)
        share = fraction(bits)
        threshold = values.min() * (1 - share) + values.max() * share
        left = values <= threshold
        left_over = sum(impurity(labels[side], count[side]) for side in (left, ~left))
        tried.append((round(left_over, 9), len(tried), columns[n_drawn], threshold))
        if len(tried) == n_tried:
            break
    return min(tried)[2:] if tried else None


def problem_of(seed, m=25, d=4, k=3):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.normal(size=(m, d)), 2)
    labels = np.eye(k)[rng.integers(0, k, m)]
    labels[0] = 1 / k
    return rows, labels, rng.integers(1, 4, m).astype(float)


def grown(rows, labels, count, seeds=range(6), n_tried=2, **options):
    entries = Entries.of(labels, count)
    columns = np.ascontiguousarray(rows.T)
    return RandomTrees.grown(columns, entries, seeds, n_tried, **options), entries


@settings(max_examples=20, deadline=None)
@example(1617979111, 4)  # two splits that separate equally well, but for rounding
@example(348, 4)
@given(st.integers(0, 2**31), st.sampled_from([1, 2, 4]))
def test_trees_are_those_of_the_twin(seed, n_tried):
    rows, labels, count = problem_of(seed)
    trees, entries = grown(rows, labels, count, range(3), n_tried)
    queries = np.random.default_rng(seed).normal(size=(7, 4))
    for tree in range(3):
        found = trees.answers(queries, entries, np.array([tree]))
        for query, answer in zip(queries, found, strict=True):
            leaf = twin_leaf(rows, labels, count, query, tree, n_tried)
            wanted = np.average(labels[leaf], axis=0, weights=count[leaf])
            np.testing.assert_allclose(answer, wanted, atol=1e-12)


def test_a_tree_by_hand():
    """One column, two labels on either side of a gap: one split, two pure leaves."""
    rows, labels = np.array([[0.0], [1.0], [9.0], [10.0]]), np.eye(2)[[0, 0, 1, 1]]
    for seed in range(20):
        trees, entries = grown(rows, labels, np.ones(4), [seed], 1)
        np.testing.assert_array_equal(trees.answers(rows, entries), labels)
        assert sorted(trees.members.tolist()) == [0, 1, 2, 3]


def test_the_answer_is_the_mean_over_trees():
    rows, labels, count = problem_of(0)
    trees, entries = grown(rows, labels, count)
    single = [trees.answers(rows, entries, np.array([tree])) for tree in range(6)]
    np.testing.assert_allclose(trees.answers(rows, entries), np.mean(single, axis=0), atol=1e-15)
    np.testing.assert_allclose(trees.answers(rows, entries).sum(axis=1), 1.0)


def test_trees_do_not_depend_on_threads_or_on_each_other():
    rows, labels, count = problem_of(1, m=80)
    one, _ = grown(rows, labels, count, range(20))
    four, _ = grown(rows, labels, count, range(20), threads=4)
    last, _ = grown(rows, labels, count, [19])
    for name in ("roots", "feature", "threshold", "first", "size", "members"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))
    root = one.roots[19]
    np.testing.assert_array_equal(one.threshold[root:], last.threshold)


def test_trees_do_not_depend_on_the_order_of_rows():
    rows, labels, count = problem_of(2, m=60)
    order = np.random.default_rng(0).permutation(60)
    (one, first), (other, second) = (
        grown(rows[some], labels[some], count[some]) for some in (np.arange(60), order)
    )
    queries = np.random.default_rng(1).normal(size=(50, 4))
    found = other.answers(queries, second)
    np.testing.assert_allclose(one.answers(queries, first), found, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_units_of_columns_do_not_matter(scale):
    rows, labels, count = problem_of(3)
    (one, entries), (other, _) = (grown(rows * unit, labels, count) for unit in (1.0, scale))
    np.testing.assert_allclose(
        one.answers(rows, entries), other.answers(rows * scale, entries), atol=1e-12
    )


@pytest.mark.parametrize("weight", [1e-30, 1e30])
def test_one_label_of_extreme_weight(weight):
    rows, labels, count = problem_of(4)
    count[3] = weight
    trees, entries = grown(rows, labels, count)
    found = trees.answers(rows, entries)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_rows_that_are_left_out_are_in_no_leaf():
    rows, labels, count = problem_of(5)
    kept = np.arange(0, 25, 2)
    trees, _ = grown(rows, labels, count, range(4), kept=[kept] * 4)
    np.testing.assert_array_equal(np.unique(trees.members), kept)


def test_equal_rows_of_different_labels_share_a_leaf():
    trees, entries = grown(np.zeros((4, 2)), np.eye(2)[[0, 0, 0, 1]], np.ones(4))
    np.testing.assert_allclose(trees.answers(np.zeros((1, 2)), entries), [[0.75, 0.25]])
    assert (trees.feature == -1).all()
