"""Paired comparisons with each baseline, the best one, and an earlier run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.accuracy.draws import Draws
from benchmarks.accuracy.titles import TITLES
from benchmarks.methods.ours import OURS
from benchmarks.runner.paired import clairvoyant, paired_difference
from benchmarks.runner.ranks import ahead_level_behind
from benchmarks.runner.tables import Table
from lapoleaf._typing import FloatArray

BEST = "clairvoyant"
BEST_NOTE = (
    f"{BEST}: on every data set the best baseline, chosen with the truth on one half of the draws "
    "and scored on the other."
)
_ERRORS = "± standard error over data sets / over draws on the same data sets"


def best_baseline(draws: Draws) -> FloatArray | None:
    """Return the scores of the best baseline on every draw, or None if they are not comparable.

    Parameters
    ----------
    draws : Draws
        The scores.
    """
    baselines = draws.baselines().values
    if OURS not in draws.methods or len(baselines) == 0 or draws.splits < 2:
        return None
    return clairvoyant(baselines)


def paired_tables(name: str, draws: Draws) -> Iterator[Table]:
    """Yield the differences of ours to every baseline, with standard errors, the strongest first.

    Parameters
    ----------
    name : str
        Name of the part.
    draws : Draws
        The scores.
    """
    others = {method: draws.of(method) for method in draws.baselines().methods}
    if OURS not in draws.methods or not others:
        return
    best = best_baseline(draws)
    if best is not None:
        others[BEST] = best
    rows, plain = [], []
    for method, values in others.items():
        gains = with_mean(draws.of(OURS) - values)
        gains = gains[~np.isnan(gains).any(axis=(1, 2))]
        found = [paired_difference(gains[:, k]) for k in range(gains.shape[1])]
        rows.append((found[-1].mean, method, len(gains), *(each.text() for each in found)))
        numbers = [value for each in found for value in (each.mean, *each.errors)]
        plain.append((found[-1].mean, method, len(gains), *numbers))
    columns = (*draws.columns, "mean")
    note = f"Difference in points on the same draws, {_ERRORS}."
    yield Table(
        f"{name}-paired",
        f"{TITLES[name]}: {OURS} minus each",
        ("baseline", "data sets", *columns),
        [row[1:] for row in sorted(rows)],
        f"{note} {BEST_NOTE}" if best is not None else note,
        plain_columns=(
            "baseline",
            "data sets",
            *(f"{column}{part}" for column in columns for part in ("", " ± sets", " ± draws")),
        ),
        plain_rows=[row[1:] for row in sorted(plain)],
    )


def regret_tables(name: str, draws: Draws) -> Iterator[Table]:
    """Yield the regrets by data set: ours minus the clairvoyant, the largest first.

    Parameters
    ----------
    name : str
        Name of the part.
    draws : Draws
        The scores.
    """
    best = best_baseline(draws)
    if best is None:
        return
    baselines = draws.baselines()
    means = np.nan_to_num(baselines.values.mean(axis=(2, 3)), nan=-np.inf)
    names = [baselines.methods[k] for k in means.argmax(axis=0)]
    note = (
        f"{OURS} minus the {BEST}, in points, and the standard error of the mean over draws. Last: "
        "the baseline with the highest mean over columns and draws."
    )
    yield Table(
        f"{name}-regrets",
        f"{TITLES[name]}: regrets by data set",
        ("data set", "rows", "features", "classes", *draws.columns, "mean", "±", "best baseline"),
        _by_set(draws, draws.of(OURS) - best, names),
        note,
        digits=1,
    )


def earlier_tables(name: str, draws: Draws, earlier: FloatArray) -> Iterator[Table]:
    """Yield the differences of ours to an earlier run: in every column, and on every data set.

    Parameters
    ----------
    name : str
        Name of the part.
    draws : Draws
        The scores.
    earlier : ndarray of shape (n_sets, n_columns, n_splits)
        Scores of the earlier run.
    """
    gains = with_mean(draws.of(OURS) - earlier)
    then, now = (with_mean(values).mean(axis=(0, 2)) for values in (earlier, draws.of(OURS)))
    rows: list[tuple[Any, ...]] = []
    for k, column in enumerate((*draws.columns, "mean")):
        found = paired_difference(gains[:, k])
        errors = [100 * error if np.isfinite(error) else None for error in found.errors]
        counts = ahead_level_behind(gains[:, k].mean(axis=1))
        scores = 100 * float(then[k]), 100 * float(now[k]), 100 * found.mean
        rows.append((column, *scores, *errors, counts))
    title = f"{TITLES[name]}: {OURS} against an earlier run"
    yield Table(
        f"{name}-against",
        title,
        ("column", "then", "now", "difference", "± sets", "± draws", "higher / level / lower"),
        rows,
        f"In points, on the same draws; {_ERRORS}. Last: data sets where the score is higher now.",
        digits=2,
    )
    yield Table(
        f"{name}-against-sets",
        f"{title}, by data set",
        ("data set", "rows", "features", "classes", *draws.columns, "mean", "±"),
        _by_set(draws, draws.of(OURS) - earlier, None),
        "Now minus then, in points, and the standard error of the mean over draws.",
        digits=1,
    )


def with_mean(values: FloatArray) -> FloatArray:
    """Return scores with an additional column, the mean over the columns.

    Parameters
    ----------
    values : ndarray of shape (n_sets, n_columns, n_splits)
        Scores, or differences of them.
    """
    return np.concatenate([values, values.mean(axis=1, keepdims=True)], axis=1)


def _by_set(draws: Draws, gains: FloatArray, last: list[str] | None) -> list[tuple[Any, ...]]:
    """Return a row for every data set, the lowest mean first, in points."""
    rows: list[tuple[Any, ...]] = []
    for which, data in enumerate(draws.sets):
        found = paired_difference(gains[which].mean(axis=0)[None])
        error = 100 * found.over_draws if draws.splits > 1 else None
        values = 100 * gains[which].mean(axis=1)
        facts = (data.name, *data.X.shape, len(np.unique(data.y)))
        ends = () if last is None else (last[which],)
        rows.append((*facts, *map(float, values), 100 * found.mean, error, *ends))
    return sorted(rows, key=lambda row: float(row[4 + len(draws.columns)]))
