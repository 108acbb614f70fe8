"""How sure is it: standard deviations, intervals, confidence."""

import numpy as np
import pytest
from models import one_tree, one_tree_of_numbers
from propagation import exact_twins as twins
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_swiss_roll
from sklearn.preprocessing import minmax_scale

from lapoleaf import LaPOLeaFRegressor, LeadingForestRegressor
from lapoleaf._tree import leaders_of_rows
from lapoleaf.estimators.intervals import half_widths, spread_of
from lapoleaf.estimators.problem import Problem

X = minmax_scale(load_diabetes().data)
DISEASE = load_diabetes().target


def some(seed=0, m=40, targets=DISEASE):
    given = np.random.default_rng(seed).permutation(len(targets)) < m
    return np.where(given, targets, np.nan)


@pytest.fixture(scope="module", params=[np.inf, 0.7])
def model(request):
    return one_tree_of_numbers(mu=request.param).fit(X, some())


def dense_spread(model, y, leader=None, weight=None):
    """Variances of all nodes in units of sigma^2, a new leaf below ``leader`` among them."""
    tree = model.tree_
    parent, count = tree.parent.tolist(), (~np.isnan(y)).astype(int).tolist()
    W = twins.link_weights(parent, tree.delta, tree.population, set()).tolist()
    if leader is not None:
        parent, count, W = [*parent, leader], [*count, 0], [*W, weight]
    return np.diag(twins.covariance(parent, np.array(W), count, model.chosen_["mu"]))


def fitted(model):
    return model._state.now


def result_of(model):
    return fitted(model).labelling.targets[0].result


def scale_of_y(model):
    """Targets are propagated in units of this power of two."""
    return 2.0 ** np.floor(np.log2(np.nanmax(np.abs(fitted(model).given.values))))


def test_the_std_of_a_training_row_is_that_of_its_label_and_of_one_target_around_it(model):
    y = some()
    sigma2, noise = scale_of_y(model) ** 2 * result_of(model).sigma2[0], result_of(model).noise
    expected = np.sqrt(sigma2 * (dense_spread(model, y) + noise))
    if np.isinf(model.mu):
        assert noise == 0.0
        np.testing.assert_array_equal(model.transduction_std_[model.given_], 0.0)
        np.testing.assert_array_equal(model.transduction_[model.given_], y[model.given_])
    np.testing.assert_allclose(model.transduction_std_, expected, rtol=1e-8, atol=1e-12)
    found, std = model.predict(X, return_std=True)
    np.testing.assert_array_equal(std, model.transduction_std_)
    np.testing.assert_array_equal(found, model.transduction_)


def test_the_std_of_a_new_row_grows_with_the_distance_to_its_leader(model):
    start = X[17]
    rows = start + np.array([0.0, 0.01, 0.1, 1.0, 10.0])[:, None]
    _, std = model.predict(rows, return_std=True)
    assert (np.diff(std) > 0).all()
    leaders, distances = leaders_of_rows(model.tree_, rows)
    mean = np.delete(model.tree_.delta, model.tree_.root).mean()
    sigma2, noise = scale_of_y(model) ** 2 * result_of(model).sigma2[0], result_of(model).noise
    for k in (1, 3):
        spread = dense_spread(model, some(), int(leaders[k]), mean / distances[k])[-1]
        np.testing.assert_allclose(std[k], np.sqrt(sigma2 * (spread + noise)), rtol=1e-8)


def test_a_self_tuned_link_of_a_new_row_has_the_width_of_its_leader():
    model = one_tree_of_numbers(weights="self-tuned", mu=np.inf).fit(X, some())
    row = X[[17]] + 0.05
    leader, distance = leaders_of_rows(model.tree_, row)
    width = model.tree_.scale[leader]
    _, std = model.predict(row, return_std=True)
    result = result_of(model)
    weight = np.exp(-2 * (distance / width) ** 2)
    expected = result.variance[leader, 0] + result.sigma2[0] / weight
    np.testing.assert_allclose(std, scale_of_y(model) * np.sqrt(expected), rtol=1e-12)


def test_intervals_lie_around_the_prediction_and_grow_with_the_coverage(model):
    center, std = model.predict(X[:50] + 0.01, return_std=True)
    widths = []
    for coverage in (0.1, 0.5, 0.9, 0.99):
        lower, upper = model.predict_interval(X[:50] + 0.01, coverage)
        np.testing.assert_allclose((lower + upper) / 2, center, rtol=1e-9)
        widths.append(upper - lower)
        ratio = (upper - lower) / std
        if coverage <= 0.9:  # 40 errors are too few for 99%: the spread of targets counts, too
            np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert (np.diff(widths, axis=0) > 0).all()
    lower, upper = model.predict_interval(X[:50] + 0.01)
    np.testing.assert_array_equal(upper - lower, widths[2])  # 0.9 is the default


