"""Parsing of times: dates in ISO 8601, and a few other unambiguous formats."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from lapoleaf._messages import shown

# Format of dates; datetime would allow any character between date and time.
_DATE = re.compile(r"[\dTWZ :.+-]+", re.ASCII)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
# 2010/01/31 and 31.1.2010, with a time or without.
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?=$|[T ])", re.ASCII)
_POINTS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$|[T ])", re.ASCII)
# A zone after a blank, and names of UTC.
_ZONE = re.compile(r"\s+([+-]\d{2}:?\d{2}|Z)$", re.ASCII)
_GREENWICH = re.compile(r"\s*(UTC|GMT)$", re.ASCII)
_SHORT_HOUR = re.compile(r"(?<=[T ])(\d):", re.ASCII)
_COMPACT = re.compile(r"(1[89]|2[01])\d{6}", re.ASCII)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def seconds_of(text: str) -> float:
    """Return a date as seconds since 1970, in UTC if it has no offset.

    Parameters
    ----------
    text : str
        A date of the years 1 to 9999 after ISO 8601, with a time or without: ``"2019-01"``,
        ``"2019-01-01 00:15"``, ``"2019-01-01T00:15:00.5+01:00"``; or as in ``"2019/01/31 0:15"``
        and ``"31.1.2019 0:15"``.

    Returns
    -------
    float
        The seconds, to the microsecond.

    Examples
    --------
    >>> from lapoleaf.streams.times import seconds_of
    >>> seconds_of("1970-01-02 00:15")
    87300.0
    >>> seconds_of("1970-01-01T01:00+01:00")
    0.0
    >>> seconds_of("1970/01/02 00:15 UTC") == seconds_of("2.1.1970 0:15")
    True
    """
    whole = _in_order(text.strip())
    if _YEAR_OR_MONTH.fullmatch(whole):
        whole = f"{whole}-01" if len(whole) == 7 else f"{whole}-01-01"
    try:
        if not _DATE.fullmatch(whole):
            raise ValueError
        moment = datetime.fromisoformat(whole)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return ((moment - _BEGINNING) // _MICROSECOND) / 1e6
    except (ValueError, OverflowError):
        raise ValueError(
            f"{shown(text[:40])} is not a time: write it as '2019-01-01 00:15'."
        ) from None


def _in_order(text: str) -> str:
    """Return a date of another usual format in ISO 8601."""
    found = _SLASHES.sub(lambda date: f"{date[1]}-{int(date[2]):02d}-{int(date[3]):02d}", text)
    found = _POINTS.sub(lambda date: f"{date[3]}-{int(date[2]):02d}-{int(date[1]):02d}", found)
    found = _ZONE.sub(r"\1", _GREENWICH.sub("Z", found))
    return _SHORT_HOUR.sub(r"0\1:", found)


def is_compact_date(text: str) -> bool:
    """Whether eight digits are a date of the years 1800 to 2199, such as ``19580329``.

    Examples
    --------
    >>> from lapoleaf.streams.times import is_compact_date
    >>> is_compact_date("19580329"), is_compact_date("19581329"), is_compact_date("900")
    (True, False, False)
    """
    if not _COMPACT.fullmatch(text):
        return False
    try:
        datetime.strptime(text, "%Y%m%d")
    except ValueError:
        return False
    return True
