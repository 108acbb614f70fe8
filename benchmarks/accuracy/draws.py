"""Scores of all methods on every draw of labels, for paired differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.data.sets import DataSet
from benchmarks.methods.ours import is_ours
from benchmarks.runner.runner import Scores
from lapoleaf._typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Draws:
    """Scores of methods on every draw.

    Attributes
    ----------
    sets : tuple of DataSet
        The data sets.
    columns : tuple of str
        The numbers of labels, and how they were drawn.
    methods : tuple of str
        The methods.
    values : ndarray of shape (n_methods, n_sets, n_columns, n_splits)
        Their scores, NaN on the data sets that a method is too slow for.
    """

    sets: tuple[DataSet, ...]
    columns: tuple[str, ...]
    methods: tuple[str, ...]
    values: FloatArray

    @property
    def splits(self) -> int:
        """Number of draws."""
        return int(self.values.shape[3])

    @property
    def is_everywhere(self) -> BoolArray:
        """Mask of the methods that were measured on all data sets."""
        return np.asarray(~np.isnan(self.values).any(axis=(1, 2, 3)))

    def of(self, method: str) -> FloatArray:
        """Return the scores of a method."""
        return np.asarray(self.values[self.methods.index(method)])

    def baselines(self) -> Draws:
        """Return the draws of the methods that are not ours."""
        kept = [k for k, name in enumerate(self.methods) if not is_ours(name)]
        methods = tuple(self.methods[k] for k in kept)
        return Draws(self.sets, self.columns, methods, self.values[kept])

    def scores(self) -> Scores:
        """Return the means over the draws, of the methods that were measured everywhere."""
        kept = np.flatnonzero(self.is_everywhere)
        methods = tuple(self.methods[k] for k in kept)
        means = self.values[kept].mean(axis=3)
        return Scores(self.sets, self.columns, methods, means, self.splits)
