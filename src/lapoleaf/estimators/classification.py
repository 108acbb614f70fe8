"""Base class of both classifiers: fit, predict, explain, and the classes of all rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._parallel import n_threads
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.base import ForestEstimator
from lapoleaf.estimators.class_explanation import explain_class
from lapoleaf.estimators.class_labelling import (
    ClassLabelling,
    most_probable,
    named_classes,
)
from lapoleaf.estimators.class_labels import (
    ClassLabels,
    accuracy_on_labels,
    decode_classes,
    no_labels,
)
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.state import Fitted, State, rows_of_both
from lapoleaf.estimators.suspicion import (
    SuspiciousLabels,
    class_doubts,
    is_called_wrong,
    pooled_evidence,
    ranked,
    with_equal_rows,
)


class ForestClassifier(ClassifierMixin, ForestEstimator[ClassLabels, ClassLabelling]):
    """A classifier that labels rows in leading forests."""

    missing_label: Any
    min_confidence: float | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the forests of all rows and propagate the given labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, labelled or not.
        y : array-like of shape (n_rows,)
            Classes, with missing ones marked: see ``missing_label``.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : estimator
            The fitted classifier.
        """
        return self._fit(X, y, sample_weight)

    def _given_labels(self, y: Any) -> ClassLabels:
        return decode_classes(y, self.missing_label)

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Add new rows, labelled or not, and propagate again.

        The first call, and every call before there are 200 distinct rows, builds everything from
        scratch; from then on the bandwidth stays as it is, and rows are inserted into every tree.
        Labels and all other attributes are computed when they are read. In an ensemble, `predict`
        does not wait for them: until the number of rows or labels has grown by a fiftieth, it
        predicts new rows from the labels computed last.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The new rows.
        y : array-like of shape (m,), default=None
            Their classes, missing ones marked; None if all are missing. New classes may appear.
        classes : array-like, default=None
            All classes that may occur; other labels raise an error.
        sample_weight : array-like of shape (m,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : estimator
            The model with the new rows; ``ids_`` ends with theirs, and ``changed_`` lists the other
            rows whose class has changed.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> model = LaPOLeaFClassifier().fit([[0.0], [1.0], [8.0]], ["low", None, "high"])
        >>> model.partial_fit([[7.0], [0.5]]).transduction_.tolist()
        ['low', 'low', 'high', 'high', 'low']
        >>> model.partial_fit([[1.2]], ["middle"]).changed_
        array([1])
        """
        return self._join(X, sample_weight, y, classes=classes)

    def _joined_labels(
        self, so_far: ClassLabels | None, y: Any, m: int, **options: Any
    ) -> ClassLabels:
        labels = no_labels(self.missing_label) if so_far is None else so_far
        return labels.joined(y, m, self.missing_label, options["classes"])

    # Fitted attributes ----------------------------------------------------------------------

    @property
    def classes_(self) -> AnyArray:
        """The classes."""
        return self._fitted.given.classes

    @property
    def label_distributions_(self) -> FloatArray:
        """Probabilities of the classes for every row."""
        distributions: FloatArray = self._labelled.answers.distributions
        return distributions

    @property
    def confidence_(self) -> FloatArray:
        """Probability of the most probable class of every row."""
        confidence: FloatArray = self._labelled.answers.confidence
        return confidence

    @property
    def transduction_(self) -> AnyArray:
        """The class of every row."""
        classes: AnyArray = self._labelled.answers.classes
        return classes

    def _columns_of_labels(
        self, fitted: Fitted[ClassLabels, ClassLabelling]
    ) -> dict[str, AnyArray]:
        answers = fitted.answers
        return {
            "label": answers.classes,
            "confidence": answers.confidence,
            "given": fitted.given.given,
        }

    def _changed_ids(
        self,
        now: Fitted[ClassLabels, ClassLabelling],
        earlier: Fitted[ClassLabels, ClassLabelling],
    ) -> IntArray:
        ids, here, there = rows_of_both(now.rows, earlier.rows)

        def best_of(fitted: Any, places: IntArray) -> tuple[AnyArray, AnyArray]:
            best, confidence = most_probable(fitted.answers.distributions[places])
            is_sure = confidence >= (fitted.method.min_confidence or 0.0)
            return fitted.given.classes[best], is_sure

        (classes, sure), (before, was_sure) = best_of(now, here), best_of(earlier, there)
        changed: IntArray = ids[(sure != was_sure) | (sure & (classes != before))]
        return changed

    # Predictions ------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted class of every row.

        A new row gets its class from the nodes that would lead it in the forests and, in the
        ensemble, from the experts. A training row gets its class in ``transduction_``, or the
        majority class if equal rows were given different classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Classes; the missing label where ``min_confidence`` is not reached.
        """
        state = self._labelled_state
        return named_classes(state.now.given, self._of_new(state, X), self.min_confidence)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes for every row.

        For a row further from all others than any training row is from its leader, they fade
        towards equal probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows sum to 1; columns in the order of ``classes_``.
        """
        return self._of_new(self._labelled_state, X)

    def _of_new(self, state: State[ClassLabels, ClassLabelling], X: Any) -> FloatArray:
        """Return the probabilities (m, n_classes) of new rows."""
        rows = self._checked_rows(X)
        fitted = self._answering(state, rows)
        voters = self._voters(fitted, rows)
        return fitted.labelling.of_new(rows, voters, n_threads(self.n_jobs))

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

    def suspicious_labels(self, *, all: bool = False) -> SuspiciousLabels:
        """Return the given labels that the others contradict.

        Each label is compared with its leave-one-out prediction, which has a closed form. Labels
        that are more likely wrong than right are listed.

        Parameters
        ----------
        all : bool, default=False
            Whether to list all given labels, including those that the others confirm.

        Returns
        -------
        SuspiciousLabels
            The labels, the most doubtful first; prints as a short table.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [0.5], [1.0], [1.5], [7.0], [7.5], [8.0], [8.5]]
        >>> y = ["low", "low", "high", "low", "high", "high", None, "high"]
        >>> LaPOLeaFClassifier().fit(X, y).suspicious_labels()
        row   given  instead  doubt
          2  'high'    'low'  0.978
        """
        fitted = self._labelled
        rows, given, labelling = fitted.rows, fitted.given, fitted.complete_labelling
        if labelling.result.leave_one_out is None:
            raise ValueError(
                "suspicious_labels needs solver='exact': the three stages have no leave-one-out."
            )
        labelled = np.flatnonzero(given.given & (rows.node_of >= 0))
        codes, weight = given.codes[labelled], rows.weight[labelled]
        place = np.searchsorted(labelling.problem.nodes, rows.node_of[labelled])
        scores = [e.logarithms_of * e.leave_one_out for e in labelling.experts]
        evidence = pooled_evidence(labelling.leave_one_out(), scores)
        seen = with_equal_rows(evidence, place, codes, weight)
        instead, doubt = class_doubts(seen, codes, np.isin(labelled, given.contradicting(rows)))
        is_listed = is_called_wrong(doubt) | all
        return ranked(
            rows.ids[labelled], given.classes[codes], given.classes[instead], doubt, is_listed
        )

    def explain(self, row: Any) -> Explanation:
        """Return the reasons for the class of a row.

        Parameters
        ----------
        row : int or array-like of shape (n_columns,)
            The number of a training row, or a new row.

        Returns
        -------
        Explanation
            Prints as a few lines; the same facts are its attributes.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier(bandwidth=1.0)
        >>> model.fit(X, ["low", None, None, None, "high"]).explain(2)
        Row 2 gets 'low' (confidence 56%), before 'high'.
           54% of the forests' label is 'low'
             54% from row 0: 2 - 1 - 0
           46% of the forests' label is 'high'
             46% from row 4: 2 - 3 - 4
          Log-odds of 'low' to 'high': 0.24
            = 0.15 forests - 0.03 class prior + 0.01 ridge + 0.10 temperature
          A smooth boundary between the given labels prefers 'low'.
          Leaders in the plain tree: 2 -(0.9)-> 1 (root)
        """
        fitted = self._labelled
        asked = self._asked(fitted, row)
        found = explain_class(fitted, asked, self.min_confidence, n_threads(self.n_jobs))
        return self._with_cells(found, fitted, row)


def check_min_confidence(min_confidence: Any) -> None:
    """Raise unless ``min_confidence`` is None or a probability."""
    if min_confidence is not None and not (is_real(min_confidence) and 0 <= min_confidence <= 1):
        raise ValueError(
            f"min_confidence={shown(min_confidence)} must be a probability from 0 to 1, or None."
        )
