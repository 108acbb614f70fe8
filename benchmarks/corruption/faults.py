"""Faults of sensors, clocks and loggers, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.corruption.lines import HEADER, Line, Stream, time_of

Fault = Callable[[Stream], Stream]

# Sizes of spikes: in standard deviations of the change from reading to reading, and as they are.
_RELATIVE = (3.0, 10.0, 30.0, 100.0, 1000.0)
_ABSOLUTE = (1e6, 1e12, 1e100, 1e308)
_NOISE = (
    b"\n",
    b"abc\rdef\n",
    b"\xff\xfe\x00\n",
    b"[" * 70_000 + b"\n",
    b"2024-01-\n",
    b'"2024-01-01 00:15,8\n',
    b"9" * 5000 + b",8\n",
    b"now,8\n",
    b"ERROR sensor not ready\n",
)
_A_DAY, _A_MONTH = 96, 96 * 30


def noise_lines(length: int, every: int = 1) -> Fault:
    """Return the fault of a logger that writes noise instead of lines."""

    def fault(stream: Stream) -> Stream:
        def change(line: Line) -> bytes:
            turn, rest = divmod(line.step - stream.first, every)
            return line.as_bytes() if rest else _NOISE[(turn + 1) % len(_NOISE)]

        return stream.changed(length, change)

    return fault


def spike(size: float, relative: bool) -> Fault:
    """Return the fault of one reading that is ``size`` too large."""

    def fault(stream: Stream) -> Stream:
        unit = float(np.std(np.diff(stream.truth))) if relative else 1.0

        def change(line: Line) -> bytes:
            return line._replace(value=repr(float(line.value) + size * unit)).as_bytes()

        return stream.changed(1, change)

    return fault


def wild(length: int) -> Fault:
    """Return the fault of readings in a row that are anything up to a million."""
    values = np.random.default_rng(0).uniform(-1e6, 1e6, length)

    def fault(stream: Stream) -> Stream:
        return stream.changed(
            length,
            lambda line: line._replace(value=f"{values[line.step - stream.first]:.4f}").as_bytes(),
        )

    return fault


def regular_spikes(n: int, every: int) -> Fault:
    """Return the fault of regular spikes of a million."""

    def fault(stream: Stream) -> Stream:
        def change(line: Line) -> bytes:
            is_spike = (line.step - stream.first) % every == 0
            return line._replace(value="1e6").as_bytes() if is_spike else line.as_bytes()

        return stream.changed((n - 1) * every + 1, change)

    return fault


def constant(length: int, value: str | None = None) -> Fault:
    """Return the fault of a sensor that repeats a value, by default the one before."""

    def fault(stream: Stream) -> Stream:
        repeated = value or f"{stream.truth[stream.first - 1]:.4f}"
        return stream.changed(length, lambda line: line._replace(value=repeated).as_bytes())

    return fault


def gap(length: int, every: int = 1, filled: bool = False) -> Fault:
    """Return the fault of readings that are missing: as lines, or their values."""

    def change(line: Line) -> bytes:
        if line.step % every:
            return line.as_bytes()
        return line._replace(value="").as_bytes() if filled else b""

    return lambda stream: stream.changed(length, change)


def wrong_time(time: str) -> Fault:
    """Return the fault of one reading with a wrong time."""
    return lambda stream: stream.changed(1, lambda line: line._replace(time=time).as_bytes())


def clock_set(by: int) -> Fault:
    """Return the fault of a clock that is permanently shifted by some steps."""

    def fault(stream: Stream) -> Stream:
        moved = stream.changed(
            len(stream.truth), lambda line: line._replace(time=time_of(line.step + by)).as_bytes()
        )
        return replace(moved, last=stream.first)

    return fault


def clock_still(length: int) -> Fault:
    """Return the fault of a clock that stands still."""

    def fault(stream: Stream) -> Stream:
        time = time_of(stream.first - 1)
        return stream.changed(length, lambda line: line._replace(time=time).as_bytes())

    return fault


def level_shift(size: float) -> Fault:
    """Return a permanent jump of the level, in standard deviations of a change."""

    def fault(stream: Stream) -> Stream:
        truth = stream.truth.copy()
        truth[stream.first :] += round(size * float(np.std(np.diff(stream.truth))), 4)
        moved = replace(stream, truth=truth).changed(
            len(truth), lambda line: line._replace(value=f"{truth[line.step]:.4f}").as_bytes()
        )
        return replace(moved, last=stream.first)

    return fault


def written(length: int, write: Callable[[Line], str]) -> Fault:
    """Return the fault of a logger that writes in another format for a while."""
    return lambda stream: stream.changed(length, lambda line: f"{write(line)}\n".encode())


def written_from_now_on(write: Callable[[Line], str]) -> Fault:
    """Return the fault of a logger that writes in another format for good."""

    def fault(stream: Stream) -> Stream:
        return replace(written(len(stream.truth), write)(stream), last=stream.first)

    return fault


def _as_json(line: Line) -> str:
    return json.dumps({"time": line.time, "value": float(line.value)})


def _restarted(line: Line) -> bytes:
    return HEADER + line.as_bytes()


def all_faults() -> dict[str, Fault]:
    """Return every fault, by what people call it."""
    spikes = {f"spike of {size:g} sd": spike(size, True) for size in _RELATIVE}
    spikes |= {f"spike of {size:g}": spike(size, False) for size in _ABSOLUTE}
    formats: dict[str, Callable[[Line], str]] = {
        "decimal commas": lambda line: f"{line.time},{line.value.replace('.', ',')}",
        "semicolons": lambda line: f"{line.time};{line.value}",
        "JSON": _as_json,
        "columns swapped": lambda line: f"{line.value},{line.time}",
        "values only": lambda line: line.value,
    }
    return {
        "one line of noise": noise_lines(1),
        "30 lines of noise": noise_lines(30),
        "every third of 90 lines noise": noise_lines(90, 3),
        **spikes,
        "10 spikes, one in 10": regular_spikes(10, 10),
        "30 wild readings": wild(30),
        "100 wild readings": wild(100),
        "stuck for 30": constant(30),
        "stuck for 200": constant(200),
        "fault code -9999, 5 times": constant(5, "-9999"),
        "fault code -9999, 50 times": constant(50, "-9999"),
        "1 line missing": gap(1),
        "12 lines missing": gap(12),
        "100 lines missing": gap(100),
        "30 values empty": gap(30, filled=True),
        "every second of 100 values empty": gap(100, 2, filled=True),
        "one time a year ahead": wrong_time("2025-06-01 00:00"),
        "one time in 1970": wrong_time("1970-01-01 00:00"),
        "clock set 1 hour forward": clock_set(4),
        "clock set 1 hour back": clock_set(-4),
        "clock set 30 days forward": clock_set(_A_MONTH),
        "clock set 30 days back": clock_set(-_A_MONTH),
        "clock stands still for 50": clock_still(50),
        "level up by 10 sd": level_shift(10.0),
        "level up by 100 sd": level_shift(100.0),
        "level down by 1e6 sd": level_shift(-1e6),
        **{f"30 lines: {name}": written(30, write) for name, write in formats.items()},
        "names repeated": lambda stream: stream.changed(1, _restarted),
        "semicolons from now on": written_from_now_on(formats["semicolons"]),
    }
