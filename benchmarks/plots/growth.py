"""The picture of how time grows with the number of points."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

import numpy as np

from benchmarks.runner.timing import Growth, slope
from lapoleaf._progress import tell
from lapoleaf.plots._axes import ACCENT, tidy

_QUIET, _MARKS = ("#2f4b6e", "#5f7f9f", "#7a7a7a", "#a8a08d"), "svD^"
# More lines than this leave no room for their names among them.
_FEW = 5


def write_growth_plot(path: Path, lines: Mapping[str, Growth]) -> None:
    """Draw seconds against points, both logarithmic, and the fitted slopes; the first stands out.

    Parameters
    ----------
    path : Path
        The picture to write.
    lines : mapping of str to sequence of (n, seconds)
        What was measured, by the names of the methods.
    """
    drawn = {name: sorted(growth) for name, growth in lines.items() if len(growth) > 1}
    if not drawn:
        tell("No picture of growth: it needs two sizes.")
        return
    if importlib.util.find_spec("matplotlib") is None:
        tell("No picture of growth: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return
    from matplotlib.figure import Figure

    width = 7.0 if len(drawn) <= _FEW else 9.5
    figure = Figure(figsize=(width, 4.5), layout="constrained")
    ax = figure.add_subplot()
    looks = zip(cycle(_QUIET), cycle(_MARKS + "<>P"))
    for place, (name, growth) in enumerate(drawn.items()):
        colour, mark = (ACCENT, "o") if place == 0 else next(looks)
        sizes, seconds = np.array(growth, dtype=float).T
        label = f"{name}, slope {slope(growth):.2f}"
        ax.plot(sizes, seconds, color=colour, marker=mark, ls="none", label=label)
        # A straight line here is a power of n.
        fitted = np.polyfit(np.log(sizes), np.log(seconds), 1)
        ends = sizes[[0, -1]]
        height = np.exp(np.polyval(fitted, np.log(ends)))
        ax.plot(ends, height, color=colour, lw=1.2 if place else 2.2)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("points")
    ax.set_ylabel("seconds")
    ax.grid(color="#dddddd", lw=0.6)
    tidy(ax)
    if len(drawn) <= _FEW:
        ax.legend(frameon=False, loc="upper left")
    else:
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, dpi=150)
