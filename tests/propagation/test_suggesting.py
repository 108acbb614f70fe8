"""Which nodes to label next, against dense covariances and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from propagation.exact_twins import link_weights

from lapoleaf import LeadingForest, LeadingTree
from lapoleaf._propagation import suggesting
from lapoleaf._propagation.suggesting import Aim, Target, suggest_nodes


def chain(n, **arrays):
    return LeadingTree(
        density=np.arange(n, 0, -1), delta=[9] + [1] * (n - 1), parent=np.arange(n) - 1, **arrays
    )


def random_forest(rng, n, population=None, cut=False):
    """A forest whose nodes are not in the order of their densities."""
    rank = rng.permutation(n)
    order = np.argsort(rank)
    parent = np.full(n, -1)
    for place in range(1, n):
        parent[order[place]] = order[rng.integers(place)]
    tree = LeadingTree(
        density=n - rank, delta=rng.uniform(0.1, 2, n), parent=parent, population=population
    )
    others = rng.permutation(np.flatnonzero(parent >= 0))[: n // 5 if cut else 0]
    return LeadingForest(tree, np.append(tree.root, others))


class Dense:
    """The slow twin: the matrix of a forest, its inverse, and what labels take from it."""

    def __init__(self, forest, count, aim, row_weight=None):
        tree = forest.tree
        self.aim = aim
        self.unit = tree.population.mean()
        self.row_weight = np.ones(tree.n_nodes) if row_weight is None else row_weight
        W = link_weights(
            tree.parent.tolist(), tree.delta, tree.population, set(forest.roots), aim.coupling
        )
        W /= self.unit
        A = np.zeros((tree.n_nodes, tree.n_nodes))
        for i, p in enumerate(tree.parent):
            if p >= 0:
                A[[i, p], [i, p]] += W[i]
                A[[i, p], [p, i]] -= W[i]
        self.degree = np.diag(A).copy()
        self.pull = aim.pull * self.degree.mean() * tree.population / self.unit
        A[np.diag_indices(tree.n_nodes)] += self.pull
        self.A = A
        for node in np.flatnonzero(count):
            self.give(node, count[node])

    def weight(self, node, times=None):
        """The weight of a label."""
        if np.isinf(self.aim.mu):
            return 1e9 * (self.degree + self.pull)[node]
        return 2 * self.aim.mu * (self.row_weight[node] if times is None else times) / self.unit

    def give(self, node, times=None):
        self.A[node, node] += self.weight(node, times)

    def gain(self, concern):
        """How much a label of each node takes, by conditioning on it."""
        C = np.linalg.inv(self.A)
        found = []
        for v in range(len(C)):
            noise = self.aim.noise / self.degree.mean()
            if np.isfinite(self.aim.mu):
                noise += 1 / self.weight(v)
            after = C - np.outer(C[v], C[v]) / (C[v, v] + noise)
            if self.aim.cover:
                found.append(concern @ C @ concern - concern @ after @ concern)
            else:
                found.append(concern @ (np.diag(C) - np.diag(after)))
        return np.array(found)


AIMS = st.builds(
    Aim,
    cover=st.booleans(),
    weights=st.just("inverse"),
    coupling=st.sampled_from([1.0, 0.3]),
    pull=st.sampled_from([0.003, 0.1]),
    mu=st.sampled_from([np.inf, 0.5]),
    noise=st.sampled_from([0.0, 2.0]),
)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 25), aim=AIMS)
def test_every_suggestion_is_the_best_by_brute_force(seed, n, aim):
    rng = np.random.default_rng(seed)
    population = rng.integers(1, 4, n).astype(float)
    row_weight = np.minimum(population, rng.integers(1, 4, n))
    forests = [random_forest(rng, n, population, cut=True) for _ in range(2)]
    # Two targets: some nodes have one of them, and would get the other.
    counts = [(rng.random(n) < 0.3) * 1.0 for _ in range(2)]
    concern = rng.random(n)
    targets = [Target(count, concern, aim) for count in counts]
    found = suggest_nodes(forests, targets, 4, row_weight=row_weight)
    free = set(np.flatnonzero(np.min(counts, axis=0) == 0).tolist())
    assert len(found) == min(4, len(free))
    twins = [
        (Dense(forest, count, aim, row_weight), count) for count in counts for forest in forests
    ]
    candidates = sorted(free)
    lacking = [count == 0 for count in counts]
    for node in found:
        total = np.zeros(n)
        for twin, count in twins:
            gains = twin.gain(concern)
            if aim.cover:
                gains = gains / gains[candidates].max()
            total += np.where(count == 0, gains, 0.0)
        best = max(total[sorted(free)])
        assert total[node] == pytest.approx(best, rel=1e-5, abs=1e-7 * abs(total).max())
        free.remove(int(node))
        for twin, count in twins:
            if count[node] == 0:
                twin.give(node)
    assert all(any(lack[node] for lack in lacking) for node in found)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), aim=AIMS)
def test_thinning_changes_no_gain(seed, n, aim):
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, n, cut=True)
    count = (rng.random(n) < 0.2) * 1.0
    nodes = rng.permutation(np.flatnonzero(count == 0))[:4]
    problem = suggesting._Problem(forest, Target(count, rng.random(n), aim), np.ones(n))
    whole = suggesting._Field.of(problem, nodes)
    thin = whole.thinned()
    assert len(thin.parent) <= 2 * len(nodes) + 1
    np.testing.assert_allclose(thin.gains(), whole.gains(), rtol=1e-9)
    if len(nodes):
        for field in (whole, thin):
            field.give_label(0)
        np.testing.assert_allclose(thin.gains(), whole.gains(), rtol=1e-9, atol=1e-8)


def test_the_middle_of_a_chain_then_the_middles_of_its_halves():
    forest = LeadingForest(chain(31), [0])
    aim = Aim(cover=True, weights="inverse", pull=1e-6)
    found = suggest_nodes([forest], [Target(np.zeros(31), np.ones(31), aim)], 3)
    assert found[0] == 15
    assert abs(found[1] - found[2]) > 10


def test_big_granules_come_first():
    """Three stars: of 2, 10 and 5 leaves; links between their middles are long."""
    parent = [-1, 0, 0] + [0] * 2 + [1] * 10 + [2] * 5
    delta = [30.0, 20.0, 20.0] + [1.0] * 17
    density = [9, 8, 7] + [1] * 17
    forest = LeadingForest(LeadingTree(density=density, delta=delta, parent=parent), [0])
    aim = Aim(cover=True, weights="inverse")
    target = Target(np.zeros(20), np.ones(20), aim)
    assert suggest_nodes([forest], [target], 3).tolist() == [1, 2, 0]


def test_what_is_far_from_all_others_is_not_asked_for_first():
    """A granule of 20, and one node that hangs on it by next to nothing."""
    delta = [1000.0] + [1.0] * 20 + [900.0]
    tree = LeadingTree(density=[9] + [2] * 20 + [1], delta=delta, parent=[-1] + [0] * 21)
    aim = Aim(cover=True, weights="inverse", noise=10.0)
    target = Target(np.zeros(22), np.ones(22), aim)
    first = suggest_nodes([LeadingForest(tree, [0])], [target], 1)
    assert first[0] == 0


def test_units_of_weights_do_not_matter():
    rng = np.random.default_rng(0)
    population = rng.integers(1, 5, 40).astype(float)
    plain = random_forest(np.random.default_rng(1), 40, population)
    scaled = random_forest(np.random.default_rng(1), 40, 1e6 * population)
    aim = Aim(cover=True, weights="inverse", noise=10.0)
    found = suggest_nodes([plain], [Target(np.zeros(40), population, aim)], 8)
    again = suggest_nodes([scaled], [Target(np.zeros(40), 1e6 * population, aim)], 8)
    assert found.tolist() == again.tolist()


def test_a_node_that_lacks_one_of_two_targets_may_be_suggested():
    forest = LeadingForest(chain(4), [0])
    counts = [np.array([1.0, 1, 1, 1]), np.array([1.0, 1, 0, 1])]
    aim = Aim(cover=False, weights="inverse")
    targets = [Target(count, np.ones(4), aim) for count in counts]
    assert suggest_nodes([forest], targets, 3).tolist() == [2]


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    forests = [random_forest(rng, 60) for _ in range(7)]
    target = Target(np.zeros(60), np.ones(60), Aim(cover=True, weights="inverse"))
    found = [suggest_nodes(forests, [target], 10, threads=k).tolist() for k in (1, 3)]
    assert found[0] == found[1]


def test_a_large_forest_is_covered_by_its_best_nodes(monkeypatch):
    """With few candidates the gain stays near what all of them would give."""
    rng = np.random.default_rng(0)
    forest = random_forest(rng, 400)
    aim = Aim(cover=True, weights="inverse", noise=10.0)
    arguments = [forest], [Target(np.zeros(400), np.ones(400), aim)], 3
    everybody = suggest_nodes(*arguments)
    monkeypatch.setattr(suggesting, "_MIN_CANDIDATES", 40)
    some = suggest_nodes(*arguments)

    def gained(nodes):
        twin, total = Dense(forest, np.zeros(400), aim), 0.0
        for node in nodes:
            total += twin.gain(np.ones(400))[node]
            twin.give(node)
        return total

    assert gained(some) > 0.9 * gained(everybody)
    assert len(set(some.tolist())) == 3


def test_one_of_those_that_hang_together():
    forest = LeadingForest(chain(10), [0])
    gains = np.array([1.0, 5, 2, 3, 3, 0, 9, 9, 1, 2])
    best = suggesting._best_of_neighbours(forest, np.arange(10), gains, 3)
    assert best.tolist() == [1, 6, 7]


def test_a_single_node():
    tree = LeadingTree(density=[1], delta=[0], parent=[-1])
    aim = Aim(cover=True, weights="inverse")
    for count, found in ((np.zeros(1), [0]), (np.ones(1), [])):
        target = Target(count, np.ones(1), aim)
        assert suggest_nodes([LeadingForest(tree, [0])], [target], 5).tolist() == found


def test_all_that_are_wanted_are_found_where_few_are_left(monkeypatch):
    """Free nodes sit together in a large forest that is labelled elsewhere."""
    monkeypatch.setattr(suggesting, "_MIN_CANDIDATES", 20)
    count = np.ones(1000)
    count[500:530] = 0
    target = Target(count, np.ones(1000), Aim(cover=True, weights="inverse"))
    found = suggest_nodes([LeadingForest(chain(1000), [0])], [target], 2)
    assert len(found) == 2
    some = suggesting._best_of_neighbours(
        LeadingForest(chain(1000), [0]), np.flatnonzero(count == 0), np.ones(30), 20
    )
    assert len(some) == 20
