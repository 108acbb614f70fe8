"""Forests and experts are mixed: class mass, constants, shares of experts and sharpness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import iris
from models import few_forests

from lapoleaf.estimators.mixture import GivenClasses, Mixture, checked_prior, class_mass, mix
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
    mixture = Mixture(
        np.array([mass, 1, 0, 1]), np.array([0.5, 0, 0, -0.5]), (share,), sharpness, 0.0
    )
    for labels in (forests, 0 * forests):
        found = mixture.probabilities(labels, [ridge])
        assert (found > 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_where_nothing_is_known_all_classes_are_alike():
    mixture = Mixture(np.ones(3), np.zeros(3), (), 3.0, 0.0)
    np.testing.assert_allclose(mixture.probabilities(np.zeros((1, 3)), []), 1 / 3)


def test_scores_by_hand():
    """The module's formula: t (log(F + e) + r R) + b, F a share after class mass, and a softmax."""
    labels, expert = np.array([[3.0, 1.0]]), np.array([[0.2, 0.7]])
    constants = np.array([0.3, -0.3])
    mixture = Mixture(np.array([0.5, 1.0]), constants, (4.0,), 2.0, 0.0)
    shares = np.array([1.5, 1.0]) / 2.5 + 0.1 / 2
    np.testing.assert_allclose(mixture.forest_scores(labels), [np.log(shares)])
    weights = shares**2 * np.exp(2.0 * 4.0 * expert[0] + constants)
    found = mixture.probabilities(labels, [expert])
    np.testing.assert_allclose(found, [weights / weights.sum()])
    # Without a share an expert does not count, whatever it says.
    none = Mixture(np.array([0.5, 1.0]), np.zeros(2), (0.0,), 2.0, 0.0)
    np.testing.assert_allclose(
        none.probabilities(labels, [np.array([[np.nan, 1e300]])]), [shares**2 / (shares @ shares)]
    )


def test_rows_are_mixed_block_by_block():
    labels = np.random.default_rng(1).dirichlet([1, 1], 70_000)
    mixture = Mixture(np.ones(2), np.zeros(2), (1.0,), 2.0, 0.0)
    found = mixture.probabilities(labels, [labels])
    for some in (slice(0, 10), slice(65_530, 65_545), slice(69_990, None)):
        wanted = mixture.probabilities(labels[some], [labels[some]])
        np.testing.assert_allclose(found[some], wanted, rtol=1e-14)


def test_an_expert_is_taken_where_forests_are_useless_and_the_other_way_round():
    by_expert = mix(GIVEN, CHANCE, None, [np.log(RIGHT)], [1.0])
    by_forests = mix(GIVEN, RIGHT, None, [np.log(CHANCE)], [1.0])
    assert by_expert.shares[0] > 1.5
    assert by_forests.shares[0] < 0.5
    found = by_expert.probabilities(CHANCE, [np.log(RIGHT)]).argmax(axis=1)
    assert np.mean(found == TRUTH) > 0.95
    found = by_forests.probabilities(RIGHT, [np.log(CHANCE)]).argmax(axis=1)
    assert np.mean(found == TRUTH) == 1.0


@pytest.mark.parametrize("helpful", [0, 1])
def test_of_two_experts_the_helpful_one_is_taken(helpful):
    experts = [np.log(RIGHT), np.log(CHANCE[::-1])][:: 1 if helpful == 0 else -1]
    mixture = mix(GIVEN, CHANCE, None, experts, [0.5, 0.5])
    assert mixture.shares[helpful] > 1.0
    assert mixture.shares[helpful] > 3.0 * mixture.shares[1 - helpful]
    found = mixture.probabilities(CHANCE, experts).argmax(axis=1)
    assert np.mean(found == TRUTH) > 0.95


def test_without_experts_there_are_no_shares():
    assert mix(GIVEN, CHANCE, None).shares == ()


def test_few_labels_leave_the_usual_weights_and_many_do_not():
    few = GivenClasses.of_labels(np.eye(3)[TRUTH[:6]], np.ones(6))
    usual = mix(few.take(np.arange(0)), CHANCE[:0], None, [CHANCE[:0]], [1.0])
    assert not usual.constants.any()
    shares = {
        m: mix(
            GivenClasses.of_labels(np.eye(3)[TRUTH[:m]], np.ones(m)),
            CHANCE[:m],
            None,
            [np.log(RIGHT[:m])],
            [1.0],
        ).shares[0]
        for m in (6, 60)
    }
    assert shares[6] < shares[60]


def test_forests_count_more_where_neighbours_are_near():
    alone = GivenClasses.of_labels(np.eye(3), np.ones(3))
    images, table = (
        mix(alone, np.eye(3), None, [np.eye(3)], [1.0], contrast=contrast).shares[0]
        for contrast in (0.4, 0.95)
    )
    assert images < table


