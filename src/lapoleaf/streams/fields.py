"""Parsing of readings and times."""

from __future__ import annotations

import math
import re
import reprlib
from typing import Any

from lapoleaf.streams.times import is_compact_date, seconds_of

MISSING = ("", "nan", "na", "null", "none")
# Numbers as written by sensors: no underscores, no digits of other scripts, no infinities.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Maximum reading, so that squared errors stay finite.
_LARGEST_READING = 1e100
# Nanoseconds since 1970 are 2e18.
_LARGEST_TIME = 1e20
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 40


class BadLine(ValueError):
    """A line that is not a reading; the message has the reason."""


def is_reading(text: str, decimal: str = ".") -> bool:
    """Whether a text is a number, or a missing reading."""
    return text.lower() in MISSING or _as_plain(text, decimal) is not None


def is_time(text: str) -> bool:
    """Whether a text is a date."""
    try:
        seconds_of(text)
    except ValueError:
        return False
    return True


def as_value(found: Any, decimal: str = ".") -> float:
    """Return a reading as a number, NaN if it is missing.

    Parameters
    ----------
    found : object
        What is in the line.
    decimal : str
        Allowed decimal marks: ``"."``, ``","``, or ``".,"`` for both.
    """
    if found is None or (isinstance(found, str) and found.lower() in MISSING):
        return math.nan
    value = as_number(found, decimal)
    if value is None or abs(value) > _LARGEST_READING:
        raise BadLine(f"has {shortened(found)} for a reading")
    return value


def as_time(found: Any, compact: bool | None = None) -> float:
    """Return a timestamp as a number; that of a date is in seconds.

    Parameters
    ----------
    found : object
        What is in the line.
    compact : bool or None
        Whether eight digits are a date; None: if they can be one.
    """
    value = as_number(found)
    if isinstance(found, str) and compact is not False and is_compact_date(found):
        value = seconds_of(found)
    elif compact:
        value = None
    if value is None and isinstance(found, str) and not compact:
        try:
            value = seconds_of(found)
        except ValueError:
            value = None
    if value is None or not abs(value) <= _LARGEST_TIME:
        raise BadLine(f"has {shortened(found)} for a timestamp")
    return value


def as_number(found: Any, decimal: str = ".") -> float | None:
    """Return a number, infinite if it is too large; None for anything else."""
    if isinstance(found, str):
        plain = _as_plain(found, decimal)
        return None if plain is None else float(plain)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        return float(found)
    except OverflowError:
        return math.inf


def _as_plain(text: str, decimal: str) -> str | None:
    """Return a number with a decimal point; None if it is not a number."""
    if "," in text and "," in decimal and "." not in text:
        text = text.replace(",", ".", 1)
    elif "." in text and "." not in decimal:
        return None
    return text if _NUMBER.fullmatch(text) else None


def n_decimals(found: Any) -> int:
    """Return the number of digits after the decimal mark.

    Examples
    --------
    >>> from lapoleaf.streams.fields import n_decimals
    >>> n_decimals("8.40"), n_decimals("8,4"), n_decimals("1.5e-3"), n_decimals(11.5)
    (2, 1, 4, 1)
    """
    if not isinstance(found, str):
        found = repr(found).removesuffix(".0")
    digits, _, exponent = found.replace(",", ".").lower().partition("e")
    after = len(digits.partition(".")[2])
    # Floats have no more digits.
    power = int(exponent) if exponent.lstrip("+-").isdecimal() and len(exponent) < 5 else 0
    return max(0, after - power)


def shortened(found: Any) -> str:
    """Return a value of any depth as a short text for messages."""
    return _SHORT.repr(found)


def listed(names: list[str]) -> str:
    """Return some names of columns for messages."""
    short = [name if len(name) <= 40 else name[:37] + "..." for name in names[:10]]
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return ", ".join([*(name if name.isprintable() else repr(name) for name in short), *more])
