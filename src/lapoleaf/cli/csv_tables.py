"""CSV files in which some labels are missing: read once for the numbers, once to be written."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf._writing import write_whole

MISSING = ("", "?", "na", "n/a", "nan", "null")
_DELIMITERS = ",;\t|"
_BOM = "\ufeff"


@dataclass(frozen=True)
class CsvTable:
    """The numbers and labels of a CSV file; a label that is missing is None.

    ``columns`` names the columns of ``numbers``, ``header`` all columns of the file.
    """

    path: Path
    header: list[str]
    label: str
    columns: list[str]
    numbers: FloatArray
    labels: list[str | None]


@dataclass(frozen=True)
class _Manner:
    """How a file is written."""

    delimiter: str
    newline: str
    begin: str


def read_table(
    path: Path, label: str, ignored: Sequence[str] = (), missing: Sequence[str] = ()
) -> CsvTable:
    """Read the numbers and labels of a CSV file, or say what stands in the way.

    Parameters
    ----------
    path : Path
        The file: UTF-8 (other encodings pass through unchanged), a header, and commas, semicolons,
        tabs or bars between the cells.
    label : str
        The column of labels.
    ignored : sequence of str
        Columns that are no features.
    missing : sequence of str
        What marks a missing label; empty cells and the usual marks if there is none.
    """
    rows = _rows(path, _manner(path))
    header = next(rows, None)
    if header is None:
        raise ValueError(f"{str(path)!r} is empty: it needs a header and rows.")
    place = _checked_header(path, header, label, ignored)
    used = [number for number, name in enumerate(header) if number != place and name not in ignored]
    if not used:
        raise ValueError(f"{str(path)!r} has no column besides {label!r} to go by.")
    values = [array("d") for _ in used]
    labels: list[str | None] = []
    for row, cells in enumerate(rows, 1):
        if len(cells) != len(header):
            raise ValueError(
                f"row {row} of {str(path)!r} has {len(cells)} cells, the header has {len(header)}."
            )
        for column, filled in zip(used, values, strict=True):
            filled.append(_number(cells[column], header[column], row))
        labels.append(_label(cells[place], missing))
    if not labels:
        raise ValueError(f"{str(path)!r} has a header but no rows.")
    numbers = np.column_stack([np.frombuffer(column) for column in values])
    return CsvTable(path, header, label, [header[number] for number in used], numbers, labels)


def _checked_header(path: Path, header: list[str], label: str, ignored: Sequence[str]) -> int:
    """Return the place of the column of labels."""
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{str(path)!r} has two columns {twice[0]!r}: rename one of them.")
    columns = ", ".join(repr(name) for name in header[:12]) + ", ..." * (len(header) > 12)
    for name, option in [(label, "--label"), *((name, "--ignore") for name in ignored)]:
        if name not in header:
            raise ValueError(f"{option} {name!r}: {str(path)!r} has no such column, but {columns}.")
    if "" in header and "" not in ignored:
        raise ValueError(
            f"column {header.index('') + 1} of {str(path)!r} has no name: name it, or leave it "
            f"out with --ignore ''."
        )
    for name in ("confidence", "leader"):
        if name in header:
            raise ValueError(
                f"{str(path)!r} has a column {name!r} already, which the output needs: rename it."
            )
    return header.index(label)


def _number(cell: str, column: str, row: int) -> float:
    try:
        value = float(cell) if "_" not in cell else None
    except ValueError:
        value = None
    if value is not None and math.isfinite(value):
        return value
    if value is not None or cell.strip().lower() in MISSING:
        raise ValueError(
            f"column {column!r} has no number in row {row} ({cell!r}): fill it in, or leave the "
            f"column out with --ignore {column!r}."
        )
    raise ValueError(
        f"column {column!r} holds text ({cell!r} in row {row}), which has no distances: turn it "
        f"into numbers, or leave it out with --ignore {column!r}."
    )


def _label(cell: str, missing: Sequence[str]) -> str | None:
    label = cell.strip()
    if missing:
        return None if label in missing else label
    return None if label.lower() in MISSING else label


def _manner(path: Path) -> _Manner:
    """Look at the first line for how the file is written."""
    with open(path, "rb") as file:
        begin = file.read(4096)
    if begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{str(path)!r} is in UTF-16: save it as UTF-8.")
    if b"\0" in begin:
        raise ValueError(f"{str(path)!r} holds neither features of pictures nor text.")
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as text:
        line = text.readline(1_000_000)
    bare = "".join(line.split('"')[::2])
    delimiter = max(_DELIMITERS, key=bare.count)
    newline = "\r\n" if line.endswith("\r\n") else "\n"
    return _Manner(delimiter, newline, _BOM if line.startswith(_BOM) else "")


def _rows(path: Path, manner: _Manner) -> Iterator[list[str]]:
    """Return the rows of a file, without empty lines; bytes that are no UTF-8 are kept."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.read(len(manner.begin))
        reader = csv.reader(file, delimiter=manner.delimiter, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield cells
        except csv.Error as error:
            raise ValueError(
                f"{str(path)!r} is not a CSV file from line {reader.line_num} on: {error}."
            ) from error


def write_filled(
    target: Path, table: CsvTable, labels: Sequence[str], further: Mapping[str, Sequence[Any]]
) -> None:
    """Write the file of a table with all labels filled in and further columns at the end."""
    manner = _manner(table.path)
    place = table.header.index(table.label)

    def rows() -> Iterator[list[Any]]:
        source = _rows(table.path, manner)
        yield [*next(source), *further]
        columns = zip(*further.values(), strict=True)
        everything = zip(source, table.labels, labels, columns, strict=True)
        for cells, given, label, added in everything:
            if given is None:
                cells[place] = label
            yield [*cells, *added]

    write_whole(target, _encoded(rows(), manner))


def write_table(target: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns as a CSV file."""
    rows = zip(*columns.values(), strict=True)
    manner = _Manner(",", "\n", "")
    write_whole(target, _encoded(([*columns], *rows), manner))


class _Lines:
    """A file that keeps nothing: csv hands over a line, and it comes back."""

    def write(self, line: str) -> str:
        return line


def _encoded(rows: Any, manner: _Manner) -> Iterator[bytes]:
    yield manner.begin.encode()
    writer = csv.writer(_Lines(), delimiter=manner.delimiter, lineterminator=manner.newline)
    for row in rows:
        line: Any = writer.writerow(row)
        yield line.encode("utf-8", "surrogateescape")
