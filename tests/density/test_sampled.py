"""Densities from near points and a sample of the others."""

import numpy as np
import pytest

from lapoleaf._density import Effort, sampled_neighbourhoods
from lapoleaf._density.sampled import Sample
from lapoleaf._points.cell_search import make_search
from lapoleaf._points.checks import make_points


def blobs(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, d))[rng.integers(6, size=n)] * 3 + rng.normal(size=(n, d))


def search_of(X, metric="euclidean"):
    return make_search(make_points(X, metric, None, np.ones(len(X))))


def far_distances(search):
    """Distances by which the sample counts: what a projection leaves out is at right angles."""
    if not search.is_projected:
        return search.points.rows(np.arange(search.points.n))
    frame, columns = search.frame, search.points.columns
    centred = (columns.T - frame.centre) / frame.unit
    rows = centred @ frame.components.T
    left_out = (centred**2).sum(axis=1) - (rows**2).sum(axis=1)
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2) + left_out[:, None] + left_out
    return np.sqrt(squares) * frame.unit


def twin_densities(search, population, bandwidth, unit, effort):
    """Neighbours in full; of the others those in the sample, times what they stand for."""
    found = sampled_neighbourhoods(search, population, [bandwidth], unit, effort)
    n, m = search.points.n, effort.sample // 2 if search.is_projected else effort.sample
    sample = Sample.draw(search, population, m)
    K = np.exp(-((search.points.rows(np.arange(n)) / bandwidth) ** 2))
    far = np.exp(-((far_distances(search) / bandwidth) ** 2))
    drawn = np.flatnonzero(sample.number >= 0)
    stands_for = np.zeros(n)
    stands_for[drawn] = sample.weight[sample.number[drawn]]
    densities = np.empty(n)
    for i in range(n):
        near, weight = found.neighbours[i], stands_for.copy()
        weight[near] = weight[i] = 0.0
        densities[i] = population[i] - unit + population[near] @ K[i, near] + weight @ far[i]
    return densities


@pytest.mark.parametrize(("metric", "d"), [("euclidean", 3), ("cosine", 3), ("sqeuclidean", 3),
                                           ("euclidean", 80)])  # fmt: skip
def test_against_the_twin(metric, d):
    X = blobs(700, d)
    search = search_of(X, metric)
    population = 1.0 + np.arange(700) % 3
    bandwidth = float(np.quantile(search.points.rows(np.arange(50)), 0.1))
    effort = Effort(looked_at=300, sample=150)
    found = sampled_neighbourhoods(search, population, [bandwidth, 2 * bandwidth], 1.0, effort)
    for which, width in enumerate([bandwidth, 2 * bandwidth]):
        wanted = twin_densities(search, population, width, 1.0, effort)
        np.testing.assert_allclose(found.densities[which], wanted, rtol=2e-4, atol=1e-4)


def test_a_sample_stands_for_all():
    search = search_of(blobs(1000, 3))
    population = 1.0 + np.arange(1000) % 4
    for m in (10, 333, 1000):
        sample = Sample.draw(search, population, m)
        drawn = np.flatnonzero(sample.number >= 0)
        assert len(drawn) == len(sample.weight) <= m
        assert sample.weight.sum() == pytest.approx(population.sum())
    everybody = Sample.draw(search, np.full(1000, 7.0), 1000)
    np.testing.assert_allclose(everybody.weight, 1.0)
    assert everybody.unit == 7.0


def test_heavy_points_are_in_the_sample_as_they_are():
    search = search_of(blobs(1000, 3))
    population = np.ones(1000)
    population[[3, 500]] = 5000.0, 400.0
    sample = Sample.draw(search, population, 100)
    assert sample.weight[sample.number[[3, 500]]].tolist() == [5000.0, 400.0]
    assert sample.weight.sum() == pytest.approx(population.sum())


def test_the_sample_is_right_on_average(monkeypatch):
    """Over many draws the mean is the true density: near and far count neither twice nor never."""
    X = blobs(400, 2)
    search = search_of(X)
    true = np.exp(-(search.points.rows(np.arange(400)) ** 2)).sum(axis=1) - 1.0
    total = np.zeros(400)
    for seed in range(100):
        monkeypatch.setattr("lapoleaf._density.sampled._SEED", seed)
        found = sampled_neighbourhoods(search, np.ones(400), [1.0], 1.0, Effort(400, 40))
        total += found.densities[0]
    np.testing.assert_allclose(total / 100, true, rtol=0.1)


@pytest.mark.parametrize("d", [3, 80])
def test_densities_do_not_depend_on_threads(d):
    search = search_of(blobs(1000, d))
    one, three = (
        sampled_neighbourhoods(search, np.ones(1000), [2.0], 1.0, Effort(200, 200), threads)
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(one.densities, three.densities)
