"""Base classes of the baselines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from lapoleaf._callbacks import CallbacksMixin, learn_with_callbacks
from lapoleaf._documentation import DocumentedMixin
from lapoleaf._points.checks import refuse_non_finite
from lapoleaf._points.tables import refuse_no_numbers
from lapoleaf._progress import stage
from lapoleaf._twin import adopt, unfitted_twin
from lapoleaf._typing import AnyArray, BoolArray, FloatArray
from lapoleaf.baselines.nearest_labels import NearestLabels
from lapoleaf.baselines.rows import refuse_too_large, refuse_too_small
from lapoleaf.estimators.class_labels import accuracy_on_labels, decode_classes
from lapoleaf.estimators.labels_frame import indexed_frame
from lapoleaf.estimators.row_index import RowIndex


class Baseline(DocumentedMixin, CallbacksMixin, BaseEstimator):
    """Base class for dense or sparse rows, with scikit-learn's conventions."""

    given_: BoolArray
    transduction_: AnyArray
    _frame_index: RowIndex | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fit_by_twin(self, X: Any, y: Any) -> Self:
        """Fit an unfitted copy, and adopt its attributes on success."""
        twin = unfitted_twin(self)
        learn_with_callbacks(self, lambda: vars(twin._fit(X, y)), n_stages=1, X=X, y=y)
        return adopt(self, twin)

    @abstractmethod
    def _fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and labels."""

    @abstractmethod
    def _confidence(self) -> FloatArray:
        """Return the confidence of every label, NaN if there is none."""

    def labels_frame(self) -> Any:
        """Return the labels of all rows as a frame, with the index of the input.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row for every row of the fit, with the columns ``label`` (``transduction_``),
            ``confidence`` (the largest share of a class, not calibrated; NaN for numbers) and
            ``given``. For a frame of polars, which has no index, the numbers of the rows are in a
            first column, ``id``; all others return pandas.
        """
        check_is_fitted(self)
        columns = {
            "label": self.transduction_, "confidence": self._confidence(), "given": self.given_
        }  # fmt: skip
        return indexed_frame(self._frame_index, np.arange(len(self.given_)), columns)

    def _checked_rows(self, X: Any, *, reset: bool) -> Any:
        """Return X as checked rows; ``reset`` remembers its columns and its index."""
        refuse_no_numbers(X)
        rows = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False
        )
        names = vars(self).get("feature_names_in_")
        refuse_non_finite(rows, allow_nan=False, advice="", names=names)
        refuse_too_large(rows)
        if reset:
            refuse_too_small(rows)
            self._frame_index = RowIndex.of_rows(X)
        return rows


class ClassifyingBaseline(ClassifierMixin, Baseline, ABC):
    """Base class of classifiers that compute a score of every class for every row.

    A method has three parts: ``_check_parameters``, ``_scores_of_rows`` and ``_scores_of_new``. One
    that weighs classes against each other does so in ``_weighed``: rows whose scores are all 0
    before are those that no label reaches, and get that of the nearest labelled row.
    """

    missing_label: Any
    classes_: AnyArray
    label_distributions_: FloatArray
    _scores: FloatArray
    # Whether given labels are kept regardless of the scores.
    _keeps_labels = False

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise for invalid parameters."""

    @abstractmethod
    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        """Return the scores (n, K) of the training rows; ``labels`` are 0 where not ``given``."""

    @abstractmethod
    def _scores_of_new(self, rows: Any) -> FloatArray:
        """Return the scores (m, K) of new rows."""

    def _weighed(self, scores: FloatArray) -> FloatArray:
        """Return scores that are comparable between classes."""
        return scores

    def _probabilities(self, scores: FloatArray) -> FloatArray:
        """Return probabilities from scores."""
        return as_shares(scores)

    def fit(self, X: Any, y: Any) -> Self:
        """Propagate the given labels to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, labelled or not.
        y : array-like of shape (n_rows,)
            Classes, with missing ones marked: see ``missing_label``.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit_by_twin(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        self._check_parameters()
        rows = self._checked_rows(X, reset=True)
        known = decode_classes(y, self.missing_label)
        check_consistent_length(rows, known.codes)
        labels = np.where(known.given[:, None], np.eye(len(known.classes))[known.codes], 0.0)
        with stage("scores"):
            found = self._scores_of_rows(rows, known.given, labels)
        self._nearest_labels = NearestLabels(rows, known.given, labels)
        kept = known.given & (self._keeps_labels | lost_rows(found))
        self._scores = np.where(kept[:, None], labels, self._decisive(found, rows))
        self.classes_ = known.classes
        self.given_ = known.given
        self.label_distributions_ = self._probabilities(self._scores)
        self.transduction_ = self.classes_[self._scores.argmax(axis=1)]
        return self

    def _confidence(self) -> FloatArray:
        return np.asarray(self.label_distributions_.max(axis=1))

    def _decisive(self, found: FloatArray, rows: Any) -> FloatArray:
        """Return the final scores: comparable, and the nearest label if no label reaches a row."""
        return self._nearest_labels.instead_of(self._weighed(found), lost_rows(found), rows)

    def predict(self, X: Any) -> AnyArray:
        """Return the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Classes.
        """
        best = self._scores_of(X).argmax(axis=1)
        found: AnyArray = self.classes_[best]
        return found

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the shares of the classes for every row, as in ``label_distributions_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows sum to 1; columns in the order of ``classes_``.
        """
        return self._probabilities(self._scores_of(X))

    def _scores_of(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        rows = self._checked_rows(X, reset=False)
        return self._decisive(self._scores_of_new(rows), rows)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on the rows that have a label in y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        y : array-like of shape (m,)
            True classes; rows marked as missing do not count.
        sample_weight : array-like of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Share of the labelled rows whose class is right.
        """
        return accuracy_on_labels(self.predict(X), y, self.missing_label, sample_weight)


def as_shares(scores: FloatArray) -> FloatArray:
    """Return scores as shares that sum to 1; negative ones become 0, unless all are.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of the classes.
    """
    hopeless = ~(scores > 0.0).any(axis=1)
    shares = np.maximum(scores, 0.0)
    shares[hopeless] = scores[hopeless] - scores[hopeless].min(axis=1, keepdims=True)
    total = shares.sum(axis=1, keepdims=True)
    even = np.full(shares.shape, 1.0 / shares.shape[1])
    return np.asarray(np.divide(shares, total, out=even, where=total > 0.0))


def lost_rows(scores: FloatArray) -> BoolArray:
    """Return the mask of rows that no label reaches, whose scores are all 0.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of the classes.
    """
    return np.asarray((scores == 0.0).all(axis=1))
