"""Rows whose labelling is timed: made ones, as many as asked for, and pictures of clothes."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray, IntArray
from benchmarks.data.tasks import Task
from benchmarks.data.splits import labels_a_class

N_FASHION, FASHION_COLUMNS = 70_000, 784
_CLUSTERS, _CLASSES, _LABELS = 20, 10, 20
# Clusters overlap a little: not every point is where its label says.
_SPREAD = np.float32(0.2)
_HEAD = {"images": 16, "labels": 8}


def clustered_task(n: int, columns: int, seed: int = 0) -> Task:
    """Make points in 20 clusters, two of every class, with 20 labels a class.

    Parameters
    ----------
    n : int
        Number of points.
    columns : int
        Number of columns, float32.
    seed : int, default=0
        Which points.
    """
    rng = np.random.default_rng(seed)
    centres = rng.random((_CLUSTERS, columns), dtype=np.float32)
    cluster = rng.integers(_CLUSTERS, size=n)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    X *= _SPREAD
    X += centres[cluster]
    return with_few_labels(X, cluster % _CLASSES)


def fashion_task(folder: Path, n: int = N_FASHION) -> Task:
    """Read Fashion-MNIST, scaled to [0, 1] (float32), with 20 labels a class.

    Parameters
    ----------
    folder : Path
        The folder with its four files.
    n : int, default=70000
        Number of rows, drawn at random where it is not all.
    """
    kinds = [np.concatenate([_read(folder, part, kind) for part in ("train", "t10k")])
             for kind in _HEAD]  # fmt: skip
    pixels, y = kinds[0].reshape(-1, FASHION_COLUMNS), kinds[1].astype(np.int64)
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:n])
    X = pixels[rows].astype(np.float32)
    X /= np.float32(255)
    return with_few_labels(X, y[rows])


def with_few_labels(X: AnyArray, y: IntArray) -> Task:
    """Return the task of finding all classes from 20 labels a class.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    y : ndarray of shape (n,)
        Their classes.
    """
    given: BoolArray = labels_a_class(y, _LABELS, seed=0)
    return Task(X, np.where(given, y, -1), y, ~given)


def fashion_is_in(folder: Path) -> bool:
    """Say whether a folder has the files of Fashion-MNIST."""
    return all(_path(folder, part, kind).is_file() for part in ("train", "t10k") for kind in _HEAD)


def _path(folder: Path, part: str, kind: str) -> Path:
    return folder / f"{part}-{kind}-idx{3 if kind == 'images' else 1}-ubyte.gz"


def _read(folder: Path, part: str, kind: str) -> AnyArray:
    with gzip.open(_path(folder, part, kind)) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=_HEAD[kind])
