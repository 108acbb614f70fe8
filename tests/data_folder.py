"""Where the larger data sets are."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("LAPOLEAF_DATA", REPOSITORY.parent / "shared" / "data"))


def existing(path):
    """Return a path, or skip where there is no such file."""
    if not path.exists():
        pytest.skip(f"{path.name} is not there: set LAPOLEAF_DATA to the folder of data sets")
    return path
