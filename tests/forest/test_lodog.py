"""The objective and its minimum."""

import math

import numpy as np
import pytest
import twins
from cases import LOADERS, table
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import trees

from lapoleaf import LeadingTree, leading_tree, lodog

# The cost of N trees, and whether delta is divided by twice its root mean square.
COSTS = {
    "linear": (lambda x: x, True),
    "log": (lambda x: math.log(1 + x), True),
    "power": (lambda x: x**1.5, True),
    "exponential": (lambda x: x * 1.001**x, True),
    "imagenet": (lambda x: 80 * x * 1.001**x, False),
    "water": (lambda x: 0.1 * x, False),
}


def check_against_twin(tree, alpha, cost):
    H, unit_free = COSTS.get(cost, (cost, False))
    rho, delta = tree.density.tolist(), tree.delta.tolist()
    if tree.n_nodes == 1:
        delta, unit_free = [0.0], False
    curve = twins.objective(rho, delta, alpha, H, unit_free)
    N = twins.optimum(curve)

    forest = lodog(tree, alpha=alpha, cost=cost)

    np.testing.assert_allclose(forest.objective, curve, rtol=1e-12, atol=1e-14)
    assert forest.n_trees == N
    assert forest.roots.tolist() == twins.centres(rho, delta)[:N]


alphas = st.sampled_from([0.0, 0.1, 0.4, 0.5, 0.75, 0.999])
costs = st.sampled_from([*COSTS, lambda x: 3 * x + x * x])


@given(trees(), alphas, costs)
def test_equals_twin(tree, alpha, cost):
    check_against_twin(tree, alpha, cost)


@pytest.mark.slow
@settings(max_examples=3000)
@given(trees(max_nodes=30), alphas, costs)
def test_equals_twin_at_length(tree, alpha, cost):
    check_against_twin(tree, alpha, cost)


@pytest.mark.parametrize("data", LOADERS)
@pytest.mark.parametrize("cost", COSTS)
def test_real_data(data, cost):
    check_against_twin(leading_tree(table(data), percent=3.0), 0.4, cost)


def test_the_curve_is_scanned_to_its_end():
    """Gamma order is not delta order: the first centre saves little, the second nearly all."""
    tree = LeadingTree(density=[9, 8, 1, 1], delta=[9, 2, 12, 1], parent=[-1, 0, 1, 1])
    # gamma: -, 16, 12, 1; what remains: 15, 13, 1, 0; Q(N) = (4 N + what remains) / 2.
    forest = lodog(tree, alpha=0.5, cost=lambda x: 4 * x)
    assert forest.objective.tolist() == [9.5, 10.5, 6.5, 8.0]
    assert forest.roots.tolist() == [0, 1, 2]


def test_a_flat_curve_gives_few_trees():
    """Every further tree costs exactly what it saves."""
    tree = LeadingTree(density=[4, 3, 2, 1], delta=[7, 1, 1, 1], parent=[-1, 0, 0, 0])
    forest = lodog(tree, alpha=0.5, cost=lambda x: x)
    assert forest.objective.tolist() == [2, 2, 2, 2]
    assert forest.n_trees == 1


def test_flat_up_to_a_billionth():
    tree = LeadingTree(density=[4, 3, 2, 1], delta=[7, 1, 1, 1], parent=[-1, 0, 0, 0])
    for slope, n_trees in [(1 - 1e-11, 1), (1 - 1e-7, 4)]:
        assert lodog(tree, alpha=0.5, cost=lambda x, s=slope: 5 + s * x).n_trees == n_trees


def test_default_is_free_of_units():
    """Twice the root mean square of 3, 4, 0.5, ... in any unit of length."""
    delta = np.array([99.0, 3.0, 4.0, 0.5, 0.5, 0.5])
    tree = LeadingTree(density=[6, 5, 4, 3, 2, 1], delta=delta, parent=[-1, 0, 0, 0, 0, 0])
    scale = 2 * math.sqrt((9 + 16 + 3 * 0.25) / 5)
    # gamma of the second and third is 15 and 16: 4 goes first, then 3, then the small ones.
    remaining = np.array([8.5, 4.5, 1.5, 1.0, 0.5, 0.0])
    expected = 0.5 * np.arange(1, 7) + 0.5 * remaining / scale
    for unit in (1e-150, 1.0, 1e150):
        scaled = LeadingTree(density=tree.density, delta=delta * unit, parent=tree.parent)
        np.testing.assert_allclose(lodog(scaled).objective, expected, rtol=1e-14)


def test_the_roots_delta_counts_nowhere():
    parent = [-1, 0, 1, 0]
    near = LeadingTree(density=[4, 3, 2, 1], delta=[0.1, 2, 5, 1], parent=parent)
    far = LeadingTree(density=[4, 3, 2, 1], delta=[1e6, 2, 5, 1], parent=parent)
    np.testing.assert_array_equal(lodog(near).objective, lodog(far).objective)
    assert lodog(near, n_trees=1).roots.tolist() == [0]


