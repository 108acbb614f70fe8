"""Texts become times: ISO 8601 and nothing else."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from lapoleaf._messages import shown

# What dates consist of: datetime alone lets any character stand between date and time.
_DATE = re.compile(r"[\dTWZ :.+-]+", re.ASCII)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def seconds_of(text: str) -> float:
    """Return a date as seconds since 1970, in UTC where it has no offset.

    Parameters
    ----------
    text : str
        A date of the years 1 to 9999 after ISO 8601, with a time or without: ``"2019-01"``,
        ``"2019-01-01 00:15"``, ``"2019-01-01T00:15:00.5+01:00"``.

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
    """
    whole = text.strip()
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
            f"{shown(text[:40])} is no time: write it as '2019-01-01 00:15'."
        ) from None
