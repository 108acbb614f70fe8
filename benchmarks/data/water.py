"""Water quality, a reading every 15 minutes: windows of readings, and the one that follows."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lapoleaf._progress import tell
from lapoleaf._typing import BoolArray, FloatArray

QUANTITIES = {"ph": "pH", "do": "DO"}
_A_DAY = 96


@dataclass(frozen=True, eq=False)
class Series:
    """Readings of one place.

    Attributes
    ----------
    name : str
        The place.
    values : mapping of str to ndarray
        Readings of ``"ph"`` and ``"do"``, one every 15 minutes.
    measured : ndarray of bool
        Which of them were measured, not filled in.
    """

    name: str
    values: Mapping[str, FloatArray]
    measured: BoolArray


def water_series(folder: Path | None) -> list[Series]:
    """Return the series in the folder; a made one where there is none.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``water``.
    """
    paths = [] if folder is None else water_files(folder)
    if not paths:
        tell("There is no water/*.csv in a folder of data (--data): a made series takes its place.")
        return [made_series()]
    return [read_series(path) for path in paths]


def read_series(path: Path) -> Series:
    """Read a file with columns ``ph``, ``do`` and ``filled``, a line every 15 minutes.

    Parameters
    ----------
    path : Path
        The file.
    """
    with path.open(newline="", encoding="utf-8") as lines:
        readings = [
            (float(line["ph"]), float(line["do"]), int(line["filled"]))
            for line in csv.DictReader(lines)
        ]
    ph, do, filled = np.array(readings).T
    return Series(path.stem.removesuffix("_run"), {"ph": ph, "do": do}, filled == 0)


def made_series(n: int = 12_000, seed: int = 0) -> Series:
    """Make readings with days, seasons, weather and noise, rounded as an instrument does.

    Parameters
    ----------
    n : int, default=12000
        Number of readings.
    seed : int, default=0
        Which readings.

    Examples
    --------
    >>> from benchmarks.data.water import made_series
    >>> series = made_series(1000)
    >>> float(series.values["ph"].min()) > 7, len(series.values["do"])
    (True, 1000)
    """
    rng = np.random.default_rng(seed)
    time = np.arange(n)
    # Weather: a slow mean-reverting random walk.
    weather = np.zeros(n)
    pushes = rng.normal(scale=0.02, size=n)
    for k in range(1, n):
        weather[k] = 0.998 * weather[k - 1] + pushes[k]
    # Plants produce oxygen by day, depending on the weather.
    day = np.sin(2 * np.pi * (time / _A_DAY - 0.3)) * (1.0 + 0.5 * np.tanh(weather))
    season = np.cos(2 * np.pi * time / (365 * _A_DAY))
    do = 9.5 + 1.5 * season + 0.9 * day + 0.6 * weather + rng.normal(scale=0.02, size=n)
    ph = 8.2 + 0.12 * day + 0.08 * weather + rng.normal(scale=0.004, size=n)
    values = {"ph": np.round(ph, 2), "do": np.round(do, 2)}
    return Series("made river", values, np.ones(n, dtype=bool))


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of readings in the order of time.

    Attributes
    ----------
    X : ndarray of shape (n, length)
        The readings of every window, the last one last.
    y : ndarray of shape (n,)
        The reading that follows.
    n_train : int
        How many of them are for training; the others come one by one.
    """

    X: FloatArray
    y: FloatArray
    n_train: int


def windows_of(series: Series, quantity: str, length: int, n_train: int, n_test: int) -> Windows:
    """Return the first windows of a series in which every reading was measured.

    Parameters
    ----------
    series : Series
        The readings.
    quantity : {"ph", "do"}
        Which of them.
    length : int
        Readings in a window, without the one that follows.
    n_train, n_test : int
        Windows for training, and after these for testing.

    Examples
    --------
    >>> from benchmarks.data.water import made_series, windows_of
    >>> windows = windows_of(made_series(100), "do", 5, n_train=20, n_test=10)
    >>> windows.X.shape, windows.X[1, -1] == windows.y[0]
    ((30, 5), np.True_)
    """
    view = np.lib.stride_tricks.sliding_window_view
    whole = view(series.values[quantity], length + 1)
    measured = view(series.measured, length + 1).all(axis=1)
    kept = np.flatnonzero(measured)[: n_train + n_test]
    if len(kept) < n_train + n_test:
        raise ValueError(
            f"The series {series.name} has {len(kept):,} windows of {length + 1} measured "
            f"readings, and {n_train + n_test:,} are needed."
        )
    return Windows(whole[kept, :length].copy(), whole[kept, length].copy(), n_train)


def water_files(data: Path) -> list[Path]:
    """Return the files of water series in a folder of data sets."""
    return sorted((data / "water").glob("*.csv"))


def readings(data: Path | None, n: int) -> FloatArray:
    """Return n readings of a water series, or of a synthetic one if none is long enough.

    Parameters
    ----------
    data : Path or None
        Folder of data sets.
    n : int
        How many.
    """
    for path in [] if data is None else water_files(data):
        table = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=[1])
        values: FloatArray = np.asarray(table, dtype=np.float64)
        values = values[~np.isnan(values)]
        if len(values) >= n:
            return values[:n]
    if data is not None and not water_files(data):
        tell(f"{data / 'water'} has no series: a made one is measured.")
    draws = np.random.default_rng(0)
    # A slow oscillation, a daily one, and a drift, rounded like a sensor.
    drift = np.cumsum(draws.normal(scale=0.005, size=n))
    drift -= np.linspace(drift[0], drift[-1], n)
    daily = 0.2 * np.sin(2 * np.pi * np.arange(n) / 96)
    noise = draws.normal(scale=0.01, size=n)
    made: FloatArray = np.round(8.0 + drift + daily + noise, 4)
    return made
