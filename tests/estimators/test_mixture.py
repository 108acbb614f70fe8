"""Forests and experts are mixed: class mass, shares of experts and sharpness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import iris
from models import few_forests

from lapoleaf.estimators.mixture import (
    POWERS,
    GivenClasses,
    Mixture,
    checked_prior,
    class_mass,
    mix,
)
from lapoleaf.estimators.problem import Problem

TRUTH = np.arange(60) % 3
RIGHT = 0.02 + 0.94 * np.eye(3)[TRUTH]
CHANCE = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
GIVEN = GivenClasses.of_labels(np.eye(3)[TRUTH], np.ones(60))

shares = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).dirichlet([0.3] * 4, 9)
)


@given(shares, shares, st.floats(0, 16), st.floats(0.25, 8), st.floats(0.01, 1))
def test_probabilities_sum_to_1(forests, ridge, share, sharpness, mass):
    mixture = Mixture(np.array([mass, 1, 0, 1]), 1.0, (share,), sharpness, 0.0)
    for labels in (forests, 0 * forests):
        found = mixture.probabilities(labels, [ridge])
        assert (found > 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_where_nothing_is_known_all_classes_are_alike():
    mixture = Mixture(np.ones(3), 0.0, (), 3.0, 0.0)
    np.testing.assert_allclose(mixture.probabilities(np.zeros((1, 3)), []), 1 / 3)


def test_scores_by_hand():
    """The module's formula: t (log(F + e) + r R), F a share after class mass, and a softmax."""
    labels, expert = np.array([[3.0, 1.0]]), np.array([[0.2, 0.7]])
    mixture = Mixture(np.array([0.5, 1.0]), 1.0, (4.0,), 2.0, 0.0)
    shares = np.array([1.5, 1.0]) / 2.5 + 0.1 / 2
    np.testing.assert_allclose(mixture.forest_scores(labels), [np.log(shares)])
    weights = shares**2 * np.exp(2.0 * 4.0 * expert[0])
    found = mixture.probabilities(labels, [expert])
    np.testing.assert_allclose(found, [weights / weights.sum()])
    # Without a share an expert does not count, whatever it says.
    none = Mixture(np.array([0.5, 1.0]), 1.0, (0.0,), 2.0, 0.0)
    np.testing.assert_allclose(
        none.probabilities(labels, [np.array([[np.nan, 1e300]])]), [shares**2 / (shares @ shares)]
    )


def test_rows_are_mixed_block_by_block():
    labels = np.random.default_rng(1).dirichlet([1, 1], 70_000)
    mixture = Mixture(np.ones(2), 0.0, (1.0,), 2.0, 0.0)
    found = mixture.probabilities(labels, [labels])
    for some in (slice(0, 10), slice(65_530, 65_545), slice(69_990, None)):
        wanted = mixture.probabilities(labels[some], [labels[some]])
        np.testing.assert_allclose(found[some], wanted, rtol=1e-14)


def test_the_ridge_is_taken_where_forests_are_useless_and_the_other_way_round():
    by_ridge = mix(GIVEN, CHANCE, None, POWERS, [RIGHT])
    by_forests = mix(GIVEN, RIGHT, None, POWERS, [CHANCE])
    assert by_ridge.shares[0] >= 4.0
    assert by_forests.shares[0] <= 0.125
    found = by_ridge.probabilities(CHANCE, [RIGHT]).argmax(axis=1)
    assert np.mean(found == TRUTH) > 0.95
    assert np.mean(by_forests.probabilities(RIGHT, [CHANCE]).argmax(axis=1) == TRUTH) == 1.0


@pytest.mark.parametrize("helpful", [0, 1])
def test_of_two_experts_the_helpful_one_is_taken(helpful):
    experts = [RIGHT, CHANCE[::-1]] if helpful == 0 else [CHANCE[::-1], RIGHT]
    mixture = mix(GIVEN, CHANCE, None, POWERS, experts)
    assert mixture.shares[helpful] >= 1.0
    assert mixture.shares[1 - helpful] <= 0.25
    found = mixture.probabilities(CHANCE, experts).argmax(axis=1)
    assert np.mean(found == TRUTH) > 0.95


def test_without_experts_there_are_no_shares():
    assert mix(GIVEN, CHANCE, None, POWERS).shares == ()


