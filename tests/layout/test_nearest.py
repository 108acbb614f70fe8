"""The nearest nodes of few nodes, which pull beside the links of trees, against twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from layout.layout_twins import linked_pairs, nearest_others
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import scale

from lapoleaf import LeadingForestMap, leading_tree
from lapoleaf._layout import lay_out, trustworthiness
from lapoleaf._layout.graph import LinkGraph, link_strengths_of
from lapoleaf._layout.nearest import MAX_NODES_SEARCHED, N_NEAREST, few_nearest_nodes
from lapoleaf._tree import nearest_other_nodes

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(120, 4))
DIGITS = load_digits().data[:300]


@pytest.mark.parametrize(
    ("rows", "metric"),
    [(ROWS, "euclidean"), (ROWS, "manhattan"), (sp.csr_matrix(ROWS), "cosine"),
     (pairwise_distances(ROWS), "precomputed"), (DIGITS, "euclidean")],
    ids=["euclidean", "manhattan", "sparse cosine", "precomputed", "by products"],
)  # fmt: skip
def test_nearest_other_nodes(rows, metric):
    tree = leading_tree(rows, metric=metric)
    distances = pairwise_distances(rows, metric=metric)
    nodes, lengths = nearest_other_nodes(tree, 10)
    np.testing.assert_allclose(lengths, nearest_others(distances, 10), rtol=1e-9)
    own = np.arange(rows.shape[0])[:, None]
    assert not (nodes == own).any()
    np.testing.assert_allclose(distances[own, nodes], lengths, rtol=1e-9)
    for one, other in zip((nodes, lengths), nearest_other_nodes(tree, 10, 3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_there_are_no_more_neighbours_than_others():
    nodes, lengths = nearest_other_nodes(leading_tree(ROWS[:4]), 10)
    assert nodes.shape == lengths.shape == (4, 3)
    np.testing.assert_array_equal(np.sort(nodes[0]), [1, 2, 3])


def test_nodes_at_distance_0_are_others():
    """Under the cosine metric rows of one direction are different nodes at distance 0."""
    rows = np.array([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [8.0, 0.0], [0.0, 1.0]])
    tree = leading_tree(rows, metric="cosine")
    nodes, _ = nearest_other_nodes(tree, 1)
    assert nodes.shape == (tree.n_nodes, 1)
    assert (nodes[:, 0] != np.arange(tree.n_nodes)).all()


def test_neighbours_pull_as_links_of_trees_do():
    tree = leading_tree(ROWS)
    found = few_nearest_nodes(tree)
    assert found.nodes.shape == found.strengths.shape == (N_NEAREST, 120)
    distances, s = pairwise_distances(ROWS), tree.scale
    for node, other, strength in zip(
        np.arange(120), found.nodes[7], found.strengths[7], strict=True
    ):
        wanted = np.exp(-2 * distances[node, other] ** 2 / (s[node] * s[other]))
        assert strength == pytest.approx(wanted, rel=1e-9)


def test_the_graph_has_links_of_trees_and_to_neighbours():
    trees = [tree.tree for tree in LeadingForestMap(n_forests=4).fit(ROWS).forests_]
    nearest = few_nearest_nodes(trees[0])
    graph = LinkGraph.of_trees(trees, nearest)
    owner = np.repeat(np.arange(120), np.diff(graph.start))
    ends = zip(graph.walk[owner].tolist(), graph.walk[graph.ends].tolist(), strict=True)
    pairs = dict(zip(ends, graph.weight.tolist(), strict=True))
    parents = np.vstack([*(tree.parent for tree in trees), nearest.nodes])
    relative = nearest.strengths / nearest.strengths.max()
    strengths = np.vstack([*map(link_strengths_of, trees), relative])
    wanted = linked_pairs(parents, strengths)
    assert pairs.keys() == wanted.keys()
    for pair, weight in wanted.items():
        assert pairs[pair] == pytest.approx(weight, rel=1e-4)


def test_many_nodes_and_nodes_without_distances_have_their_links_alone():
    built = leading_tree(ROWS)
    bare = type(built)(density=built.density, delta=built.delta, parent=built.parent)
    assert few_nearest_nodes(bare) is None
    rows = RNG.normal(size=(MAX_NODES_SEARCHED + 1, 2))
    assert few_nearest_nodes(leading_tree(rows)) is None
    assert few_nearest_nodes(leading_tree(rows[1:])) is not None


def test_pairs_that_a_graph_does_not_store_are_not_linked():
    line = np.arange(80.0)[:, None]
    distances = pairwise_distances(line)
    stored = sp.csr_matrix(np.where(distances <= 3, distances, 0.0))
    found = few_nearest_nodes(leading_tree(stored, metric="precomputed"))
    node = np.arange(80)
    linked = found.nodes >= 0
    assert (linked.sum(axis=0) == ((distances <= 3).sum(axis=1) - 1)).all()
    assert (np.abs(found.nodes - node)[linked] <= 3).all()


def test_maps_of_few_rows_are_better_with_neighbours():
    X = scale(load_wine().data)
    trees = [tree.tree for tree in LeadingForestMap(n_jobs=1).fit(X).forests_]
    assert trustworthiness(trees[0].points, lay_out(trees)) > 0.948


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(300)
    plain = LeadingForestMap(n_forests=5, n_jobs=1).fit(DIGITS).embedding_
    turned = LeadingForestMap(n_forests=5, n_jobs=1).fit(DIGITS[order]).embedding_
    np.testing.assert_array_equal(turned, plain[order])
