"""Data whose number of groups is known."""

import numpy as np
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


def places_in_a_grid(n, side, step, shift):
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:n]
    return step * grid + np.random.default_rng(0).uniform(-shift, shift, grid.shape)


def places_in_rings():
    turn = 2 * np.pi * np.arange(7) / 7
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.concatenate([[[0, 0]], 2 * ring, 6 * ring])


# Rows of every group, their places, and their spread: as in the sets of the next test.
MADE = {
    "d31": (31 * [100], places_in_a_grid(31, 6, 5, 1), 0.7),
    "r15": (15 * [40], places_in_rings(), 0.2),
    "unbalance": (
        [2000, 2000, 2000, 100, 100, 100, 100, 100],
        [[0, 0], [0, 8], [7, 4], [30, 0], [30, 15], [40, 5], [40, 20], [50, 10]],
        1.0,
    ),
    "s2": (15 * [300], places_in_a_grid(15, 4, 4, 0.6), 0.75),
}


@pytest.mark.parametrize(("sizes", "centres", "spread"), MADE.values(), ids=MADE)
def test_made_groups(sizes, centres, spread):
    X, _ = make_blobs(sizes, centers=np.array(centres), cluster_std=spread, random_state=0)
    assert lodog(leading_tree(X)).n_trees == len(sizes)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_shapes(shapes, name):
    assert lodog(leading_tree(shapes(name))).n_trees == len(MADE[name][0])


def test_iris_is_three_trees():
    assert lodog(leading_tree(load_iris().data)).n_trees == 3


def test_digits_are_better_not_cut():
    assert lodog(leading_tree(load_digits().data)).n_trees == 1
