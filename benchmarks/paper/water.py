"""The paper's Table 7: water quality, one reading ahead."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.data.water import water_series
from benchmarks.runner.tables import Table
from benchmarks.water.one_step import forecasts, tables_of


def water_tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield errors, training and prediction times for every series."""
    n_train, n_test = (2000, 200) if arguments.quick else (10_000, 1000)
    for series in water_series(None if arguments.quick else arguments.data):
        found = forecasts(series, n_train, n_test)
        yield from tables_of(series, found, n_train, n_test, arguments.output)
