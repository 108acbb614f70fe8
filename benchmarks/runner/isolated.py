"""Measurements in separate processes, for memory and time, unless they are in the store."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.runner.fresh_process import in_fresh_process
from benchmarks.runner.store import Run, RunStore
from lapoleaf._progress import tell

NOT_MEASURED = "not measured"
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
        Name of the method.
    work : callable
        A function of a module; it returns figures by their names.
    arguments : tuple
        Its arguments: numbers, text, None.
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
            return None if self.trouble == NOT_MEASURED else self.trouble
        value = self.figures[name]
        return None if math.isnan(value) else value


def ratio(over: Result, under: Result, name: str, other: str | None = None) -> float | None:
    """Return a figure of one result over the same, or another, of a second one; None without them.

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
    quotient = over.figures[name] / under.figures[other or name]
    return None if math.isnan(quotient) else quotient


def measure_isolated(store: RunStore, jobs: Sequence[Job], limit: float) -> list[Result]:
    """Measure jobs whose figures are divided by each other: all are new, or none is.

    Parameters
    ----------
    store : RunStore
        The results that are there, and where new ones go.
    jobs : sequence of Job
        What to measure, each in a process of its own, one after the other.
    limit : float
        Seconds at work after which a process is ended.
    """
    known = [_known(store, job) for job in jobs]
    if all(known):
        tell(f"{jobs[0].part}, {jobs[0].rows:,} rows: the results are there already.")
        return [Result(figures, "") for figures in known]
    return [_measured(store, job, limit) for job in jobs]


def _known(store: RunStore, job: Job) -> dict[str, float]:
    """Return the figures of an earlier run, none if it was interrupted while they were kept."""
    about = (job.part, job.data, job.rows)
    figures = {
        key[3]: run.score
        for key, run in store.runs.items()
        if key[:3] == about and key[5] == job.method
    }
    return figures if _LAST in figures else {}


def _measured(store: RunStore, job: Job, limit: float) -> Result:
    tell(f"{job.part}: {job.method}, {job.data}, {job.rows:,} rows")
    outcome = in_fresh_process(job.work, job.arguments, limit)
    # Unfinished jobs are repeated in the next run.
    if not outcome.trouble:
        for name, value in {**outcome.figures, _LAST: outcome.seconds}.items():
            about = (job.part, job.data, job.rows, name, 0, job.method)
            store.add(Run(*about, value, outcome.seconds))
    return Result(dict(outcome.figures), outcome.trouble)
