"""Pictures for the paper's tables: accuracy against labels, water against time."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._progress import tell
from lapoleaf._typing import FloatArray
from lapoleaf.plots._axes import ACCENT, tidy

if TYPE_CHECKING:
    from lapoleaf.bench.data import DataSet
    from lapoleaf.bench.paper_runs import Asking, Question

_QUIET = ("#2f4b6e", "#5f7f9f", "#7a7a7a", "#a8a08d")
_MARKS = "svD^<>PX"


def _figure(width: float, height: float) -> Any:
    """Give an empty figure; None, with a line, where there is no matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        tell("No picture: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return None
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def write_accuracy_plot(
    folder: Path,
    asking: Asking,
    question: Question,
    data: DataSet,
    paper: Mapping[str, Mapping[str, tuple[float, float]]],
) -> str:
    """Draw accuracy against the percentage of labels, with the paper's numbers; give the name.

    Parameters
    ----------
    folder : Path
        Where to.
    asking : Asking
        What was measured.
    question : Question
        What was asked.
    data : DataSet
        The data set.
    paper : mapping
        The paper's means and deviations, by method and column.
    """
    figure = _figure(8.0, 4.6)
    if figure is None:
        return ""
    ax = figure.add_subplot()
    places = np.arange(len(question.columns))
    looks = cycle(zip(cycle(_QUIET), _MARKS))
    for place, method in enumerate(question.methods):
        scores = [100 * asking.scores(question, data, method, c) for c in question.columns]
        means = [float(np.mean(found)) for found in scores]
        spread = [float(np.std(found, ddof=1)) if len(found) > 1 else 0.0 for found in scores]
        colour, mark = (ACCENT, "o") if place == 0 else next(looks)
        ax.errorbar(
            places + 0.012 * (place - 4),
            means,
            spread,
            color=colour,
            marker=mark,
            ms=5,
            lw=2.2 if place == 0 else 1.1,
            capsize=2,
            label=method,
            zorder=3 if place == 0 else 2,
        )
    for name, mark in (("LaPOLeaF", "*"), ("RGSSL-MCC", "x")):
        points = [paper[name][column][0] for column in question.columns]
        label = f"paper, on its images: {name}"
        ax.plot(places, points, color="black", marker=mark, ls=":", lw=1, label=label)
    ax.set_xticks(places, [f"{column} labels" for column in question.columns])
    ax.set_ylabel("accuracy on the unlabelled rows, %")
    ax.grid(axis="y", color="#dddddd", lw=0.6)
    tidy(ax)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    figure.savefig(folder / "paper-accuracy.png", dpi=150)
    return "paper-accuracy.png"


def write_water_plot(
    folder: Path,
    name: str,
    panels: Sequence[tuple[str, FloatArray, Mapping[str, FloatArray]]],
    readings: int = 192,
) -> str:
    """Draw what was read and what was predicted, a panel for every quantity; give the name.

    Parameters
    ----------
    folder : Path
        Where to.
    name : str
        Name of the site.
    panels : sequence of (title, truth, predictions by method)
        What was read, and what each method said one step ahead.
    readings : int, default=192
        How many readings are drawn: two days of quarters of an hour.
    """
    figure = _figure(9.0, 2.6 * len(panels))
    if figure is None:
        return ""
    axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for ax, (title, truth, predictions) in zip(axes, panels, strict=True):
        hours = np.arange(min(readings, len(truth))) / 4.0
        ax.plot(hours, truth[:readings], color="black", lw=2.4, alpha=0.35, label="read")
        looks = cycle(_QUIET)
        for place, (method, found) in enumerate(predictions.items()):
            colour = ACCENT if place == 0 else next(looks)
            width = 1.4 if place == 0 else 1.0
            ax.plot(hours, found[:readings], color=colour, lw=width, label=method)
        # A method that is far off must not flatten the others.
        low, high = truth[:readings].min(), truth[:readings].max()
        margin = 0.35 * max(high - low, 1e-9)
        ax.set_ylim(low - margin, high + margin)
        ax.set_title(title, loc="left", fontsize=10)
        ax.grid(color="#dddddd", lw=0.6)
        tidy(ax)
        ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes[-1].set_xlabel("hours after the last training reading")
    file = f"paper-water-{name.lower().replace(' ', '-')}.png"
    figure.savefig(folder / file, dpi=150)
    return file
