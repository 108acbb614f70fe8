"""Nearest nodes of new rows by products: those of a full search, to the last bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lapoleaf._points import product_kernels
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.row_products import RowProducts
from lapoleaf._tree.new_rows import nearest_nodes

METRICS = ("euclidean", "sqeuclidean", "cosine")
N, D, K = 700, 60, 10


def full_search(points: DensePoints, order: Any, X: Any, k: int) -> tuple[Any, Any]:
    """Measure all nodes: the nearest first, equal ones in the order of the points."""
    nodes, lengths = [], []
    for row in X:
        distances = points.measure(points.prepare(row[None]))[0]
        distances[distances <= (points.zero or 0.0)] = 0.0
        nearest = order[np.argsort(distances[order], kind="stable")][:k]
        lengths.append(distances[nearest])
        if distances[nearest[0]] == 0.0:
            nearest[0] = np.flatnonzero(distances == 0.0)[0]
        nodes.append(nearest)
    return np.array(nodes), np.array(lengths)


def assert_as_full_search(X: Any, new: Any, metric: str, threads: int = 1) -> None:
    points = DensePoints(X, metric)
    order = points.canonical_order()
    tree: Any = SimpleNamespace(points=points, cells=None, canonical_order=order)
    nodes, lengths = nearest_nodes(tree, new, K, threads)
    expected = full_search(points, order, new, K)
    np.testing.assert_array_equal(nodes, expected[0])
    np.testing.assert_array_equal(lengths, expected[1])


def rows_of(kind: str, rng: np.random.Generator) -> Any:
    X = rng.normal(size=(N, D))
    match kind:
        case "float32":
            return X.astype(np.float32)
        case "whole numbers":  # many equal distances
            return np.unique(rng.integers(0, 2, size=(N, D)).astype(float), axis=0)
        case "far from 0":
            return X + 1e5
        case "groups far apart":
            return X + 1e9 * rng.integers(0, 3, size=(N, 1))
        case "one row far away":
            X[0] = 1e12
            return X
        case "tiny":
            return X * 1e-160
        case "huge":
            return X * 1e160
        case _:
            return X


KINDS = ("float64", "float32", "whole numbers", "far from 0", "groups far apart",
         "one row far away", "tiny", "huge")  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_as_a_full_search(kind: str, metric: str) -> None:
    rng = np.random.default_rng(0)
    X = rows_of(kind, rng)
    near = X[:40] + (rng.normal(size=(40, D)) * 1e-3 * np.abs(X[:40])).astype(X.dtype)
    new = np.concatenate([near, X[100:110], rows_of(kind, rng)[:20]])
    assert_as_full_search(X, new, metric)


@pytest.mark.parametrize("metric", METRICS)
def test_rows_of_other_magnitudes(metric: str) -> None:
    rng = np.random.default_rng(1)
    new = rng.normal(size=(40, D)) * 10.0 ** rng.integers(-30, 30, size=(40, 1))
    new[3] = 0.0
    if metric != "sqeuclidean":
        new[4] *= 1e150
    assert_as_full_search(rng.normal(size=(N, D)), new, metric, threads=2)


def test_parallel_rows_are_at_distance_0() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, D))
    X[30:60] = X[0] * rng.uniform(0.5, 2.0, size=(30, 1))
    assert_as_full_search(X, X[:60] * 3.0, "cosine")


def test_bounds_hold_for_every_square() -> None:
    """A shortlist of all points that can be nearest has those that are, whatever the rounding."""
    rng = np.random.default_rng(3)
    products = (rng.normal(size=(6, 50)) * 2).astype(np.float32)
    own, norms, slack, least, zero = rng.random(6), rng.random(50) * 9, 0.05, 0.01, 1e-3
    listed = np.full((6, 50), -1)
    complete = product_kernels.shortlist(products, own, norms, 4, slack, least, zero, listed)
    total = own[:, None] + norms
    squares, error = total - 2.0 * products.astype(float), slack * total + least
    limit = np.maximum(np.sort(squares + error, axis=1)[:, 3], zero)
    for row in range(6):
        expected = np.flatnonzero(squares[row] - error[row] <= limit[row])
        np.testing.assert_array_equal(listed[row][listed[row] >= 0], expected)
    assert complete.all()


def test_short_lists_are_reported() -> None:
    listed = np.full((1, 4), -1)
    equal, norms = np.zeros((1, 9), dtype=np.float32), np.ones(9)
    complete = product_kernels.shortlist(equal, np.ones(1), norms, 2, 0.1, 0.0, 0.0, listed)
    assert listed.tolist() == [[0, 1, 2, 3]]
    assert complete.tolist() == [False]


@pytest.mark.parametrize(
    ("shape", "metric", "n_rows"),
    [((N, 8), "euclidean", 50), ((N, D), "manhattan", 50), ((N, D), "euclidean", 3)],
)
def test_where_products_are_of_no_use(shape: tuple[int, int], metric: str, n_rows: int) -> None:
    points = DensePoints(np.random.default_rng(4).normal(size=shape), metric)
    assert RowProducts.of(points, n_rows) is None


def test_equal_points_have_no_unit() -> None:
    assert RowProducts.of(DensePoints(np.ones((N, D)), "euclidean"), 50) is None
