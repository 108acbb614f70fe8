"""What an expert is: a method that learns from the given labels alone, mixed with the forests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from lapoleaf._points import Points
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.problem import Problem


class Estimate(NamedTuple):
    """Numbers, and the variances of targets around them.

    Attributes
    ----------
    values, variances : ndarray of shape (n,)
        One for every point.
    """

    values: FloatArray
    variances: FloatArray


class FittedExpert(Protocol):
    """An expert that has learnt the given labels.

    For classes answers are scores (n, K), about 1 apart where the expert is sure; for numbers they
    are an :class:`Estimate`.

    Attributes
    ----------
    name : str
        The name of the expert.
    description : str
        What it is, in plain words that explanations use.
    logarithms_of : float
        Scores times this are about the logarithms of probabilities.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def logarithms_of(self) -> float: ...

    @property
    def leave_one_out(self) -> Any:
        """Answers for all given nodes, each without its own label."""

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> Any:
        """Return answers for some of the points, all if ``nodes`` is None."""

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> Any:
        """Return answers for new rows, in the form the points were made from."""


class Expert(Protocol):
    """A method that learns from the given labels alone.

    Attributes
    ----------
    name : str
        How users call it.
    usual_share : float
        Its share among the experts that is best on average; relative to those of the others.
    score_unit : float
        What its scores are multiplied by to be as far apart as logarithms of probabilities.
    """

    @property
    def name(self) -> str: ...

    @property
    def usual_share(self) -> float: ...

    @property
    def score_unit(self) -> float: ...

    def can_help(self, points: Points, problem: Problem) -> bool:
        """Whether it can learn anything from these labels of these points."""

    def fit(self, points: Points, problem: Problem, threads: int = 1) -> FittedExpert:
        """Learn the given labels of a problem on points."""


def usual_weights(experts: Sequence[Expert]) -> list[float]:
    """Return the weight of the scores of every expert among them that is best on average.

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
