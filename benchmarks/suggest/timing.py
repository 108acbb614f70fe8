"""Time of suggestions, beside that of one propagation in the same forests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.data.forests import CLASSES, GIVEN, SETTINGS, made_forests, random_labels
from benchmarks.runner.tables import Table
from benchmarks.runner.timing import best_time
from lapoleaf._progress import Progress
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._queries import Coverage, Target, suggest_nodes

_FORESTS, _SUGGESTED = 10, 100
_QUICK_SIZES = (1_000, 3_000)


def time_table(sizes: Sequence[int], *, quick: bool) -> Table:
    """Return the seconds of 100 suggestions and of one propagation, for growing numbers of points.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of points.
    quick : bool
        Whether a few small sizes are enough.
    """
    repeats = 1 if quick else 3
    rows = []
    chosen = _QUICK_SIZES if quick else tuple(sizes)
    progress = Progress("time", len(chosen), verbose=1)
    for n in chosen:
        forests = made_forests(n, _FORESTS)
        labels, count = random_labels(n)
        concern = np.random.default_rng(n).random(n)
        target = Target(count, concern, Coverage.from_settings(SETTINGS))
        works = (
            partial(propagate_ensemble, forests, labels, count, SETTINGS),
            partial(suggest_nodes, forests, [target], _SUGGESTED),
        )
        propagation, suggestions = (best_time(work, repeats) for work in works)
        rows.append((n, _FORESTS, propagation, suggestions, suggestions / propagation))
        progress.advance()
    return Table(
        "time",
        f"Seconds of {_SUGGESTED} suggestions and of one propagation",
        ("points", "forests", "propagation", "suggestions", "ratio"),
        rows,
        f"Clustered points in three columns, {_FORESTS} forests, {CLASSES} classes, {GIVEN} "
        f"labels given; processor time on one core, the best of {repeats} after one that does not "
        f"count. Labels given to a fitted classifier take three such propagations.",
    )
