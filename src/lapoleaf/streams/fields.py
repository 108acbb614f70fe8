"""What stands in a line becomes a reading or a time, or is refused."""

from __future__ import annotations

import math
import re
import reprlib
from typing import Any

from lapoleaf.streams.times import seconds_of

MISSING = ("", "nan", "na", "null", "none")
# As sensors write them: no underscores, no digits of other scripts, no infinities.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# No sensor measures more, and squares of errors stay finite.
_LARGEST_READING = 1e100
# Nanoseconds since 1970 are 2e18.
_LARGEST_TIME = 1e20
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 40


class BadLine(ValueError):
    """A line that is no reading; the message has the reason."""


def is_reading(text: str) -> bool:
    """Return whether a text is a number, or a reading that is missing."""
    return text.lower() in MISSING or _NUMBER.fullmatch(text) is not None


def as_value(found: Any) -> float:
    """Return a reading as a number, NaN if it is missing."""
    if found is None or (isinstance(found, str) and found.lower() in MISSING):
        return math.nan
    value = as_number(found)
    if value is None or abs(value) > _LARGEST_READING:
        raise BadLine(f"has {shortened(found)} for a reading")
    return value


def as_time(found: Any) -> float:
    """Return a timestamp as a number; that of a date is in seconds."""
    value = as_number(found)
    if value is None and isinstance(found, str):
        try:
            value = seconds_of(found)
        except ValueError:
            value = None
    if value is None or not abs(value) <= _LARGEST_TIME:
        raise BadLine(f"has {shortened(found)} for a timestamp")
    return value


def as_number(found: Any) -> float | None:
    """Return a number, infinite where it is too large; None for anything else."""
    if isinstance(found, str):
        return float(found) if _NUMBER.fullmatch(found) else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        return float(found)
    except OverflowError:
        return math.inf


def shortened(found: Any) -> str:
    """Return what a line holds as a text for messages: short, and however deeply it is nested."""
    return _SHORT.repr(found)


def listed(names: list[str]) -> str:
    """Return names of columns for messages, not too many of them."""
    short = [name if len(name) <= 40 else name[:37] + "..." for name in names[:10]]
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return ", ".join([*(name if name.isprintable() else repr(name) for name in short), *more])
