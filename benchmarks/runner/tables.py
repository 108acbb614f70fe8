"""Tables for people (Markdown) and for programs (CSV), and the machine they were made on."""

from __future__ import annotations

import csv
import importlib.metadata
import io
import platform
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import joblib

from lapoleaf._version import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# A column of numbers from here on, such as megabytes, has one digit after the point at most.
_LARGE, _FEW_DIGITS = 100.0, 1


@dataclass(frozen=True)
class Table:
    """Something that was measured.

    Attributes
    ----------
    name : str
        A short name, for files.
    title : str
        What was measured, in a line.
    columns : tuple of str
        Names of the columns.
    rows : list of tuple
        Their contents: text and numbers.
    note : str
        How it was measured and how to read it; may be empty.
    digits : int
        Digits after the point of numbers that are not whole.
    picture : str
        File of a picture that goes with it, in the same folder; may be empty.
    plain_columns, plain_rows : tuple of str, list of tuple
        What a program reads, where cells are put together for people; empty: the same.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    note: str = ""
    digits: int = 3
    picture: str = ""
    plain_columns: tuple[str, ...] = ()
    plain_rows: list[tuple[Any, ...]] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the table as Markdown, numbers to the right."""
        cells = [[text.replace("|", r"\|") for text in row] for row in self.texts()]
        numeric = self.is_numeric()
        widths = [
            max(3, len(name), *(len(row[k]) for row in cells)) if cells else max(3, len(name))
            for k, name in enumerate(self.columns)
        ]
        rule = ["-" * (w - 1) + ":" if n else "-" * w for w, n in zip(widths, numeric, strict=True)]
        lines = []
        for line in (self.columns, rule, *cells):
            padded = [
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(line, widths, numeric, strict=True)
            ]
            lines.append("| " + " | ".join(padded) + " |")
        head = f"### {self.title}\n\n" + (f"{self.note}\n\n" if self.note else "")
        tail = f"\n![{self.title}]({self.picture})\n" if self.picture else ""
        return head + "\n".join(lines) + "\n" + tail

    def texts(self) -> list[list[str]]:
        """Return the contents as people read them."""
        digits = [self._digits(k) for k in range(len(self.columns))]
        return [[_text(*cell) for cell in zip(row, digits, strict=True)] for row in self.rows]

    def is_numeric(self) -> list[bool]:
        """Return, for every column, whether it has numbers only."""
        return [
            bool(self.rows) and all(not isinstance(row[k], str) for row in self.rows)
            for k in range(len(self.columns))
        ]

    def _digits(self, column: int) -> int:
        """Return the digits after the point of a column."""
        values = [row[column] for row in self.rows if isinstance(row[column], float)]
        large = values and min(map(abs, values)) >= _LARGE
        return min(self.digits, _FEW_DIGITS) if large else self.digits

    def csv(self) -> str:
        """Return the table as CSV, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.plain_columns or self.columns)
        for row in self.plain_rows or self.rows:
            writer.writerow(["" if value is None else value for value in row])
        return text.getvalue()


def _text(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def illustrated(
    table: Table, folder: Path | None, file: str, draw: Callable[[Path], None]
) -> Table:
    """Return a table with its picture.

    Parameters
    ----------
    table : Table
        The table.
    folder : Path, optional
        Where the picture is drawn; None: there is no picture.
    file : str
        Name of the picture.
    draw : callable
        Draws into the file; may leave it out, as where matplotlib is missing.
    """
    if folder is None:
        return table
    folder.mkdir(parents=True, exist_ok=True)
    draw(folder / file)
    return replace(table, picture=file if (folder / file).is_file() else "")


def machine_line() -> str:
    """Return versions and machine in a line, to stand above every measurement."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return ", ".join(
        [
            f"lapoleaf {__version__}",
            f"{joblib.cpu_count()} cores ({_processor()}, {platform.system()})",
            f"Python {platform.python_version()}",
            *versions,
        ]
    )


def _processor() -> str:
    """Return the model of the processor where the system reports it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*models, platform.processor()]), platform.machine())
