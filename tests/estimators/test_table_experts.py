"""Experts that read columns: trees and discriminants without some labels, and whether they help."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from lapoleaf._decision_trees import Entries, RandomTrees
from lapoleaf._points import make_points
from lapoleaf.estimators.experts import CLASS_EXPERTS, Discriminants, ExtraTrees
from lapoleaf.estimators.experts import discriminants as discriminants_module
from lapoleaf.estimators.experts import extra_trees as trees_module
from lapoleaf.estimators.experts.discriminants import discriminants, shrunken_covariance
from lapoleaf.estimators.experts.groups import groups_of
from lapoleaf.estimators.mixture import log_shares
from lapoleaf.estimators.problem import Problem

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)) * [1.0, 10.0, 0.1, 3.0]
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 5)
GIVEN = np.flatnonzero(np.arange(60) % 3 < 2)


def points_of(rows=X, metric="euclidean"):
    return make_points(rows, metric, None, np.ones(len(rows)))


def problem_of(codes=CODES, given=GIVEN, weight=1.0, k=3):
    labels, count = np.zeros((len(codes), k)), np.zeros(len(codes))
    labels[given, codes[given]], count[given] = 1.0, weight
    return Problem(labels, count)


def in_canonical_order(points, nodes):
    return nodes[points.take(nodes).canonical_order()]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_no_group_holds_the_last_label_of_a_class(codes):
    codes = np.array(codes)
    group = groups_of(codes)
    sizes = np.bincount(codes)
    np.testing.assert_array_equal(group == -1, sizes[codes] == 1)
    for number in range(group.max() + 1):
        kept = codes[group != number]
        assert set(kept) == set(codes)
        assert (group == number).sum() <= -(-len(codes) // min(10, len(codes)))


def test_trees_without_a_label_are_grown_without_its_group():
    points = points_of()
    fitted = ExtraTrees().fit(points, problem_of())
    nodes = in_canonical_order(points, GIVEN)
    entries = Entries.of(np.eye(3)[CODES[nodes]], np.ones(len(nodes)))
    columns, group = np.ascontiguousarray(X[nodes].T), groups_of(CODES[nodes])
    wanted = {}
    for n_tried in (1, 2, 4):
        shares = np.empty((len(nodes), 3))
        for number in range(10):
            out, kept = np.flatnonzero(group == number), np.flatnonzero(group != number)
            seeds = range(100 + 20 * number, 120 + 20 * number)
            trees = RandomTrees.grown(columns, entries, seeds, n_tried, [kept] * 20)
            shares[out] = trees.answers(X[nodes[out]], entries)
        wanted[n_tried] = log_shares(shares)[np.argsort(nodes)]
    assert any(np.allclose(fitted.leave_one_out, scores) for scores in wanted.values())


def test_trees_try_all_columns_where_one_of_many_decides():
    rows = np.random.default_rng(1).normal(size=(120, 60))
    codes = (rows[:, 0] > 0).astype(int)
    fitted = ExtraTrees().fit(points_of(rows), problem_of(codes, np.arange(0, 120, 2), k=2))
    few = np.mean(fitted.trees.feature[fitted.trees.roots] == 0)
    assert few > 0.5
    assert np.mean(fitted.at_rows(rows).argmax(axis=1) == codes) > 0.9


def test_discriminants_without_a_label_are_learnt_without_its_group():
    points = points_of()
    fitted = Discriminants().fit(points, problem_of())
    nodes = in_canonical_order(points, GIVEN)
    group, labels = groups_of(CODES[nodes]), np.eye(3)[CODES[nodes]]
    for number in range(10):
        out, kept = group == number, group != number
        linear = discriminants(X[nodes[kept]], labels[kept], np.ones(kept.sum()), X)
        wanted = log_shares(softmax(linear.scores(X[nodes[out]]), axis=1))
        places = np.searchsorted(GIVEN, nodes[out])
        np.testing.assert_allclose(fitted.leave_one_out[places], wanted, atol=1e-12)


def test_without_shrinkage_they_are_those_of_the_textbook(monkeypatch):
    def plain(residuals, weight):
        return (residuals * weight[:, None]).T @ residuals

    monkeypatch.setattr(discriminants_module, "shrunken_covariance", plain)
    monkeypatch.setattr(discriminants_module, "_PRIOR_LABELS", 0.0)
    found = softmax(discriminants(X, np.eye(3)[CODES], np.ones(60), X).scores(X), axis=1)
    means = np.stack([X[CODES == code].mean(axis=0) for code in range(3)])
    residuals = X - means[CODES]
    weights = np.linalg.solve(residuals.T @ residuals / (60 - 3), means.T)
    prior = np.log(np.bincount(CODES) / 60)
    scores = X @ weights - (means.T * weights).sum(axis=0) / 2 + prior
    np.testing.assert_allclose(found, softmax(scores, axis=1), atol=1e-12)
    other = LinearDiscriminantAnalysis().fit(X, CODES)
    assert np.mean(found.argmax(axis=1) == other.predict(X)) > 0.95


def test_the_prior_counts_as_four_labels():
    """Six labels of three classes leave three degrees of freedom; four more are the prior's."""
    rows, codes = X[:6], np.array([0, 0, 1, 1, 2, 2])
    found = discriminants(rows, np.eye(3)[codes], np.ones(6), X).scores(X)
    means = np.stack([rows[codes == code].mean(axis=0) for code in range(3)])
    residuals = rows - means[codes]
    variance = ((residuals**2).sum(axis=0) + 4 * X.var(axis=0)) / (3 + 4)
    units = np.sqrt(variance)
    shape = shrunken_covariance(residuals / units, np.full(6, 1 / 6))
    covariance = units[:, None] * (6 * shape + 4 * np.eye(4)) / (3 + 4) * units
    weights = np.linalg.solve(covariance, means.T)
    scores = X @ weights - (means.T * weights).sum(axis=0) / 2
    np.testing.assert_allclose(
        softmax(found, axis=1), softmax(scores + np.log(1 / 3), axis=1), atol=1e-10
    )


