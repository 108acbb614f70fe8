"""Who answers for a new row: against the chances worked out one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from strategies import clouds, grids

from lapoleaf import LeadingTree, leading_tree
from lapoleaf._tree import nearest_nodes
from lapoleaf._tree.random_trees import LOG_DENSITY_NOISE
from lapoleaf.estimators.voters import N_VOTERS, Voters, voters_among

X = np.random.default_rng(0).normal(size=(40, 2))


def test_weights_are_the_chances_of_being_the_first_that_is_denser():
    tree = leading_tree(X)
    nodes, distances = nearest_nodes(tree, X[:5] + 0.1, 10)
    found = voters_among(tree, nodes, distances)
    for row in range(5):
        left, chances = 1.0, []
        for node in nodes[row]:
            ratio = np.log(distances[row, -1] / tree.scale[node])
            denser = norm.cdf(ratio / (LOG_DENSITY_NOISE * np.sqrt(2)))
            chances.append(left * denser)
            left *= 1 - denser
        np.testing.assert_allclose(found.weights[row], np.array(chances) / sum(chances), atol=1e-9)


@given(st.one_of(grids(), clouds()), st.floats(0, 3))
def test_those_who_answer_count_1_together(X, away):
    tree = leading_tree(X)
    found = voters_among(tree, *nearest_nodes(tree, X + away, N_VOTERS))
    assert (found.weights >= 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0, rtol=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    mean = found.mean(np.arange(2.0 * tree.n_nodes).reshape(-1, 2))
    wanted = [w @ (2.0 * n) for w, n in zip(found.weights, found.nodes, strict=True)]
    np.testing.assert_allclose(mean[:, 0], wanted, atol=1e-9)


@given(grids())
def test_a_row_at_a_node_is_answered_by_that_node(X):
    tree = leading_tree(X)
    found = voters_among(tree, *nearest_nodes(tree, X, N_VOTERS))
    np.testing.assert_array_equal(found.nodes[:, 0], tree.node_of)
    np.testing.assert_array_equal(found.weights[:, 0], 1.0)
    np.testing.assert_array_equal(found.nearest, 0.0)


def test_one_node_alone():
    found = Voters.alone(np.array([3, 1]), np.array([0.5, 0.0]))
    np.testing.assert_array_equal(found.nodes, [[3], [1]])
    np.testing.assert_array_equal(found.weights, [[1.0], [1.0]])
    np.testing.assert_array_equal(found.nearest, [0.5, 0.0])
    np.testing.assert_array_equal(found.mean(10.0 * np.arange(5.0)[:, None]), [[30.0], [10.0]])


def test_without_scales_the_nearest_answers():
    tree = LeadingTree(density=[3, 2, 1], delta=[2, 1, 1], parent=[-1, 0, 1])
    assert tree.scale is None
    found = voters_among(tree, np.array([[1, 0]]), np.array([[0.5, 0.7]]))
    np.testing.assert_array_equal(found.nodes, [[1]])
    np.testing.assert_array_equal(found.weights, [[1.0]])
