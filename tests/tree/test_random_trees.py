"""Many trees from one pass: leaders along the graph, their strength, what randomness hangs on."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from right_tree import assert_all_reach
from scipy.sparse.csgraph import connected_components, dijkstra
from sklearn.datasets import load_iris

from lapoleaf import leading_tree
from lapoleaf._density import Neighbourhoods, gaussian_neighbourhoods
from lapoleaf._points import make_points
from lapoleaf._propagation.exact import link_weights
from lapoleaf._tree import graph_kernels, graph_leaders, kernels
from lapoleaf._tree.build import trees_of_rows
from lapoleaf._tree.link_kernels import sort_edges
from lapoleaf._tree.neighbour_graph import N_GRAPH_NEIGHBOURS, neighbour_graph

SETTINGS = {"bandwidth": None, "metric": "euclidean", "metric_params": None, "sample_weight": None}


def grown(X, n_random=6, seed=0, **changed):
    settings = {**SETTINGS, "percents": [2.0], "n_jobs": 1, "verbose": 0, **changed}
    return trees_of_rows(X, n_random=n_random, seed=seed, **settings)


def twin_leaders(rank, graph):
    """Shortest ways between all nodes; the leader is the nearest of those ahead."""
    ways = dijkstra(graph, directed=False)
    ahead = np.where(rank[None, :] < rank[:, None], ways, np.inf)
    return ahead.argmin(axis=1), ahead.min(axis=1)


@st.composite
def graphs(draw):
    """A connected graph with random resistances, in compressed rows, and a random order."""
    n = draw(st.integers(2, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    half = np.triu(np.where(rng.random((n, n)) < 3 / n, rng.uniform(1, 9, (n, n)), 0), 1)
    half[np.arange(n - 1), np.arange(1, n)] = rng.uniform(1, 9, n - 1)
    return sp.csr_array(half + half.T), rng.permutation(n)


@given(graphs())
def test_leaders_along_a_graph_are_at_the_end_of_the_shortest_ways(case):
    graph, rank = case
    start, neighbours = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    lengths, resistances = 2.0 * graph.data, graph.data.copy()
    sort_edges(start, neighbours, lengths, resistances)
    parent, delta, way = graph_kernels.leaders_along_graph(
        len(rank), rank, start, neighbours, lengths, resistances
    )
    wanted, ways = twin_leaders(rank, graph)
    led = rank > 0
    assert parent[~led].tolist() == [-1]
    np.testing.assert_array_equal(parent[led], wanted[led])
    np.testing.assert_allclose(way[led], ways[led], rtol=1e-12)
    edge = graph.toarray()[np.flatnonzero(led), parent[led]]
    direct = (edge > 0) & (edge == way[led])
    np.testing.assert_array_equal(delta[led], np.where(direct, 2.0 * edge, np.nan))


def twin_shared_search(most, i, rank, graph):
    """The first node ahead among the ``most`` nearest; else the best one edge beyond them."""
    ways = dijkstra(graph, directed=False)[i]
    nearest = np.lexsort((np.arange(len(rank)), ways))[:most]
    ahead = [j for j in nearest if rank[j] < rank[i]]
    if ahead:
        return ahead[0], ways[ahead[0]]
    edges = graph.toarray()[nearest]
    beyond = np.where(edges > 0, ways[nearest][:, None] + edges, np.inf).min(axis=0)
    beyond[rank >= rank[i]] = np.inf
    return (int(beyond.argmin()), beyond.min()) if np.isfinite(beyond.min()) else (-1, np.inf)


@given(graphs(), st.integers(1, 25), st.integers(1, 25))
def test_one_search_serves_many_orders(case, few, most):
    graph, rank = case
    n, rng = len(rank), np.random.default_rng(len(rank))
    orders = np.stack([rank, rng.permutation(n), rng.permutation(n)], axis=1)
    start, neighbours = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    lengths, resistances = 2.0 * graph.data, graph.data.copy()
    sort_edges(start, neighbours, lengths, resistances)
    edges = (start, neighbours, lengths, resistances)
    parent, (delta, way) = np.empty((n, 3), dtype=np.int64), np.empty((2, n, 3))
    for first, last in ((0, n // 2), (n // 2, n)):
        graph_kernels.leaders_in_many_orders(
            few, most, first, last, orders, *edges, parent, delta, way
        )
    for t in range(3):
        own = np.ascontiguousarray(orders[:, t])
        for i in np.flatnonzero(own > 0):
            leader, resistance = twin_shared_search(most, i, own, graph)
            assert parent[i, t] == leader
            assert way[i, t] == pytest.approx(resistance, rel=1e-12)
        if most >= n:
            alone = graph_kernels.leaders_along_graph(n, own, *edges)
            for found, wanted in zip((parent, delta, way), alone, strict=True):
                np.testing.assert_array_equal(found[:, t], wanted)


@pytest.mark.parametrize("few", [1, 2, 4])
def test_of_equally_near_nodes_the_lower_number_leads_in_all_orders(few):
    """A square with edges of the same resistance: from 0, node 3 is reached over 1 and over 2."""
    start, neighbours = np.array([0, 2, 4, 6, 8]), np.array([1, 2, 0, 3, 0, 3, 1, 2])
    ones = np.ones(8)
    ranks = np.array([[1, 3], [3, 1], [2, 0], [0, 2]])
    parent, (delta, way) = np.empty((4, 2), dtype=np.int64), np.empty((2, 4, 2))
    graph_kernels.leaders_in_many_orders(
        few, 4, 0, 4, ranks, start, neighbours, ones, ones, parent, delta, way
    )
    assert parent.T.tolist() == [[3, 0, 0, -1], [1, 2, -1, 1]]
    np.testing.assert_array_equal(way.T, [[2, 1, 1, 0], [1, 2, 0, 1]])
    np.testing.assert_array_equal(np.isnan(delta.T), [[1, 0, 0, 1], [0, 1, 1, 0]])


@pytest.mark.parametrize("places", [False, True])
def test_shared_searches_find_the_leaders_of_single_ones(monkeypatch, places):
    X = np.random.default_rng(7).normal(size=(400, 3))
    plain = leading_tree(X)
    near = gaussian_neighbourhoods(plain.points, plain.population, [plain.bandwidth], 1.0)
    order = np.random.default_rng(9).permutation(400) if places else None
    graph = neighbour_graph(plain, near._replace(order=order))
    densities = list(np.random.default_rng(6).random((25, 400)))

    def trees():
        return graph_leaders.trees_along_graph(plain, graph, densities, np.ones(25), order, 2)

    shared = trees()
    monkeypatch.setattr(graph_leaders, "_MAX_RANKS_HELD", 20 * 400)
    in_groups = trees()
    monkeypatch.setattr(graph_leaders, "_MIN_TREES_SHARED", 26)
    alone = trees()
    for some in (shared, in_groups):
        for one, other in zip(some, alone, strict=True):
            np.testing.assert_array_equal(one.parent, other.parent)
            np.testing.assert_array_equal(one.delta, other.delta)
            assert_all_reach(one.root, one.parent)


def twin_lost_leader(i, rank, plain, scale):
    """Up the plain tree to the first node ahead: which, how many steps, how much they resist."""
    node, resistance, steps = i, 0.0, 0
    while rank[node] >= rank[i] and plain.parent[node] >= 0:
        above = plain.parent[node]
        resistance += min(np.exp(2 * plain.delta[node] ** 2 / (scale[node] * scale[above])), 1e12)
        node, steps = above, steps + 1
    return (node, resistance, steps) if rank[node] < rank[i] else (None, 1e12, steps)


def test_searches_that_end_follow_the_plain_tree():
    X = np.random.default_rng(3).normal(size=(200, 2))
    plain = leading_tree(X)
    rank = np.random.default_rng(4).permutation(200)
    parent, delta, resistance = np.full(200, -1), np.full(200, np.nan), np.zeros(200)
    lost, root = np.flatnonzero(rank > 0), int(np.flatnonzero(rank == 0)[0])
    graph_kernels.leaders_up_tree(
        lost, rank, plain.parent, plain.delta, plain.scale, root, parent, delta, resistance
    )
    for i in lost:
        leader, way, steps = twin_lost_leader(i, rank, plain, plain.scale)
        assert parent[i] == (root if leader is None else leader)
        assert resistance[i] == pytest.approx(way, rel=1e-9)
        assert np.isnan(delta[i]) == (steps != 1 or leader is None)
    assert parent[root] == -1


def test_a_search_ends_with_the_best_it_has_found(monkeypatch):
    X = np.random.default_rng(5).normal(size=(300, 3))
    monkeypatch.setattr(graph_leaders, "_MAX_NODES_VISITED", 1)
    plain = leading_tree(X)
    near = gaussian_neighbourhoods(plain.points, plain.population, [plain.bandwidth], 1.0)
    graph = neighbour_graph(plain, near)
    density = np.random.default_rng(6).random(300)
    short = graph_leaders.tree_along_graph(plain, graph, density, 1.0, np.arange(300))
    whole = graph_leaders.tree_along_graph(plain, graph, density, 1.0)
    # After its own edges a node looks no further: who finds a denser neighbour is led by one.
    edges = [set(graph.neighbours[graph.start[i] : graph.start[i + 1]]) for i in range(300)]
    seen = np.array([any(density[j] > density[i] for j in edges[i]) for i in range(300)])
    assert all(short.parent[i] in edges[i] for i in np.flatnonzero(seen))
    assert 0.5 < (short.parent == whole.parent).mean() < 1.0


@pytest.mark.parametrize("sizes", [[3, 0, 1, 14, 2], [5000, 7]])
def test_edges_are_sorted_by_resistance_and_number(sizes):
    rng = np.random.default_rng(0)
    start = np.append(0, np.cumsum(sizes))
    ends, resistances = rng.permutation(start[-1]), rng.integers(1, 50, start[-1]) / 7.0
    lengths = 3.0 * resistances + ends
    wanted = np.lexsort((ends, resistances, np.repeat(np.arange(len(sizes)), sizes)))
    wanted = [part[wanted] for part in (ends, lengths, resistances)]
    sort_edges(start, ends, lengths, resistances)
    for found, part in zip((ends, lengths, resistances), wanted, strict=True):
        np.testing.assert_array_equal(found, part)


def test_leaders_by_hand():
    """0 - 1 - 2 with resistances 2 and 3, an edge of 7 from 0 to 2: the way over 1 is shorter."""
    start, neighbours = np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 1, 0])
    resistances = np.array([2.0, 7.0, 2.0, 3.0, 3.0, 7.0])
    rank = np.array([1, 2, 0])
    found = graph_kernels.leaders_along_graph(3, rank, start, neighbours, resistances, resistances)
    assert found[0].tolist() == [2, 0, -1]
    np.testing.assert_array_equal(found[1], [np.nan, 2.0, np.nan])
    np.testing.assert_array_equal(found[2], [5.0, 2.0, 0.0])


def apart(n=40):
    """Three heaps with nothing between them: the neighbour graph needs bridges."""
    X = np.random.default_rng(0).normal(size=(3 * n, 2))
    return X + np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 90.0]], n, axis=0)


@pytest.mark.parametrize("X", [load_iris().data, apart()], ids=["iris", "three heaps"])
def test_every_tree_is_a_tree_by_its_own_density(X):
    found = grown(X)
    assert len(found.random) == 6
    for tree in found.random:
        led = np.flatnonzero(tree.parent >= 0)
        assert_all_reach(tree.root, tree.parent)
        assert (tree.density[tree.parent[led]] >= tree.density[led]).all()
        assert np.isfinite(tree.delta).all()
        assert (tree.delta >= 0).all()
        np.testing.assert_array_equal(tree.node_of, found.plain[0].node_of)
        assert tree.delta[tree.order[0]] == tree.points.rows(tree.order[:1]).max()
    assert len({tuple(tree.parent) for tree in found.random}) == 6


@pytest.mark.parametrize("X", [load_iris().data, apart()], ids=["iris", "three heaps"])
def test_a_link_is_as_strong_as_the_way_it_stands_for(X):
    """One over its self-tuned weight is the resistance of the shortest way along the graph."""
    tree = grown(X, n_random=1).random[0]
    plain = grown(X, n_random=0).plain[0]
    D = plain.points.rows(np.arange(plain.n_nodes))
    order = np.argsort(D + np.diag(np.full(len(D), np.inf)), axis=1, kind="stable")[
        :, :N_GRAPH_NEIGHBOURS
    ]
    near = Neighbourhoods(None, order, np.take_along_axis(D, order, axis=1), {})
    graph = neighbour_graph(plain, near)
    matrix = sp.csr_array((graph.resistances, graph.neighbours, graph.start), shape=D.shape)
    wanted, ways = twin_leaders(tree.rank, matrix)
    led = (tree.parent >= 0) & (ways < 1e12)
    np.testing.assert_array_equal(tree.parent[led], wanted[led])
    strength = link_weights(tree, "self-tuned") / tree.population
    np.testing.assert_allclose(strength[led], 1.0 / ways[led], rtol=1e-10)


def test_trees_are_tied_to_points():
    X = load_iris().data + np.random.default_rng(0).uniform(0, 1e-3, (150, 4))
    order = np.random.default_rng(1).permutation(150)
    for one, other in zip(grown(X).random, grown(X[order]).random, strict=True):
        np.testing.assert_allclose(one.density[order], other.density, rtol=1e-12)
        led = other.parent >= 0
        np.testing.assert_array_equal(order[other.parent[led]], one.parent[order][led])


def test_seeds_and_threads():
    X = load_iris().data
    plain, again, threads, other = (
        grown(X), grown(X), grown(X, n_jobs=2), grown(X, seed=1)
    )  # fmt: skip
    for a, b, c, d in zip(plain.random, again.random, threads.random, other.random, strict=True):
        np.testing.assert_array_equal(a.density, b.density)
        np.testing.assert_array_equal(a.delta, c.delta)
        assert (a.density != d.density).any()


def test_all_trees_share_one_pass():
    calls = [0]

    def counting(a, b):
        calls[0] += 1
        return float(np.abs(a - b).sum())

    spent = []
    for n_random in (0, 10):
        calls[0] = 0
        grown(load_iris().data[::3], n_random=n_random, metric=counting)
        spent.append(calls[0])
    assert spent[1] < 1.4 * spent[0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 20), st.integers(1, 12))
def test_the_nearest_of_all(seed, m, n, k):
    D = np.random.default_rng(seed).integers(0, 6, (m, n)).astype(float)
    k = min(k, n)
    nodes, lengths = np.empty((m, k), dtype=np.int64), np.empty((m, k))
    kernels.nearest_in_rows(D, nodes, lengths)
    wanted = np.argsort(D, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(nodes, wanted)
    np.testing.assert_array_equal(lengths, np.take_along_axis(D, wanted, axis=1))


KINDS = {"dense": (np.asarray, "euclidean"), "sparse": (sp.csr_array, "euclidean"),
         "any metric": (np.asarray, "canberra")}  # fmt: skip


@pytest.mark.parametrize(("form", "metric"), KINDS.values(), ids=KINDS)
def test_a_point_is_known_by_its_coordinates(form, metric):
    X = np.random.default_rng(0).integers(-3, 4, (60, 4)).astype(float)
    X[40:] = X[:20]
    own = make_points(form(X), metric, None, np.ones(60)).identity()
    order = np.random.default_rng(1).permutation(60)
    np.testing.assert_array_equal(
        make_points(form(X[order]), metric, None, np.ones(60)).identity(), own[order]
    )
    np.testing.assert_array_equal(own[40:], own[:20])
    assert len(np.unique(own)) == len(np.unique(X, axis=0))
    single = make_points(form(X.astype(np.float32)), metric, None, np.ones(60)).identity()
    np.testing.assert_array_equal(single, own)
    minus = make_points(form(np.where(X == 0, -0.0, X)), metric, None, np.ones(60)).identity()
    np.testing.assert_array_equal(minus, own)


def test_a_graph_of_places_is_the_graph_of_nodes_by_other_numbers():
    X = np.random.default_rng(8).normal(size=(120, 3)) + 9.0 * (np.arange(120) % 2)[:, None]
    plain = leading_tree(X)
    near = gaussian_neighbourhoods(plain.points, plain.population, [plain.bandwidth], 1.0)
    order = np.random.default_rng(9).permutation(120)
    graph = neighbour_graph(plain, near)
    places = neighbour_graph(plain, near._replace(order=order))

    def matrix(graph, values):
        return sp.csr_array((values, graph.neighbours, graph.start), shape=(120, 120)).toarray()

    for name in ("lengths", "resistances"):
        nodes = matrix(graph, getattr(graph, name))
        np.testing.assert_array_equal(nodes, nodes.T)
        np.testing.assert_array_equal(
            matrix(places, getattr(places, name)), nodes[np.ix_(order, order)]
        )
    parts, _ = connected_components(matrix(graph, graph.lengths))
    assert parts == 1


def test_the_same_trees_along_places():
    X = np.random.default_rng(8).normal(size=(150, 3))
    plain = leading_tree(X)
    near = gaussian_neighbourhoods(plain.points, plain.population, [plain.bandwidth], 1.0)
    order = np.random.default_rng(9).permutation(150)
    density = np.random.default_rng(10).random(150)
    whole = graph_leaders.tree_along_graph(plain, neighbour_graph(plain, near), density, 1.0)
    graph = neighbour_graph(plain, near._replace(order=order))
    along = graph_leaders.tree_along_graph(plain, graph, density, 1.0, order)
    np.testing.assert_array_equal(along.parent, whole.parent)
    np.testing.assert_allclose(along.delta, whole.delta, rtol=1e-12)
