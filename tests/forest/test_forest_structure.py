"""Attributes of a forest, and forests from a user's own roots."""

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from strategies import forests

from lapoleaf import LeadingForest, LeadingTree, leading_tree, lodog


def check_against_twin(forest):
    tree = forest.tree
    parent, roots = tree.parent.tolist(), forest.roots.tolist()
    rank = tree.rank
    deepest = {}
    for i in range(tree.n_nodes):
        root, steps = twins.root_of(i, parent, roots)
        assert roots[forest.tree_of[i]] == root
        assert forest.layer[i] == steps
        deepest[root] = max(deepest.get(root, 0), steps)
        below = sorted(twins.children(i, parent, roots), key=lambda c: rank[c])
        assert forest.children(i).tolist() == below
        assert forest.subtree_size[i] == twins.subtree_size(i, parent, roots)
        assert forest.is_root[i] == (i in roots)
        way = [i]
        while way[-1] not in roots:
            way.append(parent[way[-1]])
        assert forest.path(i).tolist() == way
    for i in range(tree.n_nodes):
        root = roots[forest.tree_of[i]]
        assert forest.depth[i] == (forest.layer[i] / deepest[root] if deepest[root] else 0)
        assert forest.core[i] == (2 * forest.layer[i] <= deepest[root])
        assert forest.halo[i] != forest.core[i]


@given(forests())
def test_equals_twin(forest_D):
    check_against_twin(forest_D[0])


@pytest.mark.slow
@settings(max_examples=2000)
@given(forests())
def test_equals_twin_at_length(forest_D):
    check_against_twin(forest_D[0])


@given(forests())
def test_roots_are_kept_in_gamma_order(forest_D):
    forest, _ = forest_D
    tree = forest.tree
    centres = twins.centres(tree.density.tolist(), tree.delta.tolist())
    assert forest.roots.tolist() == [i for i in centres if forest.is_root[i]]
    assert forest.roots[0] == tree.root


def test_a_chain_of_many():
    """No recursion: 50,000 nodes, each led by the one before."""
    n = 50_000
    tree = LeadingTree(density=np.arange(n, 0, -1), delta=np.ones(n), parent=np.arange(-1, n - 1))
    forest = LeadingForest(tree, [0, n // 2])
    assert forest.layer[-1] == n // 2 - 1
    assert forest.subtree_size[[0, n // 2]].tolist() == [n // 2, n // 2]
    assert len(forest.path(n - 1)) == n // 2


TREE = LeadingTree(density=[4, 3, 2, 1], delta=[5, 1, 4, 1], parent=[-1, 0, 0, 2])


@pytest.mark.parametrize(
    ("roots", "sentence"),
    [
        ([1, 2], "^roots must include node 0"),
        ([], "^roots must"),
        ([0, 4], "^roots must be nodes from 0 to 3"),
        ([-1, 0], "^roots must be nodes from 0 to 3"),
        ([0, 2, 2], "^roots must be node numbers, each once"),
        ([0.0, 2.0], "^roots must be node numbers"),
        (["a"], "^roots must be node numbers"),
        ([True, False, True, False], "^roots must be node numbers"),
    ],
    ids=str,
)
def test_bad_roots(roots, sentence):
    with pytest.raises(ValueError, match=sentence):
        LeadingForest(TREE, roots)


def test_no_tree():
    with pytest.raises(TypeError, match=r"^tree must be a LeadingTree, got dict"):
        LeadingForest({}, [0])


def test_objective_must_fit():
    with pytest.raises(ValueError, match=r"^objective has shape"):
        LeadingForest(TREE, [0], objective=[1.0, 2.0])


def test_a_forest_cannot_be_changed():
    roots = np.array([0, 2])
    forest = LeadingForest(TREE, roots)
    roots[1] = 3
    assert forest.roots.tolist() == [0, 2]
    with pytest.raises(ValueError, match="read-only"):
        forest.roots[0] = 1
    with pytest.raises(AttributeError):
        forest.roots = [0]


def test_distance_comes_from_the_data():
    X = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    forest = lodog(leading_tree(X))
    assert forest.distance(np.array([0, 2]), np.array([1, 0])).tolist() == [5.0, 1.0]
    assert LeadingForest(TREE, [0]).distance is None


def test_repr_is_short():
    assert repr(LeadingForest(TREE, [0, 2])) == "LeadingForest(n_trees=2, n_nodes=4)"
