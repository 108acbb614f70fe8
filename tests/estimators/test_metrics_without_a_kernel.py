"""Under most metrics exp(-d**2) has negative eigenvalues: ridge and trend must not mind."""

import numpy as np
import pytest
from models import few_forests, few_forests_of_numbers

METRICS = ["euclidean", "manhattan", "canberra", "cosine", "chebyshev", "correlation"]
RNG = np.random.default_rng(1)
X = RNG.normal(size=(150, 5))
TRUTH = np.sin(X[:, 0]) + X[:, 1]
GIVEN = np.arange(150) % 3 == 0


@pytest.mark.parametrize("metric", METRICS)
def test_numbers_are_not_worse_than_their_mean(metric):
    model = few_forests_of_numbers(metric=metric).fit(X, np.where(GIVEN, TRUTH, np.nan))
    errors = (model.transduction_ - TRUTH)[~GIVEN]
    assert np.sqrt(np.mean(errors**2)) < TRUTH.std()
    lower, upper = model.predict_interval(X[~GIVEN])
    inside = (lower <= TRUTH[~GIVEN]) & (TRUTH[~GIVEN] <= upper)
    assert inside.mean() > 0.7


@pytest.mark.parametrize("metric", METRICS)
def test_leave_one_out_of_the_ridge_is_of_this_world(metric):
    classes = (TRUTH > 0).astype(int)
    model = few_forests(metric=metric).fit(X, np.where(GIVEN, classes, -1))
    ridge, *_ = model._state.now.labelling.experts
    assert ridge.name == "ridge"
    assert np.abs(ridge.leave_one_out).max() < 5
    assert np.mean(model.transduction_ == classes) > 0.6
