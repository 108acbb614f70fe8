"""New points, maps turned onto each other, and how far maps can be trusted."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness as exact_trustworthiness

from lapoleaf import LeadingForestMap
from lapoleaf._layout import lay_out_again, places_of_joining, trustworthiness
from lapoleaf._layout.alignment import turned_onto
from lapoleaf._layout.graph import LinkGraph
from lapoleaf._layout.joining import places_among
from lapoleaf._points import DensePoints

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def digits():
    X, _ = load_digits(return_X_y=True)
    model = LeadingForestMap(n_forests=20).fit(X[:1200])
    return X, model, [forest.tree for forest in model.forests_]


def test_a_point_between_two_islands_goes_to_one_of_them():
    places = np.array([[0.0, 0.0], [0.2, 0.0], [100.0, 0.0], [100.2, 0.0]])
    strengths = np.array([[1.0, 1.0, 0.9, 0.9], [0.9, 0.9, 1.0, 1.0]])
    found = places_among(places, np.array([[0, 1, 2, 3]] * 2), strengths, 1.0)
    np.testing.assert_allclose(found[:, 0], [0.1, 100.1], atol=0.1)


def test_equal_pulls_meet_in_the_middle():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
    found = places_among(places, np.array([[0, 1, 2]]), np.ones((1, 3)), 1.0)
    np.testing.assert_allclose(found[0], [0.5, 0.333], atol=0.05)


def test_joining_nodes_move_nobody(digits):
    _, model, trees = digits
    graph, known = LinkGraph.of_trees(trees), np.ones(1200, dtype=bool)
    known[RNG.choice(1200, 400, replace=False)] = False
    places = model.embedding_
    found = places_of_joining(trees[0], graph, np.where(known[:, None], places, 0.0), known)
    np.testing.assert_array_equal(found[known], places[known])
    # They come near to where they were.
    error = np.linalg.norm(found[~known] - places[~known], axis=1)
    assert np.median(error) < 0.05 * np.ptp(places, axis=0).max()


def test_joining_to_a_single_node(digits):
    _, _, trees = digits
    known = np.zeros(1200, dtype=bool)
    known[7] = True
    found = places_of_joining(trees[0], LinkGraph.of_trees(trees), np.ones((1200, 2)), known)
    np.testing.assert_allclose(found, 1.0)


def test_maps_are_turned_and_mirrored_but_not_stretched():
    places = RNG.normal(size=(50, 2)).astype(np.float32)
    mirror = np.array([[0.6, 0.8], [0.8, -0.6]])
    known = np.arange(50) < 20
    wanted = (places @ mirror + [3.0, -2.0]).astype(np.float32)
    np.testing.assert_allclose(turned_onto(places, wanted, known), wanted, atol=1e-5)
    wanted[~known] = np.nan
    assert np.isfinite(turned_onto(places, wanted, known)).all()
    double = turned_onto(2 * places, wanted, known)
    assert np.ptp(double, axis=0).max() > 1.5 * np.ptp(places, axis=0).max()
    np.testing.assert_array_equal(turned_onto(places, wanted, np.zeros(50, bool)), places)


@pytest.mark.slow
def test_a_map_that_begins_at_former_places_stays_near_them(digits):
    _, model, trees = digits
    places = model.embedding_
    for share in (1.0, 0.7, 0.2):
        known = np.arange(1200) < share * 1200
        found = lay_out_again(trees, places, known)
        moved = np.linalg.norm((found - places)[known], axis=1)
        # Where few have a former place the map is another one, turned as well as can be.
        assert np.median(moved) < (0.1 if share > 0.5 else 0.6) * np.ptp(places, axis=0).max()


def test_trustworthiness_is_that_of_scikit_learn(digits):
    X, model, _ = digits
    points = DensePoints(X[:1200], "euclidean")
    for places in (model.embedding_, RNG.normal(size=(1200, 2)).astype(np.float32)):
        found = trustworthiness(points, places, 2)
        # Of 1,200 points 400 are asked.
        wanted = exact_trustworthiness(X[:1200], places, n_neighbors=15)
        assert found == pytest.approx(wanted, abs=0.01)
    some = DensePoints(X[:400], "euclidean")
    places = X[:400] @ RNG.normal(size=(64, 2))
    exact = exact_trustworthiness(X[:400], places, n_neighbors=15)
    assert trustworthiness(some, places) == pytest.approx(exact, abs=2e-3)


@pytest.mark.slow
def test_trustworthiness_of_many_points_is_estimated():
    X = RNG.normal(size=(4500, 3))
    places = X[:, :2] + 0.3 * RNG.normal(size=(4500, 2))
    found = trustworthiness(DensePoints(X, "euclidean"), places)
    assert found == pytest.approx(exact_trustworthiness(X, places, n_neighbors=15), abs=0.01)


def test_trustworthiness_of_hardly_any_points():
    assert trustworthiness(DensePoints(np.zeros((2, 1)), "euclidean"), np.zeros((2, 2))) == 1.0
    X = RNG.normal(size=(5, 2))
    assert trustworthiness(DensePoints(X, "euclidean"), X) == 1.0
