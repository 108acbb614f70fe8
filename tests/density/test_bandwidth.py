"""The bandwidth: a percentile of the positive distances between rows."""

import numpy as np
import pytest
import twins
from cases import FORMULAS, table
from hypothesis import given
from strategies import grids, percents, weighted_grids

from lapoleaf import leading_tree
from lapoleaf._density import bandwidth as module


def distances(X):
    return twins.pair_distances(np.asarray(X), FORMULAS["euclidean"])


@given(grids(), percents)
def test_equals_twin(X, percent):
    assert leading_tree(X, percent=percent).bandwidth == twins.bandwidth(distances(X), percent)


@given(weighted_grids(), percents)
def test_weights_write_rows_out_several_times(X_weight, percent):
    X, weight = X_weight
    d_c = twins.bandwidth(distances(X), percent, weight.astype(int))
    assert leading_tree(X, percent=percent, sample_weight=weight).bandwidth == d_c


@pytest.mark.parametrize("percent", [0.1, 2.0, 50.0, 100.0])
def test_iris(percent):
    X = table("iris")
    assert leading_tree(X, percent=percent).bandwidth == twins.bandwidth(distances(X), percent)


def test_by_hand():
    """The distances of 0, 1, 3, 7 are 1, 2, 3, 4, 6, 7."""
    X = [[0.0], [1.0], [3.0], [7.0]]
    expected = {
        1: 1,
        16.6: 1,
        25: 2,
        26: 2,
        42: 3,
        50: 3,
        60: 4,
        75: 4,
        83: 6,
        91: 6,
        92: 7,
        100: 7,
    }
    # 25 % of 6 is 1.5 and 75 % is 4.5: halves go to the even position.
    assert {p: leading_tree(X, percent=p).bandwidth for p in expected} == expected


def test_distances_of_0_do_not_count():
    """A heap of 50 equal rows: 1225 pairs of 0, then 50 pairs of 1, 50 of 9 and one of 8."""
    X = [[0.0]] * 50 + [[1.0], [9.0]]
    assert [leading_tree(X, percent=p).bandwidth for p in (1, 49, 51, 100)] == [1, 1, 9, 9]


def test_a_pair_of_nodes_counts_as_often_as_its_rows():
    """Distances 1 (3 * 2 pairs of rows), 3 (2 * 1) and 4 (3 * 1)."""
    X, weight = [[0.0], [1.0], [4.0]], [3, 2, 1]
    found = [leading_tree(X, percent=100 * k / 11, sample_weight=weight).bandwidth
             for k in range(1, 12)]  # fmt: skip
    assert found == [1] * 6 + [3] * 2 + [4] * 3


@pytest.mark.parametrize("percent", [1.0, 20.0, 35.0, 70.0])
def test_fractions_of_weights_count_in_units_of_the_smallest(percent):
    X, whole = table("iris")[:40], np.random.default_rng(0).integers(1, 6, 40)
    whole[0] = 1
    plain = leading_tree(X, percent=percent, sample_weight=whole)
    halved = leading_tree(X, percent=percent, sample_weight=whole / 8)
    assert halved.bandwidth == plain.bandwidth
    np.testing.assert_array_equal(halved.density * 8, plain.density)
    np.testing.assert_array_equal(halved.parent, plain.parent)


def test_given_bandwidth_wins():
    assert leading_tree([[0.0], [1.0], [5.0]], bandwidth=2.5, percent=100).bandwidth == 2.5


def test_a_sample_of_nodes_stands_for_many(monkeypatch):
    X = np.random.default_rng(2).normal(size=(400, 3))
    exact = leading_tree(X).bandwidth
    monkeypatch.setattr(module, "MAX_SAMPLED_NODES", 400)
    assert leading_tree(X).bandwidth == exact
    monkeypatch.setattr(module, "MAX_SAMPLED_NODES", 399)
    sampled = leading_tree(X).bandwidth
    assert sampled == pytest.approx(exact, rel=0.02)
    monkeypatch.setattr(module, "MAX_SAMPLED_NODES", 100)
    rough = leading_tree(X).bandwidth
    assert rough != exact
    assert rough == pytest.approx(exact, rel=0.25)
    np.random.seed(1)  # noqa: NPY002 - whatever the state of the global generator
    assert leading_tree(X, n_jobs=1).bandwidth == rough


def test_the_sample_keeps_its_weights(monkeypatch):
    """A narrow heap of heavy rows, then a wide heap of light ones: the first make up the pairs."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (100, 1)), rng.normal(0, 1000, (100, 1))])
    monkeypatch.setattr(module, "MAX_SAMPLED_NODES", 120)
    assert leading_tree(X, percent=50).bandwidth > 100
    weight = np.repeat([1000, 1], 100)
    assert leading_tree(X, percent=50, sample_weight=weight).bandwidth < 5
