"""Dates and times: elapsed time, and positions in the year, the week and the day."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.blocks import are_frequent, block_scale
from lapoleaf._encoding.cells import NO_DATE, Cells, DateCells, StringCells
from lapoleaf._encoding.extras import imported
from lapoleaf._encoding.plans.base import ColumnPlan
from lapoleaf._encoding.reading import read_cells
from lapoleaf._messages import reason_of, shown
from lapoleaf._typing import FloatArray, IntArray

_SECOND = 1_000_000
# Length of every cycle in seconds, and a beginning in 1970: the fifth of January is a Monday.
CYCLES = {"year": (31_556_952, 0), "week": (604_800, 345_600), "day": (86_400, 0)}


@dataclass(frozen=True, eq=False)
class Date(ColumnPlan):
    """A column of dates and times.

    Attributes
    ----------
    form : str or None
        The format of dates that are strings, as ``strptime`` reads it; None for other dates.
    zone : str or None
        The time zone.
    origin : int
        The median, in microseconds since 1970, which replaces missing values.
    mean : float
        Mean of the seconds after the origin.
    cycles : tuple of str
        The cycles that are encoded, of "year", "week" and "day".
    scales : ndarray
        Factor of the seconds, of every cycle, and of the column that marks holes if there is one.
    """

    form: str | None
    zone: str | None
    origin: int
    mean: float
    cycles: tuple[str, ...]
    scales: FloatArray

    def encode(self, column: Any) -> FloatArray:
        cells = dates_of(read_cells(column, self.name), self.form, self.name)
        missing = cells.missing
        if not missing.all() and (cells.zone is None) != (self.zone is None):
            then, now = ("no", "a") if self.zone is None else ("a", "no")
            raise ValueError(
                f"Column {shown(self.name)} holds dates with {now} time zone, but with {then} time "
                f"zone at the fit."
            )
        ticks = np.where(missing, self.origin, cells.ticks)
        parts = _parts(ticks, self.origin, _local(ticks, self.zone, self.name), self.cycles)
        parts[0][:] -= self.mean
        for part in parts[1:]:
            part[missing] = 0.0
        if self.is_marked:
            parts.append(missing[:, None] * 1.0)
        return np.hstack([part * s for part, s in zip(parts, self.scales.tolist(), strict=True)])

    @property
    def is_marked(self) -> bool:
        """Whether a column marks holes."""
        return len(self.scales) == len(self.cycles) + 2

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the seconds, of two columns a cycle, and of the mark."""
        cyclic = [f"{self.name}_{c}_{part}" for c in self.cycles for part in ("sin", "cos")]
        return (self.name, *cyclic, *([f"{self.name}_missing"] if self.is_marked else []))

    @property
    def description(self) -> str:
        """What the column was taken for."""
        written = "" if self.form is None else f" as {self.form}"
        cycles = f" with time of {', '.join(self.cycles)}" if self.cycles else ""
        filled = ", holes filled with the median" if self.n_missing else ""
        return f"date{written}{cycles}{filled}{' and marked' if self.is_marked else ''}"


def learn_date(name: str, cells: DateCells, form: str | None) -> Date:
    """Return the plan of a column of dates with at least two distinct ones."""
    missing = cells.missing
    ticks = np.sort(cells.ticks[~missing])
    origin = int(ticks[(len(ticks) - 1) // 2])
    filled = np.where(missing, origin, cells.ticks)
    span = (int(ticks[-1]) - int(ticks[0])) / _SECOND
    local = _local(filled, cells.zone, name)
    seconds, *cyclic = _parts(filled, origin, local, tuple(CYCLES))
    cycles, blocks = [], []
    for cycle, block in zip(CYCLES, cyclic, strict=True):
        # Within half a cycle the seconds hold all information.
        if 2 * span >= CYCLES[cycle][0] and np.ptp(block[~missing], axis=0).max() > 1e-9:
            block[missing] = 0.0
            cycles.append(cycle)
            blocks.append(block)
    if are_frequent(missing):
        blocks.append(missing[:, None] * 1.0)
    mean = float(seconds.mean())
    each = np.array([block_scale(block) for block in (seconds, *blocks)])
    return Date(
        name, int(missing.sum()), form, cells.zone, origin, mean, tuple(cycles),
        each / np.sqrt(len(each)),
    )  # fmt: skip


def _parts(
    ticks: IntArray, origin: int, local: IntArray, cycles: tuple[str, ...]
) -> list[FloatArray]:
    """Return the seconds after the origin, and sine and cosine of every cycle."""
    # Whole and fractional seconds separately, since differences of microseconds may overflow.
    whole = ticks // _SECOND - origin // _SECOND
    parts: list[FloatArray] = [(whole + (ticks % _SECOND - origin % _SECOND) / _SECOND)[:, None]]
    for cycle in cycles:
        length, start = CYCLES[cycle]
        seconds = (local // _SECOND - start) % length + (local % _SECOND) / _SECOND
        angle = 2 * np.pi * seconds / length
        parts.append(np.column_stack((np.sin(angle), np.cos(angle))))
    return parts


def _local(ticks: IntArray, zone: str | None, name: str) -> IntArray:
    """Return local times of a time zone, in microseconds since 1970."""
    if zone is None:
        return ticks
    pandas = imported("pandas")
    try:
        index = pandas.DatetimeIndex(ticks.view("M8[us]")).tz_localize("UTC").tz_convert(zone)
        return np.asarray(index.tz_localize(None), dtype="M8[us]").view(np.int64)
    except Exception as error:  # pandas raises what its package of time zones does
        raise ValueError(
            f"Column {shown(name)} has the time zone {shown(zone)}: {reason_of(error)}."
        ) from error


def dates_of(cells: Cells, form: str | None, name: str) -> DateCells:
    """Return cells as dates; raise for anything else."""
    if isinstance(cells, DateCells):
        return cells
    if cells.missing.all():
        return DateCells(np.full(len(cells.missing), NO_DATE, dtype=np.int64))
    if not isinstance(cells, StringCells) or form is None:
        what = "strings" if isinstance(cells, StringCells) else "numbers"
        raise ValueError(f"Column {shown(name)} holds {what}, but dates at the fit.")
    ticks = _parsed(tuple(cells.strings), form, name)
    for place in np.flatnonzero(ticks == NO_DATE)[:1]:
        raise ValueError(
            f"Column {shown(name)} holds {shown(cells.strings[place])} in row "
            f"{cells.first_row(place)}, which is not a date as {form}: correct it, leave the cell "
            f"empty, or encode the column in another way with kinds={{{shown(name)}: 'string'}}."
        )
    zone = "UTC" if _has_zone(form) else None
    return DateCells(cells.spread(ticks, NO_DATE), zone)


def _has_zone(form: str) -> bool:
    return "%z" in form or "%Z" in form


@functools.lru_cache(maxsize=4)
def _parsed(strings: tuple[str, ...], form: str, name: str) -> IntArray:
    pandas = imported("pandas")
    series = pandas.Series([text.strip() for text in strings], dtype=object)
    try:
        parsed = pandas.to_datetime(series, format=form, errors="coerce", utc=_has_zone(form))
        plain = parsed.dt.tz_localize(None) if _has_zone(form) else parsed
        return np.asarray(plain.dt.as_unit("us"), dtype="M8[us]").view(np.int64)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"Column {shown(name)} has dates as {shown(form)}: {reason_of(error)}."
        ) from error
