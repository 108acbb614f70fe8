"""One map in a process of its own: seconds, quality and memory."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.layout.sets import Source, read_set
from benchmarks.methods import find
from benchmarks.methods.maps import TwoSteps
from benchmarks.methods.method import MAPS
from benchmarks.runner.fresh_process import peak_megabytes
from lapoleaf._layout import trustworthiness
from lapoleaf._parallel import n_threads
from lapoleaf._points import DensePoints
from lapoleaf._typing import AnyArray, FloatArray

_PURE_NEIGHBOURS, _MAX_ASKED = 10, 5_000
_WARM_ROWS = 1_000
# Places that are kept for the picture.
_MAX_DRAWN = 70_000


def map_once(
    method: str, name: str, data: str | None, fashion: str, quick: bool, folder: str | None
) -> dict[str, float]:
    """Map a data set by a method, after a warm-up on some of its rows.

    Parameters
    ----------
    method, name : str
        Names of the method and of the data set.
    data, fashion, quick
        See :class:`~benchmarks.layout.sets.Source`.
    folder : str or None
        Where to keep the places for a picture.
    """
    warnings.simplefilter("ignore")
    rows = read_set(name, Source(data, fashion, quick))
    X, mapped = np.ascontiguousarray(rows.X), find(MAPS, method).make()
    _timed(mapped, X[:_WARM_ROWS])
    before = peak_megabytes()
    places, seconds = _timed(mapped, X)
    peak = peak_megabytes()
    if folder is not None:
        _keep(Path(folder), f"{name}-{method}", places, rows.y)
    return {
        **seconds,
        "trustworthiness": trustworthiness(DensePoints(X, "euclidean"), places, n_threads(None)),
        "purity": purity(places, rows.y),
        "peak": peak,
        "above": peak - before,
    }


def _timed(method: TwoSteps, X: AnyArray) -> tuple[FloatArray, dict[str, float]]:
    """Return the places, and the seconds of both steps; of the second on all cores, too."""
    began = time.perf_counter()
    prepared = method.prepare(X)
    ready, at_work = time.perf_counter(), time.process_time()
    places = np.asarray(method.draw(X, prepared), dtype=np.float32)
    seconds = {
        "prepare": ready - began,
        "seconds": time.perf_counter() - ready,
        "processor": time.process_time() - at_work,
    }
    return places, seconds


def purity(places: FloatArray, classes: AnyArray) -> float:
    """Return the share of the 10 nearest rows in the map that are of the same class.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        The map.
    classes : ndarray of shape (n,)
        Classes of the rows.
    """
    asked = np.arange(0, len(places), -(-len(places) // _MAX_ASKED))
    found = np.asarray(cKDTree(places).query(places[asked], _PURE_NEIGHBOURS + 1)[1])[:, 1:]
    return float(np.mean(classes[found] == classes[asked, None]))


def _keep(folder: Path, name: str, places: FloatArray, classes: AnyArray) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    every = -(-len(places) // _MAX_DRAWN)
    numbers = np.unique(classes, return_inverse=True)[1]
    np.savez(folder / f"{name}.npz", places=places[::every], classes=numbers[::every])
