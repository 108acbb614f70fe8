"""What an expert is: a method that learns from the given labels alone, mixed with the forests."""

from __future__ import annotations

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
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

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
    """

    @property
    def name(self) -> str: ...

    def can_help(self, problem: Problem) -> bool:
        """Whether there are labels enough to learn anything from."""

    def fit(self, points: Points, problem: Problem) -> FittedExpert:
        """Learn the given labels of a problem on points."""
