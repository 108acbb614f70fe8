"""Coverage of intervals: on targets drawn from the model itself, and on real ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.loaders import regression_sets
from benchmarks.data.sets import DataSet
from benchmarks.data.splits import share_at_random
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._propagation.exact import link_weights
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray
from lapoleaf.estimators import LeadingForestRegressor

LEVELS = (0.5, 0.8, 0.9, 0.95)
# Maximum number of hidden rows per draw whose intervals are checked.
_MOST_ROWS = 500
# Maximum number of rows for all draws if every draw builds its own forests; with more, a few draws
# suffice.
_MANY_ROWS = 1000
_COLUMNS = (*(f"{level:.0%}" for level in LEVELS), "R²", "width of 90 %")
_READ = (
    "Share of the hidden targets that lie within their intervals, for intervals that promise 50, "
    "80, 90 and 95 %, mean over draws of up to 500 hidden targets; R² of the predictions, "
    "and the median width of the 90 % interval in standard deviations of the targets."
)

# Makes the targets of a draw from the tree and the generator of the draw.
Targets = Callable[[LeadingTree, np.random.Generator], FloatArray]
# The solver is judged on one tree: targets are drawn from its model.
_ONE_TREE = {"weights": "inverse"}


def coverage_tables(folder: Path | None, *, quick: bool) -> Iterator[Table]:
    """Yield coverage on targets drawn from the model, and on real ones."""
    sets = regression_sets(folder, quick=quick)
    yield _drawn_table(sets, draws=3 if quick else 20)
    yield _real_table(sets, draws=3 if quick else 20)


def _drawn_table(sets: list[DataSet], draws: int) -> Table:
    cases = [(data, mu, share) for data in sets for mu in (np.inf, 1.0) for share in (0.05, 0.2)]
    progress = Progress("coverage, drawn targets", len(cases) * draws, verbose=1)
    rows = []
    for data, mu, share in cases:
        found = coverage(data, drawn_from_model(mu), share, draws, progress, mu=mu)
        noise = "no noise" if np.isinf(mu) else f"mu = {mu:g}"
        rows.append((f"tree of {data.name}", noise, f"{share:.0%}", draws, *found))
    return Table(
        "coverage-drawn",
        "Coverage of intervals on targets drawn from the model",
        ("tree", "observed with", "given", "draws", *_COLUMNS),
        rows,
        "A Gaussian field is drawn on the leading tree of real rows, a share of it observed. "
        + _READ,
    )


def _real_table(sets: list[DataSet], draws: int) -> Table:
    everything = {"percent": "auto", "weights": "auto", "coupling": "auto", "alpha": "auto"}
    variants: dict[str, dict[str, Any]] = {"as it comes": {}, "all auto": everything}
    cases = [
        (data, variant, share, draws if not variants[variant] or len(data.X) <= _MANY_ROWS else 5)
        for data in sets
        for variant in variants
        for share in (0.05, 0.2)
    ]
    progress = Progress("coverage, real targets", sum(case[-1] for case in cases), verbose=1)
    rows = []
    for data, variant, share, some in cases:
        found = coverage(data, lambda *_, y=data.y: y, share, some, progress, **variants[variant])
        rows.append((data.name, variant, len(data.X), f"{share:.0%}", some, *found))
    return Table(
        "coverage-real",
        "Coverage of intervals on real targets",
        ("data set", "parameters", "rows", "given", "draws", *_COLUMNS),
        rows,
        "The regressor as it comes (mu chosen by leave-one-out), and with every parameter chosen. "
        + _READ,
    )


def drawn_from_model(mu: float) -> Targets:
    """Return a function that draws a Gaussian field on a tree, observed with the noise of mu."""

    def draw(tree: LeadingTree, rng: np.random.Generator) -> FloatArray:
        steps = rng.normal(size=tree.n_nodes) / np.sqrt(link_weights(tree, "inverse"))
        field = np.zeros(tree.n_nodes)
        for node in tree.order[1:]:
            field[node] = field[tree.parent[node]] + steps[node]
        noise = rng.normal(size=tree.n_rows) * np.sqrt(0.5 / mu)
        return np.asarray(tree.to_rows(field) + noise)

    return draw


def coverage(
    data: DataSet, targets: Targets, share: float, draws: int, progress: Progress, **params: Any
) -> tuple[float, ...]:
    """Return coverage at all levels, R² and relative width, the means over the draws.

    Parameters
    ----------
    data : DataSet
        The rows.
    targets : callable
        Returns the targets of a draw.
    share : float
        Share of the targets that is given.
    draws : int
        Number of draws.
    progress : Progress
        What to report to.
    **params
        Parameters of the regressor.
    """
    # A forest is grown for every draw only where the given targets choose it.
    again = "percent" not in params
    model = LeadingForestRegressor(**{**_ONE_TREE, **params}).fit(data.X, data.y)
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        y = targets(model.tree_, rng)
        given = share_at_random(len(y), share, seed)
        known = np.where(given, y, np.nan)
        with warnings.catch_warnings():
            # Few targets hardly predict each other: how wide intervals are then is in the table.
            warnings.simplefilter("ignore", UserWarning)
            model = model.update_labels(model.ids_, known) if again else model.fit(data.X, known)
        hidden = rng.permutation(np.flatnonzero(~given))[:_MOST_ROWS]
        found.append(_interval_scores(model, data.X[hidden], y[hidden]))
        progress.advance()
    return tuple(float(value) for value in np.mean(found, axis=0))


def _interval_scores(
    model: LeadingForestRegressor, X: FloatArray, truth: FloatArray
) -> list[float]:
    ends = [model.predict_interval(X, level) for level in LEVELS]
    # A row that equals one with a certain target differs from it only by rounding.
    rounding = 1e-9 * truth.std()
    held = [
        float(np.mean((low - rounding <= truth) & (truth <= high + rounding))) for low, high in ends
    ]
    missed = np.mean((model.predict(X) - truth) ** 2) / truth.var()
    width = np.median(ends[2][1] - ends[2][0]) / truth.std()
    return [*held, 1.0 - float(missed), float(width)]
