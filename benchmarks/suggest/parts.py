"""The parts of the suggest benchmark: methods and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.methods import select
from benchmarks.methods.case import Case
from benchmarks.methods.method import LABEL_ERRORS, QUERIES, Method
from benchmarks.suggest import label_errors, rounds, start
from lapoleaf._typing import FloatArray


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Attributes
    ----------
    measures : tuple of str
        What is measured: the names under which runs are kept.
    columns : tuple of str
        How many labels are given, and how.
    kind, tag : str
        What is compared, in the registry.
    scores : callable
        Returns, for a made method, a case and a seed, the scores: a line a measure, an entry a
        column.
    rows_a_class : int
        Data sets with fewer rows than this for each class, on average, are left out.
    """

    measures: tuple[str, ...]
    columns: tuple[str, ...]
    kind: str
    tag: str
    scores: Callable[[Any, Case, int], FloatArray]
    rows_a_class: int

    @property
    def methods(self) -> dict[str, Method]:
        """The methods, ours first."""
        return select(self.kind, self.tag)


PARTS: dict[str, Part] = {
    "start": Part(
        ("start", "start-seen"), start.COLUMNS, QUERIES, "start", start.scores, rows_a_class=4
    ),
    "rounds": Part(
        ("rounds",),
        rounds.COLUMNS,
        QUERIES,
        "rounds",
        rounds.scores,
        rows_a_class=2 * len(rounds.COLUMNS),
    ),
    "doubt": Part(
        label_errors.MEASURES,
        label_errors.COLUMNS,
        LABEL_ERRORS,
        "doubt",
        label_errors.scores,
        rows_a_class=4,
    ),
}
