"""Extra trees of numbers against a slow twin, and the mixture of trend, trees and forests."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from models import few_forests_of_numbers
from sklearn.datasets import load_diabetes

from lapoleaf import LaPOLeaFRegressor
from lapoleaf._points import make_points
from lapoleaf.estimators.experts import Estimate, NumberTrees, Trend
from lapoleaf.estimators.experts import number_trees as module
from lapoleaf.estimators.experts.groups import random_groups
from lapoleaf.estimators.number_mixture import _PRICE, chosen_shares
from lapoleaf.estimators.problem import Problem

MASK = 2**64 - 1
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
TARGETS = np.where(X[:, 0] > 0.3, 2.0, -1.0) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=60)
GIVEN = np.arange(60) % 2 == 0
COUNT = np.where(GIVEN, 1.0 + np.arange(60) % 3, 0.0)


def points(rows=X, metric="euclidean"):
    return make_points(rows, metric, None, np.ones(len(rows)))


def problem(targets=TARGETS, count=COUNT):
    return Problem(np.where(count > 0, targets, 0.0)[:, None], count)


# -------------------------------------------------------------------------------------- slow twin


def bits_of(value):
    """SplitMix64."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def error(targets, weight):
    """Weighted squared distance from the mean."""
    mean = math.fsum(weight * targets) / math.fsum(weight)
    return math.fsum(weight * (targets - mean) ** 2)


def prediction(row, rows, targets, weight, key):
    """Return what one tree, grown from rows until no target differs, predicts for a row."""
    if np.ptp(targets) == 0 or (rows == rows[0]).all():
        return float(np.average(targets, weights=weight))
    order, bits, trials = list(range(rows.shape[1])), key, []
    for drawn in range(len(order)):
        bits = bits_of(bits)
        place = drawn + int((bits >> 11) / 2**53 * (len(order) - drawn))
        order[drawn], order[place] = order[place], order[drawn]
        values = rows[:, order[drawn]]
        if np.ptp(values) > 0:
            bits = bits_of(bits)
            share = (bits >> 11) / 2**53
            threshold = values.min() * (1 - share) + values.max() * share
            left = values <= threshold
            trials.append(
                (
                    error(targets[left], weight[left]) + error(targets[~left], weight[~left]),
                    order[drawn],
                    threshold,
                )
            )
    least = min(trial[0] for trial in trials)
    # The first of those that are equal up to rounding.
    _, column, threshold = next(t for t in trials if t[0] <= least + 1e-12 * error(targets, weight))
    goes_left = row[column] <= threshold
    kept = (rows[:, column] <= threshold) == goes_left
    child = bits_of(key ^ (1 if goes_left else 2))
    return prediction(row, rows[kept], targets[kept], weight[kept], child)


def test_trees_are_those_of_the_twin(monkeypatch):
    monkeypatch.setattr(module, "N_TREES", 3)
    fitted = NumberTrees().fit(points(), problem())
    for node in range(0, 60, 7):
        wanted = [
            prediction(X[node], X[GIVEN], TARGETS[GIVEN], COUNT[GIVEN], bits_of(seed))
            for seed in range(3)
        ]
        found = fitted.at_nodes(points(), np.array([node]))
        np.testing.assert_allclose(found.values, np.mean(wanted))
        variance = fitted.factor * (np.var(wanted) + fitted.residual)
        np.testing.assert_allclose(found.variances, variance, atol=1e-12)


def test_a_step_by_hand():
    """One column, two targets on each side of a gap: every tree splits in the gap or beside it."""
    rows = np.array([[0.0], [0.001], [0.999], [1.0], [0.0005], [0.9995]])
    targets = np.array([1.0, 1.0, 5.0, 5.0, 0.0, 0.0])
    count = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    fitted = NumberTrees().fit(points(rows), problem(targets, count))
    found = fitted.at_nodes(points(rows), np.array([4, 5]))
    np.testing.assert_allclose(found.values, [1.0, 5.0], atol=0.2)


# ---------------------------------------------------------------------------------- leave-one-out


def test_leave_one_out_does_not_use_the_target():
    """With another target at one node, only predictions of targets in other groups change."""
    fitted = NumberTrees().fit(points(), problem())
    order = points().take(np.flatnonzero(GIVEN)).canonical_order()
    group = np.empty(30, dtype=int)
    group[np.arange(30) if order is None else order] = random_groups(30)
    other = TARGETS.copy()
    other[10] += 100.0
    changed = NumberTrees().fit(points(), problem(other))
    place = np.flatnonzero(np.flatnonzero(GIVEN) == 10)[0]
    same = np.isclose(fitted.leave_one_out.values, changed.leave_one_out.values)
    assert same[group == group[place]].all()
    assert not same[group != group[place]].all()


