"""Weights of links, and errors of the exact solver for settings that make no sense."""

import numpy as np
import pytest

from lapoleaf import LeadingForest, LeadingTree, leading_tree, propagate
from lapoleaf._propagation.exact import link_weights


def star(scale=None, **arrays):
    return LeadingTree(
        density=[3, 2, 1], delta=[9.0, 1.0, 3.0], parent=[-1, 0, 0], scale=scale, **arrays
    )


def test_inverse_weights_are_population_times_mean_delta_over_delta():
    found = link_weights(star(population=[5, 1, 2]), "inverse")
    np.testing.assert_allclose(found[1:], [2.0, 4 / 3])  # the mean of 1 and 3 is 2


def test_self_tuned_weights_are_a_gaussian_with_both_ends_as_widths():
    found = link_weights(star(scale=[2.0, 4.0, 1.0], population=[5, 1, 2]), "self-tuned")
    np.testing.assert_allclose(found[1:], [np.exp(-2 * 1 / 8), 2 * np.exp(-2 * 9 / 2)])


def test_a_self_tuned_weight_is_never_0():
    """exp(-2 * 9 / 0.001) underflows; its link still counts for a label below it."""
    tree = star(scale=[0.1, 4.0, 0.01])
    assert link_weights(tree, "self-tuned")[2] == 1e-12
    found = propagate(LeadingForest(tree, [0]), [0, 0, 4.0], [0, 0, 1], weights="self-tuned")
    np.testing.assert_array_equal(found.labels, 4.0)


def test_the_width_of_a_tree_built_from_data_is_the_distance_to_the_10th_neighbour():
    X = np.random.default_rng(0).normal(size=(40, 3))
    tree = leading_tree(X)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_allclose(tree.scale, np.sort(D, axis=1)[:, 10], rtol=1e-12)
    W = link_weights(tree, "self-tuned")
    led = np.flatnonzero(tree.parent >= 0)
    up = tree.parent[led]
    np.testing.assert_allclose(
        W[led], np.exp(-2 * D[led, up] ** 2 / (tree.scale[led] * tree.scale[up])), rtol=1e-9
    )


BAD = [
    ({"mu": 0}, "mu=0 must be a positive number"),
    ({"mu": -1.0}, "mu=-1.0 must be a positive number"),
    ({"mu": np.nan}, "mu=nan must be a positive number"),
    ({"mu": "auto"}, "mu='auto' must be a positive number"),
    ({"mu": True}, "mu=True must be a positive number"),
    ({"coupling": -0.1}, "coupling=-0.1 must be a number from 0"),
    ({"coupling": 1.01}, "coupling=1.01 must be a number from 0"),
    ({"coupling": np.nan}, "coupling=nan must be a number from 0"),
    ({"coupling": None}, "coupling=None must be a number from 0"),
    ({"pull": -1e-9}, "pull=-1e-09 must be a number of at least 0"),
    ({"pull": np.inf}, "pull=inf must be a number of at least 0"),
    ({"weights": "gauss"}, "weights='gauss' is not known: use one of ('inverse', 'self-tuned')"),
    ({"weights": None}, "weights=None is not known: use one of ('inverse', 'self-tuned')"),
    ({"weights": "self-tuned"}, "weights='self-tuned' needs a tree built from data, or one with"),
    ({"solver": "cg"}, "solver='cg' is not known: use 'exact' or 'stages'."),
]


@pytest.mark.parametrize(("settings", "sentence"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_settings_get_one_clear_sentence(settings, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        propagate(LeadingForest(star(), [0]), [1.0, 2.0, 3.0], [1, 1, 0], **settings)
    message = str(caught.value)
    assert sentence in message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize("scale", [[1.0, 2.0], [1.0, 2.0, 0.0], [1.0, np.inf, 1.0]])
def test_bad_widths_are_refused_where_the_tree_is_made(scale):
    with pytest.raises(ValueError, match="scale"):
        star(scale=scale)


def test_arguments_are_never_written_into():
    labels, given = np.array([1.0, 2.0, 3.0]), np.array([1, 0, 2])
    before = labels.copy(), given.copy()
    for coupling in (1.0, 0.0):
        propagate(LeadingForest(star(), [0, 1]), labels, given, coupling=coupling, mu=2.0)
    np.testing.assert_array_equal(labels, before[0])
    np.testing.assert_array_equal(given, before[1])
