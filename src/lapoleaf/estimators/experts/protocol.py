"""Protocols of experts: methods that learn from the given labels alone, mixed with the forests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from lapoleaf._points import Points
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.problem import Problem


class Estimate(NamedTuple):
    """Predicted numbers, and the variances of targets around them.

    Attributes
    ----------
    values, variances : ndarray of shape (n,)
        One for every point.
    """

    values: FloatArray
    variances: FloatArray


class FittedExpert(Protocol):
    """An expert fitted to the given labels.

    For classes, predictions are scores (n, K), which differ by about 1 if the expert is certain;
    for numbers they are an :class:`Estimate`.

    Attributes
    ----------
    name : str
        The name of the expert.
    description : str
        Short description, used in explanations.
    logarithms_of : float
        Factor that turns scores into approximate log-probabilities.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def logarithms_of(self) -> float: ...

    @property
    def leave_one_out(self) -> Any:
        """Leave-one-out predictions for all given nodes."""

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Any:
        """Return the predictions for some of the points, all if ``nodes`` is None."""

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Any:
        """Return the predictions for new rows, in the format of the training rows."""


class Expert(Protocol):
    """A method that learns from the given labels alone.

    Attributes
    ----------
    name : str
        Its name in the parameter ``experts``.
    usual_share : float
        Its default share among the experts, relative to those of the others.
    score_unit : float
        Factor that brings its scores to the scale of log-probabilities.
    """

    @property
    def name(self) -> str: ...

    @property
    def usual_share(self) -> float: ...

    @property
    def score_unit(self) -> float: ...

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether it can be fitted to these labels of these points."""

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedExpert:
        """Fit the expert to the given labels of a problem."""


def usual_weights(experts: Sequence[Expert]) -> list[float]:
    """Return the default weight of the scores of every expert.

    Parameters
    ----------
    experts : sequence of Expert
        The experts.

    Examples
    --------
    >>> from lapoleaf.estimators.experts import ExtraTrees, KernelRidge, usual_weights
    >>> usual_weights([KernelRidge(), ExtraTrees()])
    [3.0, 0.5]
    """
    total = sum(expert.usual_share for expert in experts)
    return [expert.usual_share / total * expert.score_unit for expert in experts]
