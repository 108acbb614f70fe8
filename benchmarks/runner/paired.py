"""Paired differences of methods, and the best baseline in hindsight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapoleaf._typing import FloatArray


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences and its standard errors.

    Attributes
    ----------
    mean : float
        Mean over data sets and draws.
    over_sets : float
        Standard error if other data sets of this kind were taken; NaN for a single one.
    over_draws : float
        Standard error if other labels were drawn on the same data sets; NaN for a single draw.
    """

    mean: float
    over_sets: float
    over_draws: float

    def text(self) -> str:
        """Return it in points: the mean, and both errors.

        Examples
        --------
        >>> from benchmarks.runner.paired import Difference
        >>> Difference(0.0123, 0.004, 0.0011).text()
        '+1.23 ± 0.40 / 0.11'
        """
        errors = (f"{100 * error:.2f}" if np.isfinite(error) else "-" for error in self.errors)
        return f"{100 * self.mean:+.2f} ± " + " / ".join(errors)

    @property
    def errors(self) -> tuple[float, float]:
        """Both standard errors."""
        return self.over_sets, self.over_draws


def paired_difference(gains: FloatArray) -> Difference:
    """Return the mean of paired differences and its standard errors.

    Parameters
    ----------
    gains : ndarray of shape (n_sets, n_splits)
        Differences of two methods on the same draws.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.runner.paired import paired_difference
    >>> paired_difference(np.array([[0.0, 2.0], [4.0, 6.0]]))
    Difference(mean=3.0, over_sets=2.0, over_draws=0.7071067811865476)
    """
    n_sets, n_splits = gains.shape
    by_set = gains.mean(axis=1)
    over_sets = np.sqrt(by_set.var(ddof=1) / n_sets) if n_sets > 1 else np.nan
    # Data sets are fixed, and the draws of one are independent of those of another.
    over_draws = (
        np.sqrt((gains.var(axis=1, ddof=1) / n_splits).sum()) / n_sets if n_splits > 1 else np.nan
    )
    return Difference(float(by_set.mean()), float(over_sets), float(over_draws))


def clairvoyant(values: FloatArray) -> FloatArray:
    """Return the scores of the method that is best on each data set, chosen in hindsight.

    On every data set and in every column the method with the highest mean over one half of the
    draws is scored on the other half, and the reverse: being lucky on a draw is not counted.

    Parameters
    ----------
    values : ndarray of shape (n_methods, n_sets, n_columns, n_splits)
        Scores of the methods to choose from, two splits or more; NaN where one was not measured.

    Returns
    -------
    ndarray of shape (n_sets, n_columns, n_splits)
        Scores of the chosen method.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.runner.paired import clairvoyant
    >>> lucky_once, steady = [0.9, 0.1], [0.5, 0.6]
    >>> clairvoyant(np.array([[[lucky_once]], [[steady]]])).tolist()
    [[[0.5, 0.1]]]
    """
    n_splits = values.shape[3]
    if n_splits < 2:
        raise ValueError("values must have two splits or more: one to choose on, one to score on.")
    known = np.where(np.isnan(values), -np.inf, values)
    halves = np.arange(n_splits) < n_splits // 2
    found = np.empty(values.shape[1:])
    for scored in (halves, ~halves):
        best = known[..., ~scored].mean(axis=3).argmax(axis=0)[None, :, :, None]
        found[..., scored] = np.take_along_axis(values[..., scored], best, axis=0)[0]
    return found
