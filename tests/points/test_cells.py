"""Points in cells: every point is in one, and neighbours are found through them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import clouds

from lapoleaf._points import cell_kernels as kernels
from lapoleaf._points import cells as module
from lapoleaf._points.cell_search import first_in_cells, make_search, near_points, nearest_to_rows
from lapoleaf._points.cells import cut_into_cells, nearest_places
from lapoleaf._points.checks import make_points


def blobs(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(8, d))[rng.integers(8, size=n)] * 3 + rng.normal(size=(n, d))


def points_of(X, metric="euclidean"):
    return make_points(X, metric, None, np.ones(len(X)))


def twin_neighbours(X, k):
    """All distances, sorted; equal ones by number."""
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    np.fill_diagonal(D, np.inf)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    return nearest, np.take_along_axis(D, nearest, axis=1)


def test_cells_hold_every_point_once_and_are_small():
    X = blobs(5000, 5).astype(np.float32)
    cells = cut_into_cells(X)
    assert sorted(cells.order) == list(range(5000))
    sizes = np.diff(cells.start)
    assert sizes.min() > 0
    assert sizes.max() <= module._LARGEST
    np.testing.assert_array_equal(cells.rows, X[cells.order])
    for cell in range(0, cells.n_cells, 7):
        here = cells.rows[cells.start[cell] : cells.start[cell + 1]].astype(float)
        np.testing.assert_allclose(cells.centres[cell], here.mean(axis=0), rtol=1e-4, atol=1e-5)
        away = np.linalg.norm(here - cells.centres[cell], axis=1)
        assert cells.radius[cell] == pytest.approx(away.max(), rel=1e-5)


def test_points_together_in_cells_are_near():
    X = blobs(4000, 3).astype(np.float32)
    cells = cut_into_cells(X)
    whole = np.linalg.norm(X - X.mean(axis=0), axis=1).max()
    assert np.median(cells.radius) < 0.3 * whole


def test_points_of_which_nearly_all_are_at_one_place_are_cut_in_two():
    """K-means puts them all in one part, again and again."""
    X = np.zeros((3000, 2), dtype=np.float32)
    X[:, 0] = np.arange(3000) * 1e-30
    X[0, 1] = 1.0
    cells = cut_into_cells(X)
    assert np.diff(cells.start).max() <= module._LARGEST
    assert sorted(cells.order) == list(range(3000))


@given(clouds(max_rows=60), st.integers(1, 8))
def test_neighbours_are_the_true_ones_where_all_points_are_looked_at(X, k):
    k = min(k, len(X) - 1)
    found, lengths = near_points(make_search(points_of(X)), k, 10**6)
    wanted, away = twin_neighbours(X, k)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(lengths, away, rtol=1e-12)


def test_equal_distances_go_by_number():
    X = np.array([[i, j] for i in range(12) for j in range(12)], dtype=float)
    found, _ = near_points(make_search(points_of(X)), 143, 10**6)
    np.testing.assert_array_equal(found, twin_neighbours(X, 143)[0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("d", "least"), [(2, 0.999), (8, 0.99), (16, 0.95), (100, 0.9)])
def test_most_neighbours_are_found(d, least):
    X = blobs(6000, d) * np.linspace(1.0, 0.05, d)
    found, _ = near_points(make_search(points_of(X)), 10, 1000)
    some = np.arange(0, 6000, 40)
    D = np.stack([np.sqrt(((X - X[i]) ** 2).sum(-1)) for i in some])
    D[np.arange(len(some)), some] = np.inf
    true = np.argsort(D, axis=1)[:, :10]
    shares = [len(set(a) & set(b)) / 10 for a, b in zip(found[some], true, strict=True)]
    assert np.mean(shares) > least


def test_neighbours_do_not_depend_on_threads():
    X = blobs(3000, 70)
    one = near_points(make_search(points_of(X), 1), 20, 500, 1)
    three = near_points(make_search(points_of(X), 3), 20, 500, 3)
    np.testing.assert_array_equal(one[0], three[0])
    np.testing.assert_array_equal(one[1], three[1])


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_are_those_of_the_metric(metric, dtype):
    X = blobs(300, 4).astype(dtype)
    X[7] = 0.0
    points = points_of(X, metric)
    found, lengths = near_points(make_search(points), 15, 10**6)
    D = points.rows(np.arange(300))
    np.testing.assert_array_equal(lengths, np.take_along_axis(D, found, axis=1))
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(lengths, np.sort(D, axis=1)[:, :15])


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_rows_of_any_scale(scale):
    X = blobs(200, 3) * scale
    found, lengths = near_points(make_search(points_of(X)), 5, 10**6)
    wanted, away = twin_neighbours(X / scale, 5)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(lengths, away * scale, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_that_is_there_is_always_found(metric, dtype):
    """Also where hardly anything is looked at, and where 0 has a sign."""
    X = np.round(blobs(3000, 6), 1).astype(dtype) + dtype(0.0)
    points = points_of(np.unique(X, axis=0), metric)
    search = make_search(points)
    queries = points.at(np.arange(points.n))
    queries[queries == 0.0] = -0.0
    nearest, lengths = nearest_to_rows(search, queries, 1, 1)
    # Parallel rows are at distance 0 as well, and the first of them is as good.
    own = nearest[:, 0] == np.arange(points.n)
    assert own.all() if metric != "cosine" else (lengths[:, 0] <= points.zero).all()
    new = points.at(np.arange(5)) + 1e-3
    assert (search.same_as(new) == -1).all()


def test_parallel_rows_are_found():
    X = blobs(400, 3) + 5.0
    X[100:200] = X[:100] * 3.0
    X[300:] = X[:100] * 0.1
    points = points_of(X, "cosine")
    first = first_in_cells(points, points.zero, 1, 0)
    wanted = np.arange(400)
    wanted[100:200] = wanted[300:] = np.arange(100)
    np.testing.assert_array_equal(first, wanted)


def test_neighbours_of_neighbours_by_hand():
    """0, 1, 2, 3 on a line; each knows one neighbour, and gets to know its neighbour's."""
    rows = np.arange(4, dtype=np.float32)[:, None]
    known = np.array([[1], [2], [3], [2]], dtype=np.int32)
    found = np.empty((4, 2), dtype=np.int32)
    kernels.improve(0, rows, known, 1, found)
    assert np.sort(found).tolist() == [[1, 2], [2, 3], [-1, 3], [-1, 2]]


def test_places_are_searched_from_cell_to_cell():
    X = blobs(2000, 3).astype(np.float32)
    nearest, squares = nearest_places(cut_into_cells(X), 5, 10**6)
    wanted, away = twin_neighbours(X.astype(float), 5)
    assert (nearest == wanted).mean() > 0.999
    np.testing.assert_allclose(np.sqrt(squares), away, rtol=1e-3)
