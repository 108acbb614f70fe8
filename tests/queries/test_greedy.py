"""Nodes are chosen one after the other, the largest gain first."""

import numpy as np
import pytest
from queries.dense_field import DenseField, chain, random_forest, taken_from_sum

from lapoleaf import LeadingForest, LeadingTree
from lapoleaf._propagation import Settings
from lapoleaf._queries import (
    Coverage,
    LabelModel,
    Target,
    VarianceReduction,
    check_n,
    greedy,
    suggest_nodes,
)


def coverage(pull=0.003, noise=0.0):
    return Coverage(LabelModel(Settings(), pull, noise))


def test_the_middle_of_a_chain_then_the_middles_of_its_halves():
    forest = LeadingForest(chain(31), [0])
    found = suggest_nodes([forest], [Target(np.zeros(31), np.ones(31), coverage(1e-6))], 3)
    assert found[0] == 15
    assert abs(found[1] - found[2]) > 10


def test_big_granules_come_first():
    """Three stars: of 2, 10 and 5 leaves; links between their middles are long."""
    parent = [-1, 0, 0] + [0] * 2 + [1] * 10 + [2] * 5
    delta = [30.0, 20.0, 20.0] + [1.0] * 17
    density = [9, 8, 7] + [1] * 17
    forest = LeadingForest(LeadingTree(density=density, delta=delta, parent=parent), [0])
    target = Target(np.zeros(20), np.ones(20), coverage())
    assert suggest_nodes([forest], [target], 3).tolist() == [1, 2, 0]


def test_what_is_far_from_all_others_is_not_asked_for_first():
    """A granule of 20, and one node that hangs on it by next to nothing."""
    delta = [1000.0] + [1.0] * 20 + [900.0]
    tree = LeadingTree(density=[9] + [2] * 20 + [1], delta=delta, parent=[-1] + [0] * 21)
    target = Target(np.zeros(22), np.ones(22), coverage(noise=10.0))
    first = suggest_nodes([LeadingForest(tree, [0])], [target], 1)
    assert first[0] == 0


def test_units_of_weights_do_not_matter():
    rng = np.random.default_rng(0)
    population = rng.integers(1, 5, 40).astype(float)
    plain = random_forest(np.random.default_rng(1), 40, population)
    scaled = random_forest(np.random.default_rng(1), 40, 1e6 * population)
    criterion = coverage(noise=10.0)
    found = suggest_nodes([plain], [Target(np.zeros(40), population, criterion)], 8)
    again = suggest_nodes([scaled], [Target(np.zeros(40), 1e6 * population, criterion)], 8)
    assert found.tolist() == again.tolist()


def test_a_node_that_lacks_one_of_two_targets_may_be_suggested():
    forest = LeadingForest(chain(4), [0])
    counts = [np.array([1.0, 1, 1, 1]), np.array([1.0, 1, 0, 1])]
    criterion = VarianceReduction(LabelModel(Settings(), pull=0.003))
    targets = [Target(count, np.ones(4), criterion) for count in counts]
    assert suggest_nodes([forest], targets, 3).tolist() == [2]


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    forests = [random_forest(rng, 60) for _ in range(7)]
    target = Target(np.zeros(60), np.ones(60), coverage())
    found = [suggest_nodes(forests, [target], 10, threads=k).tolist() for k in (1, 3)]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_large_forest_is_covered_by_its_best_nodes(monkeypatch):
    """With few candidates the gain stays near what all of them would give."""
    rng = np.random.default_rng(0)
    forest = random_forest(rng, 400)
    criterion = coverage(noise=10.0)
    arguments = [forest], [Target(np.zeros(400), np.ones(400), criterion)], 3
    everybody = suggest_nodes(*arguments)
    monkeypatch.setattr(greedy, "_MIN_CANDIDATES", 40)
    some = suggest_nodes(*arguments)

    def gained(nodes):
        twin, total = DenseField(forest, np.zeros(400), criterion.model), 0.0
        for node in nodes:
            total += taken_from_sum(twin, np.ones(400))[node]
            twin.add_label(node)
        return total

    assert gained(some) > 0.9 * gained(everybody)
    assert len(set(some.tolist())) == 3


def test_one_of_those_that_hang_together():
    forest = LeadingForest(chain(10), [0])
    gains = np.array([1.0, 5, 2, 3, 3, 0, 9, 9, 1, 2])
    best = greedy._best_of_neighbours(forest, np.arange(10), gains, 3)
    assert best.tolist() == [1, 6, 7]


def test_a_single_node():
    tree = LeadingTree(density=[1], delta=[0], parent=[-1])
    for count, found in ((np.zeros(1), [0]), (np.ones(1), [])):
        target = Target(count, np.ones(1), coverage())
        assert suggest_nodes([LeadingForest(tree, [0])], [target], 5).tolist() == found


def test_all_that_are_wanted_are_found_where_few_are_left(monkeypatch):
    """Free nodes sit together in a large forest that is labelled elsewhere."""
    monkeypatch.setattr(greedy, "_MIN_CANDIDATES", 20)
    count = np.ones(1000)
    count[500:530] = 0
    target = Target(count, np.ones(1000), coverage())
    found = suggest_nodes([LeadingForest(chain(1000), [0])], [target], 2)
    assert len(found) == 2
    some = greedy._best_of_neighbours(
        LeadingForest(chain(1000), [0]), np.flatnonzero(count == 0), np.ones(30), 20
    )
    assert len(some) == 20


def test_a_number_of_rows_to_suggest():
    assert check_n(np.int64(3)) == 3
    with pytest.raises(ValueError, match=r"n=2\.5 must be a whole number of rows to suggest"):
        check_n(2.5)
