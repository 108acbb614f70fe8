"""Tables for people (Markdown) and for programs (CSV), and the machine they were made on."""

from __future__ import annotations

import csv
import importlib.metadata
import io
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from lapoleaf._version import __version__
from lapoleaf.bench.page import html_page

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


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
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    note: str = ""
    digits: int = 3
    picture: str = ""

    def markdown(self) -> str:
        """Give the table as Markdown, numbers to the right."""
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
        """Give the contents as people read them."""
        return [[self._text(value) for value in row] for row in self.rows]

    def is_numeric(self) -> list[bool]:
        """Tell of every column whether it has numbers only."""
        return [
            bool(self.rows) and all(not isinstance(row[k], str) for row in self.rows)
            for k in range(len(self.columns))
        ]

    def _text(self, value: Any) -> str:
        if value is None:
            return "-"
        if isinstance(value, float):
            return f"{value:.{self.digits}f}"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def csv(self) -> str:
        """Give the table as CSV, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if value is None else value for value in row] for row in self.rows)
        return text.getvalue()


def machine_line() -> str:
    """Give versions and machine in a line, to stand above every measurement."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return ", ".join(
        [
            f"lapoleaf {__version__}",
            f"{joblib.cpu_count()} cores ({platform.machine()}, {platform.system()})",
            f"Python {platform.python_version()}",
            *versions,
        ]
    )


def write_tables(
    folder: Path, name: str, title: str, command: str, tables: Sequence[Table]
) -> list[Path]:
    """Write all tables as a page (HTML and Markdown), and a CSV file for each; give the paths.

    Parameters
    ----------
    folder : Path
        Where to; it is made if it is not there.
    name : str
        Name of the benchmark.
    title : str
        What it measures.
    command : str
        The command that repeats it.
    tables : sequence of Table
        What was measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    machine = machine_line()
    head = f"## {title}\n\n`{command}`\n\n{machine}\n\n"
    pages = {
        f"{name}.html": html_page(title, command, machine, tables, folder),
        f"{name}.md": head + "\n".join(table.markdown() for table in tables),
    }
    paths = []
    for file, text in pages.items():
        paths.append(folder / file)
        paths[-1].write_text(text, encoding="utf-8")
    for table in tables:
        paths.append(folder / f"{name}-{table.name}.csv")
        paths[-1].write_text(table.csv(), encoding="utf-8")
    return paths