def test_several_targets_have_their_own_spreads_and_rows():
    one, two = some(0), some(1, 60, 1000 * DISEASE)
    both = one_tree_of_numbers(mu=2.0).fit(X, np.column_stack([one, two]))
    found, std = both.predict(X[:9] + 0.02, return_std=True)
    lower, upper = both.predict_interval(X[:9] + 0.02, 0.8)
    assert found.shape == std.shape == lower.shape == upper.shape == (9, 2)
    assert both.transduction_std_.shape == (len(X), 2)
    for column, y in enumerate((one, two)):
        alone = one_tree_of_numbers(mu=2.0).fit(X, y)
        np.testing.assert_allclose(alone.predict(X[:9] + 0.02, True)[1], std[:, column])
        ends = alone.predict_interval(X[:9] + 0.02, 0.8)
        np.testing.assert_allclose(ends, [lower[:, column], upper[:, column]])


def test_intervals_are_in_the_units_of_the_target(model):
    y = some()
    other = one_tree_of_numbers(mu=model.mu).fit(X, -3.0 + 1000 * y)
    lower, upper = model.predict_interval(X, 0.8)
    np.testing.assert_allclose(
        other.predict_interval(X, 0.8), -3.0 + 1000 * np.array([lower, upper]), rtol=1e-9
    )


def test_one_label_says_nothing_of_how_wrong_it_may_be_elsewhere():
    y = np.full(len(X), np.nan)
    y[5] = 100.0
    model = one_tree_of_numbers().fit(X, y)
    lower, upper = model.predict_interval(X, 0.5)
    np.testing.assert_array_equal(model.transduction_std_ == 0.0, np.arange(len(X)) == 5)
    others = np.arange(len(X)) != 5
    assert np.isneginf(lower[others]).all()
    assert np.isposinf(upper[others]).all()
    assert lower[5] == upper[5] == 100.0


def test_equal_labels_leave_no_doubt():
    model = one_tree_of_numbers().fit(X, np.where(np.arange(len(X)) % 9 == 0, 4.0, np.nan))
    lower, upper = model.predict_interval(X, 0.9)
    np.testing.assert_allclose(lower, 4.0, rtol=1e-12)
    np.testing.assert_allclose(upper, 4.0, rtol=1e-12)


def test_a_tree_without_labels_that_is_apart_has_infinite_intervals():
    model = one_tree_of_numbers(coupling=0.0, n_trees=30, mu=np.inf).fit(X, some(m=30))
    forest = model.forest_
    labelled = np.isin(np.arange(30), forest.tree_of[model.tree_.node_of[model.given_]])
    apart = ~labelled[forest.tree_of[model.tree_.node_of]]
    assert 0 < apart.sum() < len(X)
    np.testing.assert_array_equal(np.isinf(model.transduction_std_), apart)
    lower, upper = model.predict_interval(X, 0.5)
    assert np.isposinf(upper[apart]).all()
    assert np.isfinite(lower[~apart]).all()


def test_labels_alone_in_their_tree_tell_nothing_of_the_spread():
    """Leave-one-out of such a label comes from another tree, at no known distance."""
    model = one_tree_of_numbers(coupling=0.0, n_trees=30, mu=np.inf).fit(X, some(m=30))
    nodes = np.flatnonzero(fitted(model).labelling.targets[0].problem.count)
    in_tree = np.bincount(model.forest_.tree_of[nodes], minlength=30)
    alone = in_tree[model.forest_.tree_of[nodes]] == 1
    assert 0 < alone.sum() < len(alone)
    np.testing.assert_array_equal(np.isnan(fitted(model).labelling.errors[0]), alone)
    without = scale_of_y(model) * result_of(model).leave_one_out[nodes]
    assert np.isfinite(without).all()


def test_equal_rows_with_different_targets_show_how_much_targets_vary():
    """Rows 0 to 2 are equal and given 1, 3 and nothing; 3 and 4 are equal, only 3 is given."""
    rows = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [2.0], [3.5]])
    y = np.array([1.0, 3.0, np.nan, 7.0, np.nan, 9.0, np.nan])
    model = one_tree_of_numbers(mu=np.inf, bandwidth=1.0).fit(rows, y)
    np.testing.assert_array_equal(model.transduction_[:5], [2, 2, 2, 7, 7])
    # Targets vary by 2 around their mean, and the mean of two by 1: so 3 together; of one: 4.
    np.testing.assert_allclose(model.transduction_std_[:6], np.sqrt([3, 3, 3, 0, 4, 0]))
    np.testing.assert_allclose(model.predict(rows, True)[1][[2, 4]], np.sqrt([3, 4]))
    agreed = np.where(np.isnan(y), y, np.minimum(y, 1.0))
    certain = one_tree_of_numbers(mu=np.inf, bandwidth=1.0).fit(rows, agreed)
    np.testing.assert_array_equal(certain.transduction_std_[:6], 0.0)
    # The noise that mu stands for counts if it is more.
    softer = one_tree_of_numbers(mu=1e-3, bandwidth=1.0).fit(rows, y)
    result = result_of(softer)
    unit = scale_of_y(softer)
    assert unit**2 * 0.5e3 * result.sigma2[0] > 2.0
    expected = result.variance[0, 0] + 0.5e3 * result.sigma2[0]
    np.testing.assert_allclose(softer.transduction_std_[:3], unit * np.sqrt(expected))


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, np.nan, "0.9", None, True])
def test_a_coverage_is_a_probability(model, coverage):
    with pytest.raises(ValueError, match="must be a probability between 0 and 1"):
        model.predict_interval(X, coverage)


