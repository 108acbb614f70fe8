"""Whether rows are a table of categories and counts."""

import numpy as np
import pytest
from models import few_forests
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import scale

from lapoleaf._points.checks import make_points
from lapoleaf.estimators import class_ensemble
from lapoleaf.estimators.discreteness import discreteness_of

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(400, 6))
CATEGORIES = np.eye(3)[RNG.integers(3, size=400)]


def of(X, metric="euclidean"):
    return discreteness_of(make_points(X, metric, None, np.ones(X.shape[0])))


def slowly(X):
    """The share of the variance in columns of few values, none in most rows, over a tenth."""
    total = few = 0.0
    for column in X.T:
        numbers = column.tolist()
        most_frequent = max(numbers.count(number) for number in numbers)
        total += np.var(column)
        if len(set(numbers)) <= 10 and most_frequent <= 0.8 * len(numbers):
            few += np.var(column)
    return min(few / total / 0.1, 1.0)


@pytest.mark.parametrize("unit", [0.0, 0.1, 0.5, 1.0, 1e-120, 1e120])
def test_the_share_of_the_variance_in_columns_of_few_values(unit):
    rare = np.arange(400) % 7 == 0
    X = np.column_stack([NUMBERS, unit * CATEGORIES, unit * rare])[:300]
    expected = slowly(X / max(1.0, unit))
    assert of(X) == pytest.approx(expected, rel=1e-9)
    assert 0.0 <= of(X) <= 1.0


def test_measurements_and_pixels_are_no_table():
    assert of(NUMBERS) == 0.0
    assert of(load_digits().data) < 0.1
    assert of(load_iris().data) == 0.0


def test_pixels_at_the_edge_of_pictures_are_no_categories():
    """Standardised, they have as much variance as all others, and few values."""
    assert of(scale(load_digits().data)) < 0.2


def test_binary_pixels_are_no_table():
    assert of(RNG.integers(2, size=(300, 150)).astype(float)) == 1.0
    assert of(RNG.integers(2, size=(300, 151)).astype(float)) == 0.0


@pytest.mark.parametrize("n", [1, 2, 5, 10, 30])
def test_among_few_rows_columns_have_few_values_by_necessity(n):
    assert of(NUMBERS[:n]) == 0.0


def test_the_order_of_rows_does_not_count():
    X = np.column_stack([NUMBERS, 0.2 * CATEGORIES])
    found = of(X)
    assert 0.0 < found < 1.0
    assert of(X[RNG.permutation(400)]) == pytest.approx(found, rel=1e-12)


def test_rows_without_columns_and_with_holes():
    assert of(csr_array(CATEGORIES)) == 0.0
    assert of(np.zeros((20, 2))) == 0.0
    with_hole = CATEGORIES.copy()
    with_hole[0, 0] = np.nan
    assert of(with_hole, "nan_euclidean") == 0.0


def test_the_mixture_of_a_table_is_that_of_a_table(monkeypatch):
    X = np.column_stack([NUMBERS, CATEGORIES])[:120]
    y = np.full(120, -1)
    y[:12] = np.arange(12) % 2

    def sharpness():
        return few_forests().fit(X, y).chosen_["sharpness"]

    now = sharpness()
    monkeypatch.setattr(class_ensemble, "discreteness_of", lambda points: 0.0)
    of_measurements = sharpness()
    monkeypatch.setattr(class_ensemble, "discreteness_of", lambda points: 1.0)
    assert now == sharpness()
    assert now != pytest.approx(of_measurements, rel=0.01)
