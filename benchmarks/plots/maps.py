"""Pictures of maps: of every method by class, and of ours by class, tree and confidence."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from benchmarks.methods import select
from benchmarks.methods.method import MAPS
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
    files = _files(folder, "*-*.npz")
    if not files:
        return
    import matplotlib as mpl
    from matplotlib.figure import Figure

    sets = sorted({file.stem.split("-")[0] for file in files})
    known = select(MAPS, "layout")
    methods = [name for name in known if any(file.stem.endswith(f"-{name}") for file in files)]
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
            dot = _dot(len(places))
            shown = colours[(classes * 2 + classes // 10) % 20]
            ax.scatter(*places.T, s=dot, c=shown, linewidths=0, rasterized=True)
    figure.savefig(path, dpi=110)


def write_coloured_maps(path: Path, folder: Path) -> None:
    """Draw the maps of ours: a row for every data set, by class, by tree and by confidence.

    Parameters
    ----------
    path : Path
        The picture to write.
    folder : Path
        The folder with files ``DATA.npz`` of arrays ``places``, ``class``, ``tree`` and
        ``confidence``.
    """
    files = _files(folder, "*.npz")
    if not files:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3 * _PANEL, _PANEL * len(files)), layout="constrained")
    axes = figure.subplots(len(files), 3, squeeze=False)
    for row, file in enumerate(files):
        with np.load(file) as arrays:
            places = arrays["places"]
            for ax, name in zip(axes[row], ("class", "tree", "confidence"), strict=True):
                values = arrays[name]
                sure = name == "confidence"
                colours = (
                    {"cmap": "viridis", "vmin": 0.0, "vmax": 1.0} if sure else {"cmap": "tab20"}
                )
                shown = values if sure else (values * 2 + values // 10) % 20
                ax.scatter(
                    *places.T,
                    s=_dot(len(places)),
                    c=shown,
                    linewidths=0,
                    rasterized=True,
                    **colours,
                )
                ax.set(xticks=[], yticks=[], aspect="equal")
                if row == 0:
                    ax.set_title(name)
        axes[row][0].set_ylabel(f"{file.stem}, {len(places):,} rows")
    figure.savefig(path, dpi=110)


def _files(folder: Path, pattern: str) -> list[Path]:
    """Return the files to draw; where there is nothing to draw, or to draw with, print why."""
    files = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if files and importlib.util.find_spec("matplotlib") is not None:
        return files
    tell("No picture of maps: it needs maps and matplotlib (pip install 'lapoleaf[plot]').")
    return []


def _dot(n: int) -> float:
    return float(np.clip(_DOTS / n, _MIN_DOT, _MAX_DOT))
