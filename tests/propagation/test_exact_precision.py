"""The exact solver where dense solves in float64 give out: weights over 12 orders, deep chains."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from propagation import exact_twins as twins
from propagation.exact_cases import tree_of

from lapoleaf import LeadingForest, LeadingTree, propagate

# What follows from one rounding an operation: nothing is ever subtracted, so nothing cancels.
A_FEW_ROUNDINGS = 1e-14


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 12),
    mu=st.sampled_from([1e-6, 1e-3, 1.0, 1e3, 1e6]),
    coupling=st.sampled_from([1.0, 1e-3, 1e-6]),
)
def test_every_digit_is_right_with_weights_over_12_orders_of_magnitude(seed, n, mu, coupling):
    """The largest relative error of any label or variance is 1e-14, against 50 digits."""
    rng = np.random.default_rng(seed)
    tree = tree_of(seed, n, spread=12.0)
    roots = np.union1d([tree.root], rng.integers(0, n, n // 3))
    count = rng.integers(0, 3, n)
    count[rng.integers(n)] = 1
    Y = rng.uniform(0.1, 9.0, (n, 2)) * (count > 0)[:, None]
    found = propagate(LeadingForest(tree, roots), Y, count, mu=mu, coupling=coupling)
    labels, spread = twins.exactly(
        tree.parent.tolist(), tree.delta, tree.population, set(roots), coupling, count.tolist(), mu,
        Y,
    )  # fmt: skip
    np.testing.assert_allclose(
        found.labels, np.array(labels, dtype=float), rtol=A_FEW_ROUNDINGS, atol=0
    )
    np.testing.assert_allclose(
        1 / found.precision, np.array(spread, dtype=float), rtol=A_FEW_ROUNDINGS, atol=0
    )


def test_a_dense_solve_in_float64_would_be_the_worse_reference():
    """Why mpmath: where the solver keeps 13 digits, a dense solve keeps a few."""
    tree = tree_of(5, 12, spread=12.0)
    count = np.zeros(12, dtype=int)
    count[[2, 7]] = 1
    Y = np.where(count > 0, 3.0, 0.0)[:, None] + np.eye(12)[:, :1]
    forest = LeadingForest(tree, [tree.root])
    truth, _ = twins.exactly(
        tree.parent.tolist(), tree.delta, tree.population, set(), 1.0, count.tolist(), 1e-3, Y
    )
    truth = np.array(truth, dtype=float)
    found = propagate(forest, Y, count, mu=1e-3).labels
    W = twins.link_weights(tree.parent.tolist(), tree.delta, tree.population, set())
    dense = twins.operator(tree.parent.tolist(), W, count, 1e-3) @ Y
    assert np.abs(found / truth - 1).max() < 1e-13
    assert np.abs(dense / truth - 1).max() > 1e-6


def chain(n, delta):
    """Node i is led by node i - 1."""
    return LeadingTree(density=np.arange(n, 0, -1), delta=delta, parent=np.arange(n) - 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mu", [np.inf, 0.3])
def test_a_chain_of_100_000_equals_the_recurrences_in_extended_precision(mu):
    n, rng = 100_000, np.random.default_rng(1)
    tree = chain(n, 10.0 ** rng.uniform(-6, 6, n))
    count = np.where(rng.random(n) < 0.001, rng.integers(1, 4, n), 0)
    Y = rng.uniform(0.1, 9.0, n) * (count > 0)
    found = propagate(LeadingForest(tree, [0]), Y, count, mu=mu)
    W = tree.delta[1:].astype(np.longdouble).mean() / tree.delta
    g = np.where(count > 0, np.inf, 0.0) if np.isinf(mu) else 2 * mu * count
    labels, precision, left_out = twins.recurrences(tree.parent.tolist(), W, g, Y)
    assert np.finfo(np.longdouble).eps < 1e-18
    np.testing.assert_allclose(found.labels, labels.astype(float), rtol=1e-13)
    np.testing.assert_allclose(found.precision, precision.astype(float), rtol=1e-13)
    np.testing.assert_allclose(found.leave_one_out, left_out.astype(float), rtol=1e-13)


@pytest.mark.parametrize("mu", [np.inf, 0.8])
def test_the_recurrences_of_the_twin_are_those_of_a_dense_solve(mu):
    """The twin is itself right, on trees that branch."""
    tree = tree_of(11, 13)
    place = np.argsort(tree.order)
    parent = np.where(tree.parent < 0, -1, place[tree.parent])[tree.order].tolist()
    W, Y, count = np.linspace(0.5, 2, 13), np.arange(13.0), np.arange(13) % 3 == 1
    g = np.where(count, np.inf, 0.0) if np.isinf(mu) else 2 * mu * count
    labels, precision, left_out = twins.recurrences(parent, W, g, Y)

    def solve(count):
        return twins.operator(parent, W, count, mu) @ Y[:, None]

    spread = np.diag(twins.covariance(parent, W, count, mu))
    expected = twins.leave_one_out(solve, count.tolist(), 1)
    np.testing.assert_allclose(labels.astype(float), solve(count)[:, 0], rtol=1e-12)
    np.testing.assert_allclose((1 / precision).astype(float), spread, rtol=1e-12)
    np.testing.assert_allclose(left_out.astype(float), expected[:, 0], rtol=1e-12)


@pytest.mark.parametrize("coupling", [1.0, 0.0])
def test_a_chain_of_a_million_neither_overflows_nor_recurses(coupling):
    """Kept labels at both ends: a straight line between them, the variance a parabola."""
    n = 1_000_000
    tree = chain(n, np.full(n, 2.0))
    forest = LeadingForest(tree, [0] if coupling else [0, n // 2])
    given = np.zeros(n, dtype=bool)
    given[[0, -1]] = True
    found = propagate(forest, np.where(given, 1.0 + np.arange(n), 0.0), given, coupling=coupling)
    if coupling:
        np.testing.assert_allclose(found.labels, 1.0 + np.arange(n), rtol=1e-9)
        inner = np.arange(1, n - 1, dtype=float)
        np.testing.assert_allclose(
            1 / found.precision[1:-1], inner * (n - 1 - inner) / (n - 1), rtol=1e-9
        )
        np.testing.assert_allclose(found.leave_one_out[[0, -1]], [n, 1.0], rtol=1e-9)
    else:
        np.testing.assert_array_equal(found.labels[: n // 2], 1.0)
        np.testing.assert_allclose(found.labels[n // 2 :], n, rtol=1e-12)
        np.testing.assert_allclose(found.leave_one_out[[0, -1]], [n, 1.0], rtol=1e-12)
