"""A data set: scaled rows, their classes or numbers, and a name that identifies both."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.preprocessing import minmax_scale, normalize

from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf._version import __version__

# File names of features from neural networks.
_NETWORKS = ("googlenet", "resnet", "densenet", "mobilenet", "efficientnet", "efflite")
# Tables with more columns than this are images or spectra: one unit for all columns.
_MOST_COLUMNS = 100


@dataclass(frozen=True, eq=False)
class DataSet:
    """Scaled rows with their true classes or numbers."""

    name: str
    X: FloatArray
    y: AnyArray

    @cached_property
    def stored_as(self) -> str:
        """The name in stored results, which depends on the rows and the version."""
        check = zlib.crc32(__version__.encode())
        for part in (self.X, self.y):
            check = zlib.crc32(f"{part.shape} {part.dtype}".encode(), check)
            check = zlib.crc32(np.ascontiguousarray(part).tobytes(), check)
        return f"{self.name} {check:08x}"


def scale_columns(X: FloatArray) -> FloatArray:
    """Scale every column of a table to [0, 1]."""
    return np.asarray(minmax_scale(X), dtype=np.float64)


def scale_pixels(X: FloatArray) -> FloatArray:
    """Divide by the largest absolute value: all columns are of one unit."""
    # A table of zeros is not changed.
    return np.asarray(X, dtype=np.float64) / (float(np.abs(X).max()) or 1.0)


def scale_features(X: FloatArray) -> FloatArray:
    """Scale every row of features from a network to length 1."""
    return np.asarray(normalize(np.asarray(X, dtype=np.float64)), dtype=np.float64)


def scaling_of(name: str, n_columns: int) -> Callable[[FloatArray], FloatArray]:
    """Return the function that scales the columns of a file.

    Examples
    --------
    >>> from benchmarks.data.sets import scaling_of
    >>> [scaling_of(*file).__name__ for file in (("seeds", 7), ("usps", 256), ("a_resnet", 512))]
    ['scale_columns', 'scale_pixels', 'scale_features']
    """
    if any(word in name for word in _NETWORKS):
        return scale_features
    return scale_columns if n_columns <= _MOST_COLUMNS else scale_pixels


def at_most(data: DataSet, rows: int) -> DataSet:
    """Return the data set, or a fixed random sample of a larger one.

    Parameters
    ----------
    data : DataSet
        The data set.
    rows : int
        Maximum number of rows.
    """
    if len(data.X) <= rows:
        return data
    kept = np.sort(np.random.default_rng(0).permutation(len(data.X))[:rows])
    return DataSet(data.name, data.X[kept], data.y[kept])
