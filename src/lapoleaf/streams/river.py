"""LaPOLeaF in river's manner: one row at a time, as a dict.

Needs river: ``pip install 'lapoleaf[streams]'``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from lapoleaf._typing import FloatArray
from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor
from lapoleaf.estimators.classification import ForestClassifier
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.streams.folding import check_length
from lapoleaf.streams.memory import Memory

try:
    from river import base
except ImportError as error:
    raise ImportError(
        "lapoleaf.streams.river needs river: install it with pip install 'lapoleaf[streams]'."
    ) from error

__all__ = ["RiverClassifier", "RiverRegressor"]

# Rows that the first model is made of.
_FIRST = 10


class _OneByOne:
    """Rows as dicts, taken in so many at a time.

    Parameters
    ----------
    memory : Memory
        What learns them.
    chunk : int
        How many at a time, fewer in the beginning.
    """

    def __init__(self, memory: Memory, chunk: int) -> None:
        self.memory = memory
        self.chunk = chunk
        self.columns: dict[Any, int] = {}
        self.rows: list[dict[int, float]] = []
        self.targets: list[Any] = []

    def learn(self, x: Mapping[Any, Any], target: Any, is_missing: bool) -> None:
        """Take in a row; features that are new become columns."""
        # In the order of their names, so that the order in a dict is of no consequence.
        for name in sorted(x.keys() - self.columns.keys(), key=str):
            self.columns[name] = len(self.columns)
        self.rows.append({self.columns[name]: float(value) for name, value in x.items()})
        self.targets.append(target)
        enough = min(self.chunk, max(_FIRST, len(self.memory) // 4))
        nothing_known = self.memory.fitted is None and is_missing
        if len(self.rows) >= enough and not nothing_known:
            self._take_in()

    def _take_in(self) -> None:
        width = len(self.columns)
        rows = np.zeros((len(self.rows), width))
        for row, known in zip(rows, self.rows, strict=True):
            row[list(known)] = list(known.values())
        if self.memory.fitted is not None and self.memory.rows.shape[1] < width:
            self.memory.widen(width)
        self.memory.learn(rows, np.array(self.targets))
        self.rows, self.targets = [], []

    def row(self, x: Mapping[Any, Any]) -> FloatArray | None:
        """Return a row to be answered, None if there is nothing to answer it by."""
        if self.memory.fitted is None:
            return None
        row = np.zeros((1, self.memory.rows.shape[1]))
        for name, value in x.items():
            place = self.columns.get(name, row.shape[1])
            if place < row.shape[1]:
                row[0, place] = float(value)
        return row


class RiverRegressor(base.Regressor):
    """LaPOLeaFRegressor for river: numbers, one row at a time.

    Features that a row does not have are 0: scale them first, as in
    ``preprocessing.StandardScaler() | RiverRegressor()``.

    Parameters
    ----------
    regressor : LaPOLeaFRegressor or LeadingForestRegressor, default=None
        What learns; None for ten forests without a trend.
    window_size : int, default=None
        Remember the last rows only, so many.
    max_points : int, default=5000
        Remember at most so many points: where there are more, granules collapse into fat nodes.
    half_life : float, default=None
        After so many rows a row counts half.
    chunk : int, default=100
        Rows are taken in so many at a time, fewer in the beginning.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from lapoleaf.streams.river import RiverRegressor
    >>> model = preprocessing.StandardScaler() | RiverRegressor()
    >>> data = datasets.TrumpApproval().take(300)
    >>> evaluate.progressive_val_score(data, model, metrics.MAE()).get() < 2.0
    True
    """

    def __init__(
        self,
        regressor: ForestRegressor | None = None,
        window_size: int | None = None,
        max_points: int | None = 5000,
        half_life: float | None = None,
        chunk: int = 100,
    ) -> None:
        check_length("chunk", chunk)
        self.regressor = regressor
        self.window_size = window_size
        self.max_points = max_points
        self.half_life = half_life
        self.chunk = chunk
        model = LaPOLeaFRegressor(n_forests=10, experts=None, n_jobs=1)
        memory = Memory(regressor or model, window_size, max_points, half_life)
        self._rows = _OneByOne(memory, chunk)
        self._sum = 0.0
        self._n = 0

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn a row; ``y`` is its number, None if that is not known."""
        target = float("nan") if y is None else float(y)
        if y is not None:
            self._sum, self._n = self._sum + target, self._n + 1
        self._rows.learn(x, target, is_missing=self._n == 0)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Return the number of a row: the mean as long as there are few, 0 before the first."""
        row = self._rows.row(x)
        if row is None:
            return self._sum / self._n if self._n else 0.0
        return float(self._rows.memory.predict(row)[0])


class RiverClassifier(base.Classifier):
    """LaPOLeaFClassifier for river: classes, one row at a time.

    Features that a row does not have are 0: scale them first, as in
    ``preprocessing.StandardScaler() | RiverClassifier()``.

    Parameters
    ----------
    classifier : LaPOLeaFClassifier or LeadingForestClassifier, default=None
        What learns; None for ten forests without a ridge.
    window_size : int, default=None
        Remember the last rows only, so many.
    max_points : int, default=5000
        Remember at most so many points: where there are more, granules collapse into fat nodes.
    half_life : float, default=None
        After so many rows a row counts half.
    chunk : int, default=100
        Rows are taken in so many at a time, fewer in the beginning.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from lapoleaf.streams.river import RiverClassifier
    >>> model = preprocessing.StandardScaler() | RiverClassifier()
    >>> data = datasets.Phishing().take(300)
    >>> evaluate.progressive_val_score(data, model, metrics.Accuracy()).get() > 0.8
    True
    """

    def __init__(
        self,
        classifier: ForestClassifier | None = None,
        window_size: int | None = None,
        max_points: int | None = 5000,
        half_life: float | None = None,
        chunk: int = 100,
    ) -> None:
        check_length("chunk", chunk)
        self.classifier = classifier
        self.window_size = window_size
        self.max_points = max_points
        self.half_life = half_life
        self.chunk = chunk
        model = LaPOLeaFClassifier(n_forests=10, experts=None, n_jobs=1)
        model = clone(classifier or model).set_params(missing_label=-1)
        memory = Memory(model, window_size, max_points, half_life)
        self._rows = _OneByOne(memory, chunk)
        self._classes: dict[Any, int] = {}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn a row; ``y`` is its class, None if that is not known."""
        code = -1 if y is None else self._classes.setdefault(y, len(self._classes))
        self._rows.learn(x, code, is_missing=not self._classes)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probabilities of all classes that have been seen."""
        row = self._rows.row(x)
        n = len(self._classes)
        if row is None:
            return dict.fromkeys(self._classes, 1.0 / max(n, 1))
        fitted = self._rows.memory.fitted
        found = dict(zip(fitted.classes_.tolist(), fitted.predict_proba(row)[0], strict=True))
        return {name: float(found.get(code, 0.0)) for name, code in self._classes.items()}
