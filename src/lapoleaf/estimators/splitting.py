"""Cross-validation for data of which few rows have a label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from lapoleaf._typing import AnyArray, IntArray
from lapoleaf.estimators.labels import labels_and_missing


class LabelledKFold:
    """K folds over the labelled rows; unlabelled rows are in every training set and in no test set.

    Classes are spread evenly over the folds.

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
    >>> search = GridSearchCV(LaPOLeaFClassifier(), {"percent": [1, 5, 20]}, cv=LabelledKFold(5))
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
            f"random_state={self.random_state}, missing_label={self.missing_label!r})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Give the number of folds.

        Parameters
        ----------
        X, y, groups : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        int
            ``n_splits``.
        """
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Give the rows of each training set and each test set.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Only its length counts.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Labels with missing ones marked. With several targets a row is labelled if it has all.
        groups : ignored
            Present for scikit-learn's sake.

        Yields
        ------
        train : ndarray
            Rows of the training set: all unlabelled ones among them.
        test : ndarray
            Rows of the test set: all labelled.
        """
        values, absent = _labels_of(y, self.missing_label)
        labelled, unlabelled = np.flatnonzero(~absent), np.flatnonzero(absent)
        if len(labelled) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} is more than the {len(labelled)} labelled rows."
            )
        seed = self.random_state if self.shuffle else None
        known = values[labelled]
        classes = known.ndim == 1 and _are_classes(known, self.n_splits)
        kind = StratifiedKFold if classes else KFold
        folds = kind(self.n_splits, shuffle=self.shuffle, random_state=seed)
        for train, test in folds.split(labelled, known.astype(str) if classes else None):
            yield np.sort(np.concatenate([labelled[train], unlabelled])), labelled[test]


def _labels_of(y: Any, missing_label: Any) -> tuple[AnyArray, AnyArray]:
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        targets = np.asarray(y, dtype=np.float64)
        return targets, np.asarray(np.isnan(targets).any(axis=1))
    return labels_and_missing(y, missing_label)


def _are_classes(known: AnyArray, n_splits: int) -> bool:
    """Say whether labels are classes with enough rows to be spread over folds.

    Numbers of which no one comes as often as there are folds are targets, or might as well be.
    """
    if known.dtype.kind == "f" and type_of_target(known) == "continuous":
        return False
    return int(np.unique(known.astype(str), return_counts=True)[1].max()) >= n_splits
