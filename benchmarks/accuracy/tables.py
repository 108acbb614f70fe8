"""Tables of the accuracy benchmark: means, ranks, wins, and every data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.runner.ranks import ahead_level_behind, ranks
from benchmarks.runner.runner import Scores
from benchmarks.runner.tables import Table
from lapoleaf._typing import FloatArray

_OURS = "lapoleaf"

_TITLES = {
    "clean": "Accuracy",
    "noise": "Accuracy where one given label in five is wrong",
    "unbalanced": "Balanced accuracy on unbalanced classes",
    "images": "Accuracy on features of images",
    "regression": "R² of hidden targets",
    "parts": "Accuracy with a part of the default left out",
    "calibration": "Calibration error",
}
_LABELS = (
    "Columns: 2, 5 or 20 labels of every class (at most half of a class), and as many at random."
)
_NOTES = {
    "clean": f"Share of the unlabelled rows that get their class. {_LABELS}",
    "noise": f"Share of the unlabelled rows that get their class. {_LABELS}",
    "unbalanced": (
        "Classes are thinned step by step, the last one to a tenth; 2, 5 or 20 labels for every "
        "class are given at random, at least one of each, at most half of the rows. Mean over the "
        "classes of the share of their unlabelled rows that get their class."
    ),
    "images": "Share of the unlabelled rows that get their class, for shares given at random.",
    "regression": "R² on the targets that are not given, for shares given at random.",
    "parts": f"Share of the unlabelled rows that get their class. {_LABELS}",
    "calibration": (
        "How far the probability of the class given to an unlabelled row is from the share of "
        f"right ones, mean over ten bins of the probability (0 is perfect). {_LABELS}"
    ),
}


def part_tables(name: str, scores: Scores) -> Iterator[Table]:
    """Yield the tables of a part.

    Parameters
    ----------
    name : str
        Name of the part.
    scores : Scores
        What was measured.
    """
    for table in _TABLES[name]:
        yield from table(name, scores)


def mean_table(name: str, scores: Scores) -> Iterator[Table]:
    """Yield the means over the data sets, the best method first."""
    rows = _by_method(scores, scores.values.mean(axis=1), highest_first=True)
    note = f"{_NOTES[name]} Mean over {_sizes(scores)}."
    yield Table(name, _TITLES[name], ("method", *scores.columns, "mean"), rows, note)


def rank_table(name: str, scores: Scores) -> Iterator[Table]:
    """Yield the mean ranks over the data sets, the best method first."""
    rows = _by_method(scores, ranks(scores.values).mean(axis=1), highest_first=False)
    note = f"Rank of a method on a data set, 1 is best. Mean over {_sizes(scores)}."
    title = f"{_TITLES[name]}: ranks"
    columns = ("method", *scores.columns, "mean")
    yield Table(f"{name}-ranks", title, columns, rows, note, digits=2)


def win_table(name: str, scores: Scores) -> Iterator[Table]:
    """Yield on how many data sets ours wins, ties and loses against each baseline."""
    if _OURS not in scores.methods or len(scores.methods) == 1:
        return
    ours = scores.values[scores.methods.index(_OURS)]
    rows = []
    for method, values in zip(scores.methods, scores.values, strict=True):
        if method != _OURS:
            rows.append((method, *_counts(ours - values), ahead_level_behind(ours - values)))
    note = f"Data sets where {_OURS} is ahead / level (within 0.1 points) / behind."
    title = f"{_TITLES[name]}: {_OURS} against each"
    yield Table(f"{name}-wins", title, ("baseline", *scores.columns, "all"), rows, note)


def best_tables(name: str, scores: Scores) -> Iterator[Table]:
    """Yield, for every column, ours and the best baseline on every data set."""
    if _OURS not in scores.methods or len(scores.methods) == 1:
        return
    ours = scores.methods.index(_OURS)
    baselines = np.delete(scores.values, ours, axis=0)
    names = np.delete(np.array(scores.methods), ours)
    for k, column in enumerate(scores.columns):
        best = baselines[:, :, k].argmax(axis=0)
        rows = [
            (
                *_facts(scores, which),
                float(scores.values[ours, which, k]),
                float(baselines[best[which], which, k]),
                str(names[best[which]]),
            )
            for which in range(len(scores.sets))
        ]
        columns = ("data set", "rows", "classes", _OURS, "best baseline", "which")
        yield Table(_file(name, column), f"{_TITLES[name]}: {column}", columns, rows)


def set_tables(name: str, scores: Scores) -> Iterator[Table]:
    """Yield, for every column, all methods on every data set."""
    for k, column in enumerate(scores.columns):
        rows = [
            (data.name, len(data.X), *map(float, scores.values[:, which, k]))
            for which, data in enumerate(scores.sets)
        ]
        columns = ("data set", "rows", *scores.methods)
        yield Table(_file(name, column), f"{_TITLES[name]}: {column}", columns, rows)


def own_table(name: str, scores: Scores) -> Iterator[Table]:
    """Yield the only method's values on every data set, and their means."""
    values = scores.values[0]
    rows: list[tuple[object, ...]] = [
        (*_facts(scores, which), *map(float, values[which])) for which in range(len(scores.sets))
    ]
    rows.append(("mean", None, None, *map(float, values.mean(axis=0))))
    note = f"{_NOTES[name]} Mean over {scores.splits} splits."
    columns = ("data set", "rows", "classes", *scores.columns)
    yield Table(name, _TITLES[name], columns, rows, note)


_COMPARED = (mean_table, rank_table, win_table, best_tables)
_TABLES: dict[str, tuple[Callable[[str, Scores], Iterator[Table]], ...]] = {
    "clean": _COMPARED,
    "noise": _COMPARED,
    "unbalanced": _COMPARED,
    "images": (mean_table,),
    "regression": (mean_table, rank_table, set_tables),
    "parts": (mean_table,),
    "calibration": (own_table,),
}


def _by_method(scores: Scores, values: FloatArray, *, highest_first: bool) -> list[tuple[Any, ...]]:
    """Return a row for every method, its mean last, sorted by it."""
    rows = [
        (method, *map(float, line), float(line.mean()))
        for method, line in zip(scores.methods, values, strict=True)
    ]
    return sorted(rows, key=lambda row: row[-1], reverse=highest_first)


def _counts(gains: FloatArray) -> list[str]:
    return [ahead_level_behind(column) for column in gains.T]


def _facts(scores: Scores, which: int) -> tuple[str, int, int]:
    data = scores.sets[which]
    return data.name, len(data.X), len(np.unique(data.y))


def _file(name: str, column: str) -> str:
    return f"{name}-" + column.replace(" %", "-percent").replace(" ", "-")


def _sizes(scores: Scores) -> str:
    sets = "1 data set" if len(scores.sets) == 1 else f"{len(scores.sets)} data sets"
    return f"{sets} and {scores.splits} split{'s' if scores.splits > 1 else ''}"
