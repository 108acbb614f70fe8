"""Settings of hypothesis, and where the larger data sets are."""

from collections import defaultdict

import numpy as np
import pytest
from data_folder import FOLDER, existing
from hypothesis import settings

# No deadline: the first example of a test may have to compile a kernel.
settings.register_profile("quick", deadline=None, max_examples=15)
settings.register_profile("all", deadline=None, max_examples=60)


def pytest_configure(config):
    """Draw fewer examples where slow tests are left out."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "all")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Call all but ``n`` of the parameters of a test slow where it is marked ``sampled(n)``."""
    tests = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark and not item.get_closest_marker("slow"):
            tests[item.parent, item.originalname, mark.args[0]].append(item)
    for (_, _, n), variants in tests.items():
        kept = {round(k * (len(variants) - 1) / max(n - 1, 1)) for k in range(n)}
        for k in set(range(len(variants))) - kept:
            variants[k].add_marker(pytest.mark.slow)


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
