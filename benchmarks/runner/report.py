"""Reports of benchmarks: a page of all tables, and every table as CSV."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.runner.page import html_page
from benchmarks.runner.tables import Table, machine_line


class Report:
    """Tables in a folder, as a page (HTML and Markdown) and as CSV files.

    The page is whole after every table. Tables of an earlier run of the same command on the same
    machine stay on it until they are measured again, so that parts can be measured one by one.

    Parameters
    ----------
    folder : Path
        Where to; it is made when the first table comes.
    name : str
        Name of the benchmark, with which all files begin.
    title : str
        What it measures.
    command : str
        The command that repeats it.
    """

    def __init__(self, folder: Path, name: str, title: str, command: str) -> None:
        self.folder, self.name, self.title, self.command = folder, name, title, command
        self.machine = machine_line()
        self.tables = self._earlier()
        self._place = 0

    @property
    def _kept(self) -> Path:
        return self.folder / f"{self.name}-tables.json"

    def _earlier(self) -> list[Table]:
        """Return the tables of an earlier run that this one goes on with."""
        try:
            kept = json.loads(self._kept.read_text(encoding="utf-8"))
            if kept["made by"] == [self.command, self.machine]:
                return [Table(**_with_tuples(table)) for table in kept["tables"]]
        except (OSError, ValueError, KeyError, TypeError):
            # Without a valid file, start with no tables.
            pass
        return []

    def add(self, table: Table) -> None:
        """Put a table on the page, in the place of an earlier one of its name."""
        names = [one.name for one in self.tables]
        if table.name in names:
            self._place = names.index(table.name)
            self.tables[self._place] = table
        else:
            self.tables.insert(self._place, table)
        self._place += 1
        self._write(table)

    def _write(self, table: Table) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        head = f"## {self.title}\n\n`{self.command}`\n\n{self.machine}\n\n"
        kept = {
            "made by": [self.command, self.machine],
            "tables": [asdict(one) for one in self.tables],
        }
        texts = {
            f"{self.name}-{table.name}.csv": table.csv(),
            self._kept.name: json.dumps(kept, default=lambda number: number.item()),
            f"{self.name}.md": head + "\n".join(one.markdown() for one in self.tables),
            f"{self.name}.html": html_page(
                self.title, self.command, self.machine, self.tables, self.folder
            ),
        }
        for file, text in texts.items():
            (self.folder / file).write_text(text, encoding="utf-8")


def _with_tuples(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a table, tuples again where JSON has lists."""
    rows = {key: [tuple(row) for row in stored[key]] for key in ("rows", "plain_rows")}
    columns = {key: tuple(stored[key]) for key in ("columns", "plain_columns")}
    return {**stored, **rows, **columns}
