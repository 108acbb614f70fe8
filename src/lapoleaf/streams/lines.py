"""Lines of text become readings: CSV or JSON, one reading a line, in one format for good."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from lapoleaf._messages import shown
from lapoleaf.streams.fields import (
    BadLine,
    as_number,
    as_time,
    as_value,
    is_reading,
    listed,
    shortened,
)

_TIMES = ("timestamp", "time", "datetime", "date")
_VALUES = ("value", "reading")
_SEPARATORS = ",;\t|"
_BOM = "\ufeff"
# A format without names is fixed after so many readings in a row, and after so many in all.
_IN_A_ROW, _IN_ALL = 2, 3


class Reading(NamedTuple):
    """What is in a line.

    Attributes
    ----------
    value : float
        The reading, NaN if it is missing.
    time : float or None
        When it was taken: a number; that of a date is in seconds since 1970.
    stamp : str
        The time as text: a date as it is in the line, a number as Python writes it.
    """

    value: float
    time: float | None = None
    stamp: str = ""


@dataclass(frozen=True)
class Format:
    """How lines are written.

    Attributes
    ----------
    separator : str
        What separates the fields of CSV; "" for JSON.
    value, time : int or str or None
        Places of the reading and of its time in a line of CSV, or their names in JSON.
    width : int
        Fields in a line of CSV.
    header : list of str or None
        The names of the columns, if there are any.
    fixed : bool
        Whether names have shown what is what, so that no later line can change it.
    """

    separator: str
    value: int | str
    time: int | str | None
    width: int = 0
    header: list[str] | None = None
    fixed: bool = True


class LineReader:
    """Reads lines; the first good ones fix the format.

    Names of columns, and JSON, fix it at once. Without them the first line may be one that was
    cut: until two lines in a row agree, another format replaces it.

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
        self.format: Format | None = None
        # Readings in this format, and in all.
        self.n_agreed = 0
        self.n_read = 0

    def read(self, line: str) -> Reading | None:
        """Return the reading in a line; None if it is empty or names the columns.

        A line that is no reading raises :class:`BadLine` and changes nothing; a first line that
        leaves open which column is meant raises ValueError.
        """
        text = line.removeprefix(_BOM).strip()
        if not text:
            return None
        if self.format is None:
            self.format, reading = self._begin(text)
        else:
            try:
                reading = parsed(self.format, text)
            except BadLine:
                if self._is_fixed(self.format):
                    raise
                reading = self._begin_again(text, self.format)
        if reading is not None:
            self.n_agreed += 1
            self.n_read += 1
        return reading

    def state(self) -> dict[str, Any]:
        """Return all that was learned from lines, for JSON."""
        found = None if self.format is None else asdict(self.format)
        return {"format": found, "n_agreed": self.n_agreed, "n_read": self.n_read}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        self.format = None if state["format"] is None else Format(**state["format"])
        self.n_agreed, self.n_read = state["n_agreed"], state["n_read"]

    def _is_fixed(self, found: Format) -> bool:
        return found.fixed or self.n_agreed >= _IN_A_ROW or self.n_read >= _IN_ALL

    def _begin(self, text: str) -> tuple[Format, Reading | None]:
        """Find the format from a line, and return what is in that line."""
        if text[0] in "{[":
            found = self._json_format(as_object(text))
        else:
            separator = max(_SEPARATORS, key=text.count)
            found = self._csv_format(split(text, separator), separator)
        return found, parsed(found, text)

    def _begin_again(self, text: str, before: Format) -> Reading | None:
        """Return the reading in a line of another format, which is taken from now on."""
        try:
            found, reading = self._begin(text)
        except ValueError:
            reading = None
        if reading is None:
            # Raises what is wrong with the line.
            return parsed(before, text)
        self.format, self.n_agreed = found, 0
        return reading

    def _json_format(self, found: dict[str, Any]) -> Format:
        time = self.time or next((name for name in _TIMES if name in found), None)
        if self.column is not None:
            return Format("", self.column, time)
        names = [name for name in found if name not in {self.time, *_TIMES}]
        named = [name for name in names if name in _VALUES]
        if len(named or names) != 1:
            raise BadLine("has several values: name one with --column")
        return Format("", (named or names)[0], time)

    def _csv_format(self, fields: list[str], separator: str) -> Format:
        """Find the columns of readings and timestamps from the first line."""
        given = [part for part in (self.column, self.time) if part is not None]
        names = any(part in fields and not part.isdigit() for part in given) or not any(
            is_reading(field) for field in fields
        )
        header = fields if names else None
        known = [name for name in fields if name in _TIMES] if names else []
        time = self._place(self.time or (known[0] if known else None), fields, header)
        if time is None and header is None and self.time is None and len(fields) == 2:
            time = 0
        value = self._place(self.column, fields, header)
        if value is None:
            others = [k for k in range(len(fields)) if k != time]
            named = [k for k in others if names and fields[k] in _VALUES]
            if len(named or others) != 1:
                what = listed(fields) if names else f"{len(fields)} columns"
                raise ValueError(f"there are several columns ({what}): name one with --column.")
            value = (named or others)[0]
        meant = {*given, *_TIMES, *_VALUES}
        fixed = header is not None and any(name in meant for name in header)
        return Format(separator, value, time, len(fields), header, fixed)

    def _place(self, name: str | None, fields: list[str], header: list[str] | None) -> int | None:
        if name is None:
            return None
        if header is not None and name in header:
            return header.index(name)
        if name.isdecimal() and len(name) < 10 and 1 <= int(name) <= len(fields):
            return int(name) - 1
        raise ValueError(f"there is no column {shown(name)}: there are {listed(fields)}.")


def parsed(found: Format, text: str) -> Reading | None:
    """Return the reading in a line of a format; None if the line repeats the names."""
    record: Any
    if found.separator:
        record = split(text, found.separator)
        if record == found.header:
            return None
        if len(record) < found.width or any(record[found.width :]):
            raise BadLine(f"has {len(record)} fields instead of {found.width}")
    else:
        record = as_object(text)
        for name in (found.value, found.time):
            if name is not None and name not in record:
                raise BadLine(f"has no {shortened(name)}")
    value = as_value(record[found.value])
    if found.time is None:
        return Reading(value)
    stamp = record[found.time]
    time = as_time(stamp)
    return Reading(value, time, stamp.strip() if as_number(stamp) is None else str(time))


def split(text: str, separator: str) -> list[str]:
    """Return the fields of a line of CSV."""
    try:
        fields = next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error:
        raise BadLine("is not CSV") from None
    return [field.strip() for field in fields]


def as_object(text: str) -> dict[str, Any]:
    """Return the object in a line of JSON."""
    try:
        # Whole numbers as floats: those of thousands of digits are refused as infinite.
        found: Any = json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        raise BadLine(f"is not JSON ({error.msg})") from None
    except (RecursionError, ValueError):
        raise BadLine("is not JSON (nested too deeply)") from None
    if not isinstance(found, dict):
        raise BadLine("is no reading")
    return found
