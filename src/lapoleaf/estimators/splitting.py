"""Cross-validation for partially labelled data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._typing import AnyArray, IntArray
from lapoleaf.estimators.label_values import labels_and_missing


class LabelledKFold:
    """K folds over the labelled rows; unlabelled rows are in every training set and in no test set.

    Folds are stratified by class, or by ranges of numbers.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=False
        Whether to shuffle the labelled rows first.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.
    missing_label : object, default="auto"
        What marks a row without a label in y, as in :class:`LaPOLeaFClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from lapoleaf import LabelledKFold, LaPOLeaFClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> labelled = np.arange(len(X)) % 10 == 0
    >>> y = np.where(labelled, truth, -1)
    >>> search = GridSearchCV(LaPOLeaFClassifier(), {"mu": ["auto", 0.1]}, cv=LabelledKFold(5))
    >>> bool(search.fit(X, y).best_score_ > 0.8)
    True
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: Any = None,
        missing_label: Any = "auto",
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def __repr__(self) -> str:
        return (
            f"LabelledKFold(n_splits={self.n_splits}, shuffle={self.shuffle}, "
            f"random_state={self.random_state}, missing_label={shown(self.missing_label)})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        int
            ``n_splits``.
        """
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Return the rows of each training set and each test set.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Only its length is used.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Labels with missing ones marked. With several targets a row is labelled if it has all.
        groups : ignored
            Not used, present for API consistency by convention.

        Yields
        ------
        train : ndarray
            Rows of the training set, including all unlabelled ones.
        test : ndarray
            Rows of the test set, which are all labelled.
        """
        if not is_whole(self.n_splits) or self.n_splits < 2:
            raise ValueError(
                f"n_splits={shown(self.n_splits)} must be a whole number of at least 2."
            )
        values, absent = _labels_of(y, self.missing_label)
        labelled, unlabelled = np.flatnonzero(~absent), np.flatnonzero(absent)
        if len(labelled) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} is more than the {len(labelled)} labelled rows."
            )
        if self.shuffle:
            labelled = check_random_state(self.random_state).permutation(labelled)
        fold = np.empty(len(labelled), dtype=np.int64)
        fold[_in_order(values[labelled])] = np.arange(len(labelled)) % self.n_splits
        for k in range(self.n_splits):
            train, test = labelled[fold != k], labelled[fold == k]
            yield np.sort(np.concatenate([train, unlabelled])), np.sort(test)


def _in_order(known: AnyArray) -> IntArray:
    """Return an order of labels in which equal or similar ones are adjacent.

    Assigning them to folds in turn, in this order, spreads every class and every range of numbers
    evenly.
    """
    if known.ndim == 2:
        return np.arange(len(known))
    keys = known.astype(str) if known.dtype.kind == "O" else known
    return np.argsort(keys, kind="stable")


def _labels_of(y: Any, missing_label: Any) -> tuple[AnyArray, AnyArray]:
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        targets = np.asarray(y, dtype=np.float64)
        return targets, np.asarray(np.isnan(targets).any(axis=1))
    return labels_and_missing(y, missing_label)
