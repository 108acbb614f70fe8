"""The picture of maps: a row for every data set, a column for every method, colours are classes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from benchmarks.methods.maps import MAPS
from lapoleaf._progress import tell

_PANEL = 2.6
_DOTS, _MIN_DOT, _MAX_DOT = 8_000.0, 0.05, 6.0


def write_maps(path: Path, folder: Path) -> None:
    """Draw all maps of a folder.

    Parameters
    ----------
    path : Path
        The picture to write.
    folder : Path
        The folder with files ``DATA-METHOD.npz`` of arrays ``places`` and ``classes``.
    """
    files = sorted(folder.glob("*-*.npz")) if folder.is_dir() else []
    if not files or importlib.util.find_spec("matplotlib") is None:
        tell("No picture of maps: it needs maps and matplotlib (pip install 'lapoleaf[plot]').")
        return
    import matplotlib as mpl
    from matplotlib.figure import Figure

    sets = sorted({file.stem.split("-")[0] for file in files})
    methods = [name for name in MAPS if any(file.stem.endswith(f"-{name}") for file in files)]
    size = (_PANEL * len(methods), _PANEL * len(sets))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(sets), len(methods), squeeze=False)
    colours = np.asarray(mpl.colormaps["tab20"].colors)  # type: ignore[attr-defined]
    for row, name in enumerate(sets):
        for column, method in enumerate(methods):
            ax = axes[row][column]
            ax.set(xticks=[], yticks=[])
            if row == 0:
                ax.set_title(method)
            if column == 0:
                ax.set_ylabel(name)
            file = folder / f"{name}-{method}.npz"
            if not file.is_file():
                continue
            with np.load(file) as arrays:
                places, classes = arrays["places"], arrays["classes"]
            dot = float(np.clip(_DOTS / len(places), _MIN_DOT, _MAX_DOT))
            shown = colours[(classes * 2 + classes // 10) % 20]
            ax.scatter(*places.T, s=dot, c=shown, linewidths=0, rasterized=True)
    figure.savefig(path, dpi=110)
