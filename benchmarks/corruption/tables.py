"""Series, injected faults, and tables of their effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.corruption.faults import all_faults
from benchmarks.corruption.lines import clean_stream
from benchmarks.corruption.measuring import (
    LATER,
    N_BEFORE,
    N_LEARNED,
    WINDOW,
    Part,
    Sensor,
    parts_of,
)
from benchmarks.data.water import water_series
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray

FIRST = N_LEARNED + N_BEFORE
# The longest fault has 200 steps.
N_STEPS = FIRST + 200 + LATER + N_BEFORE
_QUICK = (
    *("30 lines of noise", "spike of 1e+06", "stuck for 30", "12 lines missing"),
    *("clock set 30 days back", "level up by 100 sd", "30 lines: semicolons"),
)
_COLUMNS = (
    "fault",
    *("during", "during, no fault", "during, persistence"),
    *("after", "after, no fault", "after, persistence", "after over no fault"),
    *("covered during", "covered after"),
)
_PLAIN_COLUMNS = (
    *("fault", "place", "part", "error", "error, no fault", "persistence"),
    *("covered", "covered, no fault"),
)
_PARTS = ("before", "during", "after")
# For every fault, and every part of the series: the parts with the fault, and without it.
_Measured = dict[str, list[tuple[tuple[Part, ...], tuple[Part, ...]]]]


def noisy_sine(seed: int) -> FloatArray:
    """Make a sine with noise that drifts.

    Examples
    --------
    >>> from benchmarks.corruption.tables import N_STEPS, noisy_sine
    >>> noisy_sine(0).shape == (N_STEPS,)
    True
    """
    noise = np.random.default_rng(seed).normal(scale=0.05, size=N_STEPS)
    time = np.arange(N_STEPS)
    return np.asarray(8.0 + np.sin(2 * np.pi * time / 48) + 0.0005 * time + noise)


def parts_of_series(values: FloatArray, n_places: int) -> list[FloatArray]:
    """Return parts of a series, as long as is needed, from its beginning to its end."""
    if len(values) < N_STEPS:
        return []
    starts = np.linspace(0, len(values) - N_STEPS, n_places).astype(int)
    return [values[start : start + N_STEPS] for start in starts]


def sine_table(n_places: int, quick: bool) -> Table:
    """Return the table of a noisy sine that drifts.

    Parameters
    ----------
    n_places : int
        How many such series.
    quick : bool
        Whether to measure a few faults of one series only.
    """
    sines = [noisy_sine(k) for k in range(1 if quick else n_places)]
    return fault_table("sine", "a noisy sine that drifts", sines, quick)


def water_tables(data: Path | None, n_places: int, quick: bool) -> Iterator[Table]:
    """Yield a table of faults for the DO of every river.

    Parameters
    ----------
    data : Path or None
        Folder of data sets.
    n_places : int
        Number of parts of a series.
    quick : bool
        Whether to measure a few faults of a made series only.
    """
    for series in water_series(None if quick else data):
        parts = parts_of_series(series.values["do"], 1 if quick else n_places)
        name = series.name.lower().replace(" ", "-")
        yield fault_table(name, f"{series.name}, DO", parts, quick)


def fault_table(name: str, title: str, parts: list[FloatArray], quick: bool) -> Table:
    """Return the table of a series: errors over those without the fault, and intervals.

    Parameters
    ----------
    name, title : str
        The series, for files and for people.
    parts : list of ndarray
        Parts of the series; every fault is injected into each.
    quick : bool
        Whether to inject a few faults only.
    """
    faults = {key: fault for key, fault in all_faults().items() if not quick or key in _QUICK}
    progress = Progress(f"corruption, {title}", len(parts) * len(faults), verbose=1)
    found: _Measured = {key: [] for key in faults}
    for values in parts:
        clean = clean_stream(values, FIRST)
        sensor = Sensor(clean)
        undisturbed = sensor.follow(clean)
        for key, fault in faults.items():
            stream = fault(clean)
            without = parts_of(replace(clean, last=stream.last), undisturbed)
            found[key].append((parts_of(stream, sensor.follow(stream)), without))
            progress.advance()
    return Table(
        f"faults-{name}",
        f"Faults of a sensor: {title}",
        _COLUMNS,
        [_row(key, each) for key, each in found.items()],
        _note(found, len(parts)),
        plain_columns=_PLAIN_COLUMNS,
        plain_rows=_plain_rows(found),
    )


def _row(key: str, measured: list[tuple[tuple[Part, ...], tuple[Part, ...]]]) -> tuple[object, ...]:
    errors = {
        part: (
            float(np.mean([fault[part].error for fault, _ in measured])),
            float(np.mean([without[part].error for _, without in measured])),
            float(np.mean([fault[part].persistence for fault, _ in measured])),
        )
        for part in (1, 2)
    }
    covered = [float(np.mean([fault[part].coverage for fault, _ in measured])) for part in (1, 2)]
    cells = [_short(error) for part in errors.values() for error in part]
    return (key, *cells, errors[2][0] / errors[2][1], *covered)


def _short(error: float) -> str:
    return f"{error:.3f}" if error < 1000.0 else f"{error:.0e}"


def _plain_rows(found: _Measured) -> list[tuple[object, ...]]:
    return [
        (key, place, name, part.error, free.error, part.persistence, part.coverage, free.coverage)
        for key, measured in found.items()
        for place, (fault, without) in enumerate(measured)
        for name, part, free in zip(_PARTS, fault, without, strict=True)
    ]


def _note(found: _Measured, n_places: int) -> str:
    before = [fault[0] for fault, _ in next(iter(found.values()))]
    error, persistence, covered = (
        float(np.mean([getattr(part, name) for part in before]))
        for name in ("error", "persistence", "coverage")
    )
    return (
        f"Mean absolute errors of the next reading, means over {n_places} parts of the series: "
        f"during the fault and the {WINDOW} readings after it, and of {N_BEFORE} readings from "
        f"{LATER} after it on; beside those of the same readings without the fault, and of "
        f"repeating the last reading. Covered: share of the readings inside of 90 % intervals. "
        f"Before the fault {N_LEARNED:,} readings are learned, and {N_BEFORE} measured: error "
        f"{error:.3f}, persistence {persistence:.3f}, covered {covered:.3f}. Lines go through "
        f"lapoleaf stream without a journal. Errors are to what a sensor without the fault reads; "
        f"sd: standard deviation of the change from reading to reading."
    )