def test_the_loss_is_that_of_the_mixture_with_the_prices():
    """At the usual sharpness and share nothing is added to the log-loss of leave-one-out."""
    mixture = mix(GIVEN, RIGHT, None, POWERS, [RIGHT])
    found = mixture.probabilities(RIGHT, [RIGHT])
    log_loss = -np.log(found[np.arange(60), TRUTH]).sum()
    away = np.log((mixture.shares[0] + 0.125) / (0.03 + 0.125))
    prices = 2.0 * np.log(mixture.sharpness / 3.0) ** 2 + abs(away)
    assert mixture.loss == pytest.approx(log_loss + prices)


def test_labels_that_nothing_else_reaches_are_even():
    without = CHANCE.copy()
    without[::7] = np.nan
    zeros = np.where(np.isnan(without), 0.0, without)
    one, other = (mix(GIVEN, labels, None, POWERS) for labels in (without, zeros))
    assert (one.sharpness, one.loss) == (other.sharpness, other.loss)


def test_chance_is_said_with_little_confidence():
    assert mix(GIVEN, CHANCE, None, POWERS).sharpness < 1.0
    assert mix(GIVEN, RIGHT, None, POWERS).sharpness >= 1.0


def test_one_label_a_class_says_nothing_of_doubt():
    """Without its label a class is unknown: what is said then is always wrong."""
    alone = GivenClasses.of_labels(np.eye(3), np.ones(3))
    assert not alone.comparable
    assert alone.compared.all()
    assert mix(alone, 0.5 * (1 - np.eye(3)), None, POWERS).sharpness == 3.0


def test_given_classes_of_a_problem():
    problem = Problem(np.array([[0.0, 0.0], [1.0, 0.0], [0.25, 0.75]]), np.array([0.0, 1.0, 4.0]))
    found = GivenClasses.of(problem)
    np.testing.assert_array_equal(found.labels, [[1.0, 0.0], [0.25, 0.75]])
    np.testing.assert_array_equal(found.count, [1.0, 4.0])


def test_masses_are_moved_to_the_prior():
    population, prior = np.arange(1.0, 61), np.array([0.5, 0.3, 0.2])
    moved = CHANCE * class_mass(CHANCE, population, prior)
    mass = population @ moved
    np.testing.assert_allclose(mass / mass.sum(), prior, rtol=1e-12)
    without = CHANCE * [1.0, 1.0, 0.0]
    np.testing.assert_array_equal(class_mass(without, population, prior)[2], 0.0)


def test_the_prior_is_that_of_the_given_labels_smoothed():
    labels = GivenClasses.of_labels(np.eye(2)[[0, 0, 1]], np.array([10.0, 20.0, 10.0]))
    np.testing.assert_allclose(labels.estimated_prior(), [60 / 100, 40 / 100])


def test_a_prior_changes_what_is_said():
    X, y, truth = iris()
    plain = few_forests(class_prior=None).fit(X, y)
    much = few_forests(class_prior=[0.05, 0.05, 0.9]).fit(X, y)
    assert (much.transduction_ == 2).sum() > (plain.transduction_ == 2).sum()
    assert much.chosen_["class_mass"] == 1.0
    assert few_forests().fit(X, y).chosen_["class_mass"] in POWERS
    np.testing.assert_array_equal(much.transduction_[y >= 0], truth[y >= 0])


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("even", "must be 'auto', None, or a share"),
        ([[0.5, 0.5]], "must hold a share for every class"),
        ([0.5, -0.5, 1.0], "not negative"),
        ([0.0, 0.0, 0.0], "not all 0"),
        ([np.nan, 1.0, 1.0], "must hold a share"),
        ([0.5, 0.5], "class_prior has 2 shares, but y has 3 classes"),
    ],
    ids=str,
)
def test_bad_priors(prior, words):
    X, y, _ = iris()
    with pytest.raises(ValueError, match=words):
        few_forests(class_prior=prior).fit(X, y)
    with pytest.raises(ValueError, match=words):
        checked_prior(prior, 3)


def test_a_prior_is_scaled():
    np.testing.assert_allclose(checked_prior([2, 1, 1], 3), [0.5, 0.25, 0.25])


def test_some_labels_are_compared_as_all_are():
    """Whether others have a class is known of all given labels, not of the sample alone."""
    some = np.array([3, 10, 40])
    part = GIVEN.take(some)
    np.testing.assert_array_equal(part.compared, [True, True, True])
    np.testing.assert_array_equal(part.labels, GIVEN.labels[some])
    rare = GivenClasses.of_labels(np.eye(3)[[0, 0, 1, 2]], np.ones(4))
    np.testing.assert_array_equal(rare.take(np.array([1, 2])).compared, [True, False])
