"""Parts are mixed: class mass, ridge and sharpness, and who answers for new rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import iris
from lapoleaf.estimators.mixing import (
    POWERS,
    GivenLabels,
    Mixture,
    checked_prior,
    class_mass,
    mix,
)
from lapoleaf.estimators.voting import N_VOTERS, voters
from models import few_forests, few_forests_of_numbers
from strategies import clouds, grids

from lapoleaf import leading_tree
from lapoleaf._tree import nearest_nodes

TRUTH = np.arange(60) % 3
RIGHT = 0.02 + 0.94 * np.eye(3)[TRUTH]
CHANCE = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
GIVEN = GivenLabels(np.eye(3)[TRUTH], np.ones(60))

shares = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).dirichlet([0.3] * 4, 9)
)


@given(shares, shares, st.floats(0, 16), st.floats(0.25, 8), st.floats(0.01, 1))
def test_probabilities_sum_to_1(forests, ridge, share, sharpness, mass):
    mixture = Mixture(np.array([mass, 1, 0, 1]), 1.0, share, sharpness, 0.0)
    for found in (mixture.probabilities(forests, ridge), mixture.probabilities(0 * forests, None)):
        assert (found > 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_where_nothing_is_known_all_classes_are_alike():
    mixture = Mixture(np.ones(3), 0.0, 0.0, 3.0, 0.0)
    np.testing.assert_allclose(mixture.probabilities(np.zeros((1, 3)), None), 1 / 3)


def test_the_ridge_is_taken_where_forests_are_useless_and_the_other_way_round():
    by_ridge = mix(GIVEN, CHANCE, None, POWERS, RIGHT)
    by_forests = mix(GIVEN, RIGHT, None, POWERS, CHANCE)
    assert by_ridge.ridge_share >= 4.0
    assert by_forests.ridge_share <= 0.125
    found = by_ridge.probabilities(CHANCE, RIGHT).argmax(axis=1)
    assert np.mean(found == TRUTH) > 0.95
    assert np.mean(by_forests.probabilities(RIGHT, CHANCE).argmax(axis=1) == TRUTH) == 1.0


def test_chance_is_said_with_little_confidence():
    assert mix(GIVEN, CHANCE, None, POWERS, None).sharpness < 1.0
    assert mix(GIVEN, RIGHT, None, POWERS, None).sharpness >= 1.0


def test_one_label_a_class_says_nothing_of_doubt():
    """Without its label a class is unknown: what is said then is always wrong."""
    alone = GivenLabels(np.eye(3), np.ones(3))
    assert not alone.comparable
    assert alone.compared.all()
    assert mix(alone, 0.5 * (1 - np.eye(3)), None, POWERS, None).sharpness == 3.0


def test_masses_are_moved_to_the_prior():
    population, prior = np.arange(1.0, 61), np.array([0.5, 0.3, 0.2])
    moved = CHANCE * class_mass(CHANCE, population, prior)
    mass = population @ moved
    np.testing.assert_allclose(mass / mass.sum(), prior, rtol=1e-12)
    without = CHANCE * [1.0, 1.0, 0.0]
    np.testing.assert_array_equal(class_mass(without, population, prior)[2], 0.0)


def test_the_prior_is_that_of_the_given_labels_smoothed():
    labels = GivenLabels(np.eye(2)[[0, 0, 1]], np.array([10.0, 20.0, 10.0]))
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


# ------------------------------------------------------------------------------------------ voters


@given(st.one_of(grids(), clouds()), st.floats(0, 3))
def test_those_who_answer_count_1_together(X, away):
    tree = leading_tree(X)
    found = voters(tree, *nearest_nodes(tree, X + away, N_VOTERS))
    assert (found.weights >= 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0, rtol=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    mean = found.mean(np.arange(2.0 * tree.n_nodes).reshape(-1, 2))
    wanted = [w @ (2.0 * n) for w, n in zip(found.weights, found.nodes, strict=True)]
    np.testing.assert_allclose(mean[:, 0], wanted, atol=1e-9)


@given(grids())
def test_a_row_at_a_node_is_answered_by_that_node(X):
    tree = leading_tree(X)
    found = voters(tree, *nearest_nodes(tree, X, N_VOTERS))
    np.testing.assert_array_equal(found.nodes[:, 0], tree.node_of)
    np.testing.assert_array_equal(found.weights[:, 0], 1.0)
    np.testing.assert_array_equal(found.nearest, 0.0)


def test_the_forests_are_left_out_where_the_trend_says_it_all():
    """A line: the trend knows it, steps of forests only add to its error."""
    X = np.linspace(0, 1, 60).reshape(-1, 1)
    y = np.where(np.arange(60) % 3 == 0, 5.0 * X[:, 0], np.nan)
    model = few_forests_of_numbers().fit(X, y)
    assert model.chosen_["forest_share"] < 0.2
    np.testing.assert_allclose(model.transduction_, 5.0 * X[:, 0], atol=0.02)
