"""Real data sets: scikit-learn's own, and those in a folder.

The folder may have ``classification/*.npz`` and ``shapes/*.npz`` with arrays ``X`` and ``y``, and
``water/*.csv`` with columns ``timestamp``, ``ph``, ``do`` and ``filled``. What is not there is left
out, with a line; what cannot be used is an error that names the file.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_swiss_roll,
)

from benchmarks.data.sets import DataSet, at_most, scale_columns, scale_pixels, scaling_of
from benchmarks.data.water import read_series
from lapoleaf._progress import tell
from lapoleaf._typing import AnyArray

_IMAGES = "office_caltech10_efflite0"
_QUICK_ROWS = 1000


def classification_sets(folder: Path | None, *, quick: bool = False) -> list[DataSet]:
    """Return the data sets with classes: four of scikit-learn's, and those in the folder.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``classification``.
    quick : bool, default=False
        Whether iris and wine are enough.
    """
    own = [
        DataSet("iris", scale_columns(load_iris().data), load_iris().target),
        DataSet("wine", scale_columns(load_wine().data), load_wine().target),
    ]
    if quick:
        return own
    cancer, digits = load_breast_cancer(), load_digits()
    own += [
        DataSet("breast_cancer", scale_columns(cancer.data), cancer.target),
        DataSet("digits", scale_pixels(digits.data), digits.target),
    ]
    return own + stored_sets(folder)


def stored_sets(folder: Path | None) -> list[DataSet]:
    """Return the data sets with classes that are in the folder.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``classification``.
    """
    return [_stored(path) for path in _files(folder, "classification", "npz")]


def shape_sets(folder: Path | None) -> list[DataSet]:
    """Return the artificial shapes in the folder: two columns, and classes.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``shapes``.
    """
    return [_stored(path) for path in _files(folder, "shapes", "npz")]


def image_sets(folder: Path | None) -> list[DataSet]:
    """Return the features of images that stand for those of the paper, where they are there.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``classification``.
    """
    path = Path() if folder is None else folder / "classification" / f"{_IMAGES}.npz"
    if not path.is_file():
        tell(f"There is no classification/{_IMAGES}.npz in a folder of data (--data): no images.")
        return []
    return [_stored(path)]


def image_set(folder: Path | None, *, quick: bool) -> DataSet:
    """Return the features of images that stand for the paper's; digits where there are none.

    Parameters
    ----------
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether the digits are enough.
    """
    found = [] if quick else image_sets(folder)
    if found:
        return found[0]
    data = load_digits()
    digits = DataSet("digits", scale_pixels(data.data), data.target)
    return at_most(digits, _QUICK_ROWS) if quick else digits


def small_sets(folder: Path | None, *, quick: bool, rows: int) -> list[DataSet]:
    """Return iris, wine, digits and the files of the folder, with a maximum number of rows.

    Parameters
    ----------
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether scikit-learn's own are enough.
    rows : int
        Most rows of a set.
    """
    digits = load_digits()
    own = [
        DataSet("iris", scale_columns(load_iris().data), load_iris().target),
        DataSet("wine", scale_columns(load_wine().data), load_wine().target),
        DataSet("digits", scale_pixels(digits.data), digits.target),
    ]
    names = {data.name for data in own}
    stored = [] if quick else stored_sets(folder)
    for data in stored:
        if data.name in names:
            tell(f"{data.name}.npz is left out: scikit-learn's own {data.name} is taken already.")
    return [at_most(data, rows) for data in [*own, *(d for d in stored if d.name not in names)]]


def made_sets() -> list[DataSet]:
    """Return the regression sets that scikit-learn makes: Friedman's three and the Swiss roll."""
    made = {
        "friedman1": make_friedman1(n_samples=1000, noise=1.0, random_state=0),
        "friedman2": make_friedman2(n_samples=1000, noise=20.0, random_state=0),
        "friedman3": make_friedman3(n_samples=1000, noise=0.05, random_state=0),
        "swiss roll": make_swiss_roll(n_samples=1500, noise=0.05, random_state=0),
    }
    return [DataSet(name, scale_columns(X), y) for name, (X, y) in made.items()]


def regression_sets(folder: Path | None, *, quick: bool = False) -> list[DataSet]:
    """Return the data sets with numbers: scikit-learn's diabetes, and windows of water series.

    A window is five readings, its target the sixth; windows come in random order, at most 5,000.

    Parameters
    ----------
    folder : Path or None
        The folder with the directory ``water``.
    quick : bool, default=False
        Whether diabetes is enough.
    """
    X, y = load_diabetes(return_X_y=True)
    own = [DataSet("diabetes", scale_columns(X), y)]
    if quick:
        return own
    for path in _files(folder, "water", "csv"):
        own += [_water_windows(path, column) for column in ("ph", "do")]
    return own


def _files(folder: Path | None, kind: str, ending: str) -> list[Path]:
    """Return the files of a kind; where there are none, print why."""
    if folder is None:
        tell(f"No folder of data (--data): no {kind} but scikit-learn's own sets.")
        return []
    paths = sorted((folder / kind).glob(f"*.{ending}"))
    if not paths:
        tell(f"There is no {folder / kind}/*.{ending}: only scikit-learn's own sets.")
    return paths


def _stored(path: Path) -> DataSet:
    X, y = _arrays(path)
    return DataSet(path.stem, scaling_of(path.stem, X.shape[1])(X), y)


def _arrays(path: Path) -> tuple[AnyArray, AnyArray]:
    """Return X and y of a file; raise, naming it, where they cannot be rows and their classes."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            missing = {"X", "y"} - set(stored.files)
            if missing:
                raise ValueError(f"{path} must have arrays X and y; {min(missing)} is not there.")
            X, y = stored["X"], stored["y"]
    except (zipfile.BadZipFile, EOFError, AttributeError) as error:
        raise ValueError(f"{path} is not a file of arrays (np.savez): {error}") from error
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path} cannot be read: {error}") from error
    if X.ndim != 2 or X.dtype.kind not in "fiub" or X.size == 0:
        raise ValueError(f"{path}: X of {X.dtype}, {X.shape}, must be a table of numbers.")
    if y.shape != X.shape[:1]:
        raise ValueError(f"{path}: y, {y.shape}, must have a value for each of {len(X):,} rows.")
    for name, part in (("X", X), ("y", y)):
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            raise ValueError(f"{path}: {name} must be finite everywhere; fill or drop its gaps.")
    return X, y


def _water_windows(path: Path, column: str, length: int = 5, most: int = 5000) -> DataSet:
    series = read_series(path)
    view = np.lib.stride_tricks.sliding_window_view
    windows = view(series.values[column], length + 1)
    measured = view(series.measured, length + 1).all(axis=1)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(measured))[:most]
    return DataSet(
        f"{series.name} {column}",
        scale_columns(windows[rows, :length]),
        windows[rows, length].copy(),
    )
