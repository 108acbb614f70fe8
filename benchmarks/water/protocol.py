"""The paper's protocol on every series: errors beside those of baselines, and intervals."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.data.water import water_series
from benchmarks.methods import select
from benchmarks.methods.forecasters import OURS
from benchmarks.methods.method import FORECASTS
from benchmarks.runner.tables import Table
from benchmarks.water.forecast import Forecast
from benchmarks.water.one_step import COLUMNS, forecasts, tables_of

_BASELINES = tuple(select(FORECASTS, "summary"))


def protocol_tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield the paper's tables for every series, and a summary of all columns."""
    n_train, n_test = (2000, 200) if arguments.quick else (10_000, 1000)
    rows: list[tuple[object, ...]] = []
    for series in water_series(None if arguments.quick else arguments.data):
        if arguments.output is not None:
            arguments.output.mkdir(parents=True, exist_ok=True)
        found = forecasts(series, n_train, n_test)
        yield from tables_of(series, found, n_train, n_test, arguments.output)
        rows += [_row(series.name, found, place) for place in range(len(COLUMNS))]
    means = [sum(float(str(row[k])) for row in rows) / len(rows) for k in range(1, 6)]
    yield Table(
        "summary",
        "Water: our forecaster beside LSSVR, ridge and persistence",
        ("series, quantity, window", *_BASELINES, "the best of these", "90 % intervals hold"),
        [*rows, ("mean", *means)],
        f"Sum of squared errors of our default over that of a baseline: below 1 is better than "
        f"the baseline. {n_train:,} windows train, the next {n_test:,} are predicted one by one, "
        f"then learnt. The last column is the share of the readings that were in their intervals.",
    )


def _row(name: str, found: dict[str, list[Forecast]], place: int) -> tuple[object, ...]:
    ours = found[OURS][place]
    ratios = [ours.sse / found[name][place].sse for name in _BASELINES]
    return f"{name}, {COLUMNS[place]}", *ratios, max(ratios), ours.coverage
