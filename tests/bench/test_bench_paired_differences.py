"""Paired differences, their standard errors, and the best baseline known only afterwards."""

import numpy as np
import pytest

from benchmarks.runner.paired import clairvoyant, paired_difference


def clairvoyant_by_hand(values):
    """Choose on one half of the draws and score on the other, cell by cell."""
    n_methods, n_sets, n_columns, n_splits = values.shape
    halves = [range(n_splits // 2), range(n_splits // 2, n_splits)]
    found = np.empty((n_sets, n_columns, n_splits))
    for which in range(n_sets):
        for column in range(n_columns):
            for chosen_on, scored_on in (halves, halves[::-1]):
                means = {
                    method: np.mean([values[method, which, column, k] for k in chosen_on])
                    for method in range(n_methods)
                    if not np.isnan(values[method, which, column]).any()
                }
                best = max(means, key=means.get)
                for k in scored_on:
                    found[which, column, k] = values[best, which, column, k]
    return found


def test_the_best_is_chosen_on_other_draws_than_it_is_scored_on():
    lucky, steady, poor = [0.9, 0.9, 0.2, 0.2], [0.5, 0.7, 0.6, 0.8], [0.1, 0.1, 0.1, 0.1]
    values = np.array([lucky, steady, poor])[:, None, None]
    # The first half chooses the lucky one for the second, the second half the steady one.
    np.testing.assert_array_equal(clairvoyant(values), [[[0.5, 0.7, 0.2, 0.2]]])


def test_data_sets_and_columns_have_their_own_best():
    values = np.array([[[[0.9, 0.8], [0.1, 0.2]]], [[[0.3, 0.3], [0.6, 0.5]]]])
    np.testing.assert_array_equal(clairvoyant(values), [[[0.9, 0.8], [0.6, 0.5]]])


@pytest.mark.parametrize("n_splits", [2, 3, 10])
def test_the_best_against_choosing_by_hand(n_splits):
    values = np.random.default_rng(n_splits).random((4, 5, 3, n_splits))
    values[2, 1] = values[0, 4] = np.nan
    np.testing.assert_array_equal(clairvoyant(values), clairvoyant_by_hand(values))


def test_one_draw_cannot_choose_and_score():
    with pytest.raises(ValueError, match="two splits or more"):
        clairvoyant(np.ones((2, 1, 1, 1)))


def test_errors_over_data_sets_and_over_draws():
    rng = np.random.default_rng(0)
    gains = rng.normal(0.0, 1.0, (8, 1)) + rng.normal(0.0, 0.1, (8, 5))
    found = paired_difference(gains)
    assert found.mean == pytest.approx(gains.mean())
    assert found.over_sets == pytest.approx(np.std(gains.mean(axis=1), ddof=1) / np.sqrt(8))
    draws = [np.std(line, ddof=1) ** 2 / 5 for line in gains]
    assert found.over_draws == pytest.approx(np.sqrt(np.sum(draws)) / 8)
    # Redrawing labels changes little here, other data sets much.
    assert found.over_draws < 0.1 * found.over_sets


def test_a_single_data_set_or_draw_has_no_error_over_others():
    assert paired_difference(np.array([[0.1, 0.3]])).text() == "+20.00 ± - / 10.00"
    assert paired_difference(np.array([[-0.1], [0.1]])).text() == "+0.00 ± 10.00 / -"
