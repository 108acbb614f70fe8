"""Conversion of columns of strings to numbers, and detection of missing cells.

A column is converted if every cell is a number and no conversion loses information: no leading
zeros, no integers that a float cannot represent, no overflow or underflow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapoleaf._encoding.extras import imported

if TYPE_CHECKING:
    import pyarrow as pa

USUAL_MARKS = frozenset(("", "?", "na", "n/a", "nan", "null", "#n/a"))
EXACT_WHOLE = 2.0**53

_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_WHOLE = "[+-]?(?:0|[1-9][0-9]*)"
_PATTERNS = {
    "whole": f"^{_WHOLE}$",
    "point": rf"^(?:{_WHOLE}(?:\.[0-9]*)?|[+-]?\.[0-9]+){_EXPONENT}$",
    "comma": f"^(?:{_WHOLE}(?:,[0-9]+)?|[+-]?,[0-9]+){_EXPONENT}$",
}
# Points or commas before every three digits: thousands separators, or decimals.
_GROUPS = {"point": r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})*$",
           "comma": "^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})*$"}  # fmt: skip
_A_FEW = 200


@dataclass(frozen=True)
class Marks:
    """Markers of missing cells.

    Attributes
    ----------
    usual : bool
        Whether the usual markers count, ignoring case; otherwise only empty cells.
    own : frozenset of str
        Further markers.
    """

    usual: bool = True
    own: frozenset[str] = frozenset()

    def missing(self, trimmed: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return which cells are missing."""
        arrow, compute = imported("pyarrow"), imported("pyarrow.compute")
        usual = sorted(USUAL_MARKS) if self.usual else [""]
        lower = compute.utf8_lower(trimmed)
        found = compute.is_in(lower, value_set=arrow.array(usual, arrow.string()))
        found = compute.or_(found, compute.is_null(trimmed))
        if self.own:
            own = compute.is_in(trimmed, value_set=arrow.array(sorted(self.own), arrow.string()))
            found = compute.or_(found, own)
        return found


def marks_of(column: str, missing: Collection[Any] | Mapping[str, Any]) -> Marks:
    """Return the markers of missing cells of a column, from the parameter ``missing``."""
    if isinstance(missing, Mapping):
        if column not in missing:
            return Marks()
        own = missing[column]
        own = (own,) if isinstance(own, str) else own
        return Marks(usual=False, own=frozenset(str(mark).strip() for mark in own))
    return Marks(own=frozenset(str(mark).strip() for mark in missing))


@dataclass(frozen=True)
class Cells:
    """A column of unconverted cells, and the kind of its contents.

    Attributes
    ----------
    raw : pyarrow.ChunkedArray of str
        The cells; missing ones are null.
    kind : str
        ``"whole"``, ``"point"`` or ``"comma"`` (numbers with a decimal point or comma), ``"points
        or groups"`` and ``"commas or groups"`` (where three digits follow each, so that they may
        be thousands), ``"nothing"`` or ``"text"``.
    """

    raw: pa.ChunkedArray
    kind: str


def cells_of(raw: pa.ChunkedArray, marks: Marks, commas: bool) -> Cells:
    """Return cells with missing ones marked, and the kind of the others.

    Parameters
    ----------
    raw : pyarrow.ChunkedArray of str
        The cells.
    marks : Marks
        Markers of missing cells.
    commas : bool
        Whether decimal commas are possible.
    """
    arrow, compute = imported("pyarrow"), imported("pyarrow.compute")
    trimmed = compute.utf8_trim_whitespace(raw)
    missing = marks.missing(trimmed)
    raw = compute.if_else(missing, arrow.scalar(None, raw.type), raw)
    present = trimmed.filter(compute.invert(missing))
    return Cells(raw, _kind_of(present, commas))


def _kind_of(present: pa.ChunkedArray, commas: bool) -> str:
    if not len(present):
        return "nothing"
    for kind in ("whole", "point", "comma") if commas else ("whole", "point"):
        pattern = _PATTERNS[kind]
        if _all_match(present.slice(0, _A_FEW), pattern) and _all_match(present, pattern):
            if kind != "whole" and _all_match(present, _GROUPS[kind]):
                return f"{kind}s or groups"
            return kind
    return "text"


def _all_match(cells: pa.ChunkedArray, pattern: str) -> bool:
    compute = imported("pyarrow.compute")
    return bool(compute.all(compute.match_substring_regex(cells, pattern)).as_py())


def numbers_or_text(cells: Cells, decimal_commas: bool) -> pa.ChunkedArray:
    """Return a column as numbers if that loses no information, else as strings.

    Parameters
    ----------
    cells : Cells
        The column.
    decimal_commas : bool
        Whether other columns of the file have decimal commas.
    """
    arrow, compute = imported("pyarrow"), imported("pyarrow.compute")
    kind = cells.kind
    if kind == "nothing":
        return arrow.chunked_array([arrow.nulls(len(cells.raw), arrow.float64())])
    if kind == "text" or kind == ("points" if decimal_commas else "commas") + " or groups":
        return cells.raw
    written = compute.utf8_ltrim(compute.utf8_trim_whitespace(cells.raw), characters="+")
    if kind.startswith("comma"):
        written = compute.replace_substring(written, ",", ".")
    if kind == "whole":
        return _whole_numbers(written, cells.raw)
    try:
        values = compute.cast(written, arrow.float64())
    except arrow.ArrowInvalid:
        return cells.raw
    return cells.raw if _changed(values, written) else values


def _whole_numbers(written: pa.ChunkedArray, raw: pa.ChunkedArray) -> pa.ChunkedArray:
    arrow, compute = imported("pyarrow"), imported("pyarrow.compute")
    try:
        values = compute.cast(written, arrow.int64())
    except arrow.ArrowInvalid:
        # Larger than the largest number of 64 bits.
        return raw
    if not values.null_count:
        return values
    ends = compute.min_max(values).as_py()
    if max(-ends["min"], ends["max"]) > EXACT_WHOLE:
        return raw
    return compute.cast(values, arrow.float64())


def _changed(values: pa.ChunkedArray, written: pa.ChunkedArray) -> bool:
    """Whether a number became infinite, 0, or another whole number."""
    compute = imported("pyarrow.compute")
    if compute.any(compute.invert(compute.is_finite(values))).as_py():
        return True
    # As in 2**53 + 1, which becomes 2**53.
    large = written.filter(compute.greater_equal(compute.abs(values), EXACT_WHOLE))
    if compute.any(compute.match_substring_regex(large, "^[+-]?[0-9]+$")).as_py():
        return True
    zeros = written.filter(compute.equal(values, 0.0))
    return bool(compute.any(compute.match_substring_regex(zeros, "^[^eE]*[1-9]")).as_py())
