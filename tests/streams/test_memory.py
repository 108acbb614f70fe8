"""Bounded memory: windows, granules, fading; what is kept adds up."""

import warnings

import numpy as np
import pytest

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
)
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.granules import collapsed
from lapoleaf.streams.memory import Memory


def rows_and_targets(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + np.sin(3 * X[:, 1])


def plain(**params):
    return LeadingForestRegressor(n_jobs=1, **params)


def test_population_sums_and_counts_survive_a_collapse():
    X, y = rows_and_targets(300)
    y[::7] = np.nan
    granule = np.arange(300) % 40
    weight = 1.0 + np.arange(300) % 3
    _, means, kept = collapsed(X[:40], granule, y, weight)
    given = ~np.isnan(means)
    assert kept.sum() == pytest.approx(weight.sum())
    assert kept[given].sum() == pytest.approx(weight[~np.isnan(y)].sum())
    assert (kept * np.where(given, means, 0)).sum() == pytest.approx(np.nansum(weight * y))


@pytest.mark.parametrize(
    "model", [plain(), LaPOLeaFRegressor(n_forests=3, experts=None, n_jobs=1)], ids=str
)
def test_max_points_is_never_exceeded_and_answers_stay_near(model):
    X, y = rows_and_targets(700)
    free, bound = Memory(model), Memory(model, max_points=200)
    for memory in (free, bound):
        memory.fit(X[:150], y[:150])
        for start in range(150, 700, 50):
            memory.learn(X[start : start + 50], y[start : start + 50])
            assert memory is free or len(memory) <= 200
    assert bound.weight.sum() == len(free) == 700
    assert (bound.weight * bound.targets).sum() == pytest.approx(y.sum())
    new, truth = rows_and_targets(200, seed=1)
    errors = [((memory.predict(new) - truth) ** 2).mean() for memory in (free, bound)]
    assert errors[0] < errors[1] < 0.2 * truth.var()


def test_a_window_is_the_model_of_the_last_rows():
    X, y = rows_and_targets(400)
    memory = Memory(plain(bandwidth=0.5), window_size=250)
    memory.fit(X[:200], y[:200])
    memory.learn(X[200:300], y[200:300])
    memory.learn(X[300:], y[300:])
    last = plain(bandwidth=0.5).fit(X[150:], y[150:])
    assert np.array_equal(memory.predict(X), last.predict(X))


def test_fading_is_the_model_of_fading_weights():
    X, y = rows_and_targets(300)
    memory = Memory(plain(bandwidth=0.5), half_life=60)
    memory.fit(X[:200], y[:200])
    memory.learn(X[200:], y[200:])
    weight = 2.0 ** (-np.arange(300)[::-1] / 60)
    fading = plain(bandwidth=0.5).fit(X, y, sample_weight=weight)
    assert memory.predict(X) == pytest.approx(fading.predict(X), rel=1e-6, abs=1e-6)


def test_what_has_faded_is_given_up():
    X, y = rows_and_targets(300)
    memory = Memory(plain(bandwidth=0.5), half_life=5)
    memory.fit(X[:100], y[:100])
    for start in range(100, 300, 20):
        memory.learn(X[start : start + 20], y[start : start + 20])
        assert len(memory) <= 20 * 5 + 20
    assert memory.newest <= 2.0**11


@pytest.mark.parametrize(
    "model",
    [
        LeadingForestClassifier(missing_label=-1),
        LaPOLeaFClassifier(n_forests=3, missing_label=-1),
    ],
    ids=str,
)
def test_classes_collapse_by_class(model):
    X, y = rows_and_targets(300)
    codes = (y > 0).astype(np.int64)
    codes[::3] = -1
    memory = Memory(model, max_points=120)
    for start in range(0, 300, 60):
        memory.learn(X[start : start + 60], codes[start : start + 60])
    assert len(memory) <= 120
    for code in (-1, 0, 1):
        assert memory.weight[memory.targets == code].sum() == (codes == code).sum()


@pytest.mark.slow
def test_memory_is_bounded_by_default():
    rng = np.random.default_rng(0)
    regressor = LeadingForestRegressor(n_jobs=1, percent=2.0)
    forecaster = SeriesForecaster(regressor, window=3).fit(np.cumsum(rng.normal(size=5300)))
    assert forecaster.max_points == 5000
    assert len(forecaster._model.memory) <= 5000
    assert sum(part.nbytes for part in forecaster.get_state().values()) < 2e6


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bound", [{"max_points": 100}, {"window_size": 100}, {"half_life": 30}])
def test_a_bounded_forecaster_goes_on_from_its_state(bound):
    series = np.sin(np.arange(500) / 9) + np.random.default_rng(0).normal(scale=0.05, size=500)
    first = SeriesForecaster(window=4, chunk=20, **bound).fit(series[:200])
    for reading in series[200:400]:
        first.update(reading)
    second = SeriesForecaster(window=4, chunk=20, **bound).set_state(first.settle().get_state())
    for reading in series[400:450]:
        first.update(reading)
        second.update(reading)
        assert first.predict_next() == second.predict_next()
        assert first.predict_interval() == second.predict_interval()
    assert len(first._model.memory) <= 20 * 30 + 20


def test_noise_is_no_reason_to_warn():
    """What a linear forecast leaves need not follow from the windows: nothing is misconfigured."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forecaster = SeriesForecaster(window=5, max_points=100).fit(rng.normal(size=150))
        for reading in rng.normal(size=120):
            forecaster.update(reading)
