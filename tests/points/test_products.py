"""Squares from products: never farther from those by differences than they say."""

import numpy as np
import pytest
from hard_rows import KINDS
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf._points import merge_duplicates, product_kernels, products
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.dense_products import DenseProducts
from lapoleaf._points.metrics import METRICS as TABLE
from lapoleaf._points.products import rounds
from lapoleaf._progress import Progress

METRICS = ["euclidean", "sqeuclidean", "cosine"]


@st.composite
def hard_points(draw, metrics=METRICS, max_rows=40):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, max_rows)), draw(st.sampled_from([1, 2, 5, 70]))
    X = KINDS[draw(st.sampled_from(list(KINDS)))](rng, n, d)
    points = DensePoints(X, draw(st.sampled_from(metrics)))
    # Products are made of rows that differ: equal ones were merged before.
    return points.take(np.unique(points.identical()))


@pytest.mark.parametrize("n_stripes", range(1, 12))
def test_every_pair_of_stripes_meets_once(n_stripes):
    pairs = [
        frozenset({k, (k + distance) % n_stripes})
        for distance, n_tiles in enumerate(rounds(n_stripes))
        for k in range(n_tiles)
    ]
    assert len(pairs) == len(set(pairs)) == n_stripes * (n_stripes + 1) // 2


@pytest.mark.parametrize("tile", [1, 2, 3, 7, 512])
@pytest.mark.parametrize("threads", [1, 3])
def test_tiles_hold_every_product_once(monkeypatch, tile, threads):
    monkeypatch.setattr(products, "TILE", tile)
    X = np.random.default_rng(0).normal(size=(17, 3))
    made = DensePoints(X, "euclidean").products()
    found = np.full((17, 17), np.nan)

    def task(tile):
        assert np.isnan(found[tile.first, tile.second]).all()
        found[tile.first, tile.second] = tile.products

    progress = Progress("test", made.n_tiles, 0)
    made.for_each_tile(task, threads, progress)
    assert progress.done == progress.total == made.n_tiles
    centred = X - np.median(X, axis=0)
    # A tile or its mirror image.
    found = np.where(np.isnan(found), found.T, found)
    np.testing.assert_allclose(found, centred @ centred.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_no_tile_is_started_after_an_error(monkeypatch, threads, error):
    monkeypatch.setattr(products, "TILE", 2)
    made = DensePoints(np.random.default_rng(0).normal(size=(60, 3)), "euclidean").products()
    started = []

    def task(tile):
        started.append(tile)
        raise error

    with pytest.raises(error):
        made.for_each_tile(task, threads, Progress("test", made.n_tiles, 0))
    assert len(started) < 30


def test_tables_of_many_columns_have_small_tiles():
    X = np.zeros((2, 100_000))
    X[1, 0] = 1.0
    assert DensePoints(X, "euclidean").products().tile < products.TILE


@given(hard_points())
def test_pairs_have_the_bits_of_rows(points):
    made = points.products()
    if made is None:
        return
    i, j = np.triu_indices(points.n, 1)
    np.testing.assert_array_equal(made.pairs(i, j), points.rows(np.arange(points.n))[i, j])


@given(hard_points())
def test_squares_are_as_near_as_they_say(points):
    """In extended precision, whatever the scale."""
    made = points.products()
    if made is None:
        return
    i, j = np.triu_indices(points.n, 1)
    dots = made.with_all(np.arange(points.n))
    squares = made.norms[i] + made.norms[j] - 2 * dots[i, j]
    exact = made.pairs(i, j).astype(np.longdouble)
    if points.metric == "euclidean":
        exact = (exact / points.scale) ** 2
    else:
        exact = exact * (2 if points.metric == "cosine" else 1)
    assert (np.abs(squares - exact) <= made.doubt[i] + made.doubt[j]).all()
    # ... and it says something: the bound is small against the data.
    assert made.doubt.max() <= 1e-12 * max(made.norms.max(), 1e-280)


def test_a_constant_column_costs_no_digits():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(50, 1e9 / 3), rng.normal(size=50)])
    assert DensePoints(X, "euclidean").products().norms.max() < 20


def test_squares_that_may_overflow_are_left_to_differences():
    assert DensePoints(np.array([[1e200], [0.0]]), "sqeuclidean").products() is None
    assert DensePoints(np.array([[1.7e308], [-1.7e308]]), "sqeuclidean").products() is None
    assert DensePoints(np.array([[1e-200], [0.0]]), "sqeuclidean").products() is None
    for size in (1e-320, 1e-200, 1e200, 1.7e308):
        assert DensePoints(np.array([[size], [0.0]]), "euclidean").products() is not None


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "nan_euclidean"])
def test_other_metrics_have_no_products(metric):
    assert DensePoints(np.eye(3), metric).products() is None


@given(hard_points(max_rows=12), st.floats(0, 4))
def test_pairs_between(points, high):
    made = points.products()
    if made is None:
        return
    found = []
    made.for_each_tile(
        lambda tile: found.append(np.stack(made.pairs_between(tile, 0.5, high))),
        1, Progress("test", made.n_tiles, 0),
    )  # fmt: skip
    dots = made.with_all(np.arange(points.n))
    expected = []
    for i in range(points.n):
        for j in range(i + 1, points.n):
            square = made.norms[i] + made.norms[j] - 2 * dots[i, j]
            # Other shapes of products may be summed in another order.
            if abs(square - 0.5) < 1e-6 * square or abs(square - high) < 1e-6 * square:
                return
            if 0.5 <= square <= high:
                expected.append([i, j])
    assert np.concatenate(found, axis=1).T.tolist() == expected


def test_join_first():
    """1 joins 0; 2, near to 1 alone, cannot join it; 3 joins 2."""
    first = np.arange(5)
    product_kernels.join_first(np.array([1, 2, 3, 3]), np.array([0, 1, 1, 2]), first)
    assert first.tolist() == [0, 0, 2, 2, 4]


@given(hard_points(["sqeuclidean", "cosine"]), st.sampled_from([1, 3, 8, 512]))
def test_duplicates_are_those_by_differences(points, tile):
    def merged():
        return merge_duplicates(points, np.ones(points.n), threads=2)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "TILE", tile)
        found = merged()
        patch.setattr(DensePoints, "products", lambda self: None)
        expected = merged()
    np.testing.assert_array_equal(found.node_of, expected.node_of)
    np.testing.assert_array_equal(found.population, expected.population)


def test_parallel_rows_are_one_node():
    X = np.outer([1.0, 2.0, 3.0, -1.0, 0.0, 0.0], [0.3, 0.4, 0.7])
    nodes = merge_duplicates(DensePoints(X, "cosine"), np.ones(6))
    assert nodes.node_of.tolist() == [0, 0, 0, 1, 2, 2]


def test_products_need_two_points():
    assert DenseProducts.of(np.ones((3, 1)), TABLE["euclidean"]) is None