def test_ties_of_gamma_go_by_density():
    tree = LeadingTree(density=[9, 2, 4, 4], delta=[1, 4, 2, 2], parent=[-1, 0, 0, 0])
    assert lodog(tree, n_trees=3).roots.tolist() == [0, 2, 3]


def test_number_of_trees_by_hand():
    tree = leading_tree(table("iris"))
    free = lodog(tree)
    for n_trees in (1, 2, np.int64(7), tree.n_nodes):
        forest = lodog(tree, n_trees=n_trees)
        assert forest.n_trees == n_trees
        np.testing.assert_array_equal(forest.objective, free.objective)
        assert forest.roots.tolist() == lodog(tree, n_trees=tree.n_nodes).roots[:n_trees].tolist()


def test_larger_alpha_gives_fewer_trees():
    tree = leading_tree(table("wine"))
    found = [lodog(tree, alpha=a).n_trees for a in (0.0, 0.2, 0.5, 0.8, 0.99)]
    assert found == sorted(found, reverse=True)
    assert found[0] == tree.n_nodes


def test_one_node():
    tree = LeadingTree(density=[0], delta=[0], parent=[-1])
    for cost in (*COSTS, math.exp):
        assert lodog(tree, cost=cost).n_trees == 1


@pytest.mark.parametrize(
    "cost",
    [math.sqrt, np.sqrt, lambda x: float(x) ** 2, lambda x: x if x > 3 else x / 2],
    ids=["math", "numpy", "float", "if"],
)
def test_a_cost_of_one_number_or_of_many(cost):
    tree = leading_tree(table("iris")[:20])
    expected = [cost(float(x)) for x in range(1, tree.n_nodes + 1)]
    forest = lodog(tree, alpha=0.25, cost=cost)
    rest = np.append(np.cumsum(tree.delta[forest_order(tree)][:0:-1])[::-1], 0.0)
    np.testing.assert_allclose(forest.objective, 0.25 * np.array(expected) + 0.75 * rest)


def forest_order(tree):
    return lodog(tree, n_trees=tree.n_nodes).roots


def test_an_exponential_cost_may_be_infinite():
    tree = leading_tree(np.arange(2000.0)[:, None], bandwidth=1.0)
    forest = lodog(tree, cost=lambda x: np.where(x > 100, np.inf, x))
    assert forest.n_trees <= 100
    assert np.isinf(forest.objective[100:]).all()


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (lambda x: -x, "^cost must increase .* it is -1 for 1 and -2 for 2"),
        (lambda x: 0 * x + 5, "^cost must increase .* it is 5 for 1 and 5 for 2"),
        (lambda x: abs(x - 4), "^cost must increase .* it is 3 for 1 and 2 for 2"),
        (lambda x: x * (x < 9), "^cost must increase .* it is 8 for 8 and 0 for 9"),
        (lambda x: np.where(x == 3, np.nan, x), "^cost gives NaN for 3 trees"),
        (lambda x: np.where(x == 3, np.inf, x), "^cost must increase"),
        (lambda x: np.where(x == 3, -np.inf, x), "^cost must increase"),
        (lambda x: np.where(x == 1, -np.inf, -x), "^cost .* -2 for 2 and -3 for 3"),
        ("quadratic", "^cost='quadratic' is not known"),
        (7, "^cost=7 must be"),
        (None, "^cost=None must be"),
    ],
    ids=[
        "falling", "constant", "falling at first", "falling in the end", "nan", "infinite for 3",
        "minus infinite for 3", "falling after minus infinity", "name", "number", "none",
    ],
)  # fmt: skip
def test_bad_costs(cost, sentence):
    tree = leading_tree(np.arange(20.0)[:, None])
    with pytest.raises(ValueError, match=sentence):
        lodog(tree, cost=cost)


@pytest.mark.parametrize("alpha", [-0.1, 1.0, 1.5, np.nan, "0.5", None, True])
def test_bad_alpha(alpha):
    with pytest.raises(ValueError, match=f"^alpha={alpha!r} must be"):
        lodog(leading_tree([[0.0], [1.0]]), alpha=alpha)


@pytest.mark.parametrize("n_trees", [0, -1, 2.0, "2", True])
def test_bad_number_of_trees(n_trees):
    with pytest.raises(ValueError, match=f"^n_trees={n_trees!r} must be"):
        lodog(leading_tree([[0.0], [1.0]]), n_trees=n_trees)


def test_more_trees_than_nodes():
    tree = leading_tree([[0.0], [1.0], [1.0]])
    with pytest.raises(ValueError, match=r"^n_trees=3 is more than the 2 nodes"):
        lodog(tree, n_trees=3)


def test_no_tree():
    with pytest.raises(TypeError, match=r"^tree must be a LeadingTree, got list"):
        lodog([1, 2, 3])
