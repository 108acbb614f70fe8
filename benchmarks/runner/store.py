"""Store of results in a file, which are not measured again."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeAlias

Key: TypeAlias = tuple[str, str, int, str, int, str]


@dataclass(frozen=True)
class Run:
    """One method on one split of a data set, and how well it did.

    Attributes
    ----------
    part : str
        Part of the benchmark.
    data : str
        The data set: its name, and a check of its rows and of lapoleaf's version, so that results
        of others are not mixed up.
    rows : int
        Number of its rows.
    column : str
        How many labels were given, and how.
    split : int
        Which draw of them.
    method : str
        Name of the method.
    score : float
        Accuracy, R² or another score of the part.
    seconds : float
        How long the method took.
    """

    part: str
    data: str
    rows: int
    column: str
    split: int
    method: str
    score: float
    seconds: float

    @property
    def key(self) -> Key:
        """What was measured: all but the score and the seconds."""
        return self.part, self.data, self.rows, self.column, self.split, self.method


_COLUMNS = [field.name for field in fields(Run)]


class RunStore:
    """Runs by their keys, and the file they are added to.

    Parameters
    ----------
    path : Path or None
        A CSV file, made if it is not there. None: runs are kept in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.runs: dict[Key, Run] = {}
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > 0:
            self._read(path)
        else:
            path.write_text(",".join(_COLUMNS) + "\n", encoding="utf-8")

    def add(self, run: Run) -> None:
        """Keep a run; it is in the file when this returns."""
        self.runs[run.key] = run
        if self.path is not None:
            with self.path.open("a", newline="", encoding="utf-8") as lines:
                csv.writer(lines, lineterminator="\n").writerow(astuple(run))

    def _read(self, path: Path) -> None:
        """Read the file; an incomplete last line is removed."""
        whole = path.read_bytes()
        size = whole.rfind(b"\n") + 1
        if size < len(whole):
            with path.open("r+b") as file:
                file.truncate(size)
        lines = list(csv.reader(whole[:size].decode("utf-8").splitlines()))
        if lines[:1] != [_COLUMNS]:
            raise ValueError(
                f"{path} is not a file of runs: it must begin with the columns' names."
            )
        for number, line in enumerate(lines[1:], start=2):
            try:
                run = _parsed(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number} is not a run: {','.join(line)}") from error
            self.runs[run.key] = run


def _parsed(line: list[str]) -> Run:
    part, data, rows, column, split, method, score, seconds = line
    return Run(part, data, int(rows), column, int(split), method, float(score), float(seconds))
