"""Data sets to map, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.data.clustered import clustered_task
from benchmarks.data.fashion import N_FASHION, fashion_is_in, fashion_task
from benchmarks.data.sets import DataSet, scale_pixels
from lapoleaf import TableEncoder
from lapoleaf._encoding.extras import imported
from lapoleaf._typing import AnyArray
from lapoleaf.inputs import example_table

_MILLION, _COLUMNS = 1_000_000, 16
_QUICK_ROWS = 300


class Source(NamedTuple):
    """Where data are, as text, for other processes.

    Attributes
    ----------
    data, fashion : str or None
        The folder of data sets, and that of Fashion-MNIST.
    quick : bool
        Whether a few rows are enough.
    """

    data: str | None
    fashion: str
    quick: bool


def missing(name: str, source: Source) -> str | None:
    """Return what is missing for a data set, None if nothing is."""
    if name == "fashion" and not fashion_is_in(Path(source.fashion)):
        return f"There is no Fashion-MNIST in {source.fashion} (--fashion): it is left out."
    needed = {"texts": "texts/sms.tsv", "usps": "classification/usps.npz"}.get(name)
    if needed and (source.data is None or not Path(source.data, needed).is_file()):
        return f"{needed} is not there (--data): it is left out."
    return None


def read_set(name: str, source: Source) -> DataSet:
    """Return a data set by its name.

    Parameters
    ----------
    name : str
        One of ``benchmarks.layout.SETS``.
    source : Source
        Where the data are.
    """
    if name == "fashion":
        task = fashion_task(Path(source.fashion), _QUICK_ROWS if source.quick else N_FASHION)
        return DataSet(name, task.X, task.truth)
    if name == "million":
        task = clustered_task(_QUICK_ROWS if source.quick else _MILLION, _COLUMNS)
        return DataSet(name, task.X, task.truth)
    rows, y = _SMALL[name](source.data)
    X = _ENCODED[name](rows)
    kept = slice(None, _QUICK_ROWS) if source.quick else slice(None)
    return DataSet(name, X[kept], y[kept])


def count_rows(name: str, source: Source) -> int:
    """Return the number of rows of a data set, which is not encoded for that.

    Parameters
    ----------
    name : str
        One of ``benchmarks.layout.SETS``.
    source : Source
        Where the data are.
    """
    n = _LARGE[name] if name in _LARGE else len(_SMALL[name](source.data)[1])
    return min(n, _QUICK_ROWS) if source.quick else n


def _digits(folder: str | None) -> tuple[AnyArray, AnyArray]:
    X, y = load_digits(return_X_y=True)
    return X, y


def _usps(folder: str | None) -> tuple[AnyArray, AnyArray]:
    with np.load(Path(str(folder), "classification", "usps.npz")) as arrays:
        return arrays["X"], arrays["y"]


def _table(folder: str | None) -> tuple[Any, AnyArray]:
    """Return a table with categories, dates and holes: the taxis of a folder, or our example."""
    pandas = imported("pandas")
    path = None if folder is None else Path(folder, "raw", "taxis.csv")
    stored = path is not None and path.is_file()
    frame = pandas.read_csv(path if stored else example_table())
    label = "payment" if stored else "place"
    frame = frame[frame[label].notna()]
    rows = frame.drop(columns=[label] if stored else [label, "ring"])
    return rows, np.asarray(frame[label].astype(str))


def _texts(folder: str | None) -> tuple[Any, AnyArray]:
    path = Path(str(folder), "texts", "sms.tsv")
    frame = imported("pandas").read_csv(path, sep="\t", quoting=3)
    return frame[["text"]], np.asarray(frame["label"].astype(str))


def _encode_table(rows: Any) -> AnyArray:
    return TableEncoder().fit_transform(rows)


def _encode_texts(rows: Any) -> AnyArray:
    return TableEncoder(kinds={"text": "text"}, text_encoder="wordllama").fit_transform(rows)


_LARGE = {"fashion": N_FASHION, "million": _MILLION}
_SMALL = {"digits": _digits, "usps": _usps, "table": _table, "texts": _texts}
_ENCODED = {
    "digits": scale_pixels,
    "usps": scale_pixels,
    "table": _encode_table,
    "texts": _encode_texts,
}
