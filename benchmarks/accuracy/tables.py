"""Tables of the accuracy benchmark: means, ranks, wins, and every data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.accuracy.comparisons import (
    BEST,
    BEST_NOTE,
    best_baseline,
    earlier_tables,
    paired_tables,
    regret_tables,
)
from benchmarks.accuracy.draws import Draws
from benchmarks.accuracy.titles import NOTES, TITLES
from benchmarks.methods.ours import OURS
from benchmarks.runner.ranks import ahead_level_behind, ranks
from benchmarks.runner.runner import Scores
from benchmarks.runner.tables import Table
from lapoleaf._typing import FloatArray


def part_tables(name: str, draws: Draws, earlier: FloatArray | None = None) -> Iterator[Table]:
    """Yield the tables of a part.

    Parameters
    ----------
    name : str
        Name of the part.
    draws : Draws
        What was measured.
    earlier : ndarray of shape (n_sets, n_columns, n_splits), optional
        What ours reached in an earlier run.
    """
    for table in _TABLES[name]:
        yield from table(name, draws)
    if earlier is not None:
        yield from earlier_tables(name, draws, earlier)


def mean_table(name: str, draws: Draws) -> Iterator[Table]:
    """Yield the means over the data sets, the best method first."""
    scores = draws.scores()
    means = dict(zip(scores.methods, scores.values.mean(axis=1), strict=True))
    note = f"{NOTES[name]} Mean over {_sizes(scores)}."
    best = best_baseline(draws)
    if best is not None:
        means[BEST] = best.mean(axis=(0, 2))
        note += f" {BEST_NOTE}"
    rows = _by_method(means, highest_first=True)
    yield Table(name, TITLES[name], ("method", *scores.columns, "mean"), rows, note)


def rank_table(name: str, draws: Draws) -> Iterator[Table]:
    """Yield the mean ranks over the data sets, the best method first."""
    scores = draws.scores()
    means = zip(scores.methods, ranks(scores.values).mean(axis=1), strict=True)
    rows = _by_method(dict(means), highest_first=False)
    note = f"Rank of a method on a data set, 1 is best. Mean over {_sizes(scores)}."
    title = f"{TITLES[name]}: ranks"
    columns = ("method", *scores.columns, "mean")
    yield Table(f"{name}-ranks", title, columns, rows, note, digits=2)


def win_table(name: str, draws: Draws) -> Iterator[Table]:
    """Yield on how many data sets ours wins, ties and loses against each baseline."""
    scores = draws.scores()
    if OURS not in scores.methods or len(scores.methods) == 1:
        return
    ours = scores.values[scores.methods.index(OURS)]
    rows = []
    for method, values in zip(scores.methods, scores.values, strict=True):
        if method != OURS:
            rows.append((method, *_counts(ours - values), ahead_level_behind(ours - values)))
    note = f"Data sets where {OURS} is ahead / level (within 0.1 points) / behind."
    title = f"{TITLES[name]}: {OURS} against each"
    yield Table(f"{name}-wins", title, ("baseline", *scores.columns, "all"), rows, note)


def set_tables(name: str, draws: Draws) -> Iterator[Table]:
    """Yield, for every column, all methods on every data set."""
    scores = draws.scores()
    for k, column in enumerate(scores.columns):
        rows = [
            (data.name, len(data.X), *map(float, scores.values[:, which, k]))
            for which, data in enumerate(scores.sets)
        ]
        columns = ("data set", "rows", *scores.methods)
        yield Table(_file(name, column), f"{TITLES[name]}: {column}", columns, rows)


def own_table(name: str, draws: Draws) -> Iterator[Table]:
    """Yield the only method's values on every data set, and their means."""
    scores = draws.scores()
    values = scores.values[0]
    rows: list[tuple[object, ...]] = [
        (*_facts(scores, which), *map(float, values[which])) for which in range(len(scores.sets))
    ]
    rows.append(("mean", None, None, *map(float, values.mean(axis=0))))
    note = f"{NOTES[name]} Mean over {scores.splits} splits."
    columns = ("data set", "rows", "classes", *scores.columns)
    yield Table(name, TITLES[name], columns, rows, note)


_COMPARED = (mean_table, rank_table, win_table, paired_tables, regret_tables)
_TABLES: dict[str, tuple[Callable[[str, Draws], Iterator[Table]], ...]] = {
    "clean": _COMPARED,
    "tables": _COMPARED,
    "noise": _COMPARED,
    "shares": (mean_table, paired_tables),
    "tables-shares": (mean_table, paired_tables),
    "unbalanced": (mean_table, rank_table, win_table, paired_tables),
    "images": (mean_table,),
    "texts": (mean_table, set_tables, paired_tables),
    "regression": (mean_table, rank_table, set_tables, paired_tables),
    "tables-regression": (mean_table, rank_table, set_tables, paired_tables),
    "parts": (mean_table,),
    "calibration": (own_table,),
    "tables-calibration": (own_table,),
}


def _by_method(means: Mapping[str, FloatArray], *, highest_first: bool) -> list[tuple[Any, ...]]:
    """Return a row for every method, its mean last, sorted by it."""
    rows = [(method, *map(float, line), float(line.mean())) for method, line in means.items()]
    return sorted(rows, key=lambda row: row[-1], reverse=highest_first)


def _counts(gains: FloatArray) -> list[str]:
    return [ahead_level_behind(column) for column in gains.T]


def _facts(scores: Scores, which: int) -> tuple[str, int, int]:
    data = scores.sets[which]
    return data.name, len(data.X), len(set(data.y))


def _file(name: str, column: str) -> str:
    return f"{name}-" + column.replace(" %", "-percent").replace(" ", "-")


def _sizes(scores: Scores) -> str:
    sets = "1 data set" if len(scores.sets) == 1 else f"{len(scores.sets)} data sets"
    return f"{sets} and {scores.splits} split{'s' if scores.splits > 1 else ''}"
