"""Forests and trend, mixed, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from models import few_forests_of_numbers, one_tree_of_numbers

from lapoleaf import LeadingForest, LeadingTree, propagate
from lapoleaf.estimators.experts import Estimate
from lapoleaf.estimators.number_labelling import (
    TargetLabelling,
    number_labelling,
)
from lapoleaf.estimators.number_mixture import chosen_forest_share
from lapoleaf.estimators.problem import Problem

N = 20
WANTED = np.linspace(-1, 1, N)
ZIGZAG = np.where(np.arange(N) % 2, 0.1, -0.1)
PROBLEM = Problem(WANTED[:, None], np.ones(N))


def share(forests, trend, count=None):
    """Return the share of forests with these predictions of leave-one-out."""
    problem = PROBLEM if count is None else replace(PROBLEM, count=count)
    result = SimpleNamespace(leave_one_out=np.asarray(forests)[:, None])
    return chosen_forest_share(problem, result, np.asarray(trend))


def test_the_part_without_errors_has_it_all():
    assert share(WANTED, WANTED + ZIGZAG) == pytest.approx(1.0)
    assert share(WANTED + ZIGZAG, WANTED) == 0.0
    assert share(WANTED + ZIGZAG, WANTED + ZIGZAG) == 0.0


def test_opposite_errors_make_up_for_each_other():
    """Three quarters of an error of 1 against one quarter of an error of -3."""
    assert share(WANTED + ZIGZAG, WANTED - 3 * ZIGZAG) == pytest.approx(0.75)
    # Errors of the same sign do not: no share is above 1 or below 0.
    assert share(WANTED + ZIGZAG, WANTED + 3 * ZIGZAG) == 1.0
    assert share(WANTED + 3 * ZIGZAG, WANTED + ZIGZAG) == 0.0


def test_a_gain_that_is_not_significant_is_no_gain():
    """The forests are better at one target of twenty only."""
    trend = WANTED + np.where(np.arange(N) == 3, 0.5, 0.01)
    forests = WANTED + np.where(np.arange(N) == 3, 0.0, 0.012)
    assert share(forests, trend) == 0.0
    gains = (trend - WANTED) ** 2 - (forests - WANTED) ** 2
    assert gains.mean() > 0
    assert gains.mean() < 2 * gains.std() / np.sqrt(N)


def test_targets_that_forests_do_not_reach_do_not_count():
    forests = np.where(np.arange(N) % 4 == 0, np.nan, WANTED)
    assert share(forests, WANTED + ZIGZAG) == pytest.approx(1.0)
    assert share(np.full(N, np.nan), WANTED + ZIGZAG) == 0.0


def test_targets_count_as_often_as_they_were_given():
    """The forests are right where targets were given once, the trend where they count more."""
    often = np.arange(N) % 2 == 0
    forests = WANTED + np.where(often, 0.1, 0.0)
    trend = WANTED + np.where(often, 0.0, 0.1)
    once, more = (share(forests, trend, np.where(often, k, 1.0)) for k in (1e-3, 10.0))
    assert once > 0.99
    assert more == 0.0


# ------------------------------------------------------------------------------------ one target


TREE = LeadingTree(density=[3, 2, 1], delta=[1, 1, 2], parent=[-1, 0, 1])


def target(forest_share, expert=None, mu=np.inf):
    problem = Problem(np.array([[1.0], [0.0], [5.0]]), np.array([1.0, 0.0, 1.0]))
    forest = LeadingForest(TREE, roots=[0])
    result = propagate(forest, problem.labels, problem.count > 0, mu=mu, weights="inverse")
    if expert is None:
        return TargetLabelling(problem, result, (), (), forest_share)
    return TargetLabelling(problem, result, (expert,), (1.0 - forest_share,), forest_share)


class ConstantExpert:
    """An expert that answers the same everywhere."""

    name = "constant"
    leave_one_out = Estimate(np.array([2.0, 3.0]), np.array([0.25, 0.25]))

    def at_nodes(self, points, nodes=None, threads=1, verbose=0):
        n = 3 if nodes is None else len(nodes)
        return Estimate(np.full(n, 7.0), np.full(n, 4.0))

    def at_rows(self, X, threads=1, verbose=0):
        return Estimate(np.full(len(X), 7.0), np.full(len(X), 4.0))


def test_without_an_expert_forests_answer():
    alone = target(1.0)
    found = alone.at_nodes(TREE, None, 1, 0)
    # Links of lengths 1 and 2 between 1 and 5: a third of the way.
    np.testing.assert_allclose(found.values, [1.0, 1.0 + 4.0 / 3.0, 5.0])
    np.testing.assert_allclose(alone.leave_one_out()[:, 0], [5.0, 1.0])
    assert alone.expert_values(None, 1, None) == []


def test_values_and_variances_are_mixed_by_the_share():
    forests = target(1.0).at_nodes(TREE, None, 1, 0)
    mixed = target(0.25, ConstantExpert()).at_nodes(TREE, object(), 1, 0)
    np.testing.assert_allclose(mixed.values, 0.75 * 7.0 + 0.25 * forests.values)
    np.testing.assert_allclose(mixed.std**2, 0.75 * 4.0 + 0.25 * forests.std**2)
    without = target(0.25, ConstantExpert()).leave_one_out()[:, 0]
    np.testing.assert_allclose(without, 0.75 * np.array([2.0, 3.0]) + 0.25 * np.array([5.0, 1.0]))


def test_without_a_share_nothing_of_the_forests_enters():
    """Not even where they are infinitely unsure."""
    silent = target(0.0, ConstantExpert())
    unsure = replace(silent.result, sigma2=np.array([np.inf]))
    found = replace(silent, result=unsure).at_nodes(TREE, object(), 1, 0)
    np.testing.assert_array_equal(found.values, 7.0)
    np.testing.assert_array_equal(found.std, 2.0)
    np.testing.assert_allclose(silent.std_without(), 0.5)
    np.testing.assert_allclose(silent.standard_errors(), [1.0 / 0.5, 2.0 / 0.5])


@pytest.mark.parametrize("keeps", [True, False])
def test_given_numbers_are_kept_where_asked_for(keeps):
    one = target(0.0, ConstantExpert())
    answers = one.at_nodes(TREE, object(), 1, 0)
    found = number_labelling([one], np.array([8.0]), [keeps], [np.zeros(2)], [answers])
    wanted = [8.0, 56.0, 40.0] if keeps else [56.0, 56.0, 56.0]
    np.testing.assert_array_equal(found.values[:, 0], wanted)
    np.testing.assert_array_equal(found.std[:, 0], 16.0)
    assert found.keeps == (keeps,)


# ------------------------------------------------------------------------------------- all parts


def test_the_forests_are_left_out_where_the_trend_says_it_all():
    """A line: the trend finds it, steps of forests only add to its error."""
    X = np.linspace(0, 1, 60).reshape(-1, 1)
    y = np.where(np.arange(60) % 3 == 0, 5.0 * X[:, 0], np.nan)
    model = few_forests_of_numbers().fit(X, y)
    assert model.chosen_["forest_share"] < 0.2
    np.testing.assert_allclose(model.transduction_, 5.0 * X[:, 0], atol=0.02)


def test_parts_are_named_where_there_are_several():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.where(np.arange(30) % 3 == 0, 100.0 * X[:, 0], np.nan)
    model = few_forests_of_numbers().fit(X, y)
    why = model.explain(1)
    assert set(why.predicted_by) == {"forests", "trend", "trees"}
    low, *_, high = sorted(why.predicted_by.values())
    assert low - 1e-9 <= why.label <= high + 1e-9
    shares = {"forests": model.chosen_["forest_share"], **model.chosen_["expert_shares"]}
    assert why.label == pytest.approx(sum(shares[name] * why.predicted_by[name] for name in shares))
    assert few_forests_of_numbers(experts=None).fit(X, y).explain(1).predicted_by == {}
    assert one_tree_of_numbers().fit(X, y).explain(1).predicted_by == {}
    # Two targets are too few for a trend.
    few = np.where(np.arange(30) < 2, X[:, 0], np.nan)
    assert few_forests_of_numbers().fit(X, few).explain(5).predicted_by == {}
