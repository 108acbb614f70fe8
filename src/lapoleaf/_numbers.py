"""Checks of single numbers that users pass."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any


def is_real(value: Any) -> bool:
    """Return whether ``value`` is a real number (True and False are not)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Return whether ``value`` is a whole number (True and False are not)."""
    return isinstance(value, Integral) and not isinstance(value, bool)
