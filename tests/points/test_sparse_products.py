"""Products of sparse rows: what they are, how far off, and how they are cut."""

import numpy as np
import pytest
import scipy.sparse as sp

from lapoleaf import leading_tree
from lapoleaf._points import products
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._progress import Progress

METRICS = ("euclidean", "sqeuclidean", "cosine")


def rows(n=90, d=40, seed=0):
    """Random rows of which most entries are 0, one of them empty, with unused columns."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.2, rng.normal(size=(n, d)), 0.0)
    X[:, [0, 7, d - 1]] = 0.0
    X[5] = 0.0
    return X


def points(X, metric="euclidean"):
    return SparsePoints(sp.csr_matrix(X), metric)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_products_of_two_rows_are_sums_over_their_columns(metric):
    X = rows()
    made = points(X, metric).products()
    some = np.array([3, 5, 60])
    expected = [[sum(a * b for a, b in zip(X[i], row, strict=True)) for row in X] for i in some]
    np.testing.assert_allclose(made.with_all(some), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("tile", [8, 32, 512])
@pytest.mark.parametrize("metric", METRICS)
def test_tiles_hold_every_pair_once_within_its_bound(monkeypatch, metric, tile):
    monkeypatch.setattr(products, "TILE", tile)
    these = points(rows(), metric)
    made, D = these.products(), these.rows(np.arange(these.n))
    seen = np.zeros(D.shape, dtype=int)

    def check(part):
        found = np.array(part.products)
        for a, i in enumerate(range(part.first.start, part.first.stop)):
            for b, j in enumerate(range(part.second.start, part.second.stop)):
                if part.first != part.second or i < j:
                    seen[min(i, j), max(i, j)] += 1
                    square = made.norms[i] + made.norms[j] - 2.0 * found[a, b]
                    exact = made.squared(D[i, j])
                    # Squaring a root costs another few digits.
                    allowed = made.doubt[i] + made.doubt[j] + 1e-15 * exact
                    assert abs(square - exact) <= allowed

    made.for_each_tile(check, 2, Progress("test", made.n_tiles, 0))
    np.testing.assert_array_equal(seen, np.triu(np.ones_like(seen), 1))


@pytest.mark.parametrize("metric", METRICS)
def test_pairs_have_the_bits_of_rows(metric):
    these = points(rows(), metric)
    i, j = np.triu_indices(these.n, 1)
    D = these.rows(np.arange(these.n))
    np.testing.assert_array_equal(these.products().pairs(i, j), D[i, j])


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("metric", METRICS)
def test_trees_do_not_depend_on_threads_or_on_how_rows_are_stored(form, metric):
    X = rows(700, 60)
    dense = leading_tree(X, metric=metric)
    for n_jobs in (1, 3):
        tree = leading_tree(form(X), metric=metric, n_jobs=n_jobs)
        for name in ("density", "delta", "parent"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(dense, name))
        assert tree.bandwidth == dense.bandwidth


def test_squares_that_would_overflow_are_left_to_differences():
    X = rows() * 1e80
    assert points(X, "sqeuclidean").products() is None
    assert points(X, "manhattan").products() is None
    assert points(X, "euclidean").products() is not None


def test_by_hand():
    made = points(np.array([[3.0, 0, 4], [0, 1, 2], [0, 0, 0]])).products()
    np.testing.assert_array_equal(made.norms, [25.0, 5.0, 0.0])
    np.testing.assert_array_equal(
        made.with_all(np.arange(3)), [[25.0, 8.0, 0.0], [8.0, 5.0, 0.0], [0.0, 0.0, 0.0]]
    )
    assert products.TILE == made.tile
