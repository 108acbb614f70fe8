"""Tables and texts, encoded as numbers by ``TableEncoder``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from benchmarks.data.sets import DataSet
from lapoleaf import TableEncoder
from lapoleaf._encoding.extras import imported
from lapoleaf._progress import tell
from lapoleaf._typing import AnyArray, FloatArray

# Label columns of the tables in DIR/raw; those in DIR/tables are called "label".
_RAW = {"penguins": "species", "tips": "smoker", "taxis": "payment", "planets": "method"}
_QUICK = ("penguins", "tips")
# Minimum number of distinct values and maximum skewness of a numeric target.
_FEWEST_NUMBERS, _MOST_SKEWED = 30, 5.0
_TEXT_ENCODERS = {"word vectors": "wordllama", "n-grams": "tfidf"}


def table_sets(folder: Path | None, rows: int, *, quick: bool) -> list[DataSet]:
    """Return the encoded tables of a folder, with a maximum number of rows.

    Parameters
    ----------
    folder : Path or None
        The folder with the directories ``raw`` and ``tables``; None: a table made of iris.
    rows : int
        Maximum number of rows of a set.
    quick : bool
        Whether a few small ones are enough.
    """
    pandas = imported("pandas")
    found: list[DataSet] = [] if folder else [_encoded("iris, mixed", made_table(), "species")]
    for path, label in _files(folder, quick=quick):
        frame = pandas.read_csv(path)
        found.append(_encoded(path.stem, _at_most(frame[frame[label].notna()], rows), label))
    return found


def target_sets(folder: Path | None, rows: int, *, quick: bool) -> list[DataSet]:
    """Return the tables of a folder with a column of numbers that is to be predicted.

    The column with the most different numbers, where these are many and their tails not so long
    that R² is that of a few rows. The class is among the other columns.

    Parameters
    ----------
    folder, rows, quick
        See :func:`table_sets`; without a folder there are none.
    """
    pandas = imported("pandas")
    found = []
    for path, _ in _files(folder, quick=quick):
        frame = pandas.read_csv(path)
        numbers = frame.select_dtypes("number").drop(columns="label", errors="ignore")
        if numbers.shape[1] == 0:
            continue
        column = numbers.nunique().idxmax()
        if numbers[column].nunique() < _FEWEST_NUMBERS or numbers[column].skew() > _MOST_SKEWED:
            continue
        known = _at_most(frame[frame[column].notna()], rows)
        X = TableEncoder().fit_transform(known.drop(columns=column))
        y = known[column].to_numpy(dtype=np.float64)
        found.append(DataSet(f"{path.stem}, {column}", X, y))
    return found


def _files(folder: Path | None, *, quick: bool) -> list[tuple[Path, str]]:
    """Return the files of a folder, and the names of their label columns."""
    if folder is None:
        return []
    names = [name for name in _RAW if not quick or name in _QUICK]
    raw = [(folder / "raw" / f"{name}.csv", _RAW[name]) for name in names]
    for path, _ in raw:
        if not path.exists():
            tell(f"raw/{path.name} is not in {folder}: left out.")
    others = [] if quick else sorted((folder / "tables").glob("*.csv"))
    return [pair for pair in raw if pair[0].exists()] + [(path, "label") for path in others]


def made_table() -> Any:
    """Return iris as a table with a category, missing values, and an uninformative date."""
    pandas = imported("pandas")
    iris = load_iris(as_frame=True)
    frame = iris.data.set_axis(["length", "width", "petal", "petal_width"], axis="columns")
    frame["petal"] = pandas.cut(frame["petal"], 4, labels=["short", "medium", "long", "very long"])
    frame.loc[::9, "width"] = np.nan
    frame["when"] = pandas.date_range("2020-01-01", periods=len(frame))[::-1].strftime("%d.%m.%Y")
    return frame.assign(species=iris.target_names[iris.target])


def _encoded(name: str, frame: Any, label: str) -> DataSet:
    rows = frame.drop(columns=label)
    return DataSet(name, TableEncoder().fit_transform(rows), classes(frame[label]))


def classes(labels: Any) -> AnyArray:
    """Return the classes of a column as text."""
    return np.asarray(labels.astype(str), dtype=np.str_)


def standardised(X: FloatArray) -> FloatArray:
    """Return the columns with mean 0 and variance 1, constant ones as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.data.frames import standardised
    >>> standardised(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    return np.asarray(StandardScaler().fit_transform(X))


def text_sets(folder: Path | None, rows: int, *, quick: bool) -> list[DataSet]:
    """Return the texts of a folder as vectors, of two kinds; none without the file.

    Parameters
    ----------
    folder : Path or None
        The folder with ``texts/sms.tsv``: the columns ``label`` and ``text``.
    rows : int
        Maximum number of rows of a set.
    quick : bool
        Whether few rows are enough.
    """
    path = None if folder is None else folder / "texts" / "sms.tsv"
    if path is None or not path.exists():
        tell("texts/sms.tsv is not there: texts are left out.")
        return []
    frame = imported("pandas").read_csv(path, sep="\t", quoting=3)
    frame = _at_most(frame, min(rows, 300) if quick else rows)
    return [
        DataSet(
            f"{path.stem}, {name}",
            TableEncoder(kinds={"text": "text"}, text_encoder=encoder).fit_transform(
                frame[["text"]]
            ),
            classes(frame["label"]),
        )
        for name, encoder in _TEXT_ENCODERS.items()
    ]


def _at_most(frame: Any, rows: int) -> Any:
    """Return a frame, or a fixed random sample of a larger one."""
    if len(frame) <= rows:
        return frame
    return frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:rows])]
