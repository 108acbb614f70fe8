"""Report of a tree build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BuildReport:
    """Report of a tree build.

    Attributes
    ----------
    build : str
        ``"full"``: all distances were computed. ``"approximate"``: those that matter most.
    metric : str
        Name of the metric.
    seconds : mapping of str to float
        Time of the stages ``"bandwidth"``, ``"distances"``, ``"density"`` and ``"leaders"``, and
        ``"check"`` in an approximate build.
    n_checked : int or None
        Number of nodes that an approximate build was checked on, against all distances; None, like
        the next three, in a full build, which has nothing to check.
    neighbours_found : float or None
        Share of the true nearest neighbours of these nodes that were found.
    leaders_found : float or None
        Share of these nodes whose leader is the nearest of all that are denser.
    density_error : float or None
        Median error of their densities, relative to the true ones.
    """

    build: str
    metric: str
    seconds: Mapping[str, float]
    n_checked: int | None = None
    neighbours_found: float | None = None
    leaders_found: float | None = None
    density_error: float | None = None

    def __str__(self) -> str:
        spent = f"{sum(self.seconds.values()):.1f} s" if self.seconds else "no time"
        line = f"{self.build} build, {self.metric}, {spent}"
        shares = (self.neighbours_found, self.leaders_found, self.density_error)
        neighbours, leaders, error = (f"{100 * (share or 0.0):.1f} %" for share in shares)
        if self.n_checked is None:
            return line
        return (
            f"{line}; of {self.n_checked} nodes checked, {neighbours} of the neighbours and "
            f"{leaders} of the leaders were found, and half of the densities are within {error}"
        )
