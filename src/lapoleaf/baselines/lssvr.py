"""Least squares support vector regression (Suykens et al., 2002)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.linalg import LinAlgWarning, cho_factor, cho_solve
from scipy.linalg.lapack import dpocon
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._messages import shown
from lapoleaf._progress import stage
from lapoleaf._typing import FloatArray
from lapoleaf._warnings import warn_user
from lapoleaf.baselines.base import Baseline
from lapoleaf.baselines.kernels import check_kernel, is_of_differences, kernel_of
from lapoleaf.baselines.parameters import check_positive
from lapoleaf.baselines.rows import in_blocks, middle_of, moved
from lapoleaf.estimators.targets import score_on_targets, targets_to_fit

# With a smaller reciprocal condition number at most three digits of the solution are correct.
_SINGULAR = 1e-12


class LSSVR(RegressorMixin, Baseline):
    """Least squares support vector regression: kernel ridge with a free constant.

    The baseline of the paper for its water series. Rows without a target are ignored in training
    and predicted. Time grows with the cube of the number of targets, memory with its square (800 MB
    for 10,000).

    Parameters
    ----------
    gamma : float, default=10.0
        Weight of the errors relative to smoothness: the larger, the closer to the targets. A
        warning is issued if it is so large that predictions are affected by rounding errors.
    kernel : str or callable, default="rbf"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels` by its name, or a function of
        two rows; positive semidefinite. Precomputed kernels are not supported.
    kernel_params : dict, default=None
        Parameters of the kernel, as in ``{"gamma": 3.0}`` for ``exp(-3 d²)``; this gamma is not the
        parameter ``gamma`` of the estimator.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_targets,)
        Weights of the rows with targets.
    intercept_ : float
        The constant.
    transduction_ : ndarray of shape (n_rows,)
        The prediction for every row of X.
    given_ : ndarray of shape (n_rows,), bool
        Rows whose target was given.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.baselines import LSSVR
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = LSSVR(gamma=1000.0).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
    True
    """

    def __init__(
        self,
        *,
        gamma: float = 10.0,
        kernel: str | Callable[..., Any] = "rbf",
        kernel_params: dict[str, Any] | None = None,
    ) -> None:
        self.gamma = gamma
        self.kernel = kernel
        self.kernel_params = kernel_params

    @classmethod
    def as_published(cls, gamma: float = 0.5, lam: float = 5.0, p: float = 3.0) -> Self:
        """Return the regressor with the paper's three parameters.

        They are interpreted as those of MLSSVR, a toolbox for several outputs, since the paper
        names no kernel. For one output, its system is that of ``gamma * (1 + 1 / lam)`` with the
        kernel ``exp(-p d²)``.

        Parameters
        ----------
        gamma : float, default=0.5
            Weight of the errors.
        lam : float, default=5.0
            Weight of the part of an output that is not shared with the others.
        p : float, default=3.0
            Coefficient of the kernel.

        Returns
        -------
        LSSVR
            The unfitted regressor.

        Examples
        --------
        >>> from lapoleaf.baselines import LSSVR
        >>> LSSVR.as_published()
        LSSVR(gamma=0.6, kernel_params={'gamma': 3.0})
        """
        for name, value in (("gamma", gamma), ("lam", lam), ("p", p)):
            check_positive(name, value)
        return cls(gamma=gamma * (1.0 + 1.0 / lam), kernel_params={"gamma": p})

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the rows that have a target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, with a target or without.
        y : array-like of shape (n_rows,)
            Targets, NaN where missing.

        Returns
        -------
        self : LSSVR
            The fitted regressor.
        """
        return self._fit_by_twin(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        check_positive("gamma", self.gamma)
        check_kernel(self.kernel, self.kernel_params)
        rows = self._checked_rows(X, reset=True)
        targets = column_or_1d(targets_to_fit(y).values, warn=True)
        check_consistent_length(rows, targets)
        self.given_ = ~np.isnan(targets)
        self._rows = rows[self.given_]
        self._middle = middle_of(self._rows) if is_of_differences(self.kernel) else None
        # A copy, since the caller may change the rows afterwards.
        self._rows = moved(self._rows, self._middle)
        known = targets[self.given_]
        with stage("factorization"):
            factor, closeness = self._factored()
        ones, values = cho_solve(factor, np.column_stack([np.ones(len(known)), known])).T
        self.intercept_ = float(values.sum() / ones.sum())
        self.dual_coef_ = values - self.intercept_ * ones
        if closeness < _SINGULAR:
            warn_user(
                f"gamma={shown(self.gamma)} with kernel={shown(self.kernel)} leaves a system so "
                f"near to singular (reciprocal condition {closeness:.0e}) that predictions may be "
                f"wrong: use a smaller gamma, or a kernel that separates the rows better.",
                LinAlgWarning,
            )
            self.transduction_ = self._values(rows)
            return self
        self.transduction_ = np.empty(len(targets))
        # (K + I / gamma) a = y - b gives the predictions of the rows with targets.
        self.transduction_[self.given_] = known - self.dual_coef_ / self.gamma
        if not self.given_.all():
            self.transduction_[~self.given_] = self._values(rows[~self.given_])
        return self

    def _factored(self) -> tuple[tuple[FloatArray, bool], float]:
        """Return the Cholesky factor of the system and its reciprocal condition number."""
        # The matrix is symmetric, and LAPACK need not copy the transpose.
        system = kernel_of(self._rows, None, self.kernel, self.kernel_params).T
        system[np.diag_indices_from(system)] += 1.0 / self.gamma
        # Row by row, to avoid a second matrix of absolute values.
        size = max(float(np.abs(line).sum()) for line in system.T)
        try:
            factor, lower = cho_factor(system, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"kernel={shown(self.kernel)} with kernel_params={shown(self.kernel_params)} is "
                f"not positive semidefinite on these rows, at least not after rounding, which "
                f"gamma={shown(self.gamma)} does not make up for: use another kernel or a smaller "
                f"gamma."
            ) from error
        closeness, _ = dpocon(factor, size)
        return (factor, lower), float(closeness)

    def _confidence(self) -> FloatArray:
        return np.full(len(self.given_), np.nan)

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted number of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            The numbers.
        """
        check_is_fitted(self)
        return self._values(self._checked_rows(X, reset=False))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 on the rows that have a target in y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        y : array-like of shape (m,)
            True targets; rows with NaN do not count.
        sample_weight : array-like of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        float
            R^2.
        """
        return score_on_targets(self.predict(X), y, sample_weight)

    def _values(self, rows: Any) -> FloatArray:
        return in_blocks(self._values_of, rows) + self.intercept_

    def _values_of(self, rows: Any) -> FloatArray:
        there = moved(rows, self._middle)
        kernel = kernel_of(there, self._rows, self.kernel, self.kernel_params)
        return np.asarray(kernel @ self.dual_coef_)
