"""Links of many trees, and the descent along forces, against twins."""

import numpy as np
import pytest
from layout.layout_twins import linked_pairs, steps_by_direct_sums
from sklearn.datasets import make_blobs

from lapoleaf import LeadingForestMap, LeadingTree
from lapoleaf._layout.descent import falling_exaggeration, settle
from lapoleaf._layout.graph import LinkGraph, link_strengths_of, merged_links


def random_parents(n_trees, n, seed=0):
    rng = np.random.default_rng(seed)
    parents = np.full((n_trees, n), -1, dtype=np.int32)
    for row in parents:
        order = rng.permutation(n)
        for place in range(1, n):
            row[order[place]] = order[rng.integers(place)]
    return parents, rng.random((n_trees, n)).astype(np.float32)


def as_pairs(start, ends, weight):
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return dict(zip(zip(owner.tolist(), ends.tolist(), strict=True), weight.tolist(), strict=True))


@pytest.mark.parametrize(("n_trees", "n"), [(1, 2), (1, 30), (5, 8), (7, 60)])
def test_links_are_merged(n_trees, n):
    parents, strengths = random_parents(n_trees, n)
    found, wanted = as_pairs(*merged_links(parents, strengths)), linked_pairs(parents, strengths)
    assert found.keys() == wanted.keys()
    for pair, weight in wanted.items():
        assert found[pair] == pytest.approx(weight, rel=1e-5)
    start, _, weight = merged_links(parents, strengths)
    assert weight.sum() == pytest.approx(n, rel=1e-5)
    assert len(start) == n + 1


def five_hundred():
    X, _ = make_blobs(500, centers=6, n_features=4, random_state=0)
    return [forest.tree for forest in LeadingForestMap(n_forests=10).fit(X).forests_]


def test_the_walk_visits_every_subtree_in_one_stretch():
    tree = five_hundred()[0]
    graph = LinkGraph.of_trees([tree])
    position = np.argsort(graph.walk)
    assert position[tree.root] == 0
    assert (position[tree.parent[graph.walk[1:]]] < np.arange(1, 500)).all()
    # A node that follows its leader directly, or the end of a stretch beside it.
    size = np.ones(500, dtype=int)
    for node in tree.order[::-1]:
        if tree.parent[node] >= 0:
            size[tree.parent[node]] += size[node]
    for node in tree.order[1:]:
        p = tree.parent[node]
        assert position[p] < position[node] < position[p] + size[p]


def test_a_heavy_node_is_linked_as_any_other():
    arrays = {"density": [3, 2, 1], "delta": [4, 1, 2], "parent": [-1, 0, 1], "scale": [1, 2, 1]}
    light = LeadingTree(**arrays)
    heavy = LeadingTree(**arrays, population=[1, 100, 1])
    np.testing.assert_allclose(link_strengths_of(heavy), link_strengths_of(light))


@pytest.mark.parametrize("spread", [0.01, 8.0, 30.0])
def test_steps_are_those_of_direct_sums(spread):
    graph = LinkGraph.of_trees(five_hundred())
    places = np.random.default_rng(1).normal(size=(500, 2)) * spread
    pairs = as_pairs(graph.start, graph.ends, graph.weight)
    schedule = falling_exaggeration(4, 1.0)
    found, wanted = settle(places, graph, schedule), steps_by_direct_sums(places, pairs, schedule)
    moved = np.linalg.norm(wanted - places, axis=1).mean()
    assert np.linalg.norm(found - wanted, axis=1).mean() < 0.005 * moved


@pytest.mark.parametrize("extent", [7.0, 70.0])
def test_threads_do_not_matter(extent):
    """Neither for the mesh alone, nor with near pairs."""
    X = np.random.default_rng(0).normal(size=(5000, 3))
    trees = [forest.tree for forest in LeadingForestMap(n_forests=3).fit(X).forests_]
    graph = LinkGraph.of_trees(trees)
    places, schedule = X[graph.walk, :2] * (extent / np.ptp(X[:, :2])), np.ones(5)
    one, two, five = (settle(places, graph, schedule, threads) for threads in (1, 2, 5))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, five)


def test_exaggeration_falls_in_the_first_half():
    schedule = falling_exaggeration(100, 1.5)
    assert schedule[0] == pytest.approx(12.0)
    assert (np.diff(schedule[:51]) < 0).all()
    np.testing.assert_allclose(schedule[50:], 1.5)
    np.testing.assert_allclose(falling_exaggeration(10, 20.0), 20.0)
    assert len(falling_exaggeration(1, 1.0)) == 1
