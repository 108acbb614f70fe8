"""Marks of parameters."""

import pytest


def slow(*values):
    """Return parameters that only make test-all tries."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