def test_in_a_table_experts_count_more_and_probabilities_are_less_sharp():
    alone = GivenClasses.of_labels(np.eye(3), np.ones(3))
    measurements, between, table = (
        mix(alone, np.eye(3), None, [np.eye(3)], [1.0], discreteness=share)
        for share in (0.0, 0.5, 1.0)
    )
    assert measurements.shares[0] < between.shares[0] < table.shares[0]
    in_all = [m.sharpness * (1.0 + m.shares[0]) for m in (measurements, between, table)]
    assert in_all == sorted(in_all, reverse=True)
    # By hand, one label per class: the odds of the forests against the experts, and the sharpness.
    assert measurements.shares[0] == pytest.approx(np.exp(-(1.4 + 4.0 * 0.1 + 1.1)))
    assert between.shares[0] == pytest.approx(np.exp(-(1.4 + 4.0 * 0.1 + 1.1 / 2 - 1.2 / 2)))
    assert table.shares[0] == pytest.approx(np.exp(-(1.4 + 4.0 * 0.1 - 1.2)))
    assert in_all[0] == pytest.approx(3.0**0.3 * np.exp(0.2 + 0.2))
    assert in_all[2] == pytest.approx(3.0**0.3 * np.exp(0.2 - 0.35))


@pytest.mark.parametrize("with_constants", [False, True])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_weights_of_labels_of_any_size(scale, with_constants):
    given = GivenClasses.of_labels(np.eye(3)[TRUTH], np.full(60, scale))
    mixture = mix(given, RIGHT, None, [np.log(CHANCE)], [1.0], with_constants=with_constants)
    found = mixture.probabilities(RIGHT, [np.log(CHANCE)])
    assert np.isfinite(found).all()
    assert np.mean(found.argmax(axis=1) == TRUTH) == 1.0
    assert np.isfinite([mixture.sharpness, mixture.loss, *mixture.shares]).all()


def test_constants_only_where_they_are_asked_for():
    rare = GivenClasses.of_labels(np.eye(3)[np.arange(60) % 7 // 3], np.ones(60))
    assert not mix(rare, CHANCE, None, with_constants=False).constants.any()
    constants = mix(rare, CHANCE, None).constants
    assert constants.argmin() == 2
    # They sum to 0: what is added to all classes changes nothing, and has a price.
    assert constants.sum() == pytest.approx(0.0, abs=1e-6)


def test_labels_that_nothing_else_reaches_are_even():
    without = CHANCE.copy()
    without[::7] = np.nan
    zeros = np.where(np.isnan(without), 0.0, without)
    one, other = (mix(GIVEN, labels, None) for labels in (without, zeros))
    assert (one.sharpness, one.loss) == (other.sharpness, other.loss)
    np.testing.assert_array_equal(one.constants, other.constants)


def test_chance_is_said_with_little_confidence():
    assert mix(GIVEN, CHANCE, None).sharpness < 1.0
    assert mix(GIVEN, RIGHT, None).sharpness >= 1.0


def test_one_label_a_class_says_nothing_of_doubt():
    """Without its label a class is unknown: what is said then is always wrong."""
    alone = GivenClasses.of_labels(np.eye(3), np.ones(3))
    assert not alone.comparable
    assert alone.compared.all()
    found = mix(alone, 0.5 * (1 - np.eye(3)), None)
    assert found.sharpness == mix(alone, np.eye(3), None).sharpness > 1.0
    assert not found.constants.any()


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
    assert plain.chosen_["class_constants"] == [0.0, 0.0, 0.0]
    assert np.argmax(much.chosen_["class_constants"]) == 2
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


def test_the_shares_of_few_labels_are_taken_from_experts():
    """An expert that learnt nothing but 3 labels against 1 prefers no class."""
    few = GivenClasses.of_labels(np.eye(2)[[0, 0, 0, 1]], np.ones(4))
    shares, prior = np.array([0.75, 0.25]), np.array([33, 31]) / 64
    np.testing.assert_allclose(few.tilt(), 10 / 12 * np.log(shares / prior))
    chance, learnt = np.full((4, 2), 0.5), np.log(np.tile(shares, (4, 1)))
    plain, upright = (
        mix(few, chance, None, [learnt], [1.0], tilts=tilts, with_constants=False)
        for tilts in ((), [few.tilt()])
    )
    first, second = (m.probabilities(chance[:1], [learnt[:1]])[0] for m in (plain, upright))
    assert first[0] > second[0] > 0.5
    weight = upright.sharpness * upright.shares[0]
    left = np.log(3) - 10 / 12 * np.log(3 / (33 / 31))
    assert np.log(second[0] / second[1]) == pytest.approx(weight * left)


def test_labels_of_many_rows_tell_the_shares():
    many = GivenClasses.of_labels(np.eye(2)[[0] * 3000 + [1] * 1000], np.ones(4000))
    assert np.abs(many.tilt()).max() < 0.02
    without_one = GivenClasses.of_labels(np.eye(3)[[0, 0, 1]], np.ones(3))
    assert without_one.tilt()[2] == 0.0
