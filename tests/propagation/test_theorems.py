"""The two theorems of the paper, and P2C as corrected in the notes."""

import numpy as np
import twins
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, givens

from lapoleaf._propagation import children_to_parent, parent_to_children, root_to_root


@given(forests(), st.data())
def test_theorem_1_the_weighted_mean_is_the_optimum(forest_D, data):
    """A parent's label minimises the weighted squared distances to its labelled children.

    J is quadratic: away from its minimum by s it grows by s**2 times the sum of weights.
    """
    forest, _ = forest_D
    tree = forest.tree
    mask = data.draw(givens(tree.n_nodes))
    start = np.where(mask[:, None], np.random.default_rng(0).normal(size=(tree.n_nodes, 2)), 0.0)
    labels, labelled = children_to_parent(forest, start, mask)
    W = tree.population / tree.delta
    for p in np.flatnonzero(labelled & ~mask):
        below = forest.children(p)[labelled[forest.children(p)]]

        def J(label, below=below):
            return (W[below] * ((labels[below] - label) ** 2).sum(axis=1)).sum()

        for step in ([1.0, 0.0], [0.0, -1.0], [0.3, 0.7], [-1e-3, 0.0]):
            growth = J(labels[p] + step) - J(labels[p])
            np.testing.assert_allclose(growth, W[below].sum() * np.dot(step, step), rtol=1e-6)


@given(forests(), st.data())
def test_theorem_2_a_tree_with_a_label_has_a_labelled_root(forest_D, data):
    forest, _ = forest_D
    tree = forest.tree
    mask = data.draw(givens(tree.n_nodes))
    _, labelled = children_to_parent(forest, np.zeros((tree.n_nodes, 1)), mask)
    parent, roots = tree.parent.tolist(), forest.roots.tolist()
    with_label = {twins.root_of(i, parent, roots)[0] for i in np.flatnonzero(mask).tolist()}
    assert {r for r in roots if labelled[r]} == with_label
    # The same holds for every node and what is below it.
    for i in range(tree.n_nodes):
        own = [i in forest.path(k) for k in np.flatnonzero(mask)]
        assert labelled[i] == any(own)


@given(forests(), st.data())
def test_each_stage_leaves_the_others_labels_alone(forest_D, data):
    forest, _ = forest_D
    n = forest.tree.n_nodes
    mask = data.draw(givens(n))
    start = np.where(mask, np.arange(n) + 1.0, 0.0)[:, None]
    up, after_up = children_to_parent(forest, start, mask)
    np.testing.assert_array_equal(up[mask], start[mask])
    assert (up[~after_up] == 0).all()
    across, after_across, lender = root_to_root(forest, up, after_up)
    np.testing.assert_array_equal(across[after_up], up[after_up])
    changed = np.flatnonzero(after_across & ~after_up)
    assert set(changed) == {r for r in forest.roots if not after_up[r]}
    assert (lender[after_up[forest.roots]] == np.flatnonzero(after_up[forest.roots])).all()
    down = parent_to_children(forest, across, after_across)
    np.testing.assert_array_equal(down[after_across], across[after_across])
    for i in np.flatnonzero(~after_across):
        assert down[i] == down[forest.tree.parent[i]]
