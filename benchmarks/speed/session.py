"""A run of the speed benchmark: its runner, the sizes asked for, and the seconds found so far."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.runner.isolated import Job, Result
from benchmarks.runner.runner import Runner, runs_path
from benchmarks.runner.timing import Growth


class Session:
    """What the parts of the speed benchmark share.

    Parameters
    ----------
    arguments : argparse.Namespace
        The arguments of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.quick: bool = arguments.quick
        self.fashion: Path = arguments.fashion
        self.growth: dict[str, Growth] = {}
        self.runner = Runner(runs_path(arguments), limit=arguments.limit)
        self._sizes: list[int] | None = arguments.sizes

    def sizes(self, quick: Sequence[int], usual: Sequence[int]) -> Sequence[int]:
        """Return the numbers of points asked for, else the usual ones of a part."""
        if self._sizes is not None:
            return sorted(set(self._sizes))
        return quick if self.quick else usual

    def alone(self, job: Job) -> Result:
        """Measure one job in a process of its own, unless it is in the store."""
        return self.runner.isolated(job)[0]
