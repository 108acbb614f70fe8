"""Parsing of lines into readings: CSV or JSON, one reading a line, in a fixed format."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from lapoleaf._messages import shown
from lapoleaf.streams.fields import (
    BadLine,
    as_time,
    as_value,
    is_reading,
    is_time,
    listed,
    n_decimals,
    shortened,
)
from lapoleaf.streams.times import is_compact_date

_TIMES = ("timestamp", "time", "datetime", "date")
_VALUES = ("value", "reading")
_SEPARATORS = ",;\t|"
_BOM = "\ufeff"
# A format without column names is fixed after this number of readings in a row, and in all.
_IN_A_ROW, _IN_ALL = 2, 3


class Reading(NamedTuple):
    """A parsed line.

    Attributes
    ----------
    value : float
        The reading, NaN if it is missing.
    time : float or None
        Its time as a number, for dates in seconds since 1970.
    stamp : str
        The time as written in the line.
    decimals : int
        Number of digits after the decimal mark.
    """

    value: float
    time: float | None = None
    stamp: str = ""
    decimals: int = 0


@dataclass(frozen=True)
class Format:
    """The format of lines.

    Attributes
    ----------
    separator : str
        Separator of CSV; "" for JSON.
    value, time : int or str or None
        Indices of the reading and its time in a line of CSV, or their names in JSON.
    width : int
        Fields in a line of CSV.
    header : list of str or None
        The names of the columns, if there are any.
    fixed : bool
        Whether the format is determined by column names, so that no later line can change it.
    decimal : str
        Decimal mark: ``"."`` or ``","``; ``".,"`` until a reading determines it.
    compact : bool or None
        Whether times are dates of eight digits; None until a time determines it.
    """

    separator: str
    value: int | str
    time: int | str | None
    width: int = 0
    header: list[str] | None = None
    fixed: bool = True
    decimal: str = "."
    compact: bool | None = None


class LineReader:
    """Reads lines; the first good ones fix the format.

    Column names, and JSON, fix it at once. Otherwise the first line may be truncated, so the format
    can still be replaced until two lines in a row agree.

    Parameters
    ----------
    column : str or None
        Name, or number from 1, of the column of readings; None: the only possible one.
    time : str or None
        The column of timestamps; None: one with a usual name, if any.
    decimal : {".", ","} or None
        Decimal mark; None: commas if cells are not separated by commas.
    """

    def __init__(
        self, column: str | None = None, time: str | None = None, decimal: str | None = None
    ) -> None:
        self.column = column
        self.time = time
        self.decimal = decimal
        self.format: Format | None = None
        # Number of readings in this format, and in total.
        self.n_agreed = 0
        self.n_read = 0
        # Maximum number of decimals of a reading so far.
        self.decimals = 0

    def read(self, line: str) -> Reading | None:
        """Return the reading in a line; None if it is empty or names the columns.

        A line that is not a reading raises :class:`BadLine` and changes nothing; a first line with
        an ambiguous column raises ValueError.
        """
        text = line.removeprefix(_BOM).strip()
        if not text:
            return None
        if self.format is None:
            self.format, reading = self._begin(text)
        else:
            reading = self._next(text, self.format)
        if reading is not None:
            self.n_agreed += 1
            self.n_read += 1
            self.decimals = max(self.decimals, reading.decimals)
            self.format = shown_by(self.format, text)
        return reading

    def _next(self, text: str, found: Format) -> Reading | None:
        """Return the reading in a line after the first."""
        try:
            return parsed(found, text)
        except BadLine:
            if found.compact and self.n_agreed < _IN_A_ROW:
                # The first time was a number that looks like a date.
                plain = replace(found, compact=False)
                reading = parsed(plain, text)
                self.format = plain
                return reading
            if self._is_fixed(found):
                raise
        return self._begin_again(text, found)

    def state(self) -> dict[str, Any]:
        """Return the state, for JSON."""
        found = None if self.format is None else asdict(self.format)
        return {
            "format": found,
            "n_agreed": self.n_agreed,
            "n_read": self.n_read,
            "decimals": self.decimals,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        self.format = None if state["format"] is None else Format(**state["format"])
        self.n_agreed, self.n_read = state["n_agreed"], state["n_read"]
        self.decimals = state["decimals"]

    def looked_for(self) -> str:
        """Return a description of the expected lines."""
        found = self.format
        if found is None:
            return "a number a line, CSV with a column of numbers, or JSON lines"
        if not found.separator:
            when = "" if found.time is None else f" and a time in {shown(found.time)}"
            return f"JSON with a number in {shown(found.value)}{when}"
        value = self._called(found, found.value)
        when = "" if found.time is None else f" and a time in {self._called(found, found.time)}"
        cells = f"{found.width} cells separated by {shown(found.separator)}"
        return f"a number in {value}{when}, of {cells}" if found.width > 1 else "a number a line"

    def _called(self, found: Format, place: int | str) -> str:
        if found.header is not None and isinstance(place, int):
            return f"column {shown(found.header[place])}"
        return f"column {place + 1 if isinstance(place, int) else place}"

    def _is_fixed(self, found: Format) -> bool:
        return found.fixed or self.n_agreed >= _IN_A_ROW or self.n_read >= _IN_ALL

    def _begin(self, text: str) -> tuple[Format, Reading | None]:
        """Detect the format from a line, and return its reading."""
        if text[0] in "{[":
            found = self._json_format(as_object(text))
        else:
            separator = self._separator(text)
            found = self._csv_format(split(text, separator), separator)
        return found, parsed(found, text)

    def _separator(self, text: str) -> str:
        """Return the separator for which most cells are numbers or times."""
        best, best_score = ",", (-1.0, 0)
        for separator in _SEPARATORS:
            if self.decimal == "," and separator == ",":
                best = ";"
                continue
            if separator not in text:
                continue
            try:
                cells = split(text, separator)
            except BadLine:
                continue
            marks = "." if separator == "," else self.decimal or ".,"
            good = sum(is_reading(cell, marks) or is_time(cell) for cell in cells)
            score = (good / len(cells), len(cells) if not good else int(separator != ","))
            if score > best_score:
                best, best_score = separator, score
        return best

    def _begin_again(self, text: str, before: Format) -> Reading | None:
        """Return the reading in a line of another format, which replaces the present one."""
        try:
            found, reading = self._begin(text)
        except ValueError:
            reading = None
        if before.header is not None and reading is not None and not is_time(reading.stamp):
            # More cells than the header, not explained by a date.
            reading = None
        if reading is None:
            # Raises the reason.
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
        marks = "." if separator == "," else self.decimal or ".,"
        names = any(part in fields and not part.isdigit() for part in given) or not any(
            is_reading(field, marks) for field in fields
        )
        header = fields if names else None
        known = [name for name in fields if name.lower() in _TIMES] if names else []
        time = self._place(self.time or (known[0] if known else None), fields, header)
        if time is None and header is None and self.time is None and len(fields) == 2:
            time = 0
        value = self._place(self.column, fields, header)
        if value is None:
            others = [k for k in range(len(fields)) if k != time]
            named = [k for k in others if names and fields[k].lower() in _VALUES]
            if len(named or others) != 1:
                what = listed(fields) if names else f"{len(fields)} columns"
                raise ValueError(f"there are several columns ({what}): name one with --column.")
            value = (named or others)[0]
        usual = {*_TIMES, *_VALUES}
        fixed = header is not None and any(n in given or n.lower() in usual for n in header)
        if header is not None and len(header) == 1 and separator == ",":
            # One column: a comma in it is not a separator.
            separator, marks = ";", self.decimal or ".,"
        return Format(separator, value, time, len(fields), header, fixed, marks)

    def _place(self, name: str | None, fields: list[str], header: list[str] | None) -> int | None:
        if name is None:
            return None
        if header is not None and name in header:
            return header.index(name)
        if name.isdecimal() and len(name) < 10 and 1 <= int(name) <= len(fields):
            return int(name) - 1
        raise ValueError(f"there is no column {shown(name)}; the columns are {listed(fields)}.")


def parsed(found: Format, text: str) -> Reading | None:
    """Return the reading in a line of a format; None if the line repeats the names."""
    record: Any
    if found.separator:
        record = split(text, found.separator)
        if record == found.header:
            return None
        if len(record) != found.width:
            raise BadLine(f"has {len(record)} fields instead of {found.width}")
    else:
        record = as_object(text)
        for name in (found.value, found.time):
            if name is not None and name not in record:
                raise BadLine(f"has no {shortened(name)}")
    cell = record[found.value]
    value = as_value(cell, found.decimal)
    decimals = 0 if math.isnan(value) else n_decimals(cell)
    if found.time is None:
        return Reading(value, decimals=decimals)
    stamp = record[found.time]
    time = as_time(stamp, found.compact)
    return Reading(value, time, _stamp(stamp), decimals)


def shown_by(found: Format | None, text: str) -> Format | None:
    """Return a format updated with the decimal mark and the kind of time of a line.

    Parameters
    ----------
    found : Format or None
        The format.
    text : str
        The line, which holds a reading.
    """
    if found is None or not found.separator:
        return found
    cells = split(text, found.separator)
    if len(found.decimal) > 1 and isinstance(found.value, int):
        mark = next((letter for letter in cells[found.value] if letter in ".,"), None)
        found = found if mark is None else replace(found, decimal=mark)
    if found.compact is None and isinstance(found.time, int):
        found = replace(found, compact=is_compact_date(cells[found.time]))
    return found


def _stamp(found: Any) -> str:
    """Return a time as text; integers of JSON without a decimal point."""
    if isinstance(found, str):
        return found.strip()
    return str(int(found)) if float(found).is_integer() else repr(float(found))


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
        # Integers are parsed as floats, so that those of thousands of digits are rejected as
        # infinite.
        found: Any = json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        raise BadLine(f"is not JSON ({error.msg})") from None
    except (RecursionError, ValueError):
        raise BadLine("is not JSON (nested too deeply)") from None
    if not isinstance(found, dict):
        raise BadLine("is not a reading")
    return found
