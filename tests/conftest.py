"""Settings of hypothesis, and where the larger data sets are."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# No deadline: the first example of a test may have to compile a kernel.
settings.register_profile("lapoleaf", deadline=None, max_examples=60)
settings.load_profile("lapoleaf")

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shapes():
    """Give a function that loads a set of artificial shapes, or skips where there is none."""
    folder = Path(os.environ.get("LAPOLEAF_DATA", REPOSITORY.parent / "shared" / "data"))

    def load(name):
        path = folder / "shapes" / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"{path.name} is not there: set LAPOLEAF_DATA to the folder of data sets")
        with np.load(path) as stored:
            return stored["X"]

    return load
