"""A metric is one object: another one needs nothing but a line in the table."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import lapoleaf
from lapoleaf import GrowingTree, LaPOLeaFClassifier, leading_tree
from lapoleaf._points import kernels
from lapoleaf._points.incremental import growing_points
from lapoleaf._points.metrics import METRICS, FastMetric, allows_nan, without_aliases

HALVED_MANHATTAN = FastMetric("halved manhattan", kernels.ABSOLUTES, factor=0.5, triangle=True)
DOUBLED_EUCLIDEAN = FastMetric(
    "doubled euclidean", kernels.SQUARES, rooted=True, factor=2.0, triangle=True
)
# A toy, the metric it is a multiple of, and the multiple.
TOYS = {
    HALVED_MANHATTAN.name: (HALVED_MANHATTAN, "manhattan", 0.5),
    DOUBLED_EUCLIDEAN.name: (DOUBLED_EUCLIDEAN, "euclidean", 2.0),
}


@pytest.fixture(params=TOYS)
def toy(request, monkeypatch):
    metric, model, factor = TOYS[request.param]
    monkeypatch.setitem(METRICS, metric.name, metric)
    return metric.name, model, factor


def rows(n=90, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def assert_multiple(tree, other, factor):
    """Check that a tree is another one, with distances multiplied by a power of two."""
    np.testing.assert_array_equal(tree.parent, other.parent)
    np.testing.assert_array_equal(tree.density, other.density)
    np.testing.assert_array_equal(tree.delta, factor * other.delta)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_tree_under_a_new_metric(toy, form):
    name, model, factor = toy
    tree, other = leading_tree(form(rows()), metric=name), leading_tree(rows(), metric=model)
    assert tree.points.metric == name
    assert tree.bandwidth == factor * other.bandwidth
    assert_multiple(tree, other, factor)


def test_a_new_metric_of_squares_is_built_approximately(monkeypatch):
    monkeypatch.setitem(METRICS, DOUBLED_EUCLIDEAN.name, DOUBLED_EUCLIDEAN)
    X = rows(5000)
    tree = leading_tree(X, metric=DOUBLED_EUCLIDEAN.name, build="approximate", bandwidth=0.5)
    assert_multiple(tree, leading_tree(X, build="approximate", bandwidth=0.25), 2.0)


def test_a_tree_grows_under_a_new_metric(toy):
    name, model, factor = toy
    X = rows()
    growing = GrowingTree(leading_tree(X[:60], metric=name, bandwidth=factor))
    growing.insert(X[60:])
    growing.remove([3, 70])
    kept = np.delete(X, [3, 70], axis=0)
    assert_multiple(growing.freeze(), leading_tree(kept, metric=model, bandwidth=1.0), factor)


def test_predictions_under_a_new_metric(toy):
    name, model, _ = toy
    X = np.concatenate([rows(40), rows(40, 1) + 5.0])
    y = np.full(80, -1)
    y[[0, 1, 40, 41]] = [0, 0, 1, 1]
    found, expected = (LaPOLeaFClassifier.as_published(metric=m).fit(X, y) for m in (name, model))
    new = rows(30, 2) + np.linspace(0, 5, 30)[:, None]
    np.testing.assert_allclose(
        found.predict_proba(new), expected.predict_proba(new), rtol=1e-9, atol=1e-12
    )
    found.partial_fit(new)
    assert len(found.transduction_) == 110


@pytest.mark.parametrize("metric", [*METRICS, *TOYS])
def test_block_row_and_pairs_finish_alike(metric, monkeypatch):
    """To the last bit, also for rows of zeros; and as ten lines of NumPy do."""
    for name, (toy, *_) in TOYS.items():
        monkeypatch.setitem(METRICS, name, toy)
    kind = METRICS[metric]
    X = rows(40)
    X[7] = 0.0
    points = leading_tree(X, metric=metric).points
    D = points.rows(np.arange(40))
    growing = growing_points(points)
    np.testing.assert_array_equal(
        np.stack([growing.distances(x) for x in points.at(np.arange(40))]), D
    )
    i, j = np.triu_indices(40, 1)
    np.testing.assert_array_equal(points.pairs(i, j), D[i, j])
    np.testing.assert_array_equal(growing.pairs(i, j), D[i, j])
    twin = [[formula(kind, x, y) for y in X] for x in X]
    np.testing.assert_allclose(D, twin, atol=1e-15)


def formula(kind, x, y):
    if kind.unit_rows:
        if not x.any() or not y.any():
            return float(x.any() or y.any())
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    difference = np.abs(x - y)
    value = {
        kernels.SQUARES: (difference**2).sum(),
        kernels.PRESENT_SQUARES: (difference**2).sum(),
        kernels.ABSOLUTES: difference.sum(),
        kernels.LARGEST: difference.max(),
    }[kind.operation]
    return kind.factor * (np.sqrt(value) if kind.rooted else value)


@pytest.mark.parametrize("metric", METRICS)
def test_what_a_distance_was_before_it_was_finished(metric):
    kind = METRICS[metric]
    for scale in (1.0, 2.0**-300, 2.0**300) if kind.rooted else (1.0,):
        value = np.array([[4.0]])
        kind.finish_block(value, scale, np.zeros(1, dtype=bool), np.zeros(1, dtype=bool))
        assert kind.value_of(float(value[0, 0]), scale) == 4.0


def test_aliases():
    assert without_aliases("l2", {}) == ("euclidean", {})
    assert without_aliases("cityblock", {}) == ("manhattan", {})
    assert without_aliases("minkowski", {}) == ("euclidean", {})
    assert without_aliases("minkowski", {"p": 1}) == ("manhattan", {})
    assert without_aliases("minkowski", {"p": 3}) == ("minkowski", {"p": 3})
    assert without_aliases(max, {}) == (max, {})


def test_only_one_metric_takes_missing_values():
    assert [name for name in METRICS if allows_nan(name)] == ["nan_euclidean"]
    assert not allows_nan("no such metric")
    assert not allows_nan(max)


def test_nobody_else_asks_for_names():
    """What depends on a metric is a field of its object, so that another one needs no branch."""
    package = Path(lapoleaf.__file__).parent
    names = "|".join(METRICS)
    asks = re.compile(rf"""(==|!=|\bin) *[(\[{{]*["']({names})["']""")
    files = [
        file
        for room in ("_points", "_density", "_tree")
        for file in package.glob(f"{room}/**/*.py")
    ]
    found = [file.name for file in files if asks.search(file.read_text())]
    assert len(files) > 40
    assert found == []