@pytest.mark.parametrize("value", [0.0, 0.1, 7.0])
def test_a_column_that_is_constant_among_the_labels_does_not_decide(value):
    """A rare category: its mean of equal numbers may differ by rounding from class to class."""
    rare = np.where(np.arange(60) % 10 == 9, value + 1.0, value)
    wider, given = np.column_stack([X, rare]), np.flatnonzero(np.arange(60) % 10 < 7)
    labels, count = np.eye(3)[CODES[given]], np.ones(len(given))
    plain = discriminants(X[given], labels, count, X).scores(X)
    found = discriminants(wider[given], labels, count, wider).scores(wider)
    assert np.mean(found.argmax(axis=1) == plain.argmax(axis=1)) > 0.95
    constant = np.column_stack([X, np.full(60, value)])
    found = discriminants(constant[given], labels, count, constant).scores(constant)
    assert np.mean(found.argmax(axis=1) == plain.argmax(axis=1)) > 0.95


@pytest.mark.parametrize(("m", "d"), [(5, 8), (40, 3), (30, 1)])
def test_shrinkage_is_that_of_scikit_learn(m, d):
    residuals = np.random.default_rng(m).normal(size=(m, d)) * np.arange(1, d + 1)
    plain = residuals.T @ residuals / m
    share = ledoit_wolf_shrinkage(residuals, assume_centered=True)
    wanted = (1 - share) * plain + share * np.trace(plain) / d * np.eye(d)
    np.testing.assert_allclose(shrunken_covariance(residuals, np.full(m, 1 / m)), wanted)