def test_errors_of_leave_one_out_are_as_expected():
    X, y = load_diabetes(return_X_y=True)
    count = np.ones(len(y))
    fitted = NumberTrees().fit(points(X), problem(y, count))
    without = fitted.leave_one_out
    errors = (y - without.values) ** 2
    assert without.variances.mean() == pytest.approx(errors.mean())
    assert 0.3 < 1 - errors.mean() / y.var() < 0.6


def test_targets_beyond_the_number_that_trees_are_grown_from_are_predicted(monkeypatch):
    monkeypatch.setattr(module, "MAX_GROWN_FROM", 20)
    fitted = NumberTrees().fit(points(), problem())
    nodes = np.flatnonzero(GIVEN)
    answers = fitted.at_nodes(points(), nodes)
    same = fitted.leave_one_out.values == answers.values
    assert same.sum() == 10
    assert len(fitted.entries.count) == 20


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    one, many = (NumberTrees().fit(points(), problem(), n) for n in (1, threads))
    np.testing.assert_array_equal(one.trees.threshold, many.trees.threshold)
    np.testing.assert_array_equal(one.leave_one_out.values, many.leave_one_out.values)
    np.testing.assert_array_equal(one.at_rows(X).values, many.at_rows(X, threads).values)


def test_order_of_rows_changes_nothing():
    order = np.random.default_rng(1).permutation(60)
    fitted = NumberTrees().fit(points(), problem())
    shuffled = NumberTrees().fit(points(X[order]), problem(TARGETS[order], COUNT[order]))
    np.testing.assert_allclose(shuffled.at_rows(X).values, fitted.at_rows(X).values, rtol=1e-12)
    found = np.zeros(60)
    found[order[np.flatnonzero(GIVEN[order])]] = shuffled.leave_one_out.values
    np.testing.assert_allclose(found[GIVEN], fitted.leave_one_out.values, rtol=1e-12)


def test_where_trees_cannot_help():
    trees = NumberTrees()
    assert trees.can_help(points(), problem())
    assert not trees.can_help(points(), problem(np.ones(60)))
    assert not trees.can_help(points(), problem(count=np.where(np.arange(60) < 3, 1.0, 0.0)))
    distances = np.abs(X[:, :1] - X[:, 0])
    assert not trees.can_help(make_points(distances, "precomputed", None, np.ones(60)), problem())
    holes = X.copy()
    holes[1, 2] = np.nan
    y = np.where(GIVEN, TARGETS, np.nan)
    model = LaPOLeaFRegressor(n_forests=3, metric="nan_euclidean").fit(holes, y)
    assert "trees" not in model.chosen_["expert_shares"]
    assert np.isfinite(model.predict(holes)).all()


# ---------------------------------------------------------------------------------------- mixture


def shares_of(errors, usual, count=None):
    """Return the shares of experts with these errors of leave-one-out."""
    m = len(errors[0])
    wanted = np.linspace(-1, 1, m)
    given = Problem(wanted[:, None], np.ones(m) if count is None else count)
    experts = [
        SimpleNamespace(leave_one_out=Estimate(wanted + np.asarray(e), np.ones(m))) for e in errors
    ]
    return chosen_shares(given, experts, usual)


def test_one_expert_has_everything():
    assert shares_of([np.ones(5)], [0.7]) == (1.0,)


def test_equal_experts_have_their_usual_shares():
    found = shares_of([np.ones(5)] * 3, [0.6, 0.2, 0.2])
    np.testing.assert_allclose(found, [0.6, 0.2, 0.2])


