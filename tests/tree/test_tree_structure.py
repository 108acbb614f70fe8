"""A tree from a user's own arrays, and the way from rows to nodes and back."""

import pickle

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from strategies import trees, weighted_grids

from lapoleaf import LeadingTree, leading_tree

GOOD = {"density": [3.0, 2.0, 2.0, 1.0], "delta": [5.0, 1.0, 2.0, 3.0], "parent": [-1, 0, 1, 0]}


def test_good_arrays():
    tree = LeadingTree(**GOOD)
    assert (tree.n_nodes, tree.n_rows, tree.root) == (4, 4, 0)
    assert tree.gamma.tolist() == [15.0, 2.0, 4.0, 3.0]
    assert tree.order.tolist() == [0, 1, 2, 3]
    assert tree.population.tolist() == [1, 1, 1, 1]
    assert tree.node_of.tolist() == [0, 1, 2, 3]
    assert tree.bandwidth is None
    assert tree.points is None


@given(trees())
def test_any_valid_tree_is_taken(tree):
    assert tree.order.tolist() == twins.order(tree.density.tolist())
    assert tree.rank[tree.order].tolist() == list(range(tree.n_nodes))


def test_a_tree_cannot_be_changed():
    density = np.array(GOOD["density"])
    tree = LeadingTree(**{**GOOD, "density": density})
    density[0] = 99
    assert tree.density[0] == 3.0
    for name in ("density", "delta", "parent", "population", "node_of"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 7
    with pytest.raises(AttributeError):
        tree.bandwidth = 2.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"delta": [5.0, 1.0, 2.0]}, r"^delta has shape \(3,\), but density has 4 nodes"),
        ({"parent": [-1, 0, 1]}, r"^parent has shape \(3,\), but density has 4 nodes"),
        ({"population": [1, 1]}, r"^population has shape \(2,\), but density has 4 nodes"),
        ({"density": [], "delta": [], "parent": []}, "^density must be a list of at least one"),
        ({"density": [[3.0, 2.0, 2.0, 1.0]]}, "^density must be a list"),
        ({"density": 3.0}, "^density must be a list"),
        ({"density": [3.0, np.nan, 2.0, 1.0]}, r"^density must be .*density\[1\] is nan"),
        ({"density": [3.0, 2.0, 2.0, -1.0]}, r"^density must be .*density\[3\] is -1"),
        ({"density": [np.inf, 2.0, 2.0, 1.0]}, r"^density must be .*density\[0\] is inf"),
        ({"delta": [5.0, 0.0, 2.0, 3.0]}, r"^delta must be finite and positive.*delta\[1\] is 0"),
        ({"delta": [5.0, 1.0, -2.0, 3.0]}, r"^delta must be .*delta\[2\] is -2"),
        ({"delta": [np.inf, 1.0, 2.0, 3.0]}, r"^delta must be .*delta\[0\] is inf"),
        ({"delta": [5.0, 1.0, 2.0, np.nan]}, r"^delta must be .*delta\[3\] is nan"),
        ({"population": [1, 0, 1, 1]}, r"^population must be .*population\[1\] is 0"),
        ({"population": [1, 1, np.inf, 1]}, r"^population must be .*population\[2\] is inf"),
        ({"parent": [-1, 0, 1, 4]}, r"^parent must be .*parent\[3\] is 4"),
        ({"parent": [-1, -2, 1, 0]}, r"^parent must be .*parent\[1\] is -2"),
        ({"parent": [-1, 0.5, 1, 0]}, "^parent must hold whole numbers"),
        ({"parent": ["a", "b", "c", "d"]}, "^parent must hold numbers"),
        ({"node_of": [0, 1, 2, 4]}, r"^node_of must be .*node_of\[3\] is 4"),
        ({"node_of": [0, -2]}, r"^node_of must be .*node_of\[1\] is -2"),
        ({"bandwidth": 0.0}, "^bandwidth=0.0 must be"),
        ({"bandwidth": np.nan}, "^bandwidth=nan must be"),
        ({"parent": [-1, -1, 1, 0]}, "^parent must be -1 for exactly one node.* for 2"),
        ({"parent": [1, 0, 1, 0]}, "^parent must be -1 for exactly one node.* for 0.* cycle"),
        ({"parent": [-1, 2, 1, 0]}, "^parent has a cycle: 1 -> 2 -> 1"),
        ({"parent": [-1, 1, 1, 0]}, "^parent has a cycle: 1 -> 1"),
        ({"parent": [-1, 3, 1, 2]}, "^parent has a cycle: 1 -> 3 -> 2 -> 1"),
        ({"parent": [-1, 3, 1, 0]}, r"^node 1 \(density 2\) is led by node 3 \(density 1\)"),
        ({"parent": [-1, 2, 0, 0]}, r"^node 1 \(density 2\) is led by node 2 \(density 2\)"),
        ({"parent": [3, 0, 1, -1]}, r"^node 0 \(density 3\) is led by node 3 \(density 1\)"),
    ],
)
def test_bad_arrays(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        LeadingTree(**{**GOOD, **change})


def test_one_node_may_have_delta_0():
    assert LeadingTree(density=[0], delta=[0], parent=[-1]).root == 0


def test_arrays_of_a_built_tree_make_the_same_tree():
    built = leading_tree(np.random.default_rng(0).normal(size=(50, 2)))
    again = LeadingTree(density=built.density, delta=built.delta, parent=built.parent)
    assert again.root == built.root
    assert again.order.tolist() == built.order.tolist()


def test_repr_is_short():
    assert repr(LeadingTree(**GOOD)) == "LeadingTree(n_nodes=4, n_rows=4)"
    assert "bandwidth=0.333333" in repr(LeadingTree(**GOOD, bandwidth=1 / 3))


# ------------------------------------------------------------------ rows and nodes

ROWS = LeadingTree(**GOOD, node_of=[0, 1, 0, -1, 2, 3, 3])


def test_to_rows():
    assert ROWS.to_rows(["a", "b", "c", "d"])[[0, 1, 2, 4, 5, 6]].tolist() == list("abacdd")
    whole = ROWS.to_rows([10, 20, 30, 40])
    assert whole.tolist() == [10, 20, 10, -1, 30, 40, 40]
    found = ROWS.to_rows([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(found, [1, 2, 1, np.nan, 3, 4, 4])
    assert ROWS.to_rows(np.ones((4, 3))).shape == (7, 3)
    assert np.isnan(ROWS.to_rows(np.ones((4, 3)))[3]).all()


def test_to_rows_of_small_types():
    """There is no -1 among them: rows that are not in the tree must not look like others."""
    small = ROWS.to_rows(np.array([10, 20, 30, 40], dtype=np.uint8))
    assert small.tolist() == [10, 20, 10, -1, 30, 40, 40]
    assert not ROWS.to_rows(np.array([True, True, True, True]))[3]


def test_to_rows_checks_the_length():
    with pytest.raises(ValueError, match=r"^values has length 5, but the tree has 4 nodes"):
        ROWS.to_rows(np.zeros(5))


def test_to_nodes():
    """Node 0 got 1 and 3; node 2 got 5; node 3 got 8 once; row 3 is not in the tree."""
    values = [1.0, np.nan, 3.0, 100.0, 5.0, 8.0, np.nan]
    labels, count = ROWS.to_nodes(values, [1, 0, 1, 1, 1, 1, 0])
    assert labels.tolist() == [2.0, 0.0, 5.0, 8.0]
    assert count.tolist() == [2, 0, 1, 1]


def test_to_nodes_with_weights_and_vectors():
    values = np.zeros((7, 2))
    values[0], values[2] = [1, 0], [0, 1]
    given_rows = np.array([1, 0, 1, 0, 0, 0, 0], dtype=bool)
    labels, count = ROWS.to_nodes(values, given_rows, sample_weight=[3, 1, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(labels, [[0.75, 0.25], [0, 0], [0, 0], [0, 0]])
    assert count.tolist() == [4, 0, 0, 0]


@given(weighted_grids(), st.data())
def test_to_nodes_is_the_mean_of_the_rows_given(X_weight, data):
    X, weight = X_weight
    tree = leading_tree(X, sample_weight=weight)
    some = st.lists(st.booleans(), min_size=len(X), max_size=len(X))
    mask = np.array(data.draw(some))
    values = np.arange(len(X)) * 1.5 - 3
    labels, count = tree.to_nodes(values, mask)
    for node in range(tree.n_nodes):
        mine = values[(tree.node_of == node) & mask]
        assert count[node] == len(mine)
        assert labels[node] == pytest.approx(mine.mean() if len(mine) else 0.0)


@pytest.mark.parametrize(
    ("values", "mask", "weight", "sentence"),
    [
        (np.zeros(3), np.ones(7, bool), None, "3"),
        (np.zeros(7), np.ones(5, bool), None, "given"),
        (np.zeros(7), [True], None, "given"),
        (np.zeros(7), np.ones((7, 2), bool), None, "given"),
        (np.zeros(7), np.ones(7, bool), [1.0, 2.0], "sample_weight"),
        (np.zeros(7), np.ones(7, bool), -np.ones(7), "sample_weight"),
    ],
    ids=["values", "given", "one given", "given in 2-D", "weights", "negative weights"],
)
def test_to_nodes_checks_lengths(values, mask, weight, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        ROWS.to_nodes(values, mask, weight)
    assert "broadcast" not in str(caught.value)


def test_to_nodes_and_back():
    X = [[0.0], [1.0], [0.0], [4.0]]
    tree = leading_tree(X, bandwidth=1.0)
    labels, _ = tree.to_nodes([7.0, 8.0, 7.0, 9.0], [True] * 4)
    assert tree.to_rows(labels).tolist() == [7, 8, 7, 9]


@given(weighted_grids())
def test_first_rows(X_weight):
    X, weight = X_weight
    tree = leading_tree(X, sample_weight=weight)
    expected = [tree.node_of.tolist().index(node) for node in range(tree.n_nodes)]
    assert tree.first_rows.tolist() == expected


def test_a_node_without_rows_has_no_first_row():
    tree = LeadingTree(density=[3, 2, 1], delta=[2, 1, 1], parent=[-1, 0, 1], node_of=[-1, 2, 0, 2])
    assert tree.first_rows.tolist() == [2, -1, 1]


def test_a_copy_holds_what_the_tree_is_made_of():
    tree = leading_tree([[0.0], [1.0], [0.0], [4.0]], bandwidth=1.0)
    assert [tree.root, tree.first_rows.tolist()] == [0, [0, 1, 3]]
    assert "order" not in tree.__getstate__()
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.order.tolist() == tree.order.tolist()
    assert copy.first_rows.tolist() == tree.first_rows.tolist()
