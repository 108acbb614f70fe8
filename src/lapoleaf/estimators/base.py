"""Base class of classifiers and regressors: state, adding and removing rows, queries."""

from __future__ import annotations

from abc import abstractmethod
from types import SimpleNamespace
from typing import Any, Generic, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._callbacks import learn_with_callbacks
from lapoleaf._forest import LeadingForest
from lapoleaf._lazy import is_computed
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._points import check_sample_weight
from lapoleaf._queries import check_n, suggest_nodes
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf._tree.ids import rows_of_ids
from lapoleaf._typing import IntArray
from lapoleaf._warnings import warn_user
from lapoleaf.estimators.attribution import Asked
from lapoleaf.estimators.choosing import check_rechoose, chosen, relabelled
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.labels_frame import LabelsFrameMixin
from lapoleaf.estimators.recent import recent_of
from lapoleaf.estimators.row_cells import cells_of_new, cells_of_row, name_of_row
from lapoleaf.estimators.row_index import RowIndex, joined_index
from lapoleaf.estimators.rows import RowIds
from lapoleaf.estimators.rows_estimator import RowsEstimator
from lapoleaf.estimators.scaling_choice import MIN_ROWS
from lapoleaf.estimators.state import (
    Fitted,
    G,
    L,
    Method,
    State,
    built,
    with_rows,
    without_rows,
)
from lapoleaf.estimators.voters import Voters

_NO_ROWS = (
    "This %(name)s is not fitted, so there are no rows to choose from: give them with X=, or call "
    "fit first."
)
# Fitted attributes by what must be computed for them: nothing, forests, labels of nodes, labels of
# rows.
_OF_INPUT = ("ids_", "given_", "classes_", "n_features_in_", "feature_names_in_", "encoder_",
             "scaling_")  # fmt: skip
_OF_FORESTS = ("tree_", "forest_", "forests_", "bandwidth_", "build_report_")
_OF_NODES = ("chosen_",)
_OF_ROWS = ("transduction_", "label_distributions_", "confidence_", "transduction_std_")


# Given labels do not predict each other if the error of leave-one-out is nearly that of predicting
# the mean; with fewer labels than this, in total or per class, that may be chance.
_LOSS_BY_CHANCE, _MIN_LABELS_TO_WARN, _MIN_LABELS_A_CLASS_TO_WARN = 0.95, 20, 3


