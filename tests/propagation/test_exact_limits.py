"""What the exact solver tends to: kept labels, the uncut tree, trees that are apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from propagation import exact_twins as twins
from propagation.exact_cases import SOME, Case, cases, tree_of

from lapoleaf import LeadingForest, LeadingTree, leading_tree, lodog, propagate


@settings(**SOME)
@given(cases())
def test_a_large_mu_keeps_labels_as_an_infinite_one_does(case):
    kept, nearly = case.propagate(mu=np.inf), case.propagate(mu=1e9)
    np.testing.assert_allclose(nearly.labels, kept.labels, atol=1e-6)
    np.testing.assert_allclose(nearly.leave_one_out, kept.leave_one_out, atol=1e-6)
    given = case.count > 0
    np.testing.assert_array_equal(kept.labels[given], case.Y[given])


@settings(**SOME)
@given(cases())
def test_a_mu_too_large_for_a_float_keeps_labels(case):
    np.testing.assert_array_equal(
        case.propagate(mu=1.7e308).labels, case.propagate(mu=np.inf).labels
    )


def test_a_small_mu_gives_the_mean_of_all_given_labels():
    case = Case(
        LeadingForest(tree_of(4, 10), [tree_of(4, 10).root]),
        np.array([0, 1, 0, 0, 3, 0, 0, 0, 1, 0]),
        np.array([0, 1, 0, 0, 5, 0, 0, 0, 9, 0], dtype=float)[:, None],
        mu=1e-10,
    )
    np.testing.assert_allclose(case.propagate().labels, (1 + 15 + 9) / 5, rtol=1e-6)


@settings(**SOME)
@given(cases(couplings=(1.0,)))
def test_coupling_1_is_the_uncut_tree(case):
    uncut = LeadingForest(case.forest.tree, [case.forest.tree.root])
    whole = case.changed(forest=uncut).propagate()
    np.testing.assert_array_equal(case.propagate().labels, whole.labels)
    np.testing.assert_array_equal(case.propagate().leave_one_out, whole.leave_one_out)
    np.testing.assert_array_equal(case.propagate().precision, whole.precision)


@settings(**SOME)
@given(cases(couplings=(1e-9,), pulls=(0.0,)))
def test_a_coupling_near_0_lets_labelled_trees_solve_alone_and_others_be_constant(case):
    found = case.propagate().labels
    tree_of_node = case.forest.tree_of
    alone = twins.cut_labels(
        case.parent, case.changed(coupling=0.0).W, case.roots, case.count.tolist(), case.mu, case.Y
    )
    for tree in range(case.forest.n_trees):
        own = tree_of_node == tree
        if (case.count[own] > 0).any():
            np.testing.assert_allclose(found[own], alone[own], atol=1e-5)
        else:
            np.testing.assert_allclose(found[own], found[own][:1].repeat(own.sum(), 0), atol=1e-5)


def test_near_coupling_0_labelled_trees_below_pull_too_but_not_at_0():
    """0 <- 1 <- 2, all cut: the middle tree has no label, its neighbours have 0 and 4."""
    tree = LeadingTree(density=[3, 2, 1], delta=[5, 1, 1], parent=[-1, 0, 1])
    forest = LeadingForest(tree, [0, 1, 2])
    given = [True, False, True]
    for coupling in (1.0, 0.1, 1e-6):
        found = propagate(forest, [0.0, 9.0, 4.0], given, coupling=coupling)
        np.testing.assert_allclose(found.labels, [0, 2, 4], atol=1e-9)
    found = propagate(forest, [0.0, 9.0, 4.0], given, coupling=0.0)
    np.testing.assert_array_equal(found.labels, [0, 0, 4])
    np.testing.assert_array_equal(found.lender, [0, 0, 2])


@st.composite
def cut_cases(draw):
    """Forests whose trees are apart, with distances that often tie, or without distances."""
    case = draw(cases(couplings=(0.0,), pulls=(0.0, 0.0, 0.3)))
    if draw(st.booleans()):
        return case, None
    n = len(case.count)
    D = np.random.default_rng(draw(st.integers(0, 99))).integers(1, 4, (n, n))
    D = np.minimum(D, D.T).astype(float)
    forest = LeadingForest(case.forest.tree, case.forest.roots, distance=lambda i, j: D[i, j])
    return case.changed(forest=forest), lambda i, j: D[i, j]


def cut_twin(case, distance, count):
    return twins.cut_labels(
        case.parent, case.W, case.roots, count, case.mu, case.Y, distance, case.pull
    )


@settings(**{**SOME, "max_examples": 150})
@given(cut_cases())
def test_coupling_0_is_a_rule_of_its_own(drawn):
    case, distance = drawn
    np.testing.assert_allclose(
        case.propagate().labels, cut_twin(case, distance, case.count.tolist()), atol=1e-10
    )


@settings(**{**SOME, "max_examples": 150})
@given(cut_cases())
def test_leave_one_out_follows_the_rule_of_coupling_0(drawn):
    case, distance = drawn
    solve = lambda count: cut_twin(case, distance, count)  # noqa: E731
    expected = twins.leave_one_out(solve, case.count.tolist(), case.Y.shape[1])
    np.testing.assert_allclose(case.propagate().leave_one_out, expected, atol=1e-10)


@settings(**SOME)
@given(cut_cases())
def test_lenders_of_coupling_0_are_the_trees_the_labels_come_from(drawn):
    case, _ = drawn
    result, forest = case.propagate(), case.forest
    labelled = np.isin(np.arange(forest.n_trees), forest.tree_of[case.count > 0])
    np.testing.assert_array_equal(result.lender[labelled], np.flatnonzero(labelled))
    assert labelled[result.lender].all()
    for tree in np.flatnonzero(~labelled):
        # Constant, and one of the labels of the tree it borrowed from.
        own = result.labels[forest.tree_of == tree]
        np.testing.assert_array_equal(own, own[:1].repeat(len(own), 0))
        lent = result.labels[forest.tree_of == result.lender[tree]]
        assert (lent == own[0]).all(axis=1).any()


# A chain of four nodes, each a tree of its own: gamma order is 0, 3, 1, 2.
APART = LeadingTree(density=[4, 3, 2, 1], delta=[9, 1, 1, 8], parent=[-1, 0, 1, 2])


def apart(given, distance=None):
    forest = LeadingForest(APART, [0, 1, 2, 3], distance=distance)
    return propagate(forest, [10.0, 11.0, 12.0, 13.0], given, coupling=0.0)


def test_nothing_crosses_a_cut_upwards_and_borrowers_take_their_leaders_label():
    found = apart([True, False, False, True])
    np.testing.assert_array_equal(found.labels, [10, 10, 10, 13])
    # Without its label the last tree takes its leader's; without its own the top takes the last's.
    np.testing.assert_array_equal(found.leave_one_out, [13, np.nan, np.nan, 10])


def test_an_unlabelled_top_takes_the_nearest_labelled_root_where_there_are_distances():
    near_2 = np.array([0.0, 4.0, 2.0, 3.0])
    found = apart([False, False, True, True], lambda i, j: near_2[j])
    np.testing.assert_array_equal(found.labels, [12, 12, 12, 13])
    np.testing.assert_array_equal(found.leave_one_out, [np.nan, np.nan, 13, 12])


def test_an_unlabelled_top_takes_the_first_in_gamma_order_where_there_are_none():
    found = apart([False, False, True, True])
    np.testing.assert_array_equal(found.labels, [13, 13, 12, 13])
    np.testing.assert_array_equal(found.leave_one_out, [np.nan, np.nan, 13, 12])


def test_the_only_label_of_all_reaches_everybody_and_has_no_leave_one_out():
    found = apart([False, True, False, False])
    np.testing.assert_array_equal(found.labels, 11.0)
    assert np.isnan(found.leave_one_out).all()
    assert np.isinf(found.sigma2)
    np.testing.assert_array_equal(np.isinf(found.variance), [True, False, True, True])


HUGE = [{}, {"mu": 1.0}, {"weights": "self-tuned"}, {"solver": "stages"}, {"coupling": 0.0}]


@pytest.mark.parametrize("settings", [*HUGE, {"pull": 1.0}], ids=str)
@pytest.mark.parametrize("exponent", [-1000, -300, 300, 530, 1000, 1023])
def test_labels_of_any_size_are_the_usual_ones_in_other_units(exponent, settings):
    """Weights over twelve orders beside; sums of products would be infinite."""
    draws = np.random.default_rng(0)
    X = np.cumsum(10.0 ** draws.uniform(-6, 6, 40)).reshape(-1, 1)
    forest = lodog(leading_tree(X, bandwidth=1.0))
    given = np.arange(forest.tree.n_nodes) % 7 == 0
    labels = np.where(given, draws.choice([-1.0, 1.0], 40) * draws.uniform(0.5, 1.0, 40), 0.0)
    usual = propagate(forest, labels, given, **settings)
    found = propagate(forest, labels * 2.0**exponent, given, **settings)
    np.testing.assert_array_equal(found.labels, usual.labels * 2.0**exponent)
    assert np.isfinite(found.labels).all()
    if usual.leave_one_out is not None:
        np.testing.assert_array_equal(found.leave_one_out, usual.leave_one_out * 2.0**exponent)


def test_columns_of_other_sizes_do_not_disturb_each_other():
    forest = lodog(leading_tree([[0.0], [1.0], [1.9], [7.0]], bandwidth=1.0))
    labels = np.array([[1.0, 1e300], [0.0, 0.0], [0.0, 0.0], [2.0, -1e300]])
    given = [True, False, False, True]
    found = propagate(forest, labels, given)
    np.testing.assert_allclose(found.labels[:, 0], propagate(forest, labels[:, 0], given).labels)
    assert np.isfinite(found.labels).all()
