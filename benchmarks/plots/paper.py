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
    from benchmarks.runner.timing import Growth

# Colours that most people can distinguish, for the baselines.
_COLOURS = (
    "#2f4b6e", "#56a0d3", "#2e8b6f", "#e0a030", "#8e6bb0", "#7a7a7a", "#a05a2c", "#111111",
)  # fmt: skip
_MARKS = "svD^<>PX"


def _figure(width: float, height: float) -> Any:
    """Return an empty figure; None, with a line, where there is no matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        tell("No picture: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return None
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def write_accuracy_plot(
    folder: Path,
    columns: Sequence[str],
    lines: Mapping[str, Sequence[FloatArray]],
    paper: Sequence[float],
) -> str:
    """Draw accuracy against the percentage of labels, with the paper's numbers; return the name.

    Parameters
    ----------
    folder : Path
        Where to.
    columns : sequence of str
        How many labels are given.
    lines : mapping of str to sequence of ndarray
        The accuracies over the splits in percent, by method and column; ours first.
    paper : sequence of float
        The paper's accuracies of LaPOLeaF, by column.
    """
    figure = _figure(8.0, 4.6)
    if figure is None:
        return ""
    ax = figure.add_subplot()
    places = np.arange(len(columns))
    looks = cycle(zip(_COLOURS, _MARKS, strict=True))
    for place, (method, scores) in enumerate(lines.items()):
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
    label = "paper: LaPOLeaF on its images"
    ax.plot(places, paper, color="black", marker="*", ls=":", lw=1, label=label)
    ax.set_xticks(places, [f"{column} labels" for column in columns])
    ax.set_ylabel("accuracy on the unlabelled rows, %")
    ax.grid(axis="y", color="#dddddd", lw=0.6)
    tidy(ax)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    figure.savefig(folder / "paper-accuracy.png", dpi=150)
    return "paper-accuracy.png"


def write_complexity_plot(
    folder: Path, growth: Mapping[str, Mapping[str, Growth]], ours: str
) -> str:
    """Draw seconds against rows, both logarithmic, a panel for graph and labels; return the name.

    Parameters
    ----------
    folder : Path
        Where to.
    growth : mapping of str to mapping of str to sequence of (n, seconds)
        What was measured, by step and method.
    ours : str
        The method to highlight.
    """
    figure = _figure(10.5, 4.2)
    if figure is None:
        return ""
    axes = figure.subplots(1, len(growth), sharex=True, sharey=True)
    for ax, (step, lines) in zip(axes, growth.items(), strict=True):
        looks = cycle(zip(_COLOURS, _MARKS, strict=True))
        for name, line in lines.items():
            colour, mark = (ACCENT, "o") if name == ours else next(looks)
            sizes, seconds = np.array(line, dtype=float).T
            ax.plot(sizes, seconds, color=colour, marker=mark, ms=5, lw=1.2, label=name)
        ax.set_title(f"seconds of the {step}", loc="left", fontsize=10)
        ax.set(xscale="log", yscale="log", xlabel="rows")
        ax.grid(color="#dddddd", lw=0.6)
        tidy(ax)
    axes[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    figure.savefig(folder / "paper-complexity.png", dpi=150)
    return "paper-complexity.png"


def write_water_plot(
    folder: Path,
    name: str,
    panels: Sequence[tuple[str, FloatArray, Mapping[str, FloatArray]]],
    readings: int = 192,
) -> str:
    """Draw what was read and what was predicted, a panel for every quantity; return the name.

    Parameters
    ----------
    folder : Path
        Where to.
    name : str
        Name of the site.
    panels : sequence of (title, truth, predictions by method)
        What was read, and what each method predicted one step ahead.
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
        looks = cycle(_COLOURS)
        for place, (method, found) in enumerate(predictions.items()):
            colour = ACCENT if place == 0 else next(looks)
            width = 1.4 if place == 0 else 1.0
            ax.plot(hours, found[:readings], color=colour, lw=width, label=method)
        # The limits are set so that an outlying method does not compress the others.
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
