"""Twelve points on a line, solved by hand; the guide describes the same in words.

Three groups, four given labels (R red, B blue)::

    0  1  2  3          13    16 17    19    21           29 30       33
    R  B                 R                    B
"""

import numpy as np
import pytest

from lapoleaf import leading_tree, lodog
from lapoleaf._propagation import (
    children_to_parent,
    parent_to_children,
    propagate,
    root_to_root,
)

PLACES = [0, 1, 2, 3, 13, 16, 17, 19, 21, 29, 30, 33]
RED, BLUE, NONE = [1, 0], [0, 1], [0, 0]
MIXED = [2 / 3, 1 / 3]

# With a bandwidth of 2 a neighbour at distance d adds exp(-(d / 2)**2):
#   d = 1: .778801   2: .367879   3: .105399   4: .018316   5: .001930   6: .000123
# and what is 10 or farther away adds less than half of 2**-30, which counts as nothing.
DENSITY = [
    1.252079,  # at 0: neighbours at 1, 2, 3
    1.925481,  # at 1: two at 1, one at 2
    1.925481,  # at 2: the same, mirrored
    1.252079,  # at 3: the same as at 0
    0.123838,  # at 13: at 3, 4, 6 (and 8: a ten-millionth)
    0.991530,  # at 16: at 1, 3, 3, 5
    1.183312,  # at 17: at 1, 2, 4, 4
    0.841282,  # at 19: at 2, 2, 3, 6
    0.388126,  # at 21: at 2, 4, 5 (and 8 twice)
    0.797117,  # at 29: at 1, 4 (and 8)
    0.884200,  # at 30: at 1, 3
    0.123715,  # at 33: at 3, 4
]
# Densest first. 1 and 2 are equally dense, and so are 0 and 3: the lower number goes first.
ORDER = [1, 2, 0, 3, 6, 5, 10, 7, 9, 8, 4, 11]
# The nearest point earlier in that order. 17 looks back to 3, and 30 to 17.
PARENT = [1, -1, 1, 2, 5, 6, 3, 6, 7, 10, 6, 10]
# How far that is; for the root the farthest point: from 1 to 33.
DELTA = [1, 32, 1, 1, 3, 1, 14, 2, 2, 1, 13, 3]
# Density times delta.
GAMMA = [
    1.252079, 61.615392, 1.925481, 1.252079, 0.371515, 0.991530,
    16.566361, 1.682563, 0.776252, 0.797117, 11.494600, 0.371145,
]  # fmt: skip
# The squares of delta, without the root's, add up to 396; divided by 11 that is 36, whose root is
# 6: delta is counted in units of 12. In order of gamma the centres are 1, 6, 10, 2, 7, 0, ...
# with deltas -, 14, 13, 1, 2, 1, 1, 1, 1, 2, 3, 3. What remains of their sum, 42:
REMAINING = [42, 28, 15, 14, 12, 11, 10, 9, 8, 6, 3, 0]
# Q(N) = 1/2 * N + 1/2 * remaining / 12, that is (12 * N + remaining) / 24:
# 54, 52, 51, 62, 72, ... : three trees.
Q_TIMES_24 = [54, 52, 51, 62, 72, 83, 94, 105, 116, 126, 135, 144]


@pytest.fixture(scope="module")
def tree():
    return leading_tree([[x] for x in PLACES], bandwidth=2.0)


@pytest.fixture(scope="module")
def forest(tree):
    return lodog(tree)


@pytest.fixture(scope="module")
def question():
    labels = np.zeros((12, 2))
    labels[[0, 4]], labels[[1, 8]] = RED, BLUE
    return labels, labels.any(axis=1)


def test_density(tree):
    np.testing.assert_allclose(tree.density, DENSITY, rtol=0, atol=5e-7)
    assert tree.density[0] == tree.density[3]
    assert tree.density[1] == tree.density[2]


def test_leaders(tree):
    assert tree.order.tolist() == ORDER
    assert tree.root == 1
    assert tree.parent.tolist() == PARENT
    assert tree.delta.tolist() == DELTA
    np.testing.assert_allclose(tree.gamma, GAMMA, rtol=0, atol=5e-7)


def test_three_trees(tree, forest):
    np.testing.assert_allclose(24 * forest.objective, Q_TIMES_24, rtol=1e-14)
    np.testing.assert_allclose(24 * forest.objective, 12 * np.arange(1, 13) + REMAINING, rtol=1e-14)
    assert forest.roots.tolist() == [1, 6, 10]
    assert lodog(tree, n_trees=12).roots.tolist() == [1, 6, 10, 2, 7, 0, 3, 5, 9, 8, 4, 11]
    assert forest.tree_of.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]
    assert forest.layer.tolist() == [1, 0, 1, 2, 2, 1, 0, 1, 2, 1, 0, 1]
    assert forest.subtree_size.tolist() == [1, 4, 2, 1, 1, 2, 5, 2, 1, 1, 3, 1]


def test_children_to_parent(forest, question):
    labels, labelled = children_to_parent(forest, *question)
    # 16 (node 5) hears from 13, and 19 (node 7) from 21. 17 (node 6) hears red from 16 at
    # distance 1 and blue from 19 at distance 2: weights 1 and 1/2, so 2/3 red. The blue given
    # to 1 stays, although its only labelled child is red. The last group hears nothing.
    expected = [RED, BLUE, NONE, NONE, RED, RED, MIXED, BLUE, BLUE, NONE, NONE, NONE]
    np.testing.assert_allclose(labels, expected, rtol=1e-14)
    assert np.flatnonzero(labelled).tolist() == [0, 1, 4, 5, 6, 7, 8]


def test_root_to_root(forest, question):
    labels, labelled, lender = root_to_root(forest, *children_to_parent(forest, *question))
    # Above 30 are the roots 17, at distance 13, and 1, at distance 29: it borrows from 17.
    expected = [RED, BLUE, NONE, NONE, RED, RED, MIXED, BLUE, BLUE, NONE, MIXED, NONE]
    np.testing.assert_allclose(labels, expected, rtol=1e-14)
    assert np.flatnonzero(labelled).tolist() == [0, 1, 4, 5, 6, 7, 8, 10]
    assert lender.tolist() == [0, 1, 1]


def test_parent_to_children(forest, question):
    labels, labelled, _ = root_to_root(forest, *children_to_parent(forest, *question))
    # 2 and then 3 take the blue of 1; 29 and 33 what 30 has borrowed.
    expected = [RED, BLUE, BLUE, BLUE, RED, RED, MIXED, BLUE, BLUE, MIXED, MIXED, MIXED]
    down = parent_to_children(forest, labels, labelled)
    np.testing.assert_allclose(down, expected, rtol=1e-14)
    whole = propagate(forest, *question, solver="stages")
    np.testing.assert_array_equal(whole.labels, down)
    assert whole.lender.tolist() == [0, 1, 1]


def test_numbers_instead_of_classes(forest, question):
    """Red 0, blue 3: 17 and all who borrow from it get a third of blue, which is 1."""
    labels, given = question
    found = propagate(forest, 3 * labels[:, 1], given, solver="stages").labels
    assert found == pytest.approx([0, 3, 3, 3, 0, 0, 1, 3, 3, 1, 1, 1])
