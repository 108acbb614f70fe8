"""Bounded memory: its effect on accuracy, and memory in a long run."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.data.water import Series, water_series
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray
from lapoleaf.streams import SeriesForecaster

_LENGTH = 12
_BLOCKS = 20
# The first readings train the forecaster; they are not counted.
_START = 2000


@dataclass(frozen=True)
class Block:
    """Cost of a block of readings.

    Attributes
    ----------
    milliseconds : float
        Processor time of a reading.
    megabytes : float
        Memory of the process after them; NaN where the system does not report it.
    points : int
        Rows that the forecaster keeps after them.
    sse : float
        Sum of squared errors.
    """

    milliseconds: float
    megabytes: float
    points: int
    sse: float


def joined(series: list[Series], n: int, seed: int = 0) -> FloatArray:
    """Return readings of DO: all series concatenated, and repeated with noise.

    Parameters
    ----------
    series : list of Series
        The readings.
    n : int
        How many.
    seed : int, default=0
        Which noise.
    """
    once = np.concatenate([np.append(each.values["do"], np.nan) for each in series])
    times = -(-n // len(once))
    noise = np.random.default_rng(seed).normal(scale=0.01, size=times * len(once))
    # The first time as it was read.
    noise[: len(once)] = 0.0
    return np.asarray(np.tile(once, times) + noise)[:n]


def run_blocks(values: FloatArray, n_blocks: int, title: str, **params: Any) -> list[Block]:
    """Learn readings one by one, and return the cost of each block.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The readings.
    n_blocks : int
        Number of blocks.
    title : str
        What it is, for progress.
    **params : dict
        Parameters of the forecaster.
    """
    forecaster = SeriesForecaster(window=_LENGTH, **params).fit(values[:_START])
    progress = Progress(title, n_blocks, verbose=1)
    blocks = []
    for part in np.array_split(values[_START:], n_blocks):
        began, sse = time.process_time(), 0.0
        for reading in part:
            forecaster.update(float(reading))
            error = forecaster.last_error_
            sse += 0.0 if np.isnan(error) else error * error
        spent = 1000.0 * (time.process_time() - began) / len(part)
        points = len(forecaster._model.memory)
        blocks.append(Block(spent, _megabytes(), points, sse))
        progress.advance()
    return blocks


def _megabytes() -> float:
    """Return the memory of this process that is in use."""
    if not sys.platform.startswith("linux"):
        return float("nan")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


def bounds_tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield errors with bounds and without, and a long run with a bound."""
    series = water_series(None if arguments.quick else arguments.data)
    most, n = (1000, 6000) if arguments.quick else (5000, 15_000)
    yield _prices(joined(series, n), most)
    long = 20_000 if arguments.quick else arguments.readings
    yield from _long_run(joined(series, long), most)


def _prices(values: FloatArray, most: int) -> Table:
    """Compare forecasters with bounds and one without."""
    kinds: dict[str, dict[str, Any]] = {
        "unbounded": {"max_points": None},
        f"max_points={most}": {"max_points": most},
        f"max_points={most // 5}": {"max_points": most // 5},
        f"window_size={most}": {"window_size": most, "max_points": None},
        f"half_life={most // 5}": {"half_life": most // 5, "max_points": None},
    }
    found = {name: run_blocks(values, 1, name, **params)[0] for name, params in kinds.items()}
    free = found["unbounded"].sse
    return Table(
        "prices",
        "What bounded memory costs",
        ("memory", "sum of squared errors", "over unbounded", "rows kept", "ms a reading"),
        [(k, b.sse, b.sse / free, b.points, b.milliseconds) for k, b in found.items()],
        f"DO, windows of {_LENGTH}; {_START:,} readings train, {len(values) - _START:,} are "
        f"predicted and learnt one by one. Milliseconds of one core.",
    )


def _long_run(values: FloatArray, most: int) -> Iterator[Table]:
    blocks = run_blocks(values, _BLOCKS, f"{len(values):,} readings", max_points=most)
    size = (len(values) - _START) // _BLOCKS
    yield Table(
        "long",
        f"{len(values):,} readings with max_points={most}",
        ("readings", "ms a reading", "MB of the process", "rows kept", "sum of squared errors"),
        [
            (_START + (k + 1) * size, b.milliseconds, b.megabytes, b.points, b.sse)
            for k, b in enumerate(blocks)
        ],
        "The series one after the other, repeated with noise of 0.01. Milliseconds of one core; "
        "memory of the whole process after the block.",
    )
    # The first block fills the memory.
    kept = blocks[1:]
    yield Table(
        "slopes",
        "Does a reading cost more after a hundred thousand others?",
        ("quantity", "slope for 100,000 readings", "95 % from", "to", "p of no slope"),
        [
            slope_row("ms a reading", [b.milliseconds for b in kept], size),
            slope_row("MB of the process", [b.megabytes for b in kept], size),
        ],
        "Straight line through the blocks but the first, which fills the memory.",
    )


def slope_row(name: str, values: list[float], size: int) -> tuple[object, ...]:
    """Return a line of the table: slope, interval and p of a straight line through the blocks.

    Parameters
    ----------
    name : str
        What was measured.
    values : list of float
        One for every block.
    size : int
        Readings of a block.
    """
    if np.ptp(values) == 0.0:
        return name, 0.0, 0.0, 0.0, 1.0
    line = stats.linregress(np.arange(len(values)) * size / 1e5, values)
    reach = line.stderr * stats.t.ppf(0.975, len(values) - 2)
    return (
        name,
        float(line.slope),
        float(line.slope - reach),
        float(line.slope + reach),
        float(line.pvalue),
    )
