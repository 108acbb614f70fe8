"""The cells of a column in one of four forms: numbers, booleans, dates or strings.

Distinct strings are stored once, with an index for every cell, so that computations are done for
distinct strings only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

# Strings that mark missing values in skrub and pandas; strings of blanks do, too.
MISSING_STRINGS = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "none", "null", "?", "...",
})  # fmt: skip
TRUTHS = {"True": 1.0, "true": 1.0, "TRUE": 1.0, "False": 0.0, "false": 0.0, "FALSE": 0.0}
NO_DATE = np.iinfo(np.int64).min
ZONE_PATTERN = re.compile(r"[A-Za-z0-9_+\-/:]{1,64}")


@dataclass(frozen=True)
class NumberCells:
    """Numbers; NaN where there is none.

    Attributes
    ----------
    values : ndarray of float64
        The numbers.
    whole : bool
        Whether they are integers by type, or by value if there are missing ones.
    duration : bool
        Whether they are durations, in seconds.
    """

    values: FloatArray
    whole: bool = False
    duration: bool = False

    @property
    def missing(self) -> BoolArray:
        """Which cells are empty."""
        return np.isnan(self.values)

    def as_strings(self) -> StringCells:
        """Return the numbers as strings; 3 and 3.0 are the same."""
        return _strings_of_distinct(self.values, self.missing, number_text)


@dataclass(frozen=True)
class BooleanCells:
    """1.0 for true and 0.0 for false; NaN where there is neither."""

    values: FloatArray

    @property
    def missing(self) -> BoolArray:
        """Which cells are empty."""
        return np.isnan(self.values)

    def as_strings(self) -> StringCells:
        """Return "True" and "False"."""
        return _strings_of_distinct(self.values, self.missing, lambda value: str(value == 1.0))


@dataclass(frozen=True)
class DateCells:
    """Points in time.

    Attributes
    ----------
    ticks : ndarray of int64
        Microseconds since 1970, in UTC where there is a time zone; ``NO_DATE`` where there is none.
    zone : str or None
        The time zone.
    """

    ticks: IntArray
    zone: str | None = None

    @property
    def missing(self) -> BoolArray:
        """Which cells are empty."""
        return np.asarray(self.ticks == NO_DATE)

    def as_strings(self) -> StringCells:
        """Return the dates as ISO 8601 writes them."""
        return _strings_of_distinct(self.ticks, self.missing, date_text)


@dataclass(frozen=True)
class StringCells:
    """Strings.

    Attributes
    ----------
    codes : ndarray of int64
        Index in ``strings`` for every cell; -1 if missing.
    strings : list of str
        The different strings.
    declared : bool
        Whether the column is declared to be categorical.
    """

    codes: IntArray
    strings: list[str]
    declared: bool = False

    @property
    def missing(self) -> BoolArray:
        """Which cells are empty."""
        return np.asarray(self.codes < 0)

    def as_strings(self) -> StringCells:
        """Return the strings."""
        return self

    def spread(self, values: AnyArray, missing: Any) -> AnyArray:
        """Return the value of its string for every cell, ``missing`` for empty cells."""
        padded = np.concatenate((values, np.full((1, *values.shape[1:]), missing, values.dtype)))
        return padded[self.codes]

    def first_row(self, place: int) -> int:
        """Return the first row with the string at a place."""
        return int(np.argmax(self.codes == place))


Cells: TypeAlias = "NumberCells | BooleanCells | DateCells | StringCells"


def number_text(value: Any) -> str:
    """Return a number as text; whole ones without a point."""
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def date_text(ticks: int) -> str:
    """Return microseconds since 1970 as ISO 8601 writes them."""
    return str(np.datetime64(ticks, "us"))


def _strings_of_distinct(
    values: AnyArray, missing: BoolArray, text: Callable[[Any], str]
) -> StringCells:
    distinct, places = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = places
    return merged([text(value) for value in distinct.tolist()], codes)


def merged(strings: list[str], codes: IntArray, declared: bool = False) -> StringCells:
    """Return cells of distinct, used strings, with missing ones empty."""
    used = np.zeros(len(strings) + 1, dtype=bool)
    used[codes] = True
    places: dict[str, int] = {}
    new = np.full(len(strings) + 1, -1, dtype=np.int64)
    for place, text in enumerate(strings):
        if used[place] and not is_missing(text):
            new[place] = places.setdefault(text, len(places))
    return StringCells(new[codes], list(places), declared)


def is_missing(text: str) -> bool:
    """Whether a string means that there is no value.

    Examples
    --------
    >>> from lapoleaf._encoding.cells import is_missing
    >>> is_missing("NA"), is_missing("  "), is_missing("0")
    (True, True, False)
    """
    return text in MISSING_STRINGS or text.isspace()


def categorical_cells(column: Any, read: Callable[[Any], Cells]) -> StringCells:
    """Return the cells of a categorical column of pandas."""
    pandas = imported("pandas")
    categories = read(pandas.Series(column.cat.categories)).as_strings()
    codes = np.asarray(column.cat.codes, dtype=np.int64)
    return replace(
        merged(categories.strings, np.append(categories.codes, -1)[codes]), declared=True
    )


def date_cells(column: Any) -> DateCells:
    """Return the cells of a column of dates, with a time zone or without."""
    zone = None if column.dt.tz is None else _zone_name(column.dt.tz)
    if zone is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return DateCells(np.asarray(column.dt.as_unit("us"), dtype="M8[us]").view(np.int64), zone)


def _zone_name(zone: Any) -> str:
    """Return the name of a time zone; UTC for one that has no name that pandas reads."""
    try:
        imported("pandas").Timestamp(0, tz="UTC").tz_convert(str(zone))
    except Exception:  # pandas raises what its package of time zones does
        return "UTC"
    return str(zone) if ZONE_PATTERN.fullmatch(str(zone)) else "UTC"
