"""The exact solver against dense matrices and brute force: labels, variances, leave-one-out."""

import numpy as np
import pytest
from hypothesis import given, settings
from propagation import exact_twins as twins
from propagation.exact_cases import SOME, Case, cases, tree_of

from lapoleaf import LeadingForest, LeadingTree, propagate


@settings(**SOME)
@given(cases())
def test_labels_are_those_of_a_dense_solve(case):
    np.testing.assert_allclose(
        case.propagate().labels, case.operator() @ case.Y, rtol=1e-10, atol=1e-10
    )


@settings(**SOME)
@given(cases())
def test_leave_one_out_is_what_deleting_the_label_and_solving_again_gives(case):
    found = case.propagate().leave_one_out
    if case.pull == 0.0 or (case.count > 0).sum() > 1:
        np.testing.assert_allclose(found, case.left_out(), rtol=1e-10, atol=1e-10)
    else:  # The pull to zero is all that is left.
        np.testing.assert_array_equal(found[case.count > 0], 0.0)


@settings(**SOME)
@given(cases(pulls=(0.0,)))
def test_variance_is_the_diagonal_of_the_dense_inverse_times_sigma2(case):
    result = case.propagate()
    spread = np.diag(case.covariance())
    if (case.count > 0).sum() == 1:
        assert np.isinf(result.sigma2).all()
        kept = np.isinf(case.mu) & (case.count > 0)
        np.testing.assert_array_equal(result.variance[kept], 0.0)
        assert np.isinf(result.variance[~kept]).all()
        return
    sigma2 = twins.scale(case.parent, case.W, case.count.tolist(), case.mu, case.Y, case.left_out())
    np.testing.assert_allclose(result.sigma2, sigma2, rtol=1e-9)
    np.testing.assert_allclose(result.variance, spread[:, None] * sigma2, rtol=1e-9, atol=1e-300)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(result.precision, 1 / spread, rtol=1e-9)


@settings(**SOME)
@given(cases())
def test_a_column_does_not_depend_on_the_others(case):
    together, last = case.propagate(), case.Y.shape[1] - 1
    alone = propagate(case.forest, case.Y[:, last], case.count, **case.settings)
    np.testing.assert_array_equal(alone.labels, together.labels[:, last])
    np.testing.assert_array_equal(alone.leave_one_out, together.leave_one_out[:, last])
    # NumPy sums a column alone in another order than beside others.
    np.testing.assert_allclose(alone.variance, together.variance[:, last], rtol=1e-14)
    assert alone.labels.shape == alone.variance.shape == (len(case.count),)
    assert np.ndim(alone.sigma2) == 0


@settings(**SOME)
@given(cases())
def test_what_is_not_given_is_never_read(case):
    noise = np.where((case.count > 0)[:, None], case.Y, np.nan)
    before = noise.copy()
    found, clean = case.changed(Y=noise).propagate(), case.propagate()
    np.testing.assert_array_equal(found.labels, clean.labels)
    np.testing.assert_array_equal(found.leave_one_out, clean.leave_one_out)
    np.testing.assert_array_equal(noise, before)


def test_several_labels_of_a_node_count_as_many_and_a_mask_counts_one():
    tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0])
    forest = LeadingForest(tree, [0])
    once = propagate(forest, [0.0, 6.0], [True, True], mu=0.5)
    np.testing.assert_allclose(once.labels, [2.0, 4.0])  # g = 1 and 1, W = 1
    thrice = propagate(forest, [0.0, 6.0], [1, 3], mu=0.5)
    np.testing.assert_allclose(thrice.labels, [18 / 7, 36 / 7])  # g = 1 and 3, W = 1
    np.testing.assert_allclose(thrice.leave_one_out, [6.0, 0.0])
    assert once.noise == thrice.noise == 1.0


def test_three_points_by_hand():
    """A chain 0 - 1 - 2 with W = 1 and 2; labels 0 and 3 at its ends, kept."""
    tree = LeadingTree(density=[3, 2, 1], delta=[9, 4, 2], parent=[-1, 0, 1])
    found = propagate(LeadingForest(tree, [0]), [0.0, 7.0, 3.0], [True, False, True])
    # mean delta 3, so W = 3/4 and 3/2: the middle is at (0 * 3/4 + 3 * 3/2) / (9/4) = 2.
    np.testing.assert_allclose(found.labels, [0, 2, 3])
    np.testing.assert_allclose(found.leave_one_out, [3, np.nan, 0])
    np.testing.assert_allclose(found.precision, [np.inf, 9 / 4, np.inf])
    # Both ends are 3 away from what the other says, at a resistance of 4/3 + 2/3 = 2.
    np.testing.assert_allclose(found.sigma2, 9 / 2)
    np.testing.assert_allclose(found.variance, [0, 9 / 2 / (9 / 4), 0])


@pytest.mark.parametrize("mu", [np.inf, 2.0])
def test_a_single_label_goes_everywhere_and_nothing_is_known_of_its_error(mu):
    tree = tree_of(3, 9)
    given = np.arange(9) == 4
    found = propagate(LeadingForest(tree, [tree.root, 5]), np.full(9, 2.5), given, mu=mu)
    np.testing.assert_allclose(found.labels, 2.5, rtol=1e-15)
    assert np.isnan(found.leave_one_out).all()
    assert np.isinf(found.sigma2)
    assert found.others[4] == 0.0


def test_one_node():
    tree = LeadingTree(density=[1], delta=[0], parent=[-1])
    found = propagate(LeadingForest(tree, [0]), [[1.0, 2.0]], [True])
    np.testing.assert_array_equal(found.labels, [[1.0, 2.0]])
    assert np.isnan(found.leave_one_out).all()
    np.testing.assert_array_equal(found.variance, [[0.0, 0.0]])


@settings(**SOME)
@given(cases(pulls=(0.0,)))
def test_labels_stay_within_those_given_and_constants_are_kept(case):
    found = case.propagate().labels
    Y = case.Y[case.count > 0]
    assert (found >= Y.min(axis=0) - 1e-12).all()
    assert (found <= Y.max(axis=0) + 1e-12).all()
    constant = case.changed(Y=np.full_like(case.Y, 0.1)).propagate().labels
    np.testing.assert_allclose(constant, 0.1, rtol=1e-13)


def test_labels_do_not_depend_on_the_unit_of_distance():
    tree = tree_of(0, 12)
    tree_mm = LeadingTree(
        density=tree.density, delta=1000 * tree.delta, parent=tree.parent,
        population=tree.population, scale=1000 * tree.scale,
    )  # fmt: skip
    Y = np.random.default_rng(0).random((12, 2))
    for weights in ("inverse", "self-tuned"):
        here, there = (
            Case(LeadingForest(t, [t.root]), np.arange(12) % 3, Y, mu=1.0, weights=weights)
            for t in (tree, tree_mm)
        )
        here, there = here.propagate(), there.propagate()
        np.testing.assert_allclose(here.labels, there.labels, rtol=1e-12)
        np.testing.assert_allclose(here.sigma2, there.sigma2, rtol=1e-12)
