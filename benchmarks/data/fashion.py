"""Fashion-MNIST: 70,000 pictures of clothes, as Debian's package dataset-fashion-mnist has them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from benchmarks.data.clustered import with_few_labels
from benchmarks.data.tasks import Task
from lapoleaf._typing import AnyArray

N_FASHION, FASHION_COLUMNS = 70_000, 784
_HEAD = {"images": 16, "labels": 8}


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


def fashion_is_in(folder: Path) -> bool:
    """Whether a folder has the files of Fashion-MNIST."""
    return all(_path(folder, part, kind).is_file() for part in ("train", "t10k") for kind in _HEAD)


def _path(folder: Path, part: str, kind: str) -> Path:
    return folder / f"{part}-{kind}-idx{3 if kind == 'images' else 1}-ubyte.gz"


def _read(folder: Path, part: str, kind: str) -> AnyArray:
    with gzip.open(_path(folder, part, kind)) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=_HEAD[kind])
