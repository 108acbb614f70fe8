"""C2P and P2C on small trees."""

import numpy as np
import pytest

from lapoleaf import LeadingForest, LeadingTree, propagate

# 0 leads 1 and 2, 1 leads 3 and 4, 2 leads 5. Weights: 1 for 1, 3 and 4; 1/2 for 2; 1/3 for 5.
TREE = LeadingTree(density=[6, 5, 4, 3, 2, 1], delta=[9, 1, 2, 1, 1, 3], parent=[-1, 0, 0, 1, 1, 2])


def label(given, tree=TREE, roots=(0,)):
    labels, mask = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, dtype=bool)
    for node, value in given.items():
        labels[node], mask[node] = value, True
    return propagate(LeadingForest(tree, roots), labels, mask, solver="stages").labels.tolist()


def test_a_parent_is_the_weighted_mean_of_its_children():
    """1 is the mean of 4 and 8; 2 is 3; 0 is (1 * 6 + 1/2 * 3) / (3/2) = 5."""
    assert label({3: 4, 4: 8, 5: 3}) == pytest.approx([5, 6, 3, 4, 8, 3])


def test_unlabelled_children_do_not_count():
    """Divided by the weights of the labelled children only: 1 is 4, not 2."""
    assert label({3: 4}) == pytest.approx([4, 4, 4, 4, 4, 4])


def test_given_labels_stay():
    assert label({1: 7, 3: 4, 4: 8}) == pytest.approx([7, 7, 7, 4, 8, 7])


def test_a_given_label_does_not_hide_behind_its_children():
    """What 0 gets from 1 is the 7 given to 1, not the mean of its children."""
    assert label({1: 7, 3: 4, 5: 1})[0] == pytest.approx((7 + 0.5 * 1) / 1.5)


def test_a_child_takes_its_parents_label():
    """No overshooting where a given parent has a labelled child: 4 gets 7, not 10."""
    assert label({1: 7, 3: 4}) == pytest.approx([7, 7, 7, 4, 7, 7])


def test_zero_is_a_label():
    assert label({0: 5, 1: 0}) == [5, 0, 5, 0, 0, 5]
    assert label({3: 0}) == [0] * 6
    assert label({3: 0, 4: 6})[1] == 3


def test_population_counts():
    tree = LeadingTree(density=[3, 2, 1], delta=[5, 2, 1], parent=[-1, 0, 0], population=[1, 6, 1])
    # Weights 6 / 2 and 1 / 1.
    assert label({1: 1, 2: 5}, tree) == pytest.approx([2, 1, 5])


def test_nothing_passes_a_cut_upwards():
    """1 is a root: labels of its children stay below."""
    assert label({3: 4, 5: 3}, roots=(0, 1)) == pytest.approx([3, 4, 3, 4, 4, 3])


def test_the_roots_delta_does_not_matter():
    far = LeadingTree(density=TREE.density, delta=[1e9, *TREE.delta[1:]], parent=TREE.parent)
    assert label({3: 4, 5: 3}, far) == pytest.approx(label({3: 4, 5: 3}))


def test_a_deep_chain():
    n = 100_000
    tree = LeadingTree(density=np.arange(n, 0, -1), delta=np.ones(n), parent=np.arange(-1, n - 1))
    assert label({n - 1: 3.5}, tree) == [3.5] * n
