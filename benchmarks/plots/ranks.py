"""The diagram of critical differences: methods on an axis of mean ranks (Demšar, 2006)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.runner.ranks import critical_difference, groups_alike, ranks
from lapoleaf._progress import tell
from lapoleaf._typing import FloatArray
from lapoleaf.plots._axes import ACCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchmarks.runner.runner import Scores

_INK, _QUIET = "#222222", "#8a9bb0"
# Heights, in lines of text below the axis.
_FIRST_GROUP, _GROUP_STEP = 0.45, 0.4
# Widths, as parts of the axis: room for names, from its ends to their lines, from these to them.
_MARGIN, _OUTSIDE, _GAP = 0.32, 0.04, 0.007


def write_rank_plot(path: Path, scores: Scores, ours: str = "lapoleaf") -> None:
    """Draw the mean ranks of all methods and which of them do not differ.

    A data set's score is the mean over the columns: ranks of one data set are not independent.

    Parameters
    ----------
    path : Path
        The picture to write.
    scores : Scores
        What was measured.
    ours : str, default="lapoleaf"
        The method to highlight.
    """
    n_methods, n_sets = scores.values.shape[:2]
    if n_methods < 2 or n_sets < 2:
        tell("No picture of ranks: it needs two methods and two data sets.")
        return
    if importlib.util.find_spec("matplotlib") is None:
        tell("No picture of ranks: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return
    from matplotlib.figure import Figure

    mean_ranks = ranks(scores.values.mean(axis=2)).mean(axis=1)
    order = np.argsort(mean_ranks, kind="stable")
    names = [scores.methods[method] for method in order]
    difference = critical_difference(n_methods, n_sets)
    groups = groups_alike(mean_ranks[order], difference)
    height = _first_label(len(groups)) + (n_methods + 1) // 2
    figure = Figure(figsize=(9.0, 1.1 + 0.28 * height))
    ax = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    _draw_axis(ax, n_methods, difference, n_sets)
    _draw_groups(ax, mean_ranks[order], groups)
    _draw_methods(ax, names, mean_ranks[order], _first_label(len(groups)), ours)
    ax.set_ylim(height - 0.2, -3.4)
    figure.savefig(path, dpi=150)


def _first_label(n_groups: int) -> float:
    return _FIRST_GROUP + _GROUP_STEP * n_groups + 0.6


def _draw_axis(ax: Axes, n_methods: int, difference: float, n_sets: int) -> None:
    """Draw the axis of ranks, and above it a ruler as long as the critical difference."""
    ax.set_axis_off()
    margin = _MARGIN * (n_methods - 1)
    ax.set_xlim(1 - margin, n_methods + margin)
    ax.plot([1, n_methods], [0, 0], color=_INK, lw=1.2)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [0, -0.25], color=_INK, lw=1.2)
        ax.text(rank, -0.4, str(rank), ha="center", va="bottom", fontsize=9, color=_INK)
    ruler = [1, 1 + difference]
    ax.plot(ruler, [-1.9, -1.9], color=_QUIET, lw=2, marker="|", markersize=8)
    text = f"critical difference {difference:.2f} (Nemenyi, 5 %, {n_sets} data sets)"
    ax.text(1, -2.3, text, ha="left", va="bottom", fontsize=9, color=_INK)
    meaning = "mean rank (1 is best)"
    ax.text(n_methods, -2.3, meaning, ha="right", va="bottom", fontsize=9, color=_INK)


def _draw_groups(ax: Axes, mean_ranks: FloatArray, groups: list[tuple[int, int]]) -> None:
    """Join the methods that do not differ by bars, each a step lower."""
    for step, (first, last) in enumerate(groups):
        height = _FIRST_GROUP + _GROUP_STEP * step
        ends = [mean_ranks[first], mean_ranks[last]]
        ax.plot(ends, [height, height], color=_QUIET, lw=5, solid_capstyle="round", zorder=3)


def _draw_methods(
    ax: Axes, names: list[str], mean_ranks: FloatArray, first_label: float, ours: str
) -> None:
    """Draw lines from the axis to names left and right, the better half to the left."""
    n_methods = len(names)
    half = (n_methods + 1) // 2
    width = n_methods - 1
    for place, (name, rank) in enumerate(zip(names, mean_ranks, strict=True)):
        colour = ACCENT if name == ours else _INK
        style: dict[str, Any] = {
            "va": "center",
            "color": colour,
            "weight": "bold" if name == ours else "normal",
        }
        if place < half:
            height, end = first_label + place, 1 - _OUTSIDE * width
            ax.text(end - _GAP * width, height, f"{name}  {rank:.2f}", ha="right", **style)
        else:
            height, end = first_label + n_methods - 1 - place, n_methods + _OUTSIDE * width
            ax.text(end + _GAP * width, height, f"{rank:.2f}  {name}", ha="left", **style)
        ax.plot([rank, rank, end], [0, height, height], color=colour, lw=1.0)
