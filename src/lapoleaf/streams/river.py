"""Wrappers for river: one row at a time, as a dict.

Needs river: ``pip install 'lapoleaf[streams]'``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from sklearn.base import clone

from lapoleaf._messages import shown
from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor
from lapoleaf.estimators.classification import ForestClassifier
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.streams.folding import check_length
from lapoleaf.streams.memory import Memory
from lapoleaf.streams.one_by_one import OneByOne

try:
    from river import base
except ImportError as error:
    raise ImportError(
        "lapoleaf.streams.river needs river: install it with pip install 'lapoleaf[streams]'."
    ) from error

__all__ = ["RiverClassifier", "RiverRegressor"]


class RiverRegressor(base.Regressor):
    """LaPOLeaF regressor with the interface of river.

    Features that a row does not have are 0: scale them first, as in
    ``preprocessing.StandardScaler() | RiverRegressor()``.

    Parameters
    ----------
    regressor : LaPOLeaFRegressor or LeadingForestRegressor, default=None
        The estimator; None for ten forests without a trend.
    window_size : int, default=None
        Maximum number of rows to store; None for no limit.
    max_points : int, default=5000
        Maximum number of distinct points: beyond it, granules are merged into weighted points.
    half_life : float, default=None
        Number of rows after which the weight of a row is halved.
    chunk : int, default=100
        Number of rows that are learnt at a time; the first batches are smaller.

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
        self._rows = OneByOne(memory, chunk)
        self._sum = 0.0
        self._n = 0

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Update with a row; ``y`` is its number, None if unknown.

        Features or numbers that are NaN or infinite raise an error, and change nothing.
        """
        target = math.nan if y is None else _checked_number(y)
        self._rows.learn(x, target)
        if y is not None:
            self._sum, self._n = self._sum + target, self._n + 1

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Return the prediction for a row.

        It is the mean of all numbers so far while there are few, or if all have left the window; 0
        before the first.
        """
        row = self._rows.row(x)
        if row is None:
            return self._sum / self._n if self._n else 0.0
        return float(self._rows.memory.predict(row)[0])


class RiverClassifier(base.Classifier):
    """LaPOLeaF classifier with the interface of river.

    Features that a row does not have are 0: scale them first, as in
    ``preprocessing.StandardScaler() | RiverClassifier()``.

    Parameters
    ----------
    classifier : LaPOLeaFClassifier or LeadingForestClassifier, default=None
        The estimator; None for ten forests without a ridge.
    window_size : int, default=None
        Maximum number of rows to store; None for no limit.
    max_points : int, default=5000
        Maximum number of distinct points: beyond it, granules are merged into weighted points.
    half_life : float, default=None
        Number of rows after which the weight of a row is halved.
    chunk : int, default=100
        Number of rows that are learnt at a time; the first batches are smaller.

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
        self._rows = OneByOne(memory, chunk)
        self._classes: dict[Any, int] = {}
        self._counts: list[int] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Update with a row; ``y`` is its class, None if unknown.

        Features that are NaN or infinite, or a class that is NaN, raise an error, and change
        nothing.
        """
        code = -1 if y is None else self._classes.get(_checked_class(y), len(self._classes))
        self._rows.learn(x, code)
        if code == len(self._counts):
            self._classes[y] = code
            self._counts.append(0)
        if y is not None:
            self._counts[code] += 1

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probabilities of all classes seen so far.

        They are the shares of the classes while there are few labels, or if all have left the
        window.
        """
        row = self._rows.row(x)
        if row is None:
            n = sum(self._counts)
            return {name: self._counts[code] / n for name, code in self._classes.items()}
        fitted = self._rows.memory.fitted
        found = dict(zip(fitted.classes_.tolist(), fitted.predict_proba(row)[0], strict=True))
        return {name: float(found.get(code, 0.0)) for name, code in self._classes.items()}


def _checked_number(y: Any) -> float:
    try:
        target = float(y)
    except (TypeError, ValueError, OverflowError):
        target = math.nan
    if not math.isfinite(target):
        raise ValueError(f"y={shown(y)} must be a finite number, or None if it is not known.")
    return target


def _checked_class(y: Any) -> Any:
    is_nan = isinstance(y, float | np.floating) and math.isnan(y)
    if is_nan or not isinstance(y, Hashable):
        raise ValueError(
            f"y={shown(y)} must be a class such as a text, or None if it is not known."
        )
    return y
