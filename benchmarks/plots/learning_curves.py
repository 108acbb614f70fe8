"""The picture of learning curves: accuracy against the number of labels."""

from __future__ import annotations

import importlib.util
from itertools import cycle
from pathlib import Path

import numpy as np

from benchmarks.runner.runner import Scores
from lapoleaf._progress import tell
from lapoleaf.plots._axes import ACCENT, tidy

# Baselines: quiet colours, with marks of their own.
_QUIET = ("#2f4b6e", "#5f7f9f", "#7a7a7a", "#a8a08d")
_MARKS = "svD^"


def write_curve_plot(path: Path, scores: Scores) -> None:
    """Draw the mean over the data sets for every method; the first stands out.

    Parameters
    ----------
    path : Path
        The picture to write.
    scores : Scores
        What was measured; the columns are the numbers of labels.
    """
    if importlib.util.find_spec("matplotlib") is None:
        tell("No picture of curves: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    ax = figure.add_subplot()
    means = scores.values.mean(axis=1)
    looks = cycle(zip(_QUIET, _MARKS, strict=True))
    styles = [(ACCENT, "o"), *(next(looks) for _ in scores.methods[1:])]
    # Named in the order in which they end, from above.
    for place in np.argsort(-means[:, -1], kind="stable"):
        colour, mark = styles[place]
        ax.plot(
            scores.columns,
            means[place],
            color=colour,
            marker=mark,
            lw=1.4 if place else 2.4,
            zorder=2 if place else 3,
            label=scores.methods[place],
        )
    ax.set_xlabel("labels given, K classes")
    ax.set_ylabel("accuracy on the unlabelled rows")
    ax.set_title(f"Mean over {len(scores.sets)} data sets")
    ax.grid(axis="y", color="#dddddd", lw=0.6)
    tidy(ax)
    ax.legend(frameon=False)
    figure.savefig(path, dpi=150)
