"""Data whose number of groups is known."""

import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs

from lapoleaf import leading_tree, lodog


@pytest.mark.parametrize("seed", range(5))
def test_five_blobs_are_five_trees(seed):
    corners = [[0, 0], [0, 12], [12, 0], [12, 12], [6, 6]]
    X, y = make_blobs(500, centers=corners, cluster_std=0.8, random_state=seed)
    forest = lodog(leading_tree(X))
    assert forest.n_trees == 5
    assert sorted(y[forest.roots]) == [0, 1, 2, 3, 4]
    assert len({*zip(y.tolist(), forest.tree_of.tolist(), strict=True)}) == 5


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "groups"), [("d31", 31), ("r15", 15), ("unbalance", 8), ("s2", 15)]
)
def test_shapes(shapes, name, groups):
    assert lodog(leading_tree(shapes(name))).n_trees == groups


def test_iris_is_three_trees():
    assert lodog(leading_tree(load_iris().data)).n_trees == 3


def test_digits_are_better_not_cut():
    assert lodog(leading_tree(load_digits().data)).n_trees == 1
