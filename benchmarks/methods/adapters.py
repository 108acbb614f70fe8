"""Adapters of other estimators to our interface: fitted with all rows and missing labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray


def is_given(y: AnyArray) -> BoolArray:
    """Return which labels are given: not -1, of numbers not NaN."""
    return np.asarray(~np.isnan(y) if y.dtype.kind == "f" else y >= 0)


class OnLabelledRows:
    """A supervised estimator: learns from the labelled rows, and answers for all.

    If all given classes are equal, that class is predicted and nothing is fitted.

    Parameters
    ----------
    model : object
        A classifier or a regressor.
    ignored : tuple of type, optional
        Warnings that are ignored.
    """

    def __init__(self, model: Any, *ignored: type[Warning]) -> None:
        self.model = model
        self.ignored = ignored

    def fit(self, X: AnyArray, y: AnyArray) -> OnLabelledRows:
        """Fit on the labelled rows."""
        given = is_given(y)
        if y.dtype.kind != "f" and len(np.unique(y[given])) == 1:
            self.transduction_ = np.full(len(y), y[given][0])
            return self
        with warnings.catch_warnings():
            for category in self.ignored:
                warnings.simplefilter("ignore", category)
            self.transduction_ = np.asarray(self.model.fit(X[given], y[given]).predict(X))
        return self


class LeafPerLabels:
    """Histogram gradient boosting whose leaves suit the number of labels.

    Leaves of at least 20 rows, scikit-learn's default, cannot split fewer than 40 labels. Here a
    leaf has at least a tenth of the labels: 1 of up to 19, and never more than 20.

    Parameters
    ----------
    model : object
        A classifier or a regressor with ``min_samples_leaf``.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: AnyArray, y: AnyArray) -> LeafPerLabels:
        """Fit on labelled rows."""
        self.model.set_params(min_samples_leaf=min(max(1, len(y) // 10), 20))
        self.model.fit(X, y)
        return self

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the labels of rows."""
        return np.asarray(self.model.predict(X))


class Quiet:
    """A transductive estimator some of whose warnings are ignored.

    Parameters
    ----------
    model : object
        The estimator.
    *ignored : type
        Warnings that are ignored.
    """

    def __init__(self, model: Any, *ignored: type[Warning]) -> None:
        self.model = model
        self.ignored = ignored

    def fit(self, X: AnyArray, y: AnyArray) -> Quiet:
        """Fit with all rows."""
        with warnings.catch_warnings():
            for category in self.ignored:
                warnings.simplefilter("ignore", category)
            self.transduction_ = np.asarray(self.model.fit(X, y).transduction_)
        return self
