"""Forecasts one reading ahead, as in the paper's Table 7, and their tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.data.water import QUANTITIES, Series, windows_of
from benchmarks.methods import select
from benchmarks.methods.forecasters import OURS
from benchmarks.methods.method import FORECASTS
from benchmarks.plots.paper import write_water_plot
from benchmarks.runner.tables import Table
from benchmarks.water.forecast import Forecast, forecast
from lapoleaf._progress import Progress

LENGTHS = (5, 12)
_TASKS = [(quantity, length) for quantity in QUANTITIES for length in LENGTHS]
COLUMNS = tuple(f"{QUANTITIES[quantity]}, {length}" for quantity, length in _TASKS)
# As printed: sums of squared errors, seconds of training, milliseconds of a prediction.
PAPER: dict[str, dict[str, tuple[float | None, ...]]] = {
    "sse": {"LaPOLeaF": (21.70, 21.06, 1166.6, 1213.0), "LSSVR": (13.76, 13.59, 3168.9, 5827.2)},
    "training": {"LaPOLeaF": (3.91, 3.86, 3.74, 3.77), "LSSVR": (5.67, 5.87, 8.28, 10.22)},
    "milliseconds": {"LaPOLeaF": (None, 5.0, None, None), "LSSVR": (None, 2.0, None, None)},
}
# Enough readings that the forests of the forecaster grow once.
_WARM_UP = (300, 110)
_METHODS = select(FORECASTS, "water")
_DRAWN = tuple(select(FORECASTS, "drawn"))
_PAPERS_DATA = (
    "The paper's rows are of its own series (28,065 readings from Chongqing, 10,000 windows for "
    "training, 1,000 for testing), which is not public: compare the methods with each other, not "
    "with the numbers of another river."
)


def forecasts(series: Series, n_train: int, n_test: int) -> dict[str, list[Forecast]]:
    """Return what every method predicts, for both quantities and both lengths of windows.

    Parameters
    ----------
    series : Series
        The readings.
    n_train, n_test : int
        Windows for training, and after these for testing.
    """
    progress = Progress(f"water, {series.name}", len(_TASKS) * len(_METHODS), verbose=1)
    found: dict[str, list[Forecast]] = {name: [] for name in _METHODS}
    # A warm-up, so that loading and compilation are not measured.
    few = windows_of(series, *_TASKS[0], *_WARM_UP)
    for method in _METHODS.values():
        forecast(method.make, few)
    for quantity, length in _TASKS:
        windows = windows_of(series, quantity, length, n_train, n_test)
        for name, method in _METHODS.items():
            found[name].append(forecast(method.make, windows))
            progress.advance()
    return found


def tables_of(
    series: Series,
    found: dict[str, list[Forecast]],
    n_train: int,
    n_test: int,
    folder: Path | None,
) -> Iterator[Table]:
    """Yield the tables of a series: errors, training, milliseconds.

    Parameters
    ----------
    series : Series
        The readings.
    found : dict
        What the methods predicted.
    n_train, n_test : int
        Windows for training, and after these for testing.
    folder : Path or None
        Where a picture goes to; None for no picture.
    """
    panels = [
        (
            f"{COLUMNS[place]} readings a window",
            found[OURS][place].truth,
            {name: found[name][place].predictions for name in _DRAWN},
        )
        for place in (0, 2)
    ]
    picture = "" if folder is None else write_water_plot(folder, series.name, panels)
    note = (
        f"The first {n_train:,} windows of {series.name} train, the next {n_test:,} are predicted "
        f"one by one; columns: quantity, and readings a window. "
    )
    yield _table(
        "sse",
        f"Water, {series.name}: sum of squared errors (the paper's Table 7)",
        series,
        {name: [one.sse for one in each] for name, each in found.items()},
        note
        + "After its prediction every reading joins the published forest and the neighbours; our "
        "default is SeriesForecaster, whose linear part takes each and whose forests a hundred at "
        "a time. LSSVR and ridge stay as they were trained. LSSVR has the paper's parameters, "
        "read as those of the MLSSVR toolbox (an inference: the paper names no kernel), on "
        "readings as they are and scaled, and with a cubic kernel instead. Persistence repeats "
        "the last reading. " + _PAPERS_DATA,
        picture,
    )
    yield _table(
        "training",
        f"Water, {series.name}: seconds of training (the paper's Table 7)",
        series,
        {name: [one.training for one in each] for name, each in found.items()},
        note
        + "Processor time of all threads together; the paper does not state which time it is. "
        + _PAPERS_DATA,
    )
    yield _table(
        "milliseconds",
        f"Water, {series.name}: milliseconds of a prediction",
        series,
        {name: [one.milliseconds for one in each] for name, each in found.items()},
        note + "Mean processor time, taking in the readings included, and for our default an "
        "interval, too. " + _PAPERS_DATA,
    )


def _table(
    kind: str,
    title: str,
    series: Series,
    values: dict[str, list[float]],
    note: str,
    picture: str = "",
) -> Table:
    rows: list[tuple[object, ...]] = [(name, *each) for name, each in values.items()]
    rows += [(f"paper: {name}", *numbers) for name, numbers in PAPER[kind].items()]
    name = f"water-{kind}-{series.name.lower().replace(' ', '-')}"
    return Table(name, title, ("method", *COLUMNS), rows, note, picture=picture)
