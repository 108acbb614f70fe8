"""Labels that are added, changed and taken back, against propagating again and a dense solve."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from propagation.random_forests import random_forest

from lapoleaf import LeadingForest, LeadingTree
from lapoleaf._propagation import Settings
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._propagation.forest_stack import ForestStack, own_weights
from lapoleaf._propagation.rank_one import OwnLabel, influence_of


def dense_inverse(stack, f, own):
    """The inverse of the matrix of the objective of a forest; 0 at nodes that keep their label."""
    n = stack.n_nodes
    matrix = np.diag(np.where(np.isinf(own), 0.0, own))
    for place in range(1, n):
        i, j = stack.order[f, place], stack.order[f, stack.parent[f, place]]
        w = stack.weight[f, place]
        matrix[[i, j], [i, j]] += w
        matrix[[i, j], [j, i]] -= w
    free = np.flatnonzero(~np.isinf(own))
    out = np.zeros((n, n))
    out[np.ix_(free, free)] = np.linalg.inv(matrix[np.ix_(free, free)])
    return out, matrix


@st.composite
def cases(draw):
    """Forests, labels of two nodes or more, a node, and another label for it."""
    n = draw(st.integers(3, 16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    forests = [random_forest(n, rng) for _ in range(draw(st.integers(2, 4)))]
    m = draw(st.integers(2, n))
    count = np.zeros(n)
    count[rng.permutation(n)[:m]] = rng.integers(1, 3, m)
    labels = np.where(count[:, None] > 0, rng.normal(size=(n, 3)), 0.0)
    mu = draw(st.sampled_from([0.03, 1.0, np.inf]))
    node = draw(st.integers(0, n - 1))
    more = draw(st.integers(0, 3))
    return forests, labels, count, Settings("exact", mu, "self-tuned"), node, more


@given(cases())
def test_the_response_is_a_column_of_the_inverse(case):
    forests, labels, count, settings, node, _ = case
    stack, own = ForestStack.of(forests, settings), own_weights(count, settings.mu)
    found = influence_of(stack, labels, own, node, threads=2)
    others = np.where(np.arange(len(own)) == node, 0.0, own)
    for f in range(len(forests)):
        inverse, matrix = dense_inverse(stack, f, others)
        np.testing.assert_allclose(found.columns[f], inverse[node], rtol=1e-8, atol=1e-12)
        assert found.at_node[f] == found.columns[f, node]
        kept = np.isinf(others)
        heard = np.where(kept[:, None], 0.0, np.where(kept, 0.0, others)[:, None] * labels)
        wanted = inverse[node] @ (heard - matrix[:, kept] @ labels[kept])
        np.testing.assert_allclose(found.without[f], wanted, rtol=1e-8, atol=1e-10)


@given(cases())
def test_a_label_more_another_one_and_one_less(case):
    forests, labels, count, settings, node, more = case
    assume((np.delete(count, node) > 0).any())
    stack = ForestStack.of(forests, settings)
    own = own_weights(count, settings.mu)
    counts, given_labels = count.copy(), labels.copy()
    counts[node] = more
    given_labels[node] = [0.5, -1.0, 2.0] if more else 0.0
    before = propagate_ensemble(forests, labels, count, settings)
    after = propagate_ensemble(forests, given_labels, counts, settings)
    found = influence_of(stack, labels, own, node)
    old = OwnLabel(own[node], labels[node])
    new = OwnLabel(own_weights(counts, settings.mu)[node], given_labels[node])
    close = {"rtol": 1e-9, "atol": 1e-10}
    np.testing.assert_allclose(before.labels + found.change(old, new), after.labels, **close)
    np.testing.assert_allclose(
        found.without.mean(axis=0),
        propagate_ensemble(
            forests,
            np.where(np.arange(len(count))[:, None] == node, 0.0, labels),
            np.where(np.arange(len(count)) == node, 0.0, count),
            settings,
        ).labels[node],
        **close,
    )


@pytest.mark.parametrize("mu", [0.03, np.inf])
def test_two_hundred_labels_one_at_a_time(mu):
    """Some are changed, some taken back; what comes out is what is propagated at once."""
    rng = np.random.default_rng(1)
    n, settings = 300, Settings("exact", mu, "self-tuned")
    forests = [random_forest(n, rng) for _ in range(5)]
    stack, count, labels = ForestStack.of(forests, settings), np.zeros(n), np.zeros((n, 4))
    count[:2], labels[0, 0], labels[1, 1] = 1.0, 1.0, 1.0
    mean = propagate_ensemble(forests, labels, count, settings).labels
    for _ in range(200):
        node = int(rng.integers(2, n))
        own = own_weights(count, mu)
        old = OwnLabel(own[node], labels[node].copy())
        found = influence_of(stack, labels, own, node)
        count[node] = 0.0 if count[node] and rng.random() < 0.5 else 1.0
        labels[node] = np.eye(4)[rng.integers(4)] * count[node]
        mean = mean + found.change(old, OwnLabel(own_weights(count, mu)[node], labels[node]))
    wanted = propagate_ensemble(forests, labels, count, settings).labels
    np.testing.assert_allclose(mean, wanted, rtol=0, atol=1e-12)


def test_by_hand():
    """A star of three around node 0 with links of weight 1, and a label of weight 1 at node 1."""
    tree = LeadingTree(density=[4, 3, 2, 1], delta=[1, 1, 1, 1], parent=[-1, 0, 0, 0])
    stack = ForestStack.of([LeadingForest(tree, roots=[0])], Settings())
    labels, own = np.array([[0.0], [8.0], [0.0], [0.0]]), np.array([0.0, 1.0, 0.0, 0.0])
    found = influence_of(stack, labels, own, 2)
    # A current of 1 from node 2 to the ground at 1: over the label, the link to 1, the one to 2.
    np.testing.assert_allclose(found.columns, [[2.0, 1.0, 3.0, 2.0]])
    np.testing.assert_allclose(found.without, [[8.0]])
    change = found.change(OwnLabel(0.0, np.zeros(1)), OwnLabel(1.0, np.array([4.0])))
    np.testing.assert_allclose(change[:, 0], [-2.0, -1.0, -3.0, -2.0])
    kept = found.change(OwnLabel(0.0, np.zeros(1)), OwnLabel(np.inf, np.array([5.0])))
    np.testing.assert_allclose(kept[:, 0], [-2.0, -1.0, -3.0, -2.0])
