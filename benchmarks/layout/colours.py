"""Our maps of every data set by class, by tree and by confidence."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from benchmarks.data.splits import labels_a_class
from benchmarks.data.tasks import numbered
from benchmarks.layout.sets import Source, missing, read_set
from benchmarks.runner.tables import Table
from lapoleaf import LaPOLeaFClassifier, layout, lodog
from lapoleaf._typing import AnyArray

_LABELS_A_CLASS = 5
# Rows that are drawn of a data set at most.
_MAX_DRAWN = 70_000


def keep_coloured(arguments: argparse.Namespace, folder: Path) -> None:
    """Keep the map, classes, trees and confidences of every data set that is there.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    folder : Path
        Where files ``DATA.npz`` are written; those that are there are kept.
    """
    folder.mkdir(exist_ok=True, parents=True)
    data = None if arguments.data is None else str(arguments.data)
    source = Source(data, str(arguments.fashion), bool(arguments.quick))
    for name in arguments.only:
        path = folder / f"{name}.npz"
        if not path.exists() and missing(name, source) is None:
            found = coloured(name, source)
            np.savez(path, **found)  # type: ignore[arg-type]


def coloured_table(folder: Path) -> Table:
    """Return the table of the maps that are drawn by class, by tree and by confidence.

    Parameters
    ----------
    folder : Path
        The folder with files ``DATA.npz``.
    """
    rows = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            classes, confidence = arrays["class"], arrays["confidence"]
        rows.append((path.stem, len(classes), len(np.unique(classes)), float(confidence.mean())))
    return Table(
        "coloured",
        "Maps by lapoleaf, coloured by class, by tree and by confidence",
        ("data", "rows drawn", "classes", "mean confidence"),
        rows,
        f"`layout(model)` of a classifier with {_LABELS_A_CLASS} labels per class. Classes and "
        "confidences are those that it predicts; trees are those of its plain tree, cut into as "
        "many as there are classes.",
    )


def coloured(name: str, source: Source) -> dict[str, AnyArray]:
    """Return the places of rows, their classes, trees and confidences.

    Classes and confidences are those of a model with five labels of every class, trees those of its
    plain tree, cut into as many as there are classes.

    Parameters
    ----------
    name : str
        Name of the data set.
    source : Source
        Where the data are.
    """
    rows = read_set(name, source)
    truth = numbered(rows.y)
    y = np.where(labels_a_class(truth, _LABELS_A_CLASS, seed=0), truth, -1)
    with warnings.catch_warnings():
        # The warning is not needed, as the picture shows how well five labels per class predict
        # each other.
        warnings.simplefilter("ignore", UserWarning)
        model = LaPOLeaFClassifier().fit(np.ascontiguousarray(rows.X), y)
    forest = lodog(model.tree_, n_trees=min(int(truth.max()) + 1, model.tree_.n_nodes))
    every = slice(None, None, -(-len(y) // _MAX_DRAWN))
    return {
        "places": layout(model).places[every].astype(np.float32),
        "class": model.transduction_[every],
        "tree": model.tree_.to_rows(forest.tree_of)[every],
        "confidence": model.confidence_[every],
    }
