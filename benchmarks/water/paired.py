"""Paired comparison of online methods on real series, one reading ahead."""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data.seasons import SeasonalSeries, packaged_series
from benchmarks.data.water import QUANTITIES, Windows, water_series
from benchmarks.methods import select
from benchmarks.methods.method import FORECASTS, Method
from benchmarks.runner.tables import Table
from benchmarks.water.forecast import forecast
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray

_LENGTH, _A_DAY = 12, 96
# Number of stretches of the test readings, each of which is a paired comparison.
_STRETCHES = 6


def paired_series(arguments: argparse.Namespace) -> list[SeasonalSeries]:
    """Return the rivers in the folder, and the series of packages."""
    rivers = water_series(None if arguments.quick else arguments.data)
    found = [
        SeasonalSeries(
            f"{river.name}, {title}",
            np.where(river.measured, river.values[quantity], np.nan),
            _A_DAY,
        )
        for river in rivers
        for quantity, title in QUANTITIES.items()
    ]
    return found if arguments.quick else found + packaged_series()


def windows_within(values: FloatArray, most_train: int, most_test: int) -> Windows:
    """Return windows without a missing reading: at most the first half for training.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The readings, NaN where missing.
    most_train, most_test : int
        Maximum numbers of windows for training, and of later ones for testing.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.water.paired import windows_within
    >>> windows = windows_within(np.arange(52.0), 10, 100)
    >>> windows.n_train, len(windows.y)
    (10, 40)
    """
    spans = np.lib.stride_tricks.sliding_window_view(values, _LENGTH + 1)
    spans = spans[~np.isnan(spans).any(axis=1)]
    n_train = min(most_train, len(spans) // 2)
    spans = spans[: n_train + most_test]
    return Windows(spans[:, :-1].copy(), spans[:, -1].copy(), n_train)


def log_ratios(ours: FloatArray, theirs: FloatArray, n_stretches: int) -> FloatArray:
    """Return the logarithms of our root mean squared errors over theirs, stretch by stretch.

    Parameters
    ----------
    ours, theirs : ndarray of shape (n,)
        Errors of the same readings.
    n_stretches : int
        How many stretches of equal length.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.water.paired import log_ratios
    >>> np.exp(log_ratios(np.array([1.0, 2.0, 3.0, 3.0]), np.array([2.0, 4.0, 3.0, 3.0]), 2))
    array([0.5, 1. ])
    """
    pairs = zip(np.array_split(ours, n_stretches), np.array_split(theirs, n_stretches), strict=True)
    return np.array([0.5 * np.log(np.mean(a**2) / np.mean(b**2)) for a, b in pairs])


def paired_tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield our errors over those of each baseline, with standard errors."""
    sizes = (600, 120) if arguments.quick else (10_000, 3000)
    methods = _methods()
    chosen = paired_series(arguments)
    progress = Progress("paired", len(chosen) * len(methods), verbose=1)
    ratios: dict[str, list[FloatArray]] = {}
    milliseconds: dict[str, list[float]] = {title: [] for title in methods}
    for series in chosen:
        errors = {}
        for title, method in methods.items():
            errors[title], spent = _errors(method, series, sizes)
            milliseconds[title].append(spent)
            progress.advance()
        ours, *baselines = errors.values()
        ratios[series.name] = [log_ratios(ours, other, _STRETCHES) for other in baselines]
    titles = list(methods)
    yield Table(
        "paired",
        "One reading ahead on real series: errors of our default over those of a baseline",
        ("series", *titles[1:], "best baseline"),
        _rows(ratios),
        f"Root mean squared errors, windows of {_LENGTH}; below 1 is better than the baseline. "
        f"Geometric means over {_STRETCHES} stretches of the test readings, and their standard "
        f"errors; in the last line over the series. At most {sizes[0]:,} windows train, at most "
        f"{sizes[1]:,} are predicted one by one and then learnt. Ridge is fitted again every 200 "
        f"readings on all windows, LSSVR on the last 2,000; parameters of SNARIMAX and of "
        f"Holt-Winters (river) are chosen by the errors in training. The best baseline of a series "
        f"is the one with the smallest geometric mean of errors.",
    )
    yield Table(
        "paired-times",
        "Milliseconds of a reading, prediction and learning together",
        ("method", "mean", "largest"),
        [(title, float(np.mean(ms)), max(ms)) for title, ms in milliseconds.items()],
        "Processor time of one thread, means over a series.",
    )


def _methods() -> dict[str, Method]:
    found = select(FORECASTS, "paired").values()
    has_river = importlib.util.find_spec("river") is not None
    return {each.title: each for each in found if has_river or "river" not in each.tags}


def _errors(
    method: Method, series: SeasonalSeries, sizes: tuple[int, int]
) -> tuple[FloatArray, float]:
    """Return the errors of a method, and its milliseconds a reading."""
    windows = windows_within(series.values, *sizes)
    params: dict[str, Any] = {"season": series.season} if "seasonal" in method.tags else {}
    with threadpool_limits(1), warnings.catch_warnings():
        # LSSVR of a nearly constant series is close to singular.
        warnings.simplefilter("ignore")
        found = forecast(lambda: method.make(**params), windows)
    return found.predictions - found.truth, found.milliseconds


def _rows(ratios: dict[str, list[FloatArray]]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for name, each in ratios.items():
        best = max(each, key=lambda one: float(one.mean()))
        rows.append((name, *(_with_error(one) for one in [*each, best])))
    n_baselines = len(next(iter(ratios.values())))
    means = [np.array([each[k].mean() for each in ratios.values()]) for k in range(n_baselines)]
    best_means = np.array([max(one.mean() for one in each) for each in ratios.values()])
    rows.append(("mean", *(_with_error(one) for one in [*means, best_means])))
    return rows


def _with_error(logs: FloatArray) -> str:
    """Return a geometric mean with its standard error as text."""
    mean = float(np.exp(logs.mean()))
    error = mean * float(logs.std(ddof=1)) / np.sqrt(len(logs)) if len(logs) > 1 else float("nan")
    return f"{mean:.3f} ± {error:.3f}"
