"""A growing tree is the tree of the rows at hand, whatever was done to it."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
import twins
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from incremental_pair import ARRAYS, Pair, rebuilt
from right_tree import check_right_tree

from lapoleaf import GrowingTree, LeadingTree, leading_tree

METRICS = ["euclidean", "manhattan", "chebyshev", "sqeuclidean", "cosine"]


class Growing(RuleBasedStateMachine):
    """Rows of small whole numbers come and go: duplicates and ties everywhere."""

    @initialize(
        seed=st.integers(0, 2**32 - 1),
        metric=st.sampled_from(METRICS),
        d=st.integers(1, 3),
        largest=st.sampled_from([0, 2, 5, 1000]),
        bandwidth=st.sampled_from([0.3, 1.0, 2.5, 100.0]),
        n=st.integers(1, 8),
    )
    def begin(self, seed, metric, d, largest, bandwidth, n):
        self.draws, self.d, self.largest = np.random.default_rng(seed), d, largest
        weight = self.weights(n)
        self.pair = Pair(self.some_rows(n), weight, bandwidth, metric=metric)

    def some_rows(self, m):
        return self.draws.integers(0, self.largest + 1, size=(m, self.d)).astype(float)

    def weights(self, m):
        weight = self.draws.integers(0, 4, size=m).astype(float)
        weight[0] = max(weight[0], 1.0)
        return weight

    @rule(m=st.integers(1, 4))
    def insert(self, m):
        self.pair.insert(self.some_rows(m), self.weights(m))

    @rule(which=st.integers(0, 10**6))
    def insert_again(self, which):
        row = self.pair.rows[which % len(self.pair.rows)]
        self.pair.insert(row[None], np.ones(1))

    @rule(which=st.integers(0, 10**6), m=st.integers(1, 3))
    def remove(self, which, m):
        n = len(self.pair.ids)
        places = np.unique((which + np.arange(m) * 7) % n)
        if np.delete(self.pair.weight, places).any():
            self.pair.remove(places)

    @rule()
    def remove_all_but_one(self):
        last = int(np.flatnonzero(self.pair.weight)[-1])
        self.pair.remove(np.delete(np.arange(len(self.pair.ids)), last))

    @invariant()
    def equals_a_rebuild(self):
        if hasattr(self, "pair"):
            self.pair.check()


TestGrowing = Growing.TestCase
TestGrowing.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)


def series(n, seed=0):
    """Readings that stay, step and drift, rounded as a sensor rounds: full of ties."""
    draws = np.random.default_rng(seed)
    steps = draws.choice([0.0, 0.0, 0.0, 0.01, -0.01, 0.02, -0.02], size=n)
    return np.round(8.0 + np.cumsum(steps) + 0.1 * np.sin(np.arange(n) / 50), 2)


def windows(values, width):
    return np.lib.stride_tricks.sliding_window_view(values, width).copy()


def run_through(X, start, metric="euclidean", every=1):
    """Insert and remove in turn, at both ends and in the middle, and compare on the way."""
    bandwidth = leading_tree(X[:start], metric=metric).bandwidth
    pair = Pair(X[:start], np.ones(start), bandwidth, metric=metric)
    draws = np.random.default_rng(1)
    for step, row in enumerate(X[start:]):
        pair.insert(row[None], np.ones(1))
        if step % every == 0:
            pair.check()
    for step in range(len(X) - start):
        place = [0, int(draws.integers(len(pair.ids))), len(pair.ids) - 1][step % 3]
        pair.remove([place])
        if step % every == 0:
            pair.check()
    pair.check()
    return pair


def test_a_series_full_of_ties():
    pair = run_through(windows(series(260), 3), 100, every=10)
    assert pair.tree.n_nodes < len(pair.ids)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_a_thousand_insertions_and_removals_in_a_made_series(metric):
    run_through(windows(series(2004), 5), 1000, metric, every=10)


@pytest.mark.slow
@pytest.mark.parametrize("width", [5, 12])
def test_a_thousand_insertions_and_removals_in_water(water, width):
    run_through(windows(water("WaterLab2019_run")[: 1999 + width], width), 1000, every=10)


@pytest.mark.slow
def test_a_hundred_thousand_operations():
    steps = 100
    for seed in range(1000):
        machine = Growing()
        draws = np.random.default_rng(seed)
        machine.begin(
            seed,
            METRICS[seed % len(METRICS)],
            int(draws.integers(1, 4)),
            int(draws.choice([0, 2, 5, 1000])),
            float(draws.choice([0.3, 1.0, 2.5, 100.0])),
            int(draws.integers(1, 9)),
        )
        for _ in range(steps):
            what = draws.integers(9)
            if what < 3 + 2 * (len(machine.pair.ids) < 10):
                machine.insert(int(draws.integers(1, 3)))
            elif what < 5:
                machine.insert_again(int(draws.integers(10**6)))
            else:
                machine.remove(int(draws.integers(10**6)), int(draws.integers(1, 4)))
            machine.equals_a_rebuild()


def test_the_tree_is_that_of_the_definition():
    X = windows(series(40), 2)
    growing = GrowingTree(leading_tree(X[:20], bandwidth=0.05))
    growing.insert(X[20:])
    growing.remove([0, 7, 8, 30])
    rows = np.delete(X, [0, 7, 8, 30], axis=0)
    D = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
    first, node_of, population = twins.merge(D)
    D = D[np.ix_(first, first)]
    frozen = growing.freeze()
    np.testing.assert_array_equal(frozen.node_of, node_of)
    np.testing.assert_array_equal(frozen.density, twins.densities(D, population, 0.05))
    parent, delta = twins.leaders(D, frozen.density.tolist())
    np.testing.assert_array_equal(frozen.parent, parent)
    np.testing.assert_allclose(frozen.delta, delta, rtol=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("metric", ["correlation", "canberra", "nan_euclidean", "minkowski"])
def test_other_metrics_grow_too(metric):
    draws = np.random.default_rng(3)
    X = draws.normal(size=(60, 4))
    settings = {"metric_params": {"p": 3}} if metric == "minkowski" else {}
    growing = GrowingTree(leading_tree(X[:40], bandwidth=0.5, metric=metric, **settings))
    growing.insert(X[40:])
    growing.remove(np.arange(5, 60, 6))
    left = np.delete(X, np.arange(5, 60, 6), axis=0)
    built = rebuilt(left, None, 0.5, metric=metric, **settings)
    frozen = growing.freeze()
    np.testing.assert_array_equal(frozen.parent, built.parent)
    np.testing.assert_allclose(frozen.density, built.density, rtol=1e-9)
    np.testing.assert_allclose(frozen.delta, built.delta, rtol=1e-9)
    np.testing.assert_allclose(frozen.scale, built.scale, rtol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows_grow_too(metric):
    draws = np.random.default_rng(4)
    X = sp.csr_matrix(
        draws.integers(0, 3, size=(50, 5)) * draws.integers(0, 2, size=(50, 5)), dtype=float
    )
    growing = GrowingTree(leading_tree(X[:30], bandwidth=1.0, metric=metric))
    growing.insert(X[30:])
    growing.remove([0, 1, 44])
    left = X[np.delete(np.arange(50), [0, 1, 44])]
    built, frozen = rebuilt(left, None, 1.0, metric=metric), growing.freeze()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(frozen, name), getattr(built, name), name)


def test_float32_takes_float64():
    draws = np.random.default_rng(5)
    X, new = draws.normal(size=(30, 2)).astype(np.float32), draws.normal(size=(10, 2))
    growing = GrowingTree(leading_tree(X, bandwidth=1.0))
    growing.insert(X[:3])
    assert growing.points.frozen().columns.dtype == np.float32
    growing.insert(new)
    built = rebuilt(np.concatenate([X, X[:3], new]), None, 1.0)
    np.testing.assert_array_equal(growing.freeze().density, built.density)
    np.testing.assert_array_equal(growing.freeze().parent, built.parent)


def test_odd_weights_are_right_up_to_rounding_and_never_negative():
    draws = np.random.default_rng(6)
    X, weight = draws.normal(size=(60, 2)), draws.random(60) + 0.01
    growing = GrowingTree(
        leading_tree(X[:20], bandwidth=0.5, sample_weight=weight[:20]), weight[:20]
    )
    for _ in range(20):
        ids = growing.insert(X[20:], weight[20:])
        growing.remove(ids)
    growing.insert(X[20:], weight[20:])
    growing.remove(np.arange(20))
    frozen, left = growing.freeze(), slice(20, None)
    built = rebuilt(X[left], weight[left], 0.5)
    np.testing.assert_allclose(frozen.density, built.density, rtol=1e-12, atol=1e-15)
    D = np.sqrt(((X[left][:, None] - X[left]) ** 2).sum(axis=2))
    check_right_tree(frozen, D)
    LeadingTree(density=frozen.density, delta=frozen.delta, parent=frozen.parent)


def test_rows_of_weight_0_have_ids_and_no_node():
    X = windows(series(60), 3)
    growing = GrowingTree(leading_tree(X[:40]))
    before = growing.freeze()
    assert growing.insert(X[40:42], [0, 0]).tolist() == [40, 41]
    assert growing.insert(X[42:43], 0).tolist() == [42]
    assert (growing.n_rows, growing.n_nodes) == (43, before.n_nodes)
    assert growing.node_of[40:].tolist() == [-1, -1, -1]
    np.testing.assert_array_equal(growing.freeze().parent, before.parent)
    growing.remove([41])
    assert growing.ids[-2:].tolist() == [40, 42]
    assert growing.insert(X[43:44]).tolist() == [43]


def test_removal_undoes_insertion():
    X = windows(series(120), 3)
    growing = GrowingTree(leading_tree(X[:60]))
    before = growing.freeze()
    growing.remove(growing.insert(X[60:]))
    after = growing.freeze()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name), name)


def test_what_was_frozen_stays():
    X = windows(series(80), 3)
    growing = GrowingTree(leading_tree(X[:40]))
    frozen = growing.freeze()
    kept = copy.deepcopy(frozen)
    growing.insert(X[40:])
    growing.remove([3])
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(frozen, name), getattr(kept, name))
    np.testing.assert_array_equal(frozen.points.columns, kept.points.columns)
    with pytest.raises(ValueError, match="read-only"):
        frozen.density[0] = 1.0


def test_copies_grow_apart():
    X = windows(series(80), 3)
    one = GrowingTree(leading_tree(X[:40], bandwidth=0.05))
    one.insert(X[40:45])
    other = one.copy()
    one.insert(X[45:60])
    other.insert(X[60:])
    for tree, rows in ((one, X[:60]), (other, np.concatenate([X[:45], X[60:]]))):
        built = rebuilt(rows, None, 0.05)
        np.testing.assert_array_equal(tree.freeze().density, built.density)
        np.testing.assert_array_equal(tree.freeze().points.columns, built.points.columns)


def test_ids_are_never_used_again():
    growing = GrowingTree(leading_tree([[0.0], [1.0], [3.0]], bandwidth=1.0))
    assert growing.insert([[4.0]]).tolist() == [3]
    growing.remove([3, 0])
    assert growing.insert([[9.0], [1.0]]).tolist() == [4, 5]
    assert growing.ids.tolist() == [1, 2, 4, 5]


def test_an_insertion_that_fails_leaves_the_tree_as_it_was():
    growing = GrowingTree(leading_tree([[0.0], [1e30], [-1e308]], bandwidth=1.0))
    with pytest.raises(ValueError, match="overflow"):
        growing.insert([[2e30], [1.7e308]])
    assert growing.n_rows == 3
    assert growing.freeze().n_nodes == 3


def test_rows_come_in_any_form():
    X = windows(series(40), 3)
    pandas = pytest.importorskip("pandas")
    growing = GrowingTree(leading_tree(X[:30], bandwidth=0.05))
    growing.insert(X[30:32].tolist())
    growing.insert(pandas.DataFrame(X[32:34]))
    growing.insert(sp.csr_matrix(X[34:36]))
    growing.insert(np.asfortranarray(X[36:]))
    np.testing.assert_array_equal(growing.freeze().density, rebuilt(X, None, 0.05).density)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, 2.0]], "X has 2 columns, but the tree was built from 1"),
        ([[np.nan]], "X contains NaN"),
        (np.array([[np.inf]]), "X contains infinity"),
        ([1.0], "table"),
        (np.empty((0, 1)), "empty"),
        ([["a"]], "numbers"),
    ],
)
def test_rows_that_are_none(X, words):
    growing = GrowingTree(leading_tree([[0.0], [1.0], [3.0]], bandwidth=1.0))
    for method in (growing.insert, growing.leaders):
        with pytest.raises(ValueError, match=words):
            method(X)


def test_clear_words_for_what_cannot_be():
    growing = GrowingTree(leading_tree([[0.0], [1.0], [3.0]], bandwidth=1.0))
    with pytest.raises(ValueError, match=r"ids holds 7, which is not the id of a row: see ids\."):
        growing.remove([7])
    with pytest.raises(ValueError, match="holds 1 more than once: give each id once"):
        growing.remove([1, 1])
    with pytest.raises(ValueError, match="at least one must remain"):
        growing.remove([0, 1, 2])
    with pytest.raises(ValueError, match="made from arrays"):
        GrowingTree(LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0]))
    with pytest.raises(TypeError, match="must be a LeadingTree"):
        GrowingTree([[0.0]])
    with pytest.raises(ValueError, match="precomputed"):
        GrowingTree(leading_tree([[0.0, 1.0], [1.0, 0.0]], metric="precomputed"))
    with pytest.raises(ValueError, match="ascending"):
        GrowingTree(leading_tree([[0.0], [1.0]]), ids=[1, 1])
