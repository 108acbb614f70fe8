"""Features of images, and their file format."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf._writing import checked_path, target_of, whole_file

FORMAT = "lapoleaf image features"
VERSION = 1


@dataclass(frozen=True, eq=False)
class ImageFeatures:
    """Features of pictures, or of objects in pictures: one row each.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_columns), float32
        The output of the network for every row.
    files : ndarray of shape (n_rows,), str
        The file of every row, relative to the folder.
    labels : ndarray of shape (n_rows,), str
        The class of every row; ``""`` where it has none.
    objects : ndarray of shape (n_rows,), int32
        Number of the object in the XML file of its picture, from 1; 0 for a whole picture.
    boxes : ndarray of shape (n_rows, 4), int32
        Left, top, right and bottom of the object on the upright picture, in pixels from 0; right
        and bottom are not included. All 0 for a whole picture.
    thumbnails : ndarray of shape (n_rows, size, size, 3), uint8
        Thumbnails of the rows.
    contents : ndarray of shape (n_rows,), str
        Checksum of the content of the file of every row, and of the file with its boxes; ``""``
        where there is none.
    skipped, reasons : ndarray of shape (n_skipped,), str
        Files without features for all of their objects, and the reasons.
    settings : dict
        The network and the preprocessing of pictures.

    Examples
    --------
    >>> from lapoleaf.inputs import ImageFeatures
    >>> found = ImageFeatures([[1.0, 0.0], [0.0, 1.0]], ["cat/1.jpg", "2.jpg"], ["cat", ""])
    >>> found
    ImageFeatures(2 rows of 2 columns, 1 labelled, 1 class)
    """

    features: FloatArray
    files: AnyArray
    labels: AnyArray
    objects: IntArray = None  # type: ignore[assignment]
    boxes: IntArray = None  # type: ignore[assignment]
    thumbnails: AnyArray = None  # type: ignore[assignment]
    contents: AnyArray = None  # type: ignore[assignment]
    skipped: AnyArray = field(default_factory=lambda: np.array([], dtype=str))
    reasons: AnyArray = field(default_factory=lambda: np.array([], dtype=str))
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        features = np.asarray(self.features, dtype=np.float32)
        n = len(features)
        empty: dict[str, AnyArray] = {
            "objects": np.zeros(n, np.int32),
            "boxes": np.zeros((n, 4), np.int32),
            "thumbnails": np.zeros((n, 0, 0, 3), np.uint8),
            "contents": np.zeros(n, dtype=str),
        }
        object.__setattr__(self, "features", features)
        for name in ("files", "labels", "skipped", "reasons"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=str))
        for name, nothing in empty.items():
            value = getattr(self, name)
            array = nothing if value is None else np.asarray(value, dtype=nothing.dtype.type)
            object.__setattr__(self, name, array)
        self._check(n)

    def _check(self, n: int) -> None:
        if self.features.ndim != 2 or not np.isfinite(self.features).all():
            raise ValueError("features must be a table of finite numbers.")
        shapes = {"files": (n,), "labels": (n,), "objects": (n,), "boxes": (n, 4)}
        shapes["contents"] = (n,)
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have one entry for each of the {n} features.")
        if self.thumbnails.ndim != 4 or len(self.thumbnails) != n or self.thumbnails.shape[3] != 3:
            raise ValueError(f"thumbnails must be {n} pictures of three colours.")
        if self.skipped.ndim != 1 or self.skipped.shape != self.reasons.shape:
            raise ValueError("skipped and reasons must be of one length.")

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        n, columns = self.features.shape
        given = self.labels[self.labels != ""]
        classes = len(np.unique(given))
        return (
            f"ImageFeatures({n} rows of {columns} columns, {len(given)} labelled, "
            f"{classes} class{'es' * (classes != 1)})"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.npz`` file of plain arrays, atomically.

        Parameters
        ----------
        path : str or path-like
            The file. NumPy alone can read it: ``np.load(path)``.
        """
        about = {"format": FORMAT, "version": VERSION, **self.settings}
        with whole_file(target_of(path)) as file:
            np.savez(
                file,
                features=self.features,
                files=self.files,
                labels=self.labels,
                objects=self.objects,
                boxes=self.boxes,
                thumbnails=self.thumbnails,
                contents=self.contents,
                skipped=self.skipped,
                reasons=self.reasons,
                settings=np.array(json.dumps(about, sort_keys=True)),
            )


_NEEDED = ("features", "files", "labels")
_FURTHER = ("objects", "boxes", "thumbnails", "contents", "skipped", "reasons")


def load_features(path: str | os.PathLike[str]) -> ImageFeatures:
    """Read features that were saved.

    Parameters
    ----------
    path : str or path-like
        A file that ``lapoleaf images`` or :meth:`ImageFeatures.save` wrote, or any ``.npz`` file
        with arrays ``features``, ``files`` and ``labels`` (``""`` for none).

    Returns
    -------
    ImageFeatures
        The features.

    Raises
    ------
    ValueError
        If the file is anything else; the message is one sentence.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lapoleaf.inputs import ImageFeatures, load_features
    >>> found = ImageFeatures([[1.0, 0.0], [0.0, 1.0]], ["cat/1.jpg", "2.jpg"], ["cat", ""])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.save(Path(folder, "features.npz"))
    ...     load_features(Path(folder, "features.npz")).files
    array(['cat/1.jpg', '2.jpg'], dtype='<U9')
    """
    name = os.fspath(checked_path(path))
    try:
        # For a .npy file, np.load returns the array itself, which is not a context manager.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except OSError:
        raise
    except (ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{shown(name)} is not a file of image features.") from error
    missing = [key for key in _NEEDED if key not in arrays]
    if missing:
        raise ValueError(
            f"{shown(name)} is not a file of image features: it has no {shown(missing[0])}."
        )
    try:
        settings = json.loads(str(arrays.get("settings", "{}")))
        further = {key: arrays[key] for key in _FURTHER if key in arrays}
        if settings.pop("version", VERSION) != VERSION:
            raise ValueError("a later version of lapoleaf wrote it.")
        settings.pop("format", None)
        needed = {key: arrays[key] for key in _NEEDED}
        return ImageFeatures(**needed, **further, settings=settings)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{shown(name)} cannot be used: {error}") from error
