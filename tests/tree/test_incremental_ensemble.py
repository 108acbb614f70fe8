"""The trees of a model under insertions and removals: which rows, which nodes, which leaders."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from right_tree import assert_all_reach
from strategies import trees

from lapoleaf import GrowingTree
from lapoleaf._tree.build import trees_of_rows
from lapoleaf._tree.incremental import attachment_kernels as kernels
from lapoleaf._tree.incremental.approximate import ApproximateGrowingTree
from lapoleaf._tree.incremental.ensemble import (
    IncrementalTrees,
    all_rows,
    rows_at,
    stacked,
)
from lapoleaf._tree.incremental.random_trees import order_with_last
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._tree.structure import density_order
from lapoleaf.estimators.rows import rows_outside

SETTINGS = {"percents": [2.0], "metric": "euclidean", "metric_params": None, "verbose": 0}
TREE_ARRAYS = ("density", "delta", "parent", "population", "node_of", "scale")


def some_rows(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def built(X, weight=None, n_random=3, **changed):
    settings = {**SETTINGS, "bandwidth": 0.7, "n_jobs": 1, **changed}
    weight = np.ones(X.shape[0]) if weight is None else weight
    found = trees_of_rows(X, sample_weight=weight, n_random=n_random, **settings)
    trees = [found.plain[0], *found.random]
    ids = np.arange(X.shape[0])
    return IncrementalTrees.of(trees, weight, ids, None, rows_outside(X, trees[0]))


def check_trees(frozen):
    """Every tree has one root, which all nodes reach, and all are trees of the same nodes."""
    for tree in frozen:
        assert_all_reach(tree.root, tree.parent)
        np.testing.assert_array_equal(tree.node_of, frozen[0].node_of)
        assert (tree.rank[tree.parent[tree.parent >= 0]] < tree.rank[tree.parent >= 0]).all()


def test_the_plain_tree_is_that_of_a_full_build():
    X, weight = some_rows(80), np.arange(80) % 4 + 1.0
    grown = built(X[:60], weight[:60]).with_rows(X[60:], weight[60:])
    grown = grown.without_rows(np.array([3, 70, 11]))
    kept = np.delete(np.arange(80), [3, 11, 70])
    frozen, again = grown.frozen(), built(X[kept], weight[kept]).frozen()
    for name in TREE_ARRAYS:
        np.testing.assert_array_equal(getattr(frozen[0], name), getattr(again[0], name), name)
    assert len(frozen) == 4
    check_trees(frozen)
    np.testing.assert_array_equal(grown.plain.ids, kept)
    assert (grown.n_built, grown.n_changed) == (60, 23)


def test_a_change_leaves_the_trees_before_it_as_they_were():
    first = built(some_rows(50))
    before = [tree.parent.copy() for tree in first.frozen()]
    first.with_rows(some_rows(20, 1), np.ones(20)).without_rows(np.arange(10))
    assert first.n_changed == 0
    for parent, tree in zip(before, first.frozen(), strict=True):
        np.testing.assert_array_equal(parent, tree.parent)


def test_which_trees_are_exact():
    alone, among = built(some_rows(40), n_random=0), built(some_rows(40))
    assert alone.exact is alone.plain
    assert among.exact is None
    assert isinstance(among.plain, GrowingTree)
    rough = built(some_rows(5000), n_random=1, build="approximate", bandwidth=None)
    assert isinstance(rough.plain, ApproximateGrowingTree)
    assert rough.exact is None
    grown = rough.with_rows(some_rows(30, 1), np.ones(30)).without_rows(np.arange(7))
    check_trees(grown.frozen())
    assert grown.n_changed == 37


@pytest.mark.parametrize(("n_random", "worn"), [(0, False), (2, True)])
def test_trees_wear_out_when_more_than_a_tenth_has_changed(n_random, worn):
    trees = built(some_rows(40), n_random=n_random)
    trees = trees.with_rows(some_rows(4, 1), np.ones(4))
    assert not trees.is_worn
    assert trees.without_rows(np.array([2])).is_worn == worn


def test_what_has_changed_before_counts():
    X = some_rows(40)
    found = trees_of_rows(X, sample_weight=None, bandwidth=None, n_random=2, n_jobs=1, **SETTINGS)
    trees = [found.plain[0], *found.random]
    again = IncrementalTrees.of(trees, np.ones(40), np.arange(40), 50, None, 30, 4)
    assert again.is_worn
    assert again.with_rows(X[:1] + 9.0, np.ones(1)).plain.ids[-1] == 50


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_rows_of_weight_0_are_kept_aside(kind):
    X, weight = some_rows(30), np.ones(30)
    weight[[2, 5, 22, 27]] = 0.0
    trees = built(kind(X[:20]), weight[:20], n_random=0)
    trees = trees.with_rows(kind(X[20:]), weight[20:]).without_rows(np.array([5, 9]))
    kept = np.delete(np.arange(30), [5, 9])
    plain = trees.frozen()[0]
    found = all_rows(plain.points, plain.node_of, trees.left_out)
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X[kept])
    assert trees.left_out.shape[0] == 3
    assert trees.without_rows(np.array([2, 22, 27])).left_out is None


def test_parts_of_rows():
    X = sp.csr_matrix(some_rows(6))
    part = rows_at(X, np.array([4, 1]))
    assert type(part) is sp.csr_matrix
    np.testing.assert_array_equal(part.toarray(), X.toarray()[[4, 1]])
    assert stacked(None, part) is part
    np.testing.assert_array_equal(stacked(part, X).toarray(), X.toarray()[[4, 1, *range(6)]])


def test_distances_alone_have_no_rows():
    with pytest.raises(ValueError, match="precomputed"):
        all_rows(object(), np.arange(2), None)


def twin_orphans(tree, scale, gone):
    """The first on the way up that is not gone; without one, the densest of these leads."""
    strength = link_strengths(tree.delta, scale, scale[tree.parent])
    leader, ways = {}, {}
    for i in np.flatnonzero(~gone):
        way, node = [], i
        while tree.parent[node] >= 0:
            way.append(1.0 / strength[node])
            node = tree.parent[node]
            if not gone[node]:
                break
        is_led = node != i and not gone[node]
        leader[i] = int(node) if is_led else -1
        ways[i] = sum(way) if len(way) > 1 else 0.0
    root = min((i for i in leader if leader[i] < 0), key=lambda i: tree.rank[i])
    for i in leader:
        if leader[i] < 0 and i != root:
            leader[i], ways[i] = int(root), 1e12
    return leader, ways


@given(trees(), st.data())
def test_orphans_are_reattached(tree, data):
    n = tree.n_nodes
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    gone[data.draw(st.integers(0, n - 1))] = False
    scale = np.linspace(0.5, 2.0, n)
    parent, ways = kernels.reattach_orphans(tree.parent, tree.delta, scale, tree.rank, gone)
    leader, expected = twin_orphans(tree, scale, gone)
    root = next(i for i in leader if leader[i] < 0)
    for i in leader:
        assert parent[i] == leader[i]
        if i != root:
            assert ways[i] == pytest.approx(expected[i], rel=1e-9)


def test_a_new_node_is_attached_by_resistance():
    """Node 3 is led by 1, the nearer of two ahead; it takes 2 over, whose link is weaker."""
    rank, scale = np.array([0, 1, 3, 2]), np.ones(4)
    parent, delta = np.array([-1, 0, 0, -1]), np.array([5.0, 1.0, 2.0, np.nan])
    near, lengths = np.array([[2, 1, 0]]), np.array([[0.5, 0.6, 0.7]])
    kernels.attach_by_resistance(np.array([3]), near, lengths, rank, scale, parent, delta)
    assert parent.tolist() == [-1, 0, 3, 1]
    assert delta.tolist() == [5.0, 1.0, 0.5, 0.6]


def test_a_new_node_is_attached_by_distance():
    """Node 3 finds 2, the first denser neighbour; node 4 none, and goes up from 1."""
    density = np.array([9.0, 3.0, 5.0, 4.0, 8.0])
    parent = np.array([-1, 2, 0, -1, -1])
    near = np.array([[1, 2, 0], [1, 2, 3]])
    old = np.array([1, 1])
    places = kernels.attach_by_distance(np.array([3, 4]), near, old, density, parent)
    assert parent.tolist() == [-1, 2, 0, 2, 0]
    assert places.tolist() == [1, -1]


@pytest.mark.parametrize("seed", range(5))
def test_nodes_are_inserted_into_the_order(seed):
    density = np.random.default_rng(seed).integers(0, 6, size=30).astype(float)
    for n in (1, 20, 29, 30):
        found = order_with_last(density_order(density[:n]), density)
        np.testing.assert_array_equal(found, density_order(density))
