"""Features of all pictures of a folder."""

from __future__ import annotations

import dataclasses
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from lapoleaf._encoding.images.extra import imported
from lapoleaf._encoding.images.network import Network, network_from, packaged_network
from lapoleaf._encoding.images.preparing import PRESETS, Preparation, preparation
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._version import __version__
from lapoleaf._writing import target_of
from lapoleaf.inputs.images.boxes import BoxFolder
from lapoleaf.inputs.images.features import ImageFeatures
from lapoleaf.inputs.images.folders import find_files
from lapoleaf.inputs.images.journal import Journal
from lapoleaf.inputs.images.reading import Reader
from lapoleaf.inputs.images.results import known_results, put_together
from lapoleaf.inputs.images.working import Work


def image_features(
    folder: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    boxes: str | os.PathLike[str] | None = None,
    objects: str = "all",
    labels: str = "folders",
    model: str | os.PathLike[str] | None = None,
    layer: str | None = None,
    size: int | None = None,
    preset: str | None = None,
    mean: Any = None,
    scale: Any = None,
    colours: str | None = None,
    thumbnail_size: int = 64,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ImageFeatures:
    """Return the features that a network finds in the pictures of a folder.

    Files that are not pictures, broken or too large are skipped, and listed with the reason.
    Pictures are rotated by their EXIF data, transparent parts become white, and of several frames
    the first is used.

    Parameters
    ----------
    folder : str or path-like
        Folder of pictures, possibly with subfolders. The top-level subfolder is the class of a
        picture: ``folder/cat/1.jpg`` is of class ``cat``. Pictures in ``folder`` itself and in
        ``folder/unlabelled`` have none.
    output : str or path-like, default=None
        File to save the features to. Finished results are kept beside it until all is done, so that
        an interrupted run can be resumed. Features from an earlier run with the same settings are
        reused by the content of files, not by their names: a picture that was moved to another
        folder is not computed again.
    boxes : str or path-like, default=None
        Folder of XML files with bounding boxes in the format of PASCAL VOC. ``cat/1.xml`` or
        ``1.xml`` belongs to ``cat/1.jpg``; pictures without a file are used as a whole.
    objects : {"all", "largest"}, default="all"
        For a picture with several boxes, whether to return a row for each or one for the largest.
    labels : {"folders", "boxes"}, default="folders"
        Where classes come from: the folders, or the names of objects in the XML files.
    model : str or path-like, default=None
        An ONNX model; EfficientNet-Lite0, which the extra ``images`` brings, if None.
    layer : str, default=None
        Output or node of the model that is used as features. Spatial dimensions are averaged. The
        first output of the model if None.
    size : int, default=None
        Side of the input pictures for a model without a fixed size; 224 if None.
    preset : {"tensorflow", "torch", "caffe", "unit"}, default=None
        Normalisation of pixels; ``"torch"`` if None. Only with ``model``, like the next three.
    mean, scale : float or three floats, default=None
        Instead of those of the preset: a pixel from 0 to 255 becomes ``(pixel - mean) / scale``.
        Three are for red, green and blue.
    colours : {"RGB", "BGR"}, default=None
        Order of the colours, instead of that of the preset.
    thumbnail_size : int, default=64
        Side of the stored thumbnails; 0 for none.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Returns
    -------
    ImageFeatures
        A row for every picture, or for every object, in the order of the names of files.

    See Also
    --------
    load_features : Read what was saved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from lapoleaf.inputs import image_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, colour in (("sky", "blue"), ("unlabelled", "green")):
    ...         Path(folder, name).mkdir()
    ...         Image.new("RGB", (80, 60), colour).save(Path(folder, name, "1.png"))
    ...     image_features(folder)
    ImageFeatures(2 rows of 1280 columns, 1 labelled, 1 class)
    """
    place = _checked_folder("folder", folder)
    xml_place = None if boxes is None else _checked_folder("boxes", boxes)
    _check_choices(objects, labels, boxes is not None)
    for name, value, least in (
        ("thumbnail_size", thumbnail_size, 0),
        ("size", 1 if size is None else size, 1),
    ):
        if not is_whole(value) or value < least:
            raise ValueError(f"{name}={shown(value)} must be a whole number of at least {least}.")
    threads = n_threads(n_jobs)
    target = None if output is None else target_of(output)
    partial = None if target is None else Path(f"{target}.partial")

    network, prepare = _network(model, layer, size, preset, mean, scale, colours)
    besides = [path for path in (target, partial, xml_place) if path is not None]
    found = find_files(place, besides)
    pictures = [
        name for name in found.files if xml_place is None or not name.lower().endswith(".xml")
    ]
    if not pictures:
        why = "".join(f"; {shown(file)}: {reason}" for file, reason in found.skipped[:1])
        raise ValueError(f"{shown(folder)} holds no files{why}.")
    annotations = None if xml_place is None else BoxFolder(xml_place, pictures)
    reader = Reader(place, annotations, objects == "largest", network.size, prepare, thumbnail_size)
    settings = _settings(network, reader, labels)
    work = Work(reader, network, pictures)
    known = {} if target is None else known_results(target, settings)
    with nullcontext() if partial is None else Journal(partial, settings) as journal:
        if journal is None:
            done = work.done({}, lambda key, result: None, threads, verbose)
        else:
            done = work.done({**known, **journal.results}, journal.add, threads, verbose)
        result = put_together(pictures, done, found.skipped, settings)
        if target is not None and journal is not None:
            result.save(target)
            journal.remove()
    return result


def _checked_folder(name: str, folder: str | os.PathLike[str]) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"{name}={shown(folder)} must be the name of a folder.")
    place = Path(folder)
    if not place.is_dir():
        what = "is a file" if place.is_file() else "is not there"
        raise NotADirectoryError(f"{name}={shown(folder)} {what}: name a folder.")
    return place


def _check_choices(objects: str, labels: str, with_boxes: bool) -> None:
    for name, value, usual, other in (
        ("objects", objects, "all", "largest"),
        ("labels", labels, "folders", "boxes"),
    ):
        if value not in (usual, other):
            raise ValueError(f"{name}={shown(value)} must be {shown(usual)} or {shown(other)}.")
        if value == other and not with_boxes:
            raise ValueError(f"{name}={shown(value)} needs boxes: name a folder of XML files.")


def _network(
    model: str | os.PathLike[str] | None,
    layer: str | None,
    size: int | None,
    preset: str | None,
    mean: Any,
    scale: Any,
    colours: str | None,
) -> tuple[Network, Preparation]:
    if model is not None:
        prepare = preparation(preset or "torch", mean, scale, colours)
        return network_from(model, layer, size), prepare
    own = {"size": size, "preset": preset, "mean": mean, "scale": scale, "colours": colours}
    for name, value in own.items():
        if value is not None:
            raise ValueError(
                f"{name}={shown(value)} is for a model of your own: name it with model."
            )
    return packaged_network(layer), PRESETS["tensorflow"]


def _settings(network: Network, reader: Reader, labels: str) -> dict[str, Any]:
    """Return all settings that features depend on."""
    return {
        "network": network.name,
        "layer": network.layer,
        "check_sum": network.check_sum,
        "size": list(network.size),
        "preparation": {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in dataclasses.asdict(reader.preparation).items()
        },
        "objects": "largest" if reader.only_largest else "all",
        "labels": labels,
        "thumbnail_size": reader.thumbnail_size,
        "lapoleaf": __version__,
        "onnxruntime": imported("onnxruntime").__version__,
        "pillow": imported("PIL").__version__,
    }
