"""The largest gap of gamma, and what most trees separate."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lapoleaf import LeadingForest, LeadingTree, leading_tree
from lapoleaf._forest.gap import gap_number, largest_gap, most_clusters
from lapoleaf._forest.kernels import separating_numbers
from lapoleaf._forest.stability import first_roots, longest_lived, separating_medians
from lapoleaf._forest.structure import centre_order
from lapoleaf._tree.structure import ranks


def test_gap_by_hand():
    """The gaps are 4, 1, 2 and 1 powers of two; times 2, 3 and 4 those after the first: 2, 6, 4."""
    gamma = np.array([512.0, 32.0, 16.0, 4.0, 2.0])
    assert largest_gap(gamma, 4) == 3
    assert largest_gap(gamma, 2) == 2
    assert largest_gap(gamma, 1) == 1


def test_gap_of_a_tree_by_hand():
    """Gamma is 50, 24, 1, 1, ...: two centres."""
    n = 16
    tree = LeadingTree(
        density=[5.0, 4.0, *np.linspace(2, 1, n - 2)],
        delta=[10.0, 6.0, *1 / np.linspace(2, 1, n - 2)],
        parent=[-1, 0, *[k % 2 for k in range(n - 2)]],
    )
    np.testing.assert_allclose(tree.gamma[:3], [50, 24, 1])
    assert gap_number(tree) == 2


def test_gap_of_equal_values_is_the_first():
    assert largest_gap(np.ones(20), 4) == 2
    assert largest_gap(np.array([np.inf, np.inf, 0.0, 0.0]), 3) == 2


@pytest.mark.parametrize(("n", "most"), [(1, 1), (2, 1), (3, 2), (8, 2), (9, 3), (10_000, 100)])
def test_most_clusters(n, most):
    assert most_clusters(n) == most


def tree_of(seed, n=40):
    draws = np.random.default_rng(seed)
    density = np.sort(draws.random(n))[::-1] + 0.1
    parent = [-1, *(int(draws.integers(0, i)) for i in range(1, n))]
    return LeadingTree(density=density, delta=draws.random(n) + 0.1, parent=parent)


def separated_from(tree, i, j):
    """Return the first number of trees that separates two nodes, by cutting into all numbers."""
    centres = centre_order(tree)
    for number in range(1, tree.n_nodes + 1):
        trees = LeadingForest(tree, centres[:number]).tree_of
        if trees[i] != trees[j]:
            return number
    return tree.n_nodes + 1


@pytest.mark.parametrize("seed", range(5))
def test_separating_numbers_are_those_of_all_cuts(seed):
    tree = tree_of(seed)
    draws = np.random.default_rng(seed)
    i, j = draws.integers(0, 40, size=(2, 30))
    found = separating_numbers(tree.parent, tree.rank, ranks(centre_order(tree)), i, j)
    assert found.tolist() == [separated_from(tree, a, b) for a, b in zip(i, j, strict=True)]


def test_medians_are_majorities():
    """A link is cut at k if more than half of the other trees, cut into k, separate its ends."""
    tree = leading_tree(load_iris().data)
    others = [leading_tree(load_iris().data, percent=percent) for percent in (0.5, 1, 4, 10)]
    medians = separating_medians(tree, others)
    big = (LeadingForest(tree, [tree.root]).subtree_size >= 5) & (tree.parent >= 0)
    assert np.isinf(medians[~big & (tree.parent >= 0)]).all()
    assert medians[tree.root] == 0
    for k in (2, 3, 5, 12):
        votes = np.zeros(tree.n_nodes)
        for other in others:
            trees = LeadingForest(other, centre_order(other)[:k]).tree_of
            votes += trees != trees[tree.parent]
        np.testing.assert_array_equal((medians <= k)[big], (votes > 2)[big])


def test_longest_lived_by_hand():
    """Two clusters from 2 to 4 trees, four from 5 to 11, five in 12."""
    medians = np.array([0, 2, 5, 5, 12, np.inf])
    assert longest_lived(medians, 12) == 4
    assert longest_lived(medians, 4) == 2
    assert longest_lived(medians[:1], 12) == 1
    assert longest_lived(np.array([0.0, np.inf]), 12) == 1
    # Of equals the fewer.
    assert longest_lived(np.array([0.0, 2.0, 4.0]), 5) == 2


def test_first_roots_begin_with_the_root_and_ties_go_by_gamma():
    tree = tree_of(0, 6)
    values = np.zeros(6)
    assert first_roots(tree, values, 3).tolist() == centre_order(tree)[:3].tolist()
    values[tree.root] = 9.0
    assert first_roots(tree, values, 1).tolist() == [tree.root]
