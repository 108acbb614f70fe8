"""Settings of hypothesis, and where the larger data sets are."""

import numpy as np
import pytest
from data_folder import FOLDER, existing
from hypothesis import settings

# No deadline: the first example of a test may have to compile a kernel.
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("all", deadline=None, max_examples=60)


def pytest_configure(config):
    """Draw fewer examples where slow tests are left out."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "all")


@pytest.fixture(scope="session")
def shapes():
    """Return a function that loads a set of artificial shapes, or skips where there is none."""

    def load(name):
        path = existing(FOLDER / "shapes" / f"{name}.npz")
        with np.load(path) as stored:
            return stored["X"]

    return load


@pytest.fixture(scope="session")
def water():
    """Return a function that loads the pH readings of a water series, or skips."""

    def load(name):
        path = existing(FOLDER / "water" / f"{name}.csv")
        values = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=1)
        return values[~np.isnan(values)]

    return load
