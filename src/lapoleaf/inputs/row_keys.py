"""Keys that identify rows when their file is read again: names or cells."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._lazy import computed_once
from lapoleaf._typing import AnyArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from lapoleaf.inputs.dataset import Dataset

_MISSING = np.uint64(0x9E3779B97F4A7C15)
# Integers below this are exact as floats.
_EXACT = 2**53


class RowKey(NamedTuple):
    """The key of a row.

    Attributes
    ----------
    key : str
        ``=`` and the name of the row, or a digest of its cells.
    occurrence : int
        0 for the first row with that key, 1 for the second, and so on.
    """

    key: str
    occurrence: int


@dataclass(frozen=True, eq=False)
class RowKeys:
    """The keys of all rows of a data set.

    Attributes
    ----------
    digests : ndarray of shape (n_rows,), uint64
        Digests of names, or of cells.
    names : sequence or None
        Names of the rows, if these are the keys.
    """

    digests: AnyArray
    names: Sequence[Any] | None

    @computed_once
    def _order(self) -> IntArray:
        return np.argsort(self.digests, kind="stable")

    @computed_once
    def _sorted(self) -> AnyArray:
        found: AnyArray = self.digests[self._order]
        return found

    @computed_once
    def occurrences(self) -> IntArray:
        """Number of earlier rows with the same key."""
        first = np.searchsorted(self._sorted, self._sorted)
        found = np.empty(len(self.digests), dtype=np.int64)
        found[self._order] = np.arange(len(first)) - first
        return found

    def of(self, row: int) -> RowKey:
        """Return the key of a row."""
        occurrence = int(self.occurrences[row])
        if self.names is not None:
            return RowKey(f"={self.names[row]}", occurrence)
        return RowKey(f"{int(self.digests[row]):016x}", occurrence)

    def rows_of(self, keys: Sequence[RowKey]) -> IntArray:
        """Return the rows with given keys, -1 if there is none."""
        if not keys:
            return np.empty(0, dtype=np.int64)
        wanted = np.array([_digest_of_key(key.key) for key in keys], dtype=np.uint64)
        place = np.searchsorted(self._sorted, wanted)
        place += np.array([key.occurrence for key in keys], dtype=np.int64)
        inside = np.minimum(place, len(self._sorted) - 1)
        is_there = (place < len(self._sorted)) & (self._sorted[inside] == wanted)
        return np.where(is_there, self._order[inside], -1)


def keys_of(data: Dataset, columns: Sequence[str] | None = None) -> RowKeys:
    """Return the keys of all rows.

    Names from a column of ids and names of pictures do not depend on anything else. Other rows are
    identified by their cells, in any order of columns: equal numbers are equal in any notation, and
    the column of labels is ignored.

    Parameters
    ----------
    data : Dataset
        The rows.
    columns : sequence of str or None
        The columns to use, if all of them exist; None for all columns.
    """
    if data.id is not None or data.kind == "images":
        # Names of files may hold invalid Unicode.
        names = [str(name).encode("utf-8", "backslashreplace").decode() for name in data.names]
        return RowKeys(np.array([_digest(name) for name in names], dtype=np.uint64), names)
    frame = frame_of_cells(data)
    if columns is not None and set(columns) <= set(map(str, frame.columns)):
        frame = frame[list(columns)]
    total = np.zeros(len(data), dtype=np.uint64)
    for place, name in enumerate(frame.columns):
        of_name = _digest(str(name))
        with np.errstate(over="ignore"):
            total += _mixed(_of_column(frame.iloc[:, place]) ^ of_name)
    return RowKeys(total, None)


def _digest_of_key(key: str) -> np.uint64:
    if key.startswith("="):
        return _digest(key[1:])
    try:
        return np.uint64(int(key, 16))
    except (ValueError, OverflowError):
        return _MISSING


def frame_of_cells(data: Dataset) -> pd.DataFrame:
    """Return the columns that identify rows without names: all except labels."""
    if data.others is None:
        return data.frame
    # By position, since an index may be that of ids.
    apart = data.others.set_axis(data.frame.index, axis="index")
    found: pd.DataFrame = imported("pandas").concat([data.frame, apart], axis="columns")
    return found


def _of_column(column: pd.Series) -> AnyArray:
    """Return a digest of every cell of a column."""
    pandas = imported("pandas")
    kinds = pandas.api.types
    if kinds.is_numeric_dtype(column.dtype) and not kinds.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if kinds.is_float_dtype(column.dtype) or bool((np.abs(numbers) < _EXACT).all()):
            return _of_numbers(numbers)
    codes, values = pandas.factorize(column, use_na_sentinel=True)
    digests = np.array([_of_cell(value) for value in values] + [_MISSING], dtype=np.uint64)
    found: AnyArray = digests[codes]
    return found


def _of_numbers(numbers: AnyArray) -> AnyArray:
    bits = (numbers + 0.0).view(np.uint64)  # -0 becomes 0
    return np.where(np.isnan(numbers), _MISSING, _mixed(bits))


def _of_cell(cell: Any) -> np.uint64:
    """Return the digest of a cell; for numbers the same as in a numeric column."""
    same = canonical(cell)
    if same is None:
        return _MISSING
    if isinstance(same, float):
        return np.uint64(_of_numbers(np.array([same]))[0])
    return _digest(same)


def canonical(cell: Any) -> str | float | None:
    """Return the canonical form of a cell, in which equivalent cells are equal.

    Equal numbers are equal in any notation, and so are dates with and without a time of 0:00, which
    spreadsheet programs add.

    Examples
    --------
    >>> from lapoleaf.inputs.row_keys import canonical
    >>> canonical("39.10") == canonical(39.1), canonical(" a "), canonical("007")
    (True, 'a', '007')
    """
    if cell is None or cell is imported("pandas").NA or cell != cell:
        return None
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell)).lower()
    if isinstance(cell, datetime.date):
        return str(cell).removesuffix(" 00:00:00")
    if isinstance(cell, int | float | np.integer | np.floating):
        return float(cell) if abs(float(cell)) < _EXACT else str(cell)
    text = str(cell).strip().removesuffix(" 00:00:00")
    try:
        number = float(text)
    except ValueError:
        return text or None
    digits = text.lstrip("+-")
    coded = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return text if coded or not abs(number) < _EXACT or "_" in text else number


def _digest(text: str) -> np.uint64:
    content = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(content, "little"))


def _mixed(bits: Any) -> AnyArray:
    """Return well-mixed bits: the finaliser of splitmix64."""
    with np.errstate(over="ignore"):
        bits = bits ^ (bits >> np.uint64(30))
        bits = bits * np.uint64(0xBF58476D1CE4E5B9)
        bits = bits ^ (bits >> np.uint64(27))
        bits = bits * np.uint64(0x94D049BB133111EB)
        found: AnyArray = bits ^ (bits >> np.uint64(31))
    return found
