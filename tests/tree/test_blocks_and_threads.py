"""The same tree, to the last bit, for every size of blocks and number of threads."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import twins
from cases import FORMULAS, rows_for, table

from lapoleaf import _parallel, leading_tree

CANCER = table("breast_cancer")
DUPLICATED = np.concatenate([CANCER[:300], CANCER[100:400]])


def graph():
    D = twins.pair_distances(CANCER[:200], FORMULAS["euclidean"])
    return sp.csr_array(np.where(D < np.quantile(D, 0.2), D, 0.0))


TABLES = {
    "euclidean": DUPLICATED,
    "manhattan": DUPLICATED,
    "chebyshev": DUPLICATED,
    "sqeuclidean": DUPLICATED,
    "cosine": DUPLICATED,
    "nan_euclidean": rows_for("nan_euclidean", CANCER),
    "canberra": CANCER[:300],
    "minkowski": CANCER[:300],
    "sparse": sp.csr_array(table("digits")),
    "matrix": twins.pair_distances(CANCER[:300], FORMULAS["euclidean"]),
    "graph": graph(),
}
METRICS = {"sparse": "euclidean", "matrix": "precomputed", "graph": "precomputed"}
WEIGHT = np.random.default_rng(0).integers(0, 4, 600)


def build(kind, n_jobs=1):
    X = TABLES[kind]
    params = {"p": 3} if kind == "minkowski" else None
    return leading_tree(
        X, metric=METRICS.get(kind, kind), metric_params=params, n_jobs=n_jobs,
        sample_weight=WEIGHT[: X.shape[0]],
    )  # fmt: skip


def assert_same(a, b):
    assert a.bandwidth == b.bandwidth
    for name in ("node_of", "population", "density", "delta", "parent"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", TABLES)
def test_threads(kind):
    alone = build(kind)
    for n_jobs in (2, 4, -1, None):
        assert_same(build(kind, n_jobs), alone)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", TABLES)
def test_working_memory(kind):
    alone = build(kind)
    for megabytes in (0.001, 0.1, 4000):
        with sklearn.config_context(working_memory=megabytes):
            assert_same(build(kind, 2), alone)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", TABLES)
def test_rows_in_a_block(kind, monkeypatch):
    alone = build(kind)
    for rows in (1, 7, 63, 10_000):
        monkeypatch.setattr(_parallel, "_MOST_ROWS", rows)
        assert_same(build(kind, 2), alone)


def test_a_callable_may_be_called_from_several_threads():
    names = set()

    def metric(a, b):
        names.add(threading.get_ident())
        return np.abs(a - b).max()

    X = CANCER[:50, :4]
    with sklearn.config_context(working_memory=0.001):
        tree = leading_tree(X, metric=metric, n_jobs=3)
    assert len(names - {threading.get_ident()}) > 0
    assert_same(tree, leading_tree(X, metric="chebyshev"))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_ctrl_c_inside_a_metric_stops_everything(n_jobs):
    calls = []

    def metric(a, b):
        calls.append(1)
        if len(calls) > 500:
            raise KeyboardInterrupt
        return np.abs(a - b).max()

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        leading_tree(CANCER, metric=metric, n_jobs=n_jobs)
    assert threading.active_count() == before
    # Far from all 569 * 569 pairs were measured.
    assert len(calls) < 569 * 569 / 4


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_inside_a_metric_is_raised(n_jobs):
    def metric(a, b):
        raise RuntimeError("no distance today")

    with pytest.raises(RuntimeError, match="no distance today"):
        leading_tree(CANCER, metric=metric, n_jobs=n_jobs)
