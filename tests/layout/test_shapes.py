"""Maps of data whose map is known, and of awkward data."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_digits, make_blobs

from lapoleaf import LeadingForestMap, layout, leading_tree

RNG = np.random.default_rng(0)
BLOB = RNG.normal(size=(400, 5))


def placed(X, **params):
    places = LeadingForestMap(n_jobs=1, n_forests=20, **params).fit(X).embedding_
    assert np.isfinite(places).all()
    return places


def spread(places):
    return np.subtract(*np.quantile(places, [0.9, 0.1], axis=0))


@pytest.mark.filterwarnings("ignore:X has one distinct point")
def test_one_point_and_identical_points():
    np.testing.assert_array_equal(placed([[3.0, 4.0]]), [[0.0, 0.0]])
    np.testing.assert_array_equal(placed(np.ones((70, 3))), np.zeros((70, 2)))


def test_two_points():
    places = placed([[0.0], [7.0], [0.0]])
    np.testing.assert_array_equal(places[0], places[2])
    assert np.linalg.norm(places[0] - places[1]) > 0.5


def test_three_rows_keep_their_triangle():
    places = placed([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    sides = pdist(places)
    np.testing.assert_allclose(sides / sides[0], [1.0, 3 / 4, 5 / 4], rtol=1e-5)


@pytest.mark.parametrize("n", [4, 7, 20, 49, 50, 51, 80])
def test_few_rows_are_not_in_one_place(n):
    places = placed(BLOB[:n])
    assert (np.ptp(places, axis=0) > 0.5).all()
    assert pdist(places).min() > 1e-3


def test_a_line_stays_one():
    line = np.arange(600.0)[:, None]
    places = placed(line)
    near = cKDTree(places).query(places, 3)[1]
    assert np.mean(np.abs(near - np.arange(600)[:, None]) <= 3) > 0.99


def test_a_few_rows_with_an_outlier():
    X = np.vstack([BLOB[:30], [[1e6] * 5]])
    places = placed(X)
    assert np.ptp(places[:30], axis=0).min() > 0.3 * np.ptp(places, axis=0).max()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("far", [1e2, 1e5, 1e12, 1e200])
def test_an_outlier_does_not_shrink_the_rest_to_a_dot(far):
    places = placed(np.vstack([BLOB, [[far] * 5]]))
    alone = placed(BLOB)
    assert np.ptp(places[:-1], axis=0).min() > 0.5 * np.ptp(places, axis=0).max()
    assert (spread(places[:-1]) > 0.7 * spread(alone)).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", [1e-200, 1e-3, 1e100])
def test_units_do_not_matter(unit):
    plain, other = placed(BLOB), placed(BLOB * unit)
    assert (spread(other) > 0.7 * spread(plain)).all()


@pytest.mark.slow
def test_a_thousand_islands():
    centres = RNG.random((1000, 8)) * 100
    island = np.arange(5000) % 1000
    places = placed(centres[island] + RNG.normal(size=(5000, 8)) * 0.1)
    near = cKDTree(places).query(places, 5)[1][:, 1:]
    assert np.mean(island[near] == island[:, None]) > 0.98
    assert np.abs(places).max() < 500


def test_groups_are_apart():
    X, truth = make_blobs(600, centers=5, n_features=6, random_state=1)
    places = placed(X)
    distances = squareform(pdist(places))
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :10]
    assert np.mean(truth[nearest] == truth[:, None]) > 0.99


def test_digits_are_trusted():
    X, y = load_digits(return_X_y=True)
    model = LeadingForestMap().fit(X)
    assert model.trustworthiness_ > 0.985
    near = cKDTree(model.embedding_).query(model.embedding_, 11)[1][:, 1:]
    assert np.mean(y[near] == y[:, None]) > 0.97


@pytest.mark.slow
def test_every_run_and_every_number_of_threads_is_the_same():
    X = RNG.normal(size=(5000, 3))
    maps = [LeadingForestMap(n_forests=5, n_jobs=n).fit(X).embedding_ for n in (1, 2, 4, 1)]
    for other in maps[1:]:
        np.testing.assert_array_equal(maps[0], other)


def test_a_tree_of_arrays_needs_no_rows_but_takes_them():
    built = leading_tree(BLOB)
    bare = type(built)(density=built.density, delta=built.delta, parent=built.parent)
    without, with_rows = layout(bare).places, layout(bare, BLOB).places
    assert np.isfinite(without).all()
    assert np.isfinite(with_rows).all()
    assert not np.array_equal(without, with_rows)
    assert (spread(without) > 5).all()
    assert np.isnan(layout(bare).trustworthiness)
