"""Classes of nodes become classes of rows, by hand."""

import numpy as np
from models import few_forests, one_tree
from sklearn.datasets import make_blobs

from lapoleaf import LaPOLeaFClassifier, LeadingForest, LeadingTree, propagate
from lapoleaf._forest import lodog
from lapoleaf._tree import leading_tree
from lapoleaf.estimators.class_labelling import (
    ClassLabelling,
    most_probable,
    reach_of,
    shares_of_labels,
)
from lapoleaf.estimators.mixture import Mixture
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.voters import Voters

TREE = LeadingTree(density=[4, 3, 2, 1], delta=[7, 2, 5, 1], parent=[-1, 0, 0, 2])
PROBLEM = Problem(np.array([[1.0, 0], [0, 0], [0, 1.0], [0, 0]]), np.array([1.0, 0, 2.0, 0]))


def labelled(answers, mixture=None, reach=2.0):
    forest = LeadingForest(TREE, roots=[0])
    result = propagate(forest, PROBLEM.labels, PROBLEM.count > 0, weights="inverse")
    return ClassLabelling(PROBLEM, result, mixture, (), np.array(answers), True, reach)


def test_labels_as_shares():
    vectors = np.array([[2.0, 2.0], [1.0, 3.0], [9.0, 1.0], [0.0, 1.0]])
    shares = shares_of_labels(vectors, PROBLEM, keeps_labels=False)
    np.testing.assert_allclose(shares, [[0.5, 0.5], [0.25, 0.75], [0.9, 0.1], [0.0, 1.0]])
    # Nodes 0 and 2 were given a label, and keep it.
    kept = shares_of_labels(vectors, PROBLEM)
    np.testing.assert_allclose(kept, [[1.0, 0.0], [0.25, 0.75], [0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(vectors[0], [2.0, 2.0])


def test_the_reach_is_the_longest_link_within_the_trees():
    assert reach_of(LeadingForest(TREE, roots=[0])) == 5.0
    assert reach_of(LeadingForest(TREE, roots=[0, 2])) == 2.0
    # Nobody is led: the bandwidth, or 1 where there is none.
    assert reach_of(LeadingForest(TREE, roots=[0, 1, 2, 3])) == 1.0
    tree = leading_tree([[0.0], [1.0]], bandwidth=0.25)
    assert reach_of(lodog(tree, n_trees=2)) == 0.25


def test_the_first_of_equally_probable_classes():
    best, confidence = most_probable(np.array([[0.2, 0.4, 0.4], [0.5, 0.1, 0.4]]))
    assert best.tolist() == [1, 0]
    assert confidence.tolist() == [0.4, 0.5]


def test_new_rows_have_the_classes_of_their_leader_as_far_as_it_reaches():
    answers = [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0], [0.5, 0.5]]
    voters = Voters.alone(np.array([1, 1, 1, 2]), np.array([0.0, 2.0, 4.0, 1e300]))
    found = labelled(answers, reach=2.0).of_new(None, voters, 1)
    # Twice as far as the reach, half of the trust is left; a millionth at least.
    np.testing.assert_allclose(
        found, [[0.75, 0.25], [0.75, 0.25], [0.625, 0.375], [0.5 - 5e-7, 0.5 + 5e-7]], rtol=1e-12
    )


def test_a_mixture_is_of_the_mean_over_those_who_answer():
    mixture = Mixture(np.ones(2), 0.0, (), 2.0, 0.0)
    labelling = labelled(np.full((4, 2), 0.5), mixture)
    nodes, weights = np.array([[0, 2], [2, 0]]), np.array([[0.25, 0.75], [1.0, 0.0]])
    voters = Voters(nodes, weights, np.array([[0.5, 1.0], [0.0, 5.0]]))
    found = labelling.of_new(None, voters, 1)
    labels = labelling.result.labels
    wanted = mixture.probabilities(0.25 * labels[[0]] + 0.75 * labels[[2]], [])
    np.testing.assert_allclose(found[0], wanted[0])
    # The second row is at node 2, and has its answer.
    np.testing.assert_array_equal(found[1], [0.5, 0.5])


def test_leave_one_out_is_even_where_no_other_label_reaches():
    alone = Problem(PROBLEM.labels * [[1], [0], [0], [0]], np.array([1.0, 0, 0, 0]))
    forest = LeadingForest(TREE, roots=[0])
    result = propagate(forest, alone.labels, alone.count > 0)
    labelling = ClassLabelling(alone, result, None, (), np.zeros((4, 2)), True, 1.0)
    np.testing.assert_array_equal(labelling.leave_one_out(), [[0.5, 0.5]])
    # Of two labels, each is found by the other one.
    np.testing.assert_allclose(labelled(np.zeros((4, 2))).leave_one_out(), [[0, 1], [1, 0]])


def test_parts_are_named_where_there_are_several():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.where(np.arange(30) % 3 == 0, (X[:, 0] > 0).astype(int), -1)
    why = few_forests().fit(X, y).explain(1)
    assert set(why.predicted_by) == {"forests", "ridge", "trees", "discriminants"}
    assert set(why.predicted_by.values()) <= {0, 1}
    assert few_forests(experts=None).fit(X, y).explain(1).predicted_by == {}
    assert one_tree().fit(X, y).explain(1).predicted_by == {}


def test_experts_are_asked_at_some_nodes_after_the_other(monkeypatch):
    X, y = make_blobs(300, centers=3, n_features=4, cluster_std=4.0, random_state=0)
    given = np.where(np.arange(300) < 30, y, -1)
    at_once = LaPOLeaFClassifier(n_forests=3).fit(X, given).label_distributions_
    monkeypatch.setattr("lapoleaf.estimators.class_ensemble._ASKED_TOGETHER", 70)
    found = LaPOLeaFClassifier(n_forests=3).fit(X, given).label_distributions_
    np.testing.assert_allclose(found, at_once, rtol=0, atol=1e-12)
