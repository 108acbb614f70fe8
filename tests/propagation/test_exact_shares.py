"""Attributions of the exact solver: whose labels made a label, and how much each counted."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from propagation.exact_cases import SOME, cases, tree_of

from lapoleaf import LeadingForest, LeadingTree, propagate
from lapoleaf._propagation import label_shares


def shares(case, node, **settings):
    return label_shares(case.forest, case.count, case.propagate(**settings), [node])[0]


@settings(**SOME)
@given(cases(), st.data())
def test_shares_are_the_row_of_the_dense_inverse_times_the_weights_of_the_labels(case, data):
    node = data.draw(st.integers(0, len(case.count) - 1))
    row = case.operator()[node]
    assume(row.sum() > 1e-6)
    found = shares(case, node)
    np.testing.assert_allclose(found, row / row.sum(), rtol=1e-9, atol=1e-12)
    if case.pull == 0.0:
        np.testing.assert_allclose(row.sum(), 1.0, rtol=1e-9)


@settings(**SOME)
@given(cases(couplings=(1.0, 0.3, 0.0), pulls=(0.0, 0.1)), st.data())
def test_shares_are_not_negative_sum_to_1_and_belong_to_given_labels(case, data):
    node = data.draw(st.integers(0, len(case.count) - 1))
    found = shares(case, node)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(found[case.count == 0], 0.0)


@settings(**SOME)
@given(cases(couplings=(1.0, 0.3, 0.0), pulls=(0.0,)), st.data())
def test_labels_are_means_of_the_given_ones_weighted_by_the_shares(case, data):
    node = data.draw(st.integers(0, len(case.count) - 1))
    np.testing.assert_allclose(
        shares(case, node) @ case.Y, case.propagate().labels[node], rtol=1e-9, atol=1e-9
    )


@settings(**SOME)
@given(cases(), st.data())
def test_a_kept_label_is_all_its_own(case, data):
    node = data.draw(st.sampled_from(np.flatnonzero(case.count).tolist()))
    expected = np.zeros(len(case.count))
    expected[node] = 1.0
    np.testing.assert_array_equal(shares(case, node, mu=np.inf), expected)


def test_by_hand():
    """A star: the middle takes three kept labels at weights 2, 1 and 1 over 4/3 of a delta."""
    tree = LeadingTree(density=[4, 3, 2, 1], delta=[9, 1, 2, 2], parent=[-1, 0, 0, 0])
    forest = LeadingForest(tree, [0])
    given = np.array([0, 1, 1, 1])
    result = propagate(forest, [0.0, 1.0, 2.0, 3.0], given)
    np.testing.assert_allclose(label_shares(forest, given, result, [0])[0], [0, 0.5, 0.25, 0.25])


def test_shares_along_a_chain_of_a_million():
    """Between two kept ends, shares are the distances to the other end."""
    n = 1_000_000
    tree = LeadingTree(density=np.arange(n, 0, -1), delta=np.ones(n), parent=np.arange(n) - 1)
    forest = LeadingForest(tree, [0])
    count = np.zeros(n)
    count[[0, -1]] = 1
    result = propagate(forest, np.zeros(n), count)
    found = label_shares(forest, count, result, [n // 4])[0]
    np.testing.assert_allclose(found[[0, -1]], [0.75, 0.25], rtol=1e-5)


def test_shares_of_a_tree_without_labels_are_those_of_whom_it_takes_its_label_from():
    tree = tree_of(2, 12)
    root = int(tree.order[6])
    forest = LeadingForest(tree, [tree.root, root])
    inside = forest.tree_of == forest.tree_of[root]
    count = (~inside & (np.arange(12) % 2 == 0)).astype(float)
    result = propagate(forest, np.arange(12.0), count, coupling=0.0)
    of_leader = label_shares(forest, count, result, [int(tree.parent[root])])[0]
    assert count.sum() > 1
    for node in np.flatnonzero(inside):
        np.testing.assert_array_equal(
            label_shares(forest, count, result, [int(node)])[0], of_leader
        )
