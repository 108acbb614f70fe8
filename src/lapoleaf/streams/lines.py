"""Lines of text become readings: CSV or JSON, one reading a line."""

from __future__ import annotations

import csv
import json
import math
from typing import Any, NamedTuple

import numpy as np

_TIMES = ("timestamp", "time", "datetime", "date")
_VALUES = ("value", "reading")
_MISSING = ("", "nan", "na", "null", "none")


class Reading(NamedTuple):
    """What a line says.

    Attributes
    ----------
    value : float
        The reading, NaN if it is missing.
    time : float or str or None
        When it was taken, as it stands in the line.
    """

    value: float
    time: float | str | None


class BadLine(ValueError):
    """A line that is no reading; the message says why."""


class LineReader:
    """Reads lines; the first one of CSV may name the columns.

    Parameters
    ----------
    column : str or None
        Name, or number from 1 on, of the column of readings; None: the only one that can be.
    time : str or None
        The column of timestamps; None: one that is called so, if there is any.
    """

    def __init__(self, column: str | None = None, time: str | None = None) -> None:
        self.column = column
        self.time = time
        self.header: list[str] | None = None
        self.places: tuple[int, int | None] | None = None

    def read(self, line: str) -> Reading | None:
        """Return the reading in a line; None if it is empty or names the columns."""
        text = line.strip()
        if not text:
            return None
        if text[0] in "{[":
            return self._from_json(text)
        if self.places is None and self.column is None and is_number(text):
            return Reading(as_value(text), None)
        fields = [field.strip() for field in next(csv.reader([text]))]
        if self.places is None:
            self.header, self.places = self._find_columns(fields)
            if self.header is not None:
                return None
        if fields == self.header:
            return None
        return self._from_fields(fields)

    def _from_json(self, text: str) -> Reading:
        try:
            found: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadLine(f"is not JSON ({error.msg})") from None
        if not isinstance(found, dict):
            raise BadLine("is no reading")
        name = self._key(found)
        time = next((k for k in (self.time, *_TIMES) if k is not None and k in found), None)
        return Reading(as_value(found[name]), checked_time(found[time] if time else None))

    def _key(self, found: dict[str, Any]) -> str:
        if self.column is not None:
            if self.column not in found:
                raise BadLine(f"has no {self.column!r}")
            return self.column
        times = {self.time, *_TIMES}
        names = [name for name in found if name not in times]
        named = [name for name in names if name in _VALUES]
        if len(named or names) != 1:
            raise BadLine("has several values: name one with --column")
        return (named or names)[0]

    def _from_fields(self, fields: list[str]) -> Reading:
        value, time = self.places or (0, None)
        if len(fields) <= max(value, time or 0):
            raise BadLine(f"has {len(fields)} fields")
        return Reading(
            as_value(fields[value]), checked_time(None if time is None else fields[time])
        )

    def _find_columns(self, fields: list[str]) -> tuple[list[str] | None, tuple[int, int | None]]:
        """Find the columns of readings and timestamps from the first line."""
        given = [part for part in (self.column, self.time) if part is not None]
        names = any(part in fields and not part.isdigit() for part in given) or not any(
            is_number(field) for field in fields
        )
        header = fields if names else None
        known = [name for name in fields if name in _TIMES] if names else []
        time = self._place(self.time or (known[0] if known else None), fields, header)
        if time is None and header is None and self.time is None and len(fields) == 2:
            time = 0
        if self.column is not None:
            value = self._place(self.column, fields, header)
        else:
            others = [k for k in range(len(fields)) if k != time]
            named = [k for k in others if names and fields[k] in _VALUES]
            if len(named or others) != 1:
                what = ", ".join(fields) if names else f"{len(fields)} columns"
                raise ValueError(f"there are several columns ({what}): name one with --column.")
            value = (named or others)[0]
        return header, (value or 0, time)

    def _place(self, name: str | None, fields: list[str], header: list[str] | None) -> int | None:
        if name is None:
            return None
        if header is not None and name in header:
            return header.index(name)
        if name.isdigit() and 1 <= int(name) <= len(fields):
            return int(name) - 1
        raise ValueError(f"there is no column {name!r}: there are {', '.join(fields)}.")


def is_number(text: str) -> bool:
    """Return whether a text is a number, or a reading that is missing."""
    try:
        float(text or "nan")
    except ValueError:
        return False
    return True


def as_value(found: Any) -> float:
    """Return a reading as a number, NaN if it is missing."""
    if found is None or (isinstance(found, str) and found.lower() in _MISSING):
        return math.nan
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise BadLine(f"has {found!r} for a reading")
    try:
        value = float(found)
    except (ValueError, OverflowError):
        raise BadLine(f"has {found!r} for a reading") from None
    if math.isinf(value):
        raise BadLine(f"has {found!r} for a reading")
    return value


def checked_time(found: Any) -> float | str | None:
    """Return a timestamp: a number, or text that NumPy reads as a date."""
    if found is None:
        return None
    if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
        return float(found)
    if isinstance(found, str):
        text = found.strip().removesuffix("Z")
        if is_number(text) and math.isfinite(float(text or "nan")):
            return float(text)
        try:
            moment = np.datetime64(text)
        except ValueError:
            raise BadLine(f"has {found!r} for a timestamp") from None
        if not np.isnat(moment):
            return text
    raise BadLine(f"has {found!r} for a timestamp")
