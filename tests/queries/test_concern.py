"""How much the label of every node matters, by hand."""

import numpy as np

from lapoleaf._queries import bounded_concern, unsureness


def test_unsureness_is_one_minus_the_margin():
    P = np.array([[0.5, 0.5, 0.0], [0.7, 0.1, 0.2], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(unsureness(P), [1.0, 0.5, 0.001])


def test_one_class_is_unsure_everywhere():
    np.testing.assert_allclose(unsureness(np.ones((2, 1))), 1.0)


def test_a_variance_counts_up_to_twenty_times_the_median():
    population = np.array([1.0, 2.0, 3.0, 2.0, 1.0])
    variance = np.array([0.0, 1.0, 1.0, 100.0, 0.5])
    with np.errstate(divide="ignore"):
        concern = bounded_concern(population, 1.0 / variance)
    np.testing.assert_allclose(concern, [1.0, 2.0, 3.0, 2.0 * 20 / 100, 1.0])


def test_a_node_without_any_information_does_not_count():
    assert bounded_concern(np.ones(3), np.array([1.0, 1.0, 0.0])).tolist() == [1.0, 1.0, 0.0]


def test_nothing_is_bounded_where_everything_is_known():
    population = np.array([1.0, 2.0])
    assert bounded_concern(population, np.full(2, np.inf)).tolist() == [1.0, 2.0]