def test_the_three_stages_give_no_variance():
    model = LaPOLeaFRegressor.as_published().fit(X, some())
    assert not hasattr(model, "transduction_std_")
    with pytest.raises(ValueError, match="return_std=True needs solver='exact'"):
        model.predict(X, return_std=True)
    with pytest.raises(ValueError, match="needs solver='exact'"):
        model.predict_interval(X)
    assert result_of(model).variance is None


def test_factors_by_hand():
    std, seen = np.array([0.0, 1.0, 2.0, np.inf]), np.array([4.0, np.nan, 1.0, 2.0])
    # Three errors and one more that is too large: 1 is the first of four quarters, 2 the second.
    np.testing.assert_array_equal(half_widths(std, seen, 9.0, 0.25), [0, 1, 2, np.inf])
    np.testing.assert_array_equal(half_widths(std, seen, 9.0, 0.5), [0, 2, 4, np.inf])
    np.testing.assert_array_equal(half_widths(std, seen, 9.0, 0.625), [0, 3, 6, np.inf])
    np.testing.assert_array_equal(half_widths(std, seen, 9.0, 0.75), [0, 4, 8, np.inf])
    # Beyond: Student's with two degrees of freedom. Squares of errors are 16, 1 and 4 times that of
    # the standard deviation, and that of the spread is one more.
    beyond = student.ppf(0.975, 2) * np.sqrt((21 * std[:3] ** 2 + 5.0**2) / 4)
    np.testing.assert_allclose(half_widths(std, seen, 5.0, 0.95)[:3], beyond)
    # Never less than the largest error, and small errors prove nothing.
    assert half_widths(std, seen, 0.0, 0.76)[1] == 4.0
    assert half_widths(std, np.array([0.1, 0.2]), 0.0, 0.9)[1] == student.ppf(0.95, 1)
    assert half_widths(std, np.array([np.nan]), 0.0, 0.5)[1] == student.ppf(0.75, 1)
    assert half_widths(std, np.array([np.nan]), 3.0, 0.5)[1] == 3.0 * student.ppf(0.75, 1)
    # No error seen at all makes nothing certain.
    np.testing.assert_array_equal(half_widths(std, np.zeros(9), 9.0, 0.5), [0, 0, 0, np.inf])


def test_the_spread_of_given_targets_by_hand():
    problem = Problem(np.array([[1.0], [0.0], [4.0], [7.0]]), np.array([1.0, 0.0, 2.0, 1.0]))
    assert spread_of(problem) == pytest.approx(3.0 * np.sqrt(4 / 3))
    one = Problem(np.array([[1.0], [0.0]]), np.array([1.0, 0.0]))
    assert spread_of(one) == 0.0


@pytest.mark.parametrize(
    "model", [LaPOLeaFRegressor(n_forests=10), LeadingForestRegressor()], ids=["many", "one"]
)
def test_intervals_hold_with_two_labels(model):
    """On the Swiss roll intervals of 90% held 44%, those of one forest 41%."""
    rows, along = make_swiss_roll(250, noise=0.2, random_state=0)
    rows = minmax_scale(rows)
    model = clone(model).fit(rows, np.where(np.arange(250) < 2, along, np.nan))
    inside = []
    for seed in range(40):
        y = some(seed, 2, along)
        model.update_labels(model.ids_, y)
        low, high = model.predict_interval(rows[np.isnan(y)])
        hidden = along[np.isnan(y)]
        inside.append(np.mean((low <= hidden) & (hidden <= high)))
    # As promised, but for the sampling error of the mean.
    assert np.mean(inside) + 3 * np.std(inside, ddof=1) / np.sqrt(len(inside)) > 0.9


def test_confidence_is_the_probability_of_the_class_and_1_where_it_was_given():
    rows, truth = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 10 == 0, truth, -1)
    model = one_tree().fit(rows, y)
    np.testing.assert_array_equal(model.confidence_, model.label_distributions_.max(axis=1))
    np.testing.assert_allclose(model.confidence_[y >= 0], 1.0, rtol=1e-12)
    assert (model.confidence_ >= 1 / 3).all()
    # Where it is less sure it is more often wrong.
    sure = model.confidence_ > np.median(model.confidence_)
    right = model.transduction_ == truth
    assert right[sure].mean() > right[~sure].mean()
    softer = one_tree(mu=0.1).fit(rows, y)
    assert (softer.confidence_[y >= 0] < 1.0).all()
