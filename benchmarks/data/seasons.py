"""Real series with seasons that ship inside of Python packages: hourly, daily, weekly, yearly."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lapoleaf._progress import tell
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class SeasonalSeries:
    """Readings at regular steps, and after how many of them a season comes back.

    Attributes
    ----------
    name : str
        What was read.
    values : ndarray of shape (n,)
        The readings, NaN where missing.
    season : int
        Readings in a season.
    """

    name: str
    values: FloatArray
    season: int


def packaged_series() -> list[SeasonalSeries]:
    """Return the series of installed packages (extra ``bench``); print the missing ones."""
    found: list[SeasonalSeries] = []
    for package, read in _SOURCES.items():
        if importlib.util.find_spec(package) is None:
            tell(f"The series of {package} are left out: pip install 'lapoleaf[bench]'.")
        else:
            found += read()
    return found


def _of_vega() -> list[SeasonalSeries]:
    from vega_datasets import local_data

    hourly = [
        SeasonalSeries(f"{name}, normals, hourly", _numbers(table["temp"]), 24)
        for name, table in (
            ("Seattle temperature", local_data.seattle_temps()),
            ("San Francisco temperature", local_data.sf_temps()),
        )
    ]
    weather = local_data.seattle_weather()
    daily = [
        SeasonalSeries(f"Seattle {name}, daily", _numbers(weather[column]), 365)
        for name, column in (("highest temperature", "temp_max"), ("wind", "wind"))
    ]
    return hourly + daily


def _of_river() -> list[SeasonalSeries]:
    from river.datasets import WaterFlow

    readings = WaterFlow()  # type: ignore[no-untyped-call]
    flow = np.array([reading for _, reading in readings], dtype=np.float64)
    return [SeasonalSeries("water flow of a pipeline, hourly", flow, 24)]


def _of_statsmodels() -> list[SeasonalSeries]:
    from statsmodels.datasets import co2, sunspots

    weekly = _numbers(co2.load_pandas().data["co2"])
    yearly = _numbers(sunspots.load_pandas().data["SUNACTIVITY"])
    return [
        SeasonalSeries("CO2 at Mauna Loa, weekly", weekly, 52),
        SeasonalSeries("sunspots, yearly", yearly, 11),
    ]


def _numbers(column: object) -> FloatArray:
    return np.asarray(column, dtype=np.float64)


_SOURCES: dict[str, Callable[[], list[SeasonalSeries]]] = {
    "vega_datasets": _of_vega,
    "river": _of_river,
    "statsmodels": _of_statsmodels,
}
