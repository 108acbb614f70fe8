"""Shares of classes among all rows, where as many labels of every class were given."""

import numpy as np
import pytest
from models import few_forests

from lapoleaf.estimators import class_ensemble
from lapoleaf.estimators.class_shares import (
    constants_for,
    estimated_shares,
    reliability_of_shares,
    trust_in_rows,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("counts", "trust"),
    [
        ([5, 5], 0.0),
        ([4, 4, 4], 0.0),
        ([10, 11], 0.5),
        ([10, 12], 0.0),
        ([15, 15], 1.0),
        ([99, 99], 1.0),
        ([50], 0.0),
    ],
)
def test_rows_are_trusted_where_classes_have_as_many_labels(counts, trust):
    assert trust_in_rows(np.array(counts, dtype=float), np.array(counts)) == trust


def test_heavy_labels_are_no_more_labels():
    assert trust_in_rows(np.full(2, 1e30), np.array([2, 2])) == 0.0
    assert trust_in_rows(np.full(2, 20.0), np.array([10, 11])) == 0.5


def test_estimated_shares_are_those_of_the_rows():
    """Two classes at distance 3 along a line, of which the first has four rows in five."""
    places = np.append(RNG.normal(0, 1, 8000), RNG.normal(3, 1, 2000))
    odds = np.exp(3 * places - 4.5)
    probabilities = np.stack([1 / (1 + odds), odds / (1 + odds)], axis=1)
    found = estimated_shares(probabilities, np.ones(10_000))
    assert found.sum() == pytest.approx(1.0)
    # A little towards even shares, by what is assumed beforehand.
    assert 0.75 < found[0] < 0.8
    weight = np.repeat([1.0, 4.0], [8000, 2000])
    np.testing.assert_allclose(estimated_shares(probabilities, weight), 0.5, atol=0.02)


def test_probabilities_that_tell_nothing_leave_even_shares():
    found = estimated_shares(np.full((50, 4), 0.25), np.ones(50))
    np.testing.assert_allclose(found, 0.25)


def test_constants_bring_the_mean_to_given_shares():
    probabilities = RNG.dirichlet([1, 1, 1], 200)
    weight, shares = RNG.uniform(1, 3, 200), np.array([0.2, 0.7, 0.1])
    constants = constants_for(probabilities, weight, shares)
    moved = probabilities * np.exp(constants)
    moved /= moved.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weight @ moved / weight.sum(), shares, atol=1e-3)
    assert constants.sum() == pytest.approx(0.0, abs=1e-12)


def test_a_class_of_share_0_is_named_nowhere():
    probabilities = RNG.dirichlet([1, 1, 1], 200)
    constants = constants_for(probabilities, np.ones(200), np.array([0.5, 0.5, 0.0]))
    assert ((np.log(probabilities) + constants).argmax(axis=1) < 2).all()


def test_unequal_classes_of_equally_many_labels():
    """Nine rows in ten are of one class; labels are twenty of each."""
    X = np.vstack([RNG.normal(0, 1, (450, 2)), RNG.normal(2, 1, (50, 2))])
    truth = np.repeat([0, 1], [450, 50])
    y = np.full(500, -1)
    y[:20], y[450:470] = 0, 1
    model = few_forests().fit(X, y)
    without = few_forests(class_prior=None).fit(X, y)
    assert model.chosen_["class_constants"][0] > model.chosen_["class_constants"][1]
    right, before = (np.mean(m.transduction_ == truth) for m in (model, without))
    assert right > before
    assert right > 0.9


def test_reliability_by_hand():
    """Two labels of each class; differences of 0.4, squared errors of 0.04 / 2 for each side."""
    labels = np.repeat(np.eye(2), 2, axis=0)
    first = np.array([0.9, 0.5, 0.5, 0.1])
    found = reliability_of_shares(np.stack([first, 1 - first], axis=1), labels)
    squares = (0.04 / 2 + 0.04 / 2) / 0.4**2
    assert found == pytest.approx(0.16 / (0.16 + squares))


def test_probabilities_of_chance_are_not_reliable_and_more_labels_are_more_so():
    def reliability(n, separation):
        labels = np.repeat(np.eye(2), n, axis=0)
        places = np.random.default_rng(n).normal(size=2 * n) + separation * labels[:, 1]
        probability = 1 / (1 + np.exp(separation * (places - 0.5 * separation)))
        return reliability_of_shares(np.stack([probability, 1 - probability], axis=1), labels)

    assert reliability(20, 4.0) > 0.95
    assert reliability(200, 1.0) > reliability(20, 1.0) > 0.1
    swapped = np.repeat(np.eye(2), 20, axis=0)
    assert reliability_of_shares(1.0 - swapped, swapped) == 0.0
    assert reliability_of_shares(swapped, swapped) == 1.0


def test_shares_are_corrected_as_far_as_they_are_reliable(monkeypatch):
    """Two groups that overlap, four rows in five of the first; twenty labels of each."""
    X = np.random.default_rng(1).normal(size=(300, 2))
    X[240:] += 1.0
    y = np.full(300, -1)
    y[:20], y[240:260] = 0, 1
    found = []

    def constants(reliability):
        monkeypatch.setattr(class_ensemble, "reliability_of_shares", reliability)
        return np.array(few_forests().fit(X, y).chosen_["class_constants"])

    def recorded(without, labels):
        found.append(reliability_of_shares(without, labels))
        return found[-1]

    now, none, full = (constants(f) for f in (recorded, lambda *_: 0.0, lambda *_: 1.0))
    assert 0.1 < found[0] < 0.9
    assert np.abs(full - none).max() > 0.1
    np.testing.assert_allclose(now, none + found[0] * (full - none), atol=1e-9)
