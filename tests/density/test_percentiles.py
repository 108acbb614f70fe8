"""Percentiles of pair distances that are never held: the very ones that sorting all would give."""

import numpy as np
import pytest
import twins
from hard_rows import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st

from lapoleaf._density import percentile_bandwidths
from lapoleaf._density import percentile_kernels as kernels
from lapoleaf._points import merge_duplicates, products
from lapoleaf._points.dense import DensePoints

PERCENTS = [0.01, 2.0, 12.5, 50.0, 99.0, 100.0]


@settings(max_examples=100)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 50), st.sampled_from([1, 3, 40]),
    st.sampled_from(list(KINDS)),
    st.sampled_from(["euclidean", "sqeuclidean", "cosine"]),
    st.sampled_from([1, 5, 512]), st.sampled_from([1, 3]), st.booleans(),
)  # fmt: skip
def test_equals_twin(seed, n, d, kind, metric, tile, threads, weighted):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    nodes = merge_duplicates(DensePoints(KINDS[kind](rng, n, d), metric), weight)
    if nodes.points.n < 2:
        return
    D = nodes.points.rows(np.arange(nodes.points.n))
    expected = [twins.bandwidth(D, p, nodes.population.astype(int)) for p in PERCENTS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "TILE", max(tile, n // 8))
        found = percentile_bandwidths(nodes.points, nodes.population, PERCENTS, threads)
    assert found == expected


def test_fractions_and_threads(monkeypatch):
    """Fractional counts: the same percentile for every number of threads, and that by rows."""
    monkeypatch.setattr(products, "TILE", 20)
    rng = np.random.default_rng(0)
    points = DensePoints(rng.normal(size=(150, 3)), "euclidean")
    population = rng.uniform(0.3, 4.0, 150)
    found = [percentile_bandwidths(points, population, PERCENTS, k) for k in (1, 2, 5)]
    assert found[0] == found[1] == found[2]
    monkeypatch.setattr(DensePoints, "products", lambda self: None)
    assert percentile_bandwidths(points, population, PERCENTS) == found[0]


def test_bins_are_in_order():
    base = kernels.first_bin(8.0, 100)
    starts = np.array([kernels.bin_start(base, place) for place in range(1, 101)])
    assert (np.diff(starts) > 0).all()
    assert starts[98] <= 8.0 < starts[99]


def test_count_in_bins():
    """Points at 0, 1, 3: squares 1, 9 and 4, counted 2 * 1, 2 * 5 and 1 * 5 times."""
    x = np.array([0.0, 1.0, 3.0])
    counts = np.array([2.0, 1.0, 5.0])
    bins = np.zeros(10_000)
    base = kernels.first_bin(36.0, bins.size)
    kernels.count_in_bins(np.outer(x, x), 0, 0, x * x, counts, base, bins)
    assert bins.sum() == 17
    edges = [kernels.bin_start(base, int(place)) for place in np.flatnonzero(bins)]
    assert edges == [1.0, 4.0, 9.0]
    assert bins[bins > 0].tolist() == [2.0, 5.0, 10.0]
    below = [kernels.count_below(np.outer(x, x), 0, 0, x * x, counts, low) for low in (1, 2, 5, 10)]
    assert below == [0.0, 2.0, 7.0, 17.0]


def test_all_distances_equal():
    points = DensePoints(np.eye(30), "euclidean")
    assert percentile_bandwidths(points, np.ones(30), [1.0, 100.0]) == [np.sqrt(2), np.sqrt(2)]
