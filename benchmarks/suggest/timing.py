"""Time of suggestions, beside that of one propagation in the same forests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from lapoleaf._progress import Progress
from lapoleaf._propagation import Settings
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._queries import Coverage, Target, suggest_nodes
from lapoleaf._typing import FloatArray
from benchmarks.data.forests import made_forests
from benchmarks.solver.timing import best_time
from benchmarks.runner.tables import Table

_FORESTS, _CLASSES, _SUGGESTED = 10, 10, 100
# Labels there are already, of random nodes.
_GIVEN = 100
_QUICK_SIZES = (1_000, 3_000)
# How the default estimators propagate at first.
SETTINGS = Settings(mu=0.03, weights="self-tuned")


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
        f"Clustered points in three columns, {_FORESTS} forests, {_CLASSES} classes, {_GIVEN} "
        f"labels given; processor time on one core, the best of {repeats} after one that does not "
        f"count. Labels given to a fitted classifier take three such propagations.",
    )


def random_labels(n: int, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    """Return label vectors of a hundred random nodes, in turn of every class, and their counts.

    Parameters
    ----------
    n : int
        Number of nodes.
    seed : int, default=1
        Which nodes.
    """
    nodes = np.random.default_rng(seed).permutation(n)[:_GIVEN]
    labels, count = np.zeros((n, _CLASSES)), np.zeros(n)
    labels[nodes, np.arange(len(nodes)) % _CLASSES] = 1.0
    count[nodes] = 1.0
    return labels, count