class ForestEstimator(LabelsFrameMixin, RowsEstimator, Generic[G, L]):
    """An estimator that labels rows in leading forests.

    The fitted state is one attribute, which every method assigns as its last step, so that a call
    that fails changes nothing.
    """

    _state: State[G, L]

    @abstractmethod
    def _method(self) -> Method[G, L]:
        """Return the parameters, checked and captured at the call."""

    @abstractmethod
    def _changed_ids(self, now: Fitted[G, L], earlier: Fitted[G, L]) -> IntArray:
        """Return the ids of the rows whose labels have changed."""

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    @property
    def _fitted(self) -> Fitted[G, L]:
        """The fitted state; raises ``NotFittedError`` before ``fit``."""
        if "_state" not in vars(self):
            check_is_fitted(self)
        return self._state.now

    @property
    def _labelled(self) -> Fitted[G, L]:
        """The fitted state; raises ``NotFittedError`` if no label was given yet."""
        return self._labelled_state.now

    @property
    def _labelled_state(self) -> State[G, L]:
        """The present and the earlier state; raises ``NotFittedError`` without any label."""
        self._fitted  # noqa: B018 - raises before fit
        state = self._state
        if not state.now.has_labels:
            raise NotFittedError(
                f"This {type(self).__name__} has no label yet: give some with partial_fit or "
                f"update_labels."
            )
        return state

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Return the fitted attributes for scikit-learn's diagram, without computing any."""
        fitted = self._fitted
        names = [
            *_OF_INPUT,
            *(_OF_FORESTS if fitted.rows.is_frozen else ()),
            *(_OF_NODES if fitted.is_computed else ()),
            *(_OF_ROWS if is_computed(fitted, "answers") else ()),
            *(("changed_",) if self._state.knows_changes else ()),
        ]
        shown = SimpleNamespace(**{n: getattr(self, n) for n in names if hasattr(self, n)})
        found = BaseEstimator._get_fitted_attr_html(shown, doc_link)
        found.estimator_class = type(self)
        return found

    # Fitted attributes ----------------------------------------------------------------------

    @property
    def ids_(self) -> IntArray:
        """Stable ids of the rows."""
        return self._fitted.rows.ids

    @property
    def given_(self) -> Any:
        """Rows whose label was given."""
        return self._fitted.given.given

    @property
    def tree_(self) -> LeadingTree:
        """The leading tree."""
        return self._fitted.rows.tree

    @property
    def forest_(self) -> LeadingForest:
        """The leading forest."""
        return self._fitted.rows.forest

    @property
    def forests_(self) -> list[LeadingForest]:
        """All forests; the first is ``forest_``."""
        return list(self._fitted.rows.forests)

    @property
    def bandwidth_(self) -> float | None:
        """The bandwidth of the density."""
        return self.tree_.bandwidth

    @property
    def build_report_(self) -> BuildReport | None:
        """How the tree was built."""
        return self.tree_.report

    @property
    def chosen_(self) -> dict[str, Any]:
        """Settings chosen by leave-one-out."""
        all_chosen = self._labelled.choices.as_dict()
        if "scaling" in self._parameters():
            all_chosen["scaling"] = (
                None if self._fitted_scaling is None else self._fitted_scaling.name
            )
        return all_chosen

    @property
    def changed_(self) -> IntArray:
        """Ids of the rows whose labels were changed by the last update."""
        self._fitted  # noqa: B018 - raises before fit
        state = self._state
        if not state.has_changed:
            raise AttributeError(
                f"{shown(type(self).__name__)} object has not changed since its fit"
            )
        return state.changed_ids(self._changed_ids)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle: ids of changed rows replace the earlier labelling."""
        state: dict[str, Any] = super().__getstate__()
        if "_state" in state and state["_state"].has_changed:
            state["_state"] = State(self._state.now, None, self.changed_)
        return state

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit to all rows, and discard the earlier state."""
        method = self._method()

        def learn() -> dict[str, Any]:
            rows, columns = self._rows_to_fit(X)
            given, n = self._given_labels(y), rows.shape[0]
            check_consistent_length(rows, given.given)
            weight = check_sample_weight(sample_weight, n)
            index = RowIndex.of_rows(X, self._cells(columns.get("encoder_"), X))
            scaled = self._scaled_to_fit(rows, columns, weight, method.trees, given)
            fitted = chosen(method.fit(scaled.rows, weight, RowIds.first(n, index), given))
            warn_of_labels(fitted)
            warn_of_chance(fitted)
            return {"_state": State(fitted), **scaled.columns}

        learnt = learn_with_callbacks(
            self, learn, n_stages=method.n_stages, X=X, y=y, sample_weight=sample_weight
        )
        return self._keep(learnt)

    @abstractmethod
    def _given_labels(self, y: Any) -> G:
        """Return checked labels."""

    # Rows that join and leave -----------------------------------------------------------------

    def _join(self, X: Any, sample_weight: Any, y: Any, **options: Any) -> Self:
        """Add rows, with the labels ``y`` or without."""
        method = self._method()
        if not self.__sklearn_is_fitted__():
            rows, columns = self._rows_to_fit(X)
            weight = check_sample_weight(sample_weight, rows.shape[0])
            given = self._joined_labels(None, y, rows.shape[0], **options)
            index = RowIndex.of_rows(X, self._cells(columns.get("encoder_"), X))
            ids = RowIds.first(rows.shape[0], index)
            scaled = self._scaled_to_fit(rows, columns, weight, method.trees, given, MIN_ROWS)
            fitted = built(method, scaled.rows, weight, ids, given)
            warn_of_labels(fitted)
            state = State(fitted, None, np.empty(0, dtype=np.int64))
            return self._keep({"_state": state, **scaled.columns})
        before, rows = self._state.now, self._checked_rows(X)
        weight = check_sample_weight(sample_weight, rows.shape[0], all_may_be_zero=True)
        given = self._joined_labels(before.given, y, rows.shape[0], **options)
        known, m = before.rows, rows.shape[0]
        cells, new_ids = self._cells(self._fitted_encoder, X), known.next_id + np.arange(m)
        index = joined_index(known.frame_index, known.ids, X, new_ids, cells)
        fitted = with_rows(method, before, rows, weight, given, index)
        if y is not None:
            warn_of_labels(fitted, len(known.ids) + np.arange(m))
        recent = recent_of(self._state, fitted, rows)
        return self._keep({"_state": State(fitted, before, recent=recent)})

    @abstractmethod
    def _joined_labels(self, so_far: G | None, y: Any, m: int, **options: Any) -> G:
        """Return the labels of all rows, followed by those of ``m`` new ones."""

    def forget(self, ids: Any) -> Self:
        """Remove rows and their labels from the model; all other rows keep their ids.

        The model is then as if these rows had never been there; the bandwidth stays.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            Ids of the rows to remove: see ``ids_``.

        Returns
        -------
        self : estimator
            The model without these rows.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier().fit(X, ["low", "high", None, None, "high"])
        >>> model.forget(1).transduction_.tolist()
        ['low', 'low', 'high', 'high']
        >>> model.ids_
        array([0, 2, 3, 4])
        """
        before, method = self._fitted, self._method()
        places = rows_of_ids(ids, before.rows.ids)
        if not np.delete(before.rows.weight, places).any():
            raise ValueError("ids names all rows that count: at least one must remain.")
        given = before.given.without(places)
        fitted = without_rows(method, before, places, given)
        return self._keep({"_state": State(fitted, before)})

    def update_labels(self, ids: Any, y: Any, *, rechoose: bool | str = "auto") -> Self:
        """Add, change or remove labels of training rows, and propagate again.

        The forests stay as they are, so this is much faster than a new fit. What `fit` has chosen
        by leave-one-out (see ``chosen_``) can be kept as well: a single label then takes a few
        milliseconds.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            Which rows: see ``ids_``.
        y : object or array-like of shape (m,) or (m, n_targets)
            Their new labels; the missing label (NaN for numbers) removes a label. New classes may
            appear.
        rechoose : bool or "auto", default="auto"
            Whether to repeat the choices made by leave-one-out. True: repeat them, as a new fit
            with the same scaling would. False: keep them, together with the experts that have no
            closed-form update, such as decision trees. "auto": repeat them once 10 labels, or a
            quarter of those at the last choice if that is more, have been added, changed or
            removed, or once there are enough labels for another expert.

            Choices are always repeated with the first labels, when a class appears or loses its
            last label, when the largest number changes its order of magnitude, and when rows or
            parameters have changed since the last choice.

        Returns
        -------
        self : estimator
            The model with the new labels.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier().fit(X, ["low", None, None, None, "high"])
        >>> model.update_labels([2, 4], ["middle", None]).transduction_.tolist()
        ['low', 'low', 'middle', 'middle', 'middle']
        >>> model.update_labels(1, "middle", rechoose=False).transduction_.tolist()
        ['low', 'middle', 'middle', 'middle', 'middle']
        """
        check_rechoose(rechoose)
        before, method = self._fitted, self._method()
        places = rows_of_ids(ids, before.rows.ids)
        given = before.given.changed(places, [y] if np.ndim(ids) == 0 else y)
        fitted = relabelled(method, before, given, rechoose)
        warn_of_labels(fitted, places)
        return self._keep({"_state": State(fitted, before)})

    # Questions --------------------------------------------------------------------------------

    def _answering(self, state: State[G, L], X: Any) -> Fitted[G, L]:
        """Return the state that predicts new rows, perhaps from before the last insertion."""
        fitted, recent = state.now, state.recent
        if recent is None or fitted.is_computed or not recent.answers(X):
            return fitted
        return recent.fitted

    def _voters(self, fitted: Fitted[G, L], rows: Any) -> Voters:
        return fitted.method.voters(fitted.rows, rows, n_threads(self.n_jobs), self.verbose)

    def suggest(self, n: int = 1, X: Any = None) -> IntArray:
        """Return the rows to label next, the most useful first.

        Without labels, these are rows that cover the data: each represents a group of similar rows,
        the largest group first. With labels, they are the rows whose labels are expected to reduce
        the uncertainty of the forests most: for classes, the uncertainty between the two most
        probable ones; for numbers, the sum of the variances, to which a point far from all others
        contributes only a bounded amount. Rows are chosen one after the other, each as if the
        earlier ones were labelled, so that a batch is not redundant.

        Parameters
        ----------
        n : int, default=1
            Number of rows.
        X : array-like or sparse matrix of shape (n_rows, n_columns), default=None
            The rows to choose from, for a model that is not fitted: no label is needed. A fitted
            model chooses from the rows it was fitted on.

        Returns
        -------
        ndarray of shape (m,)
            Ids of the rows, which :meth:`update_labels` takes; rows of ``X`` are numbered from 0.
            Rows that have a label, that equal one that has, or that have weight 0 are not
            suggested; if there are not enough others, there are fewer than ``n``.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0], [8.5]]
        >>> LaPOLeaFClassifier().suggest(2, X=X)
        array([1, 4])
        >>> y = [None, None, "low", None, "high", None]
        >>> LaPOLeaFClassifier().fit(X, y).suggest()
        array([0])
        """
        n = check_n(n)
        if X is not None:
            return self._suggest_from(n, X)
        check_is_fitted(self, msg=_NO_ROWS)
        fitted = self._state.now
        rows, method = fitted.rows, fitted.method
        if fitted.has_labels:
            targets = method.queries(rows, fitted.labelling)
        else:
            targets = [method.coverage(rows)]
        first = rows.tree.first_rows
        nodes = suggest_nodes(
            rows.forests,
            targets,
            n,
            row_weight=rows.weight[first],
            threads=n_threads(self.n_jobs),
            verbose=self.verbose,
        )
        found: IntArray = rows.ids[first[nodes]]
        return found

    def _suggest_from(self, n: int, X: Any) -> IntArray:
        """Suggest rows of X before any label exists; this model stays unfitted."""
        if self.__sklearn_is_fitted__():
            raise ValueError(
                "X is for a model that is not fitted: leave it out to choose from the rows this "
                "one was fitted on, or use sklearn.base.clone(model).suggest(n, X=X)."
            )
        method = self._method()
        checked, columns = self._rows_to_fit(X)
        m = checked.shape[0]
        scaled = self._scaled_to_fit(checked, columns, np.ones(m), method.trees)
        rows = method.build(scaled.rows, np.ones(m), RowIds.first(m))
        nodes = suggest_nodes(
            rows.forests,
            [method.coverage(rows)],
            n,
            threads=method.trees.threads,
            verbose=self.verbose,
        )
        found: IntArray = rows.tree.first_rows[nodes]
        return found

    def _asked(self, fitted: Fitted[G, L], row: Any) -> Asked:
        """Return the row to explain, with the nodes that predict it."""
        rows = fitted.rows
        if np.ndim(row) > 0 or sp.issparse(row):
            checked = self._checked_rows(self._one_row(row))
            if checked.shape[0] != 1:
                raise ValueError(f"row must be one row, got {checked.shape[0]}.")
            return Asked(-1, checked, self._voters(fitted, checked))
        n = len(rows.ids)
        if not is_whole(row) or not 0 <= row < n:
            raise ValueError(
                f"row={shown(row)} must be the number of a training row, from 0 to {n - 1}, or a "
                f"new row."
            )
        node = int(rows.node_of[row])
        if node >= 0:
            return Asked(int(row), None, Voters.alone(np.array([node]), np.zeros(1)))
        place = int(np.searchsorted(np.flatnonzero(rows.node_of < 0), row))
        left_out = rows.left_out[place : place + 1]
        return Asked(int(row), left_out, self._voters(fitted, left_out))

    def _one_row(self, row: Any) -> Any:
        """Return a new row as a table of one row."""
        if sp.issparse(row) or np.ndim(row) == 2:
            return row
        if self._fitted_encoder is not None and hasattr(row, "to_frame"):
            return row.to_frame().T
        return np.asarray(row).reshape(1, -1)

    def _with_cells(self, explanation: Explanation, fitted: Fitted[G, L], row: Any) -> Explanation:
        """Return the explanation with the names and the cells of its rows."""
        names = vars(self).get("feature_names_in_")
        new = {} if explanation.row is not None else cells_of_new(self._one_row(row), names)
        return explanation.with_rows(
            name_of=lambda place: name_of_row(fitted.rows.frame_index, place),
            cells_of=lambda place: (
                new if place < 0 else cells_of_row(fitted.rows, names, place, self._fitted_scaling)
            ),
        )


def warn_of_labels(fitted: Fitted[Any, Any], among: IntArray | None = None) -> None:
    """Warn about given labels that contradict each other, of all rows or of those in ``among``."""
    remark = fitted.given.remark(fitted.rows, among)
    if remark is not None:
        warn_user(remark)


def warn_of_chance(fitted: Fitted[Any, Any]) -> None:
    """Warn if leave-one-out predicts the given labels no better than their mean."""
    loss = fitted.choices.as_dict().get("loss")
    n_given, n_classes = int(fitted.given.given.sum()), len(getattr(fitted.given, "classes", ()))
    few = max(_MIN_LABELS_TO_WARN, _MIN_LABELS_A_CLASS_TO_WARN * n_classes)
    if loss is None or n_given < few or not loss >= _LOSS_BY_CHANCE:
        return
    warn_user(
        f"The {n_given} given labels hardly predict each other (chosen_['loss'] is {loss:.2f}, and "
        f"1 is chance): the columns of X may not decide y, may need another scaling or metric, or "
        f"many labels may be wrong; check a few predictions, and see suspicious_labels()."
    )
