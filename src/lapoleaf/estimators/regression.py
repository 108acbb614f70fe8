"""Base class of both regressors: fit, predict, intervals, explain, and the numbers of all rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.base import ForestEstimator
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.intervals import half_widths, spread_of
from lapoleaf.estimators.labels_frame import explained_share
from lapoleaf.estimators.number_explanation import explain_number
from lapoleaf.estimators.number_labelling import NumberLabelling
from lapoleaf.estimators.state import Fitted, State, rows_of_both
from lapoleaf.estimators.suspicion import SuspiciousLabels, is_contradicted, number_doubts, ranked
from lapoleaf.estimators.targets import NO_TARGETS, Targets, score_on_targets, targets_to_fit


class ForestRegressor(RegressorMixin, ForestEstimator[Targets, NumberLabelling]):
    """A regressor that labels rows in leading forests."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the forests of all rows and propagate the given targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, with a target or without.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Targets, NaN where missing (-1 is a number). With several targets, a row may have some
            of them.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : estimator
            The fitted regressor.
        """
        return self._fit(X, y, sample_weight)

    def _given_labels(self, y: Any) -> Targets:
        return targets_to_fit(y)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add new rows, with targets or without, and propagate again.

        The first call, and every call before there are 200 distinct rows, builds everything from
        scratch; from then on the bandwidth stays as it is, and rows are inserted into every tree.
        Numbers and all other attributes are computed when they are read. In an ensemble, `predict`
        does not wait for them: until the number of rows or targets has grown by a fiftieth, it
        predicts new rows from the numbers computed last.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The new rows.
        y : array-like of shape (m,) or (m, n_targets), default=None
            Their targets, NaN where missing; None if all are missing.
        sample_weight : array-like of shape (m,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : estimator
            The model with the new rows; ``ids_`` ends with theirs, and ``changed_`` lists the other
            rows whose number has changed by more than its standard deviation.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> model = LaPOLeaFRegressor.as_published(bandwidth=1.0)
        >>> model.partial_fit([[0.0], [1.0], [8.0]], [1.0, 2.0, 9.0]).predict([[7.0]])
        array([9.])
        >>> model.partial_fit([[7.1]], [7.0]).predict([[7.0]])
        array([7.])
        """
        return self._join(X, sample_weight, y)

    def _joined_labels(self, so_far: Targets | None, y: Any, m: int, **options: Any) -> Targets:
        return (NO_TARGETS if so_far is None else so_far).joined(y, m)

    # Fitted attributes ----------------------------------------------------------------------

    @property
    def transduction_(self) -> FloatArray:
        """The number of every row."""
        fitted = self._labelled
        return fitted.given.in_shape(fitted.answers.values)

    @property
    def transduction_std_(self) -> FloatArray:
        """Standard deviation of the number of every row."""
        fitted = self._labelled
        std = fitted.answers.std
        if std is None:
            raise AttributeError(
                f"{shown(type(self).__name__)} object has no attribute 'transduction_std_': the "
                f"three stages give no variance"
            )
        return fitted.given.in_shape(std)

    def _columns_of_labels(self, fitted: Fitted[Targets, NumberLabelling]) -> dict[str, AnyArray]:
        answers, given, weight = fitted.answers, fitted.given, fitted.rows.weight
        values = given.columns / given.scales
        std = np.full(values.shape, np.nan) if answers.std is None else answers.std
        pairs = zip((std / given.scales).T, values.T, strict=True)
        share = np.stack([explained_share(*pair, weight) for pair in pairs], axis=1)
        columns = {
            "label": answers.values,
            "confidence": share,
            "given": ~np.isnan(values),
            "std": std,
        }
        if given.n_targets == 1:
            return {name: of_targets[:, 0] for name, of_targets in columns.items()}
        return {
            f"{name}_{k}": of_targets[:, k]
            for name, of_targets in columns.items()
            for k in range(given.n_targets)
        }

    def _changed_ids(
        self,
        now: Fitted[Targets, NumberLabelling],
        earlier: Fitted[Targets, NumberLabelling],
    ) -> IntArray:
        ids, here, there = rows_of_both(now.rows, earlier.rows)
        before = earlier.answers
        if before.std is not None:
            limit = before.std[there]
        else:
            limit = np.nanstd(earlier.given.columns, axis=0)
        moved = np.abs(now.answers.values[here] - before.values[there]) > limit
        changed: IntArray = ids[moved.any(axis=1)]
        return changed

    # Predictions ------------------------------------------------------------------------------

    def _of_new(
        self,
        state: State[Targets, NumberLabelling],
        X: Any,
        needs_variance_for: str | None = None,
    ) -> tuple[NumberLabelling, FloatArray, FloatArray | None]:
        """Return the predicting labelling, and values and standard deviations (m, n_targets)."""
        rows = self._checked_rows(X)
        fitted = self._answering(state, rows)
        labelling = fitted.labelling
        if needs_variance_for is not None:
            _refuse_stages(labelling, needs_variance_for)
        voters = self._voters(fitted, rows)
        return labelling, *labelling.of_new(fitted.rows, rows, voters, n_threads(self.n_jobs))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the predicted number of every row.

        A new row gets its number from the nodes that would lead it in the forests and, in the
        ensemble, from the experts. A training row gets its number in ``transduction_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        return_std : bool, default=False
            Whether to return the standard deviation of the target too.

        Returns
        -------
        y : ndarray of shape (m,) or (m, n_targets)
            The numbers.
        std : ndarray of the same shape
            Their standard deviations; only if ``return_std``.
        """
        state = self._labelled_state
        _, values, std = self._of_new(state, X, "return_std=True" if return_std else None)
        in_shape = state.now.given.in_shape
        return (in_shape(values), in_shape(np.asarray(std))) if return_std else in_shape(values)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Return an interval for every row that holds its target with the given probability.

        Widths are multiples of the standard deviations; the factor is estimated from the
        leave-one-out errors of the given targets, with choices made without them as well. Fewer
        than 9 given targets are too few to estimate it for 90%: the error of predicting their mean
        is then added to the others, which makes intervals wide. If no given target reaches a row,
        its interval is infinite.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (m,) or (m, n_targets)
            The ends of the intervals.
        """
        if not is_real(coverage) or not 0 < coverage < 1:
            raise ValueError(f"coverage={shown(coverage)} must be a probability between 0 and 1.")
        state = self._labelled_state
        labelling, center, std = self._of_new(state, X, "predict_interval")
        spreads = [
            scale * spread_of(target.problem)
            for scale, target in zip(labelling.scales, labelling.targets, strict=True)
        ]
        columns = zip(np.asarray(std).T, labelling.errors or (), spreads, strict=True)
        half = [half_widths(*column, coverage) for column in columns]
        wide, in_shape = np.stack(half, axis=1), state.now.given.in_shape
        return in_shape(center - wide), in_shape(center + wide)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 on the rows that have all targets in y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        y : array-like of shape (m,) or (m, n_targets)
            True targets; rows with NaN do not count.
        sample_weight : array-like of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        float
            R^2, the mean over the targets.
        """
        return score_on_targets(self.predict(X), y, sample_weight)

    def suspicious_labels(
        self,
        target: int = 0,
        *,
        all: bool = False,
    ) -> SuspiciousLabels:
        """Return the given targets that the others contradict.

        Each target is compared with its leave-one-out prediction, which has a closed form. Targets
        more than three standard deviations from it are listed.

        Parameters
        ----------
        target : int, default=0
            Index of the target, if there are several.
        all : bool, default=False
            Whether to list all given targets, including those that the others confirm.

        Returns
        -------
        SuspiciousLabels
            The targets, the most doubtful first; prints as a short table.

        Examples
        --------
        >>> import numpy as np
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> X = np.linspace(0, 1, 20).reshape(-1, 1)
        >>> y = 3 * X[:, 0]
        >>> y[7] = 9.0
        >>> found = LaPOLeaFRegressor().fit(X, y).suspicious_labels()
        >>> int(found.ids[0]), float(found.given[0])
        (7, 9.0)
        """
        fitted = self._labelled
        rows, given, labelling = fitted.rows, fitted.given, fitted.labelling
        _refuse_stages(labelling, "suspicious_labels")
        column = given.columns[:, _checked_target(target, given)]
        part, scale = labelling.targets[target], labelling.scales[target]
        labelled = np.flatnonzero(~np.isnan(column) & (rows.node_of >= 0))
        place = np.searchsorted(part.given, rows.node_of[labelled])
        instead, doubt = number_doubts(
            column[labelled] / scale,
            rows.weight[labelled],
            place,
            part.leave_one_out()[:, 0],
            part.std_without(),
            part.problem.disagreement,
        )
        is_listed = is_contradicted(doubt) | all
        return ranked(rows.ids[labelled], column[labelled], scale * instead, doubt, is_listed)

    def explain(self, row: Any, target: int = 0) -> Explanation:
        """Return the reasons for the number of a row.

        Parameters
        ----------
        row : int or array-like of shape (n_columns,)
            The number of a training row, or a new row.
        target : int, default=0
            Index of the target to explain, if there are several.

        Returns
        -------
        Explanation
            Prints as a few lines; the same facts are its attributes.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> y = [1.0, float("nan"), 4.0, float("nan"), 20.0]
        >>> LaPOLeaFRegressor(bandwidth=1.0).fit(X, y).explain(1)
        Row 1 gets 3.583.
           42% from row 0, given 1: 1 - 0
           37% from row 2, given 4: 1 - 2
           20% from row 4, given 20: 1 - 2 - 3 - 4
          3.583 is the sum of
            0 from the forests, alone 5.99272
            3.583 from a smooth trend through the given numbers, alone 3.583
          Leaders in the plain tree: 1 (root)
        """
        fitted = self._labelled
        which = _checked_target(target, fitted.given)
        found = explain_number(fitted, self._asked(fitted, row), which, n_threads(self.n_jobs))
        return self._with_cells(found, fitted, row)


def _checked_target(target: Any, given: Targets) -> int:
    """Return the index of a target; raise for an invalid one."""
    if not (is_whole(target) and 0 <= target < given.n_targets):
        raise ValueError(
            f"target={shown(target)} must be a number from 0 to {given.n_targets - 1}."
        )
    return int(target)


def _refuse_stages(labelling: NumberLabelling, what: str) -> None:
    if labelling.std is None:
        raise ValueError(f"{what} needs solver='exact': the three stages give no variance.")
