"""Arrays of numbers, and files of them, as data sets."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf.inputs.dataset import Dataset
from lapoleaf.inputs.images.features import load_features
from lapoleaf.inputs.labels import check_labels
from lapoleaf.inputs.pictures import frame_of_files, labels_of_features
from lapoleaf.inputs.sources import Source


def dataset_of_array(array: AnyArray, verbose: int = 0) -> Dataset:
    """Return the rows of an array."""
    return _dataset(array, None, "the array", "X", verbose)


def dataset_of_arrays(source: Source, verbose: int = 0) -> Dataset:
    """Return the rows of an ``.npz`` file: ``X``, ``y`` and ``class_names``, or features of images.

    Parameters
    ----------
    source : Source
        The file.
    verbose : int
        Report progress if 1 or more.
    """
    try:
        with source.stored() as file, np.load(file, allow_pickle=False) as stored:
            names = stored.files
            arrays = {name: stored[name] for name in ("X", "y", "class_names") if name in names}
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{source.name} holds arrays that cannot be read: {error}.") from error
    if "features" in names and "files" in names:
        return _dataset_of_features(source, verbose)
    if "X" not in arrays:
        raise ValueError(
            f"{source.name} has no array 'X', but {shown(names)}: call the rows 'X', their classes "
            f"'y' and the names of classes 'class_names'."
        )
    return _dataset(arrays["X"], _labels(arrays, source.name), source.name, "y", verbose)


def _dataset(
    array: AnyArray, labels: AnyArray | None, name: str, label: str, verbose: int
) -> Dataset:
    if array.ndim != 2 or array.dtype.kind not in "biuf" or 0 in array.shape:
        raise ValueError(
            f"X in {name} must be a table of numbers with rows and columns, but it has shape "
            f"{array.shape} and type {array.dtype}."
        )
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ValueError(
            f"X in {name} holds {shown(array[row, column])} in row {row}, column {column}: fill it "
            f"in, or pass a frame, in which cells may be missing."
        )
    if labels is not None:
        if labels.shape != (len(array),):
            raise ValueError(f"y in {name} has shape {labels.shape}, but X has {len(array)} rows.")
        check_labels(labels, label)
    columns = [f"column_{number}" for number in range(1, array.shape[1] + 1)]
    return Dataset(
        frame=imported("pandas").DataFrame(array, columns=columns, copy=False),
        labels=labels,
        names=list(range(len(array))),
        kind="array",
        source=name,
        label=None if labels is None else label,
        array=array,
        verbose=verbose,
    )


def _labels(arrays: Mapping[str, AnyArray], name: str) -> AnyArray | None:
    """Return the labels of arrays; by the names of classes where there are some."""
    if "y" not in arrays:
        return None
    y = arrays["y"]
    if "class_names" not in arrays:
        return y if y.dtype.kind in "iufO" else _objects(y.tolist())
    classes = arrays["class_names"].astype(str).tolist()
    if y.dtype.kind not in "iu" or y.size == 0 or y.min() < -1 or y.max() >= len(classes):
        raise ValueError(
            f"y in {name} must be numbers of the {len(classes)} class_names, from 0, or -1 for "
            f"none."
        )
    return _objects([classes[number] if number >= 0 else None for number in y.ravel().tolist()])


def _objects(values: list[Any]) -> AnyArray:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _dataset_of_features(source: Source, verbose: int) -> Dataset:
    """Return features that ``lapoleaf images`` saved, as rows of length 1."""
    if source.path is None:
        raise ValueError("features of images are read from a file, not from standard input.")
    pandas = imported("pandas")
    found = load_features(source.path)
    files = found.files.tolist()
    labels = labels_of_features(found)
    has_labels = any(label is not None for label in labels)
    objects = found.objects.tolist()
    names = [
        f"{file}#{number}" if number else file for file, number in zip(files, objects, strict=True)
    ]
    features = found.features.astype(np.float64)
    lengths = np.maximum(np.linalg.norm(features, axis=1), np.finfo(np.float64).tiny)
    return Dataset(
        frame=frame_of_files(files),
        labels=labels if has_labels else None,
        names=names,
        kind="images",
        source=source.name,
        label="folder" if has_labels else None,
        others=pandas.DataFrame({"object": found.objects}) if any(objects) else None,
        folder=Path(),
        array=features / lengths[:, None],
        verbose=verbose,
    )
