"""Data of which few rows have a label."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from benchmarks.data.splits import labels_a_class


@pytest.fixture(scope="session")
def few_labels():
    """Iris in [0, 1]: rows, the truth, and labels of five rows a class."""
    X, truth = load_iris(return_X_y=True)
    return minmax_scale(X), truth, np.where(labels_a_class(truth, 5, seed=1), truth, -1)


@pytest.fixture(scope="session")
def cloud():
    return np.random.default_rng(0).normal(size=(60, 3))