def test_departing_from_the_usual_share_has_a_price():
    """Two experts with independent errors of the same size: half and half is best."""
    for m in (8, 400):
        first, second = np.tile([1.0, 1.0, -1.0, -1.0], m // 4), np.tile([1.0, -1.0], m // 2)
        share = shares_of([first, second], [0.7, 0.3])[1]
        # The error that is left is 1/2, the square of what the second adds is 2.
        price = _PRICE / m * 0.5
        assert share == pytest.approx((2.0 * 0.5 + price * 0.3) / (2.0 + price))


def test_an_expert_without_errors_has_everything():
    zigzag = np.tile([1.0, -1.0], 10)
    np.testing.assert_allclose(shares_of([zigzag, np.zeros(20)], [0.7, 0.3]), [0.0, 1.0])
    np.testing.assert_allclose(shares_of([np.zeros(20), zigzag], [0.7, 0.3]), [1.0, 0.0])


def test_targets_count_as_often_as_they_were_given():
    often = np.arange(20) % 2 == 0
    first, second = np.where(often, 0.0, 1.0), np.where(often, 1.0, 0.0)
    more = shares_of([first, second], [0.7, 0.3], np.where(often, 1.0, 100.0))
    less = shares_of([first, second], [0.7, 0.3], np.where(often, 100.0, 1.0))
    assert more[1] > 0.9
    assert less[1] < 0.1


# -------------------------------------------------------------------------------------- estimator


def stepped(n=200, seed=0):
    """A step in one column of six: what a smooth trend cannot follow."""
    rows = np.random.default_rng(seed).uniform(size=(n, 6))
    return rows, np.where(rows[:, 2] > 0.6, 10.0, 0.0) + rows[:, 3]


def some(y, every=3):
    return np.where(np.arange(len(y)) % every == 0, y, np.nan)


def test_trees_help_where_there_are_steps():
    X, y = stepped()
    both = few_forests_of_numbers().fit(X, some(y))
    alone = few_forests_of_numbers(experts=["trend"]).fit(X, some(y))
    assert both.chosen_["expert_shares"]["trees"] > 0.5
    hidden = np.isnan(some(y))
    errors = [np.mean((model.transduction_ - y)[hidden] ** 2) for model in (both, alone)]
    assert errors[0] < 0.6 * errors[1]


def test_shares_are_1_together():
    X, y = stepped()
    chosen = few_forests_of_numbers().fit(X, some(y)).chosen_
    assert list(chosen["expert_shares"]) == ["trend", "trees"]
    assert sum(chosen["expert_shares"].values()) + chosen["forest_share"] == pytest.approx(1.0)
    two = few_forests_of_numbers().fit(X, np.column_stack([some(y), some(-X[:, 0])])).chosen_
    assert len(two["expert_shares"]) == 2
    assert two["expert_shares"][0] == pytest.approx(chosen["expert_shares"])
    assert two["expert_shares"][1]["trend"] > 0.9


def test_parts_of_an_explanation_add_up():
    X, y = stepped()
    model = few_forests_of_numbers().fit(X, some(y))
    for why in (model.explain(1), model.explain(3), model.explain(X[1] + 0.01)):
        assert set(why.parts) == {"forests", "trend", "trees"}
        assert sum(why.parts.values()) == pytest.approx(why.label)
    others = model.explain(3).others
    assert sum(others.parts.values()) == pytest.approx(others.label)


@pytest.mark.parametrize("times", [1e30, 1e-30])
def test_extreme_targets_and_weights(times):
    X, y = stepped(90)
    model = few_forests_of_numbers().fit(X, some(y))
    larger = few_forests_of_numbers().fit(X, some(y) * times)
    np.testing.assert_allclose(larger.predict(X), times * model.predict(X), rtol=1e-6)
    heavy = np.where(np.arange(90) % 6 == 0, times, 1.0)
    weighted = few_forests_of_numbers().fit(X, some(y), sample_weight=heavy)
    assert np.isfinite(weighted.predict(X)).all()
    assert np.isfinite(weighted.predict_interval(X)).all()


def test_permuted_rows_and_threads():
    X, y = stepped(120)
    model = few_forests_of_numbers(n_jobs=1).fit(X, some(y))
    order = np.random.default_rng(2).permutation(120)
    other = few_forests_of_numbers(n_jobs=2).fit(X[order], some(y)[order])
    np.testing.assert_allclose(other.transduction_, model.transduction_[order], rtol=1e-9)
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-9)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("m", [60, 200])
def test_intervals_cover_hidden_targets(m):
    """Over draws of given targets on real data, for the mixture as it comes."""
    X, y = load_diabetes(return_X_y=True)
    found = []
    for seed in range(4):
        given = np.random.default_rng(seed).permutation(len(y)) < m
        model = few_forests_of_numbers().fit(X, np.where(given, y, np.nan))
        low, high = model.predict_interval(X[~given], 0.9)
        found.append(np.mean((low <= y[~given]) & (y[~given] <= high)))
    assert abs(np.mean(found) - 0.9) < 0.04


def test_an_expert_of_your_own():
    class Constant:
        name, usual_share, score_unit = "constant", 0.2, 1.0

        def can_help(self, points, problem):
            return True

        def fit(self, points, problem, threads=1):
            m = len(problem.nodes)
            without = Estimate(np.full(m, 0.25), np.ones(m))

            def answer(n):
                return Estimate(np.full(n, 0.25), np.ones(n))

            return SimpleNamespace(
                name="constant",
                description="always the same",
                leave_one_out=without,
                at_nodes=lambda points, nodes=None, threads=1, verbose=0: answer(
                    points.n if nodes is None else len(nodes)
                ),
                at_rows=lambda X, threads=1, verbose=0: answer(X.shape[0]),
            )

    X, y = stepped()
    model = few_forests_of_numbers(experts=[Constant(), "trend"]).fit(X, some(y))
    shares = model.chosen_["expert_shares"]
    assert list(shares) == ["trend", "constant"]
    assert shares["constant"] < 0.3
    assert model.predict(X).shape == (200,)


def test_usual_shares_of_trend_and_trees_are_1_together():
    assert Trend.usual_share + NumberTrees.usual_share == pytest.approx(1.0)
