"""Numbers of extreme magnitude are measured in another unit, which changes no digit."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf import GrowingTree, leading_tree
from lapoleaf._points import scaling
from lapoleaf._points.checks import make_points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.scaling import Extent

EXPONENTS = [-1000, -600, -460, 450, 481, 700, 1000]
ROOTED = ["euclidean", "nan_euclidean"]


def rows(n=50, d=3):
    return np.random.default_rng(0).normal(size=(n, d))


def points_of(X, metric="euclidean"):
    return make_points(X, metric, None, np.ones(X.shape[0]))


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=30))
def test_extents(numbers):
    values = np.array(numbers)
    magnitudes = np.abs(values[~np.isnan(values)])
    found = Extent.of(values)
    assert found.largest == magnitudes.max(initial=0.0)
    assert found.smallest == magnitudes[magnitudes > 0].min(initial=np.inf)
    assert found == Extent.of(values[:1]).joined(Extent.of(values[1:]))


@given(st.lists(st.floats(allow_infinity=False, allow_nan=False), min_size=1, max_size=30))
def test_numbers_in_their_unit(numbers):
    values = np.array(numbers)
    extent = Extent.of(values)
    scaled = scaling.scaled(values, extent.exponent)
    kept = np.abs(values) >= extent.smallest_kept
    assert (scaled[~kept] == 0.0).all()
    # ... and nothing but the exponent of the others changes.
    np.testing.assert_array_equal(scaled[kept] * 2.0**extent.exponent, values[kept])
    assert (np.abs(scaled) <= scaling.LARGEST_MAGNITUDE).all()
    assert scaling.is_usual(scaled[None])
    # Whatever differs does so by a square that is a normal number.
    apart = np.abs(np.subtract.outer(scaled, scaled))
    assert (apart[apart > 0] ** 2 >= np.finfo(float).tiny).all()
    assert np.isfinite(1e6 * apart**2).all()


@pytest.mark.parametrize("magnitude", [1e-138, 1e-100, 1.0, 1e100, 1e144])
def test_usual_numbers_are_measured_as_they_are(magnitude):
    points = points_of(np.array([[magnitude], [0.0], [-magnitude]]))
    assert points.exponent == 0
    assert points.scaled_columns is points.columns


def test_float32_is_always_usual():
    X = np.array([[np.finfo(np.float32).max], [np.finfo(np.float32).tiny]], dtype=np.float32)
    assert points_of(X).exponent == 0


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "manhattan", "chebyshev"])
def test_metrics_without_roots_have_no_unit(metric):
    assert points_of(rows() * 1e200, metric).exponent == 0


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("metric", ROOTED)
def test_units_change_no_digit(exponent, metric):
    X = rows()
    usual, extreme = points_of(X, metric), points_of(X * 2.0**exponent, metric)
    i, j = np.arange(50), np.arange(50)[::-1]
    D = usual.rows(i)
    np.testing.assert_array_equal(extreme.rows(i), D * 2.0**exponent)
    np.testing.assert_array_equal(extreme.pairs(i, j), D[i, j] * 2.0**exponent)
    queries = extreme.prepare(X[:5] * 2.0**exponent)
    np.testing.assert_array_equal(extreme.measure(queries), D[:5] * 2.0**exponent)
    tree = leading_tree(X, metric=metric, bandwidth=0.5)
    scaled = leading_tree(X * 2.0**exponent, metric=metric, bandwidth=0.5 * 2.0**exponent)
    np.testing.assert_array_equal(scaled.parent, tree.parent)
    np.testing.assert_array_equal(scaled.density, tree.density)
    np.testing.assert_array_equal(scaled.delta, tree.delta * 2.0**exponent)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_sparse_rows_have_the_unit_of_dense_ones(exponent):
    X = rows() * 2.0**exponent
    every = np.arange(50)
    found = points_of(sp.csr_matrix(X)).rows(every)
    np.testing.assert_array_equal(found, points_of(X).rows(every))


@pytest.mark.parametrize("size", [1e-270, 1e-200, 1e160, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_queries_of_another_magnitude(size, form):
    """Each row is measured in a unit of its own: others in the same block do not matter."""
    X = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    points = points_of(form(X))
    new = np.array([[3.0, 4.0], [3.0 * size, 4.0 * size]])
    found = points.measure(points.prepare(form(new)))
    np.testing.assert_array_equal(found[0], np.sqrt([25.0, 8.0, 9.0]))
    assert found[1, 0] == pytest.approx(5.0 * size, rel=1e-15, abs=5e-324)


def test_identities_are_those_of_the_rows_as_they_are():
    """Random trees hash them: they must not depend on the unit."""
    X = rows() * 1e200
    points = points_of(X)
    assert points.exponent != 0
    np.testing.assert_array_equal(points.identity(), points_of(X, "manhattan").identity())
    np.testing.assert_array_equal(points.columns, X.T)
    np.testing.assert_array_equal(points.at(np.array([3])), X[[3]])


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_points_join_and_leave_in_any_unit(exponent):
    X = rows() * 2.0**exponent
    growing = GrowingTree(leading_tree(X[:30], bandwidth=0.5 * 2.0**exponent))
    growing.insert(X[30:])
    growing.remove([4, 40])
    built = leading_tree(np.delete(X, [4, 40], axis=0), bandwidth=0.5 * 2.0**exponent)
    found = growing.freeze()
    for name in ("density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(found, name), getattr(built, name), err_msg=name)


@pytest.mark.parametrize("far", [1e-200, 1e160, 1e250])
def test_a_row_of_another_magnitude_joins(far):
    X = np.concatenate([rows(), [[far, far, 0.0]], 1.0 + rows(5)])
    growing = GrowingTree(leading_tree(X[:50], bandwidth=0.5))
    growing.insert(X[50:])
    found, built = growing.freeze(), leading_tree(X, bandwidth=0.5)
    for name in ("density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(found, name), getattr(built, name), err_msg=name)
    growing.remove([50])
    found, built = growing.freeze(), leading_tree(np.delete(X, 50, axis=0), bandwidth=0.5)
    np.testing.assert_array_equal(found.delta, built.delta)


def test_a_far_row_joins_rows_of_float32():
    X = rows().astype(np.float32)
    growing = GrowingTree(leading_tree(X, bandwidth=0.5))
    growing.insert([[1e160, 0.0, 0.0]])
    built = leading_tree(np.concatenate([X.astype(float), [[1e160, 0.0, 0.0]]]), bandwidth=0.5)
    np.testing.assert_array_equal(growing.freeze().delta, built.delta)


def test_a_row_so_large_that_others_would_count_for_nothing_is_refused():
    growing = GrowingTree(leading_tree(rows(), bandwidth=0.5))
    with pytest.raises(ValueError, match="so large"):
        growing.insert([[1e300, 0.0, 0.0]])
    assert growing.n_rows == 50
    growing.insert([[1.0, 2.0, 3.0]])


def test_a_range_that_is_known_is_kept():
    X = rows() * 1e200
    points = points_of(X)
    points.rows(np.array([0]))
    taken = points.take(np.arange(5))
    assert taken.extent == points.extent
    made = DensePoints.of_columns(points.columns, "euclidean", points.extent)
    assert made.exponent == points.exponent
    assert DensePoints.of_columns(points.columns, "euclidean").exponent == points.exponent


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_what_was_computed_on_the_way_is_not_pickled(form):
    points = points_of(form(rows() * 1e200))
    before = len(pickle.dumps(points))
    D = points.rows(np.arange(50))
    assert len(pickle.dumps(points)) == before
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(points)).rows(np.arange(50)), D)
