"""Forests side by side: only what is above given labels is solved, and all nodes get it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from propagation.random_forests import random_forest

from lapoleaf import LeadingForest, LeadingTree, propagate
from lapoleaf._propagation import Settings
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._propagation.forest_stack import ForestStack, own_weights
from lapoleaf._propagation.stack_kernels import kept_places


@st.composite
def cases(draw):
    """A few forests of the same nodes, labels of some, and settings."""
    n = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    forests = [random_forest(n, rng) for _ in range(draw(st.integers(2, 4)))]
    m = draw(st.integers(1, n))
    count = np.zeros(n)
    count[rng.permutation(n)[:m]] = rng.integers(1, 3, m)
    labels = np.where(count[:, None] > 0, rng.normal(size=(n, 3)), 0.0)
    mu = draw(st.sampled_from([0.03, 1.0, np.inf]))
    coupling = draw(st.sampled_from([1.0, 0.3]))
    return forests, labels, count, Settings("exact", mu, "self-tuned", coupling)


@given(cases())
def test_side_by_side_is_one_after_the_other(case):
    forests, labels, count, settings = case
    found = propagate_ensemble(forests, labels, count, settings, threads=2)
    how = {"mu": settings.mu, "weights": settings.weights, "coupling": settings.coupling}
    each = [propagate(forest, labels, count, **how) for forest in forests]
    close = {"rtol": 1e-11, "atol": 1e-13}
    np.testing.assert_allclose(found.labels, np.mean([e.labels for e in each], axis=0), **close)
    without = [e.leave_one_out for e in each]
    # With a label there is one in every forest or, of a single given label, in none.
    np.testing.assert_allclose(found.leave_one_out, np.mean(without, axis=0), **close)
    with np.errstate(divide="ignore"):
        for name in ("precision", "others"):
            wanted = 1.0 / np.mean([1.0 / getattr(e, name) for e in each], axis=0)
            np.testing.assert_allclose(getattr(found, name), wanted, **close)


def twin_kept(order, parent, marked):
    """The places on a way up from a marked one, and the first of them on the way up from each."""
    kept = {0}
    for place in np.flatnonzero(marked[order]):
        while place > 0:
            kept.add(int(place))
            place = parent[place]
    stands = []
    for place in range(len(order)):
        while place not in kept:
            place = parent[place]
        stands.append(sorted(kept).index(place))
    return sorted(kept), stands


@given(cases(), st.booleans())
def test_places_above_given_labels(case, one_more):
    forests, _, count, settings = case
    stack = ForestStack.of(forests, settings)
    further = len(count) // 2 if one_more else -1
    marked = count > 0
    marked[further] |= one_more
    for order, parent in zip(stack.order, stack.parent, strict=True):
        kept, stands = kept_places(order, parent, own_weights(count, 1.0), further)
        wanted = twin_kept(order, parent, marked)
        assert (kept.tolist(), stands.tolist()) == wanted


def test_by_hand():
    """Node 2 leads 0, which leads 1 and 3: with a label at 3, node 1 has that of 0."""
    tree = LeadingTree(density=[3, 2, 4, 1], delta=[2, 1, 9, 4], parent=[2, 0, -1, 0])
    stack = ForestStack.of([LeadingForest(tree, roots=[2])], Settings(weights="inverse"))
    assert stack.order.tolist() == [[2, 0, 1, 3]]
    assert stack.parent.tolist() == [[-1, 0, 1, 1]]
    # The mean length is 7/3.
    np.testing.assert_allclose(stack.weight, [[0.0, 7 / 6, 7 / 3, 7 / 12]])
    own = own_weights(np.array([0.0, 0.0, 0.0, 1.0]), np.inf)
    assert own.tolist() == [0.0, 0.0, 0.0, np.inf]
    kept, stands = kept_places(stack.order[0], stack.parent[0], own, -1)
    assert kept.tolist() == [0, 1, 3]
    assert stands.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("mu", [0.5, np.inf])
def test_a_label_at_every_node(mu):
    rng = np.random.default_rng(0)
    forests = [random_forest(12, rng) for _ in range(3)]
    labels, count = rng.normal(size=(12, 2)), np.ones(12)
    found = propagate_ensemble(forests, labels, count, Settings("exact", mu, "self-tuned"))
    each = [propagate(f, labels, count, mu=mu, weights="self-tuned").labels for f in forests]
    np.testing.assert_allclose(found.labels, np.mean(each, axis=0), rtol=1e-12)