@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600])
def test_discriminants_do_not_depend_on_units(unit):
    labels = np.eye(3)[CODES]
    one, other = (
        discriminants(X * u, labels, np.ones(60), X * u).scores(X * u) for u in (1.0, unit)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_discriminants_do_not_depend_on_the_unit_of_weights(scale):
    labels, count = np.eye(3)[CODES], RNG.integers(1, 3, 60).astype(float)
    one, other = (discriminants(X, labels, count * unit, X).scores(X) for unit in (1.0, scale))
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("expert", [ExtraTrees(), Discriminants()], ids=lambda e: e.name)
class TestBoth:
    def test_the_order_of_rows_does_not_matter(self, expert):
        order = np.random.default_rng(1).permutation(60)
        place = np.argsort(order)
        one = expert.fit(points_of(), problem_of())
        other = expert.fit(points_of(X[order]), problem_of(CODES[order], np.sort(place[GIVEN])))
        np.testing.assert_array_equal(other.at_rows(X), one.at_rows(X))
        nodes = order[np.sort(place[GIVEN])]
        wanted = one.leave_one_out[np.searchsorted(GIVEN, nodes)]
        np.testing.assert_array_equal(other.leave_one_out, wanted)

    def test_threads_do_not_matter(self, expert):
        one, four = (expert.fit(points_of(), problem_of(), threads) for threads in (1, 4))
        np.testing.assert_array_equal(one.at_rows(X), four.at_rows(X, threads=3))
        np.testing.assert_array_equal(one.leave_one_out, four.leave_one_out)

    def test_nodes_and_rows_have_the_same_scores(self, expert):
        fitted = expert.fit(points_of(), problem_of())
        some = np.array([7, 3, 30])
        np.testing.assert_array_equal(fitted.at_rows(X), fitted.at_nodes(points_of()))
        np.testing.assert_array_equal(fitted.at_nodes(points_of(), some), fitted.at_rows(X)[some])

    def test_labels_that_are_not_learnt_from_are_predicted(self, expert, monkeypatch):
        monkeypatch.setattr(trees_module, "MAX_GROWN_FROM", 25)
        monkeypatch.setattr(discriminants_module, "MAX_LEARNT_FROM", 25)
        fitted = expert.fit(points_of(), problem_of())
        predicted = fitted.at_nodes(points_of(), GIVEN)
        same = (fitted.leave_one_out == predicted).all(axis=1)
        assert same.sum() >= 15

    def test_a_class_that_nobody_has_is_improbable(self, expert):
        fitted = expert.fit(points_of(), problem_of(k=4))
        assert (fitted.at_rows(X).argmax(axis=1) < 3).all()

    @pytest.mark.parametrize("weight", [1e-30, 1e30])
    def test_one_label_of_extreme_weight(self, expert, weight):
        problem = problem_of()
        problem.count[GIVEN[4]] = weight
        fitted = expert.fit(points_of(), problem)
        assert np.isfinite(fitted.leave_one_out).all()
        assert np.isfinite(fitted.at_rows(X)).all()

    def test_extreme_rows(self, expert):
        rows = X.copy()
        rows[:, 1] *= 1e300
        fitted = expert.fit(points_of(rows), problem_of())
        extreme = np.vstack([rows, np.full(4, 1e308), np.full(4, -1e308), np.zeros(4)])
        assert np.isfinite(fitted.at_rows(extreme)).all()

    def test_new_rows_may_have_holes(self, expert):
        fitted = expert.fit(points_of(metric="nan_euclidean"), problem_of())
        rows = X.copy()
        rows[:, 1] = np.nan
        assert np.isfinite(fitted.at_rows(rows)).all()

    def test_who_cannot_help(self, expert):
        assert expert.can_help(points_of(), problem_of())
        assert expert.can_help(points_of(metric="nan_euclidean"), problem_of())
        with_hole = X.copy()
        with_hole[5, 1] = np.nan
        assert not expert.can_help(points_of(with_hole, "nan_euclidean"), problem_of())
        one_class = problem_of(np.zeros(60, dtype=int))
        assert not expert.can_help(points_of(), one_class)
        assert not expert.can_help(points_of(), problem_of(given=GIVEN[:2]))
        wide = points_of(np.ones((60, 3001)) * X[:, :1])
        assert not expert.can_help(wide, problem_of())
        distances = np.abs(X[:, :1] - X[:, 0])
        assert not expert.can_help(points_of(distances, "precomputed"), problem_of())


def test_names():
    assert list(CLASS_EXPERTS) == ["ridge", "trees", "discriminants"]
