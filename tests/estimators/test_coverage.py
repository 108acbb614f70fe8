"""Do intervals hold what they promise, on targets drawn from the model itself?

A Gaussian field is drawn on the leading tree of real rows, some of its nodes are observed, with
noise or without; intervals for the others must cover as often as they say.
"""

import numpy as np
import pytest
from models import one_tree_of_numbers
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import minmax_scale

X = minmax_scale(load_diabetes().data)
LEVELS = np.array([0.5, 0.8, 0.9, 0.95])


def draw_field(tree, rng):
    """A value for every node: its leader's and a normal step, the longer the more."""
    mean = np.delete(tree.delta, tree.root).mean()
    steps = rng.normal(size=tree.n_nodes) * np.sqrt(tree.delta / (tree.population * mean))
    field = np.zeros(tree.n_nodes)
    for node in tree.order[1:]:
        field[node] = field[tree.parent[node]] + steps[node]
    return field


def coverages(draws, m, mu, noise_of=None):
    """Share of hidden targets within their intervals, (draws, levels)."""
    model = one_tree_of_numbers(mu=mu).fit(X, np.where(np.arange(len(X)) < 5, 1.0, np.nan))
    noise = 0.5 / (noise_of or mu)
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        y = draw_field(model.tree_, rng) + rng.normal(size=len(X)) * np.sqrt(noise)
        given = rng.permutation(len(X)) < m
        model.update_labels(model.ids_, 7.0 + 100.0 * np.where(given, y, np.nan))
        hidden = 7.0 + 100.0 * y[~given]
        ends = [model.predict_interval(X[~given], level) for level in LEVELS]
        found.append([np.mean((low <= hidden) & (hidden <= high)) for low, high in ends])
    return np.array(found)


def assert_covers(found, levels, slack):
    """The mean coverage is as promised, but for its sampling error (four of its deviations)."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (error < 0.02).all()
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - levels), 4 * error + slack)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mu", [np.inf, 1.0])
def test_intervals_cover_as_often_as_they_say(mu):
    assert_covers(coverages(60, 60, mu), LEVELS, slack=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [np.inf, 1.0, 0.1])
@pytest.mark.parametrize("m", [8, 40, 200])
def test_intervals_cover_as_often_as_they_say_in_many_draws(m, mu):
    found = coverages(400, m, mu)
    told = LEVELS <= m / (m + 1)
    assert_covers(found[:, told], LEVELS[told], slack=0.015 if m == 8 else 0.006)
    # Too few errors for the others: intervals hold at least as often.
    assert (found[:, ~told].mean(axis=0) > LEVELS[~told] - 0.015).all()


@pytest.mark.slow
def test_intervals_cover_when_mu_is_chosen_by_the_same_labels():
    for m in (20, 100):
        assert_covers(coverages(300, m, "auto", noise_of=0.3), LEVELS, slack=0.02)
