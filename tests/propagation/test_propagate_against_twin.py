"""The three stages on random forests, against the twin."""

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import clouds, forests, givens

from lapoleaf import LeadingForest, leading_tree, lodog, propagate
from lapoleaf._propagation import stages

# Label 0 is a label, and numbers may be negative.
numbers = st.one_of(st.sampled_from([0.0, 1.0, -1.0]), st.floats(-100, 100, width=32))


def check_against_twin(forest, D, labels, mask):
    tree = forest.tree
    known = {i: labels[i] for i in np.flatnonzero(mask).tolist()}
    distance = None if D is None else (lambda i, j: D[i, j])
    expected, source = twins.three_stages(
        tree.parent.tolist(), tree.delta.tolist(), tree.population.tolist(),
        forest.roots.tolist(), known, distance,
    )  # fmt: skip
    # What stands where nothing was given must not matter.
    asked = labels.copy()
    asked[~mask] = np.nan

    found = propagate(forest, asked, mask, solver="stages")

    assert found.labels.shape == labels.shape
    np.testing.assert_allclose(found.labels, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.labels[mask], labels[mask])
    lenders = [forest.roots[t] for t in found.lender]
    assert lenders == [source[r] for r in forest.roots.tolist()]


@st.composite
def questions(draw, distances=True):
    forest, D = draw(forests(distances))
    n = forest.tree.n_nodes
    mask = draw(givens(n))
    if draw(st.booleans()):
        shape = draw(st.sampled_from([(n,), (n, 1), (n, 2), (n, 3), (n, 4)]))
        labels = draw(arrays(float, shape, elements=numbers))
    else:
        K = draw(st.integers(1, 4))
        labels = np.eye(K)[draw(arrays(int, n, elements=st.integers(0, K - 1)))]
    return forest, D, labels, mask


@given(questions())
def test_equals_twin(question):
    check_against_twin(*question)


@given(questions(distances=False))
def test_equals_twin_without_distances(question):
    check_against_twin(*question)


@pytest.mark.slow
@settings(max_examples=3000)
@given(st.one_of(questions(), questions(distances=False)))
def test_equals_twin_at_length(question):
    check_against_twin(*question)


@given(clouds(min_rows=5), st.integers(1, 5), st.data())
def test_on_trees_of_data(X, n_trees, data):
    """Distances between roots are those of the data."""
    forest = lodog(leading_tree(X, percent=20), n_trees=n_trees)
    mask = data.draw(givens(len(X)))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(-1))
    check_against_twin(forest, D, np.arange(len(X)) * 1.0, mask)


@given(questions())
def test_columns_do_not_mix(question):
    forest, _, labels, mask = question
    together = propagate(forest, labels, mask, solver="stages").labels
    columns = labels.reshape(len(mask), -1).T
    apart = np.stack(
        [propagate(forest, column, mask, solver="stages").labels for column in columns], axis=-1
    )
    np.testing.assert_array_equal(together.reshape(len(mask), -1), apart)


@given(questions())
def test_distributions_stay_distributions(question):
    forest, _, _, mask = question
    labels = np.random.default_rng(0).dirichlet([1, 1, 1], len(mask))
    found = propagate(forest, labels, mask, solver="stages").labels
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert (found >= 0).all()


@given(questions())
def test_everybody_who_was_given_one_label_gets_it(question):
    forest, _, _, mask = question
    found = propagate(forest, np.full(len(mask), 4.25), mask, solver="stages").labels
    np.testing.assert_allclose(found, 4.25, rtol=1e-14)


def test_pairs_of_roots_are_measured_a_part_at_a_time(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 2))
    forest = lodog(leading_tree(X), n_trees=150)
    given_nodes = np.random.default_rng(1).random(300) < 0.3
    whole = propagate(forest, np.arange(300), given_nodes, solver="stages")
    for pairs in (1, 2, 50):
        monkeypatch.setattr(stages, "_MAX_PAIRS_MEASURED", pairs)
        part = propagate(forest, np.arange(300), given_nodes, solver="stages")
        np.testing.assert_array_equal(part.lender, whole.lender)
        np.testing.assert_array_equal(part.labels, whole.labels)


def test_a_fat_node_weighs_as_much_as_its_rows():
    """Children at distance 1 with populations 3 and 1: three quarters and one quarter."""
    tree = leading_tree([[0.0], [1.0], [1.0], [1.0], [-1.0], [0.0], [0.0], [0.0], [0.0]],
                        bandwidth=1.0)  # fmt: skip
    assert tree.parent.tolist() == [-1, 0, 0]
    forest = LeadingForest(tree, [0])
    assert propagate(forest, [0, 8.0, 4.0], [0, 1, 1], solver="stages").labels == pytest.approx(
        [7, 8, 4]
    )


def test_one_node():
    with pytest.warns(UserWarning, match="one distinct point"):
        forest = lodog(leading_tree([[1.0], [1.0]]))
    found = propagate(forest, [7.0], [True], solver="stages")
    assert found.labels.tolist() == [7.0]
    assert found.lender.tolist() == [0]


def test_extreme_weights_still_label():
    """A child 1e200 away has a weight of next to nothing, but it is the only one with a label."""
    # Not Euclidean: no unit has room for the squares of these numbers.
    X = [[0.0], [1e-200], [2e-200], [1e200]]
    tree = leading_tree(X, metric="manhattan", bandwidth=1e-200)
    forest = lodog(tree, n_trees=1)
    assert propagate(forest, [0, 0, 0, 5.0], [0, 0, 0, 1], solver="stages").labels == pytest.approx(
        [5] * 4
    )


def test_nothing_is_written_into():
    forest = lodog(leading_tree(np.random.default_rng(0).normal(size=(40, 2))))
    labels, mask = np.zeros((40, 2)), np.zeros(40, dtype=bool)
    labels[3], mask[3] = [1, 0], True
    before = labels.copy(), mask.copy()
    propagate(forest, labels, mask, solver="stages")
    np.testing.assert_array_equal(labels, before[0])
    np.testing.assert_array_equal(mask, before[1])
