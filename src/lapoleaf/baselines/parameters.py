"""Validation of the parameters of baselines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from sklearn import utils

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real, is_whole


def check_positive(name: str, value: Any) -> None:
    """Raise unless ``value`` is a number above 0."""
    if not is_real(value) or not 0 < value <= sys.float_info.max:
        raise ValueError(f"{name}={shown(value)} must be a number above 0.")


def check_count(name: str, value: Any) -> None:
    """Raise unless ``value`` is a whole number of at least 1."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name}={shown(value)} must be a whole number of at least 1.")


def check_count_or_auto(name: str, value: Any) -> None:
    """Raise unless ``value`` is a whole number of at least 1, or "auto"."""
    automatic = isinstance(value, str) and value == "auto"
    if not automatic and (not is_whole(value) or value < 1):
        raise ValueError(f"{name}={shown(value)} must be a whole number of at least 1, or 'auto'.")


def check_positive_or_none(name: str, value: Any) -> None:
    """Raise unless ``value`` is a number above 0, or None."""
    if value is not None and (not is_real(value) or not 0 < value <= sys.float_info.max):
        raise ValueError(f"{name}={shown(value)} must be a number above 0, or None.")


def check_random_state(value: Any) -> None:
    """Raise unless ``value`` is a seed, a generator or None."""
    try:
        utils.check_random_state(value)
    except ValueError as error:
        raise ValueError(
            f"random_state={shown(value)} must be a whole number from 0 to 2**32 - 1, a "
            f"RandomState, or None."
        ) from error


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless ``value`` is one of the ``choices``."""
    if not isinstance(value, str) or value not in choices:
        known = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={shown(value)} must be {known}.")
