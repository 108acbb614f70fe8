"""Many forests: the mean of their labels, also without a label, and shares of given ones."""

import numpy as np
import pytest
from models import few_forests
from sklearn.datasets import load_iris

import lapoleaf._propagation.ensemble as ensemble_module
from lapoleaf import propagate
from lapoleaf._propagation import Settings
from lapoleaf._propagation.attribution import label_shares
from lapoleaf._propagation.ensemble import propagate_ensemble, shares_by_forest
from lapoleaf._propagation.forest_stack import ForestStack

X = load_iris().data + np.random.default_rng(0).uniform(0, 1e-3, (150, 4))
Y = np.eye(3)[load_iris().target]
FORESTS = few_forests().fit(X, load_iris().target).forests_


def some(m=12, seed=0):
    """Labels and counts of m nodes, some of them given twice."""
    rng = np.random.default_rng(seed)
    count = np.zeros(150)
    count[rng.permutation(150)[:m]] = rng.integers(1, 3, m)
    return np.where(count[:, None] > 0, Y, 0.0), count


def plain_mean(labels, count, settings):
    options = {"mu": settings.mu, "weights": settings.weights, "coupling": settings.coupling}
    return np.mean([propagate(f, labels, count, **options).labels for f in FORESTS], axis=0)


SETTINGS = [Settings("exact", mu, "self-tuned", 1.0) for mu in (0.03, 1.0, np.inf)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_mean_of_all_forests(settings):
    labels, count = some()
    found = propagate_ensemble(FORESTS, labels, count, settings)
    np.testing.assert_allclose(found.labels, plain_mean(labels, count, settings), rtol=1e-12)
    threads = propagate_ensemble(FORESTS, labels, count, settings, threads=3)
    np.testing.assert_array_equal(threads.labels, found.labels)
    np.testing.assert_array_equal(threads.leave_one_out, found.leave_one_out)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_leave_one_out_is_deleting_the_label_everywhere(settings):
    labels, count = some()
    found = propagate_ensemble(FORESTS, labels, count, settings).leave_one_out
    for node in np.flatnonzero(count):
        fewer = np.where(np.arange(150) == node, 0.0, count)
        wanted = plain_mean(labels * (fewer > 0)[:, None], fewer, settings)[node]
        np.testing.assert_allclose(found[node], wanted, rtol=1e-9, atol=1e-12)
    assert np.isnan(found[count == 0]).all()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_shares_sum_to_1_and_make_the_label(settings):
    labels, count = some()
    result = propagate_ensemble(FORESTS, labels, count, settings)
    for node in (0, 70, 149, int(np.flatnonzero(count)[0])):
        stack = ForestStack.of(FORESTS, settings)
        shares = shares_by_forest(stack, count, settings.mu, [node, 3])
        assert shares.shape == (len(FORESTS), 2, (count > 0).sum())
        plain = [label_shares(forest, count, result, [node, 3]) for forest in FORESTS]
        np.testing.assert_allclose(shares, np.stack(plain)[:, :, count > 0], atol=1e-12)
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=2), 1.0, rtol=1e-12)
        mean = shares.mean(axis=0) @ labels[count > 0]
        np.testing.assert_allclose(mean, result.labels[[node, 3]], rtol=1e-9, atol=1e-14)


def test_the_variance_is_the_mean_of_the_variances():
    labels, count = some()
    found = propagate_ensemble(FORESTS, labels, count, SETTINGS[1])
    each = [propagate(f, labels, count, mu=1.0, weights="self-tuned") for f in FORESTS]
    np.testing.assert_allclose(
        1.0 / found.precision, np.mean([1.0 / result.precision for result in each], axis=0)
    )


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_many_columns_are_propagated_in_blocks(settings, monkeypatch):
    labels, count = some()
    whole = propagate_ensemble(FORESTS, labels, count, settings)
    monkeypatch.setattr(ensemble_module, "_MAX_LABELS_TOGETHER", 1)
    monkeypatch.setattr(ensemble_module, "_MIN_COLUMNS", 2)
    blocks = propagate_ensemble(FORESTS, labels, count, settings)
    for name in ("labels", "leave_one_out", "precision", "others", "sigma2"):
        np.testing.assert_array_equal(getattr(blocks, name), getattr(whole, name), err_msg=name)
