"""Running the speed benchmark: every work in a process of its own, unless it is in the store."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lapoleaf._progress import tell
from benchmarks.runner.fresh_process import in_fresh_process
from benchmarks.plots.growth import Growth
from benchmarks.runner.store import Run, RunStore

NOT_ASKED = "not asked"
_LAST = "process"


class Job(NamedTuple):
    """Something to measure: its name in the store, and the work.

    Attributes
    ----------
    part, data : str
        Part of the benchmark, and what the rows are.
    rows : int
        Number of rows.
    method : str
        Who does it.
    work : callable
        The function.
    arguments : tuple
        Its arguments.
    """

    part: str
    data: str
    rows: int
    method: str
    work: Callable[..., Mapping[str, float]]
    arguments: tuple[object, ...]


class Result(NamedTuple):
    """Figures by their names, or why there are none."""

    figures: dict[str, float]
    trouble: str

    def get(self, name: str) -> float | str | None:
        """Return a figure, or the trouble; None for a figure that this method does not have."""
        if self.trouble:
            return None if self.trouble == NOT_ASKED else self.trouble
        value = self.figures[name]
        return None if math.isnan(value) else value


def ratio(over: Result, under: Result, name: str, other: str | None = None) -> float | None:
    """Return a figure of one result over the same, or another, of a second one.

    Parameters
    ----------
    over, under : Result
        The results; None where one has no figures.
    name : str
        Name of the figure.
    other : str, optional
        Name of the figure of the second result, where it is not the same.
    """
    if over.trouble or under.trouble:
        return None
    return over.figures[name] / under.figures[other or name]


class Measuring:
    """Measures as the command's arguments say, and keeps figures in ``speed-runs.csv``.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.quick: bool = arguments.quick
        self.limit: float = arguments.limit
        self.fashion: Path = arguments.fashion
        self.growth: dict[str, Growth] = {}
        self._sizes: list[int] | None = arguments.sizes
        output = arguments.output
        self.store = RunStore(None if output is None else output / "speed-runs.csv")

    def sizes(self, quick: Sequence[int], usual: Sequence[int]) -> Sequence[int]:
        """Return the numbers of points asked for, else the usual ones of a part."""
        if self._sizes is not None:
            return sorted(set(self._sizes))
        return quick if self.quick else usual

    def together(self, jobs: Sequence[Job]) -> list[Result]:
        """Measure jobs whose figures are divided by each other: all are new, or none is."""
        known = [self._known(job) for job in jobs]
        if all(known):
            tell(f"{jobs[0].part}, {jobs[0].rows:,} rows: the results are there already.")
            return [Result(figures, "") for figures in known]
        return [self._measured(job) for job in jobs]

    def alone(self, job: Job) -> Result:
        """Measure one job, unless it is in the store."""
        return self.together([job])[0]

    def _known(self, job: Job) -> dict[str, float]:
        """Return the figures of an earlier run, none if it was interrupted while they were kept."""
        about = (job.part, job.data, job.rows)
        figures = {
            key[3]: run.score
            for key, run in self.store.runs.items()
            if key[:3] == about and key[5] == job.method
        }
        return figures if _LAST in figures else {}

    def _measured(self, job: Job) -> Result:
        tell(f"{job.part}: {job.method}, {job.data}, {job.rows:,} rows")
        outcome = in_fresh_process(job.work, job.arguments, self.limit)
        # What did not come to its end is tried again the next time.
        if not outcome.trouble:
            for name, value in {**outcome.figures, _LAST: outcome.seconds}.items():
                about = (job.part, job.data, job.rows, name, 0, job.method)
                self.store.add(Run(*about, value, outcome.seconds))
        return Result(dict(outcome.figures), outcome.trouble)
