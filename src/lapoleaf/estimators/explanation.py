"""Explanations of labels: given rows, the paths to them, and the contribution of every part."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.attribution import Reason
from lapoleaf.estimators.cells import in_line

# Number of given rows shown for each of the two best classes, and for a number.
MOST_REASONS, MOST_REASONS_OF_NUMBERS = 3, 6
# Maximum number of rows of a path that are printed.
_MOST_STEPS = 12


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explanation of the label of a row.

    Printed, it is a few lines to read; the same facts are attributes.

    Attributes
    ----------
    row : int or None
        The row that is explained; None for a new row.
    label : object
        Its label: a class, a number, or the missing label where ``min_confidence`` is not reached.
    confidence : float or None
        Probability of the best class; None for numbers.
    given : bool
        Whether the label of the row was given.
    best, runner_up : object
        The two most probable classes; None where no second one is possible, and for numbers.
    log_odds : float or None
        Logarithm of the probability of the best class over that of the runner-up; None where there
        is none.
    parts : dict of str to float
        Contribution of every part of the model to the log-odds: ``"forests"``, ``"class prior"``,
        every expert, ``"temperature"``, and ``"distance"`` for a new row far from all others. For
        numbers, the contributions of forests and experts to the number. The values sum to the
        log-odds, or to the number.
    forest_shares : dict of object to float
        Shares of the two best classes in the forests' mean, before class prior and experts.
    reasons : tuple of Reason
        The given rows that count most in the forests, for the best class and for the runner-up,
        each with its path.
    deciders : ndarray of shape (n_deciders,)
        All given rows that contribute to the forests' label, the most important first.
    shares : ndarray of shape (n_deciders,)
        Their shares of the forests' label: not negative, summing to 1. Those of one class sum to
        the share of the class in the forests' mean.
    decider_labels : list
        Their labels.
    predicted_by : dict of str to object
        The label by the forests alone (``"forests"``) and by every expert alone (``"ridge"`` for
        classes, ``"trend"`` for numbers); empty where there are only forests.
    others : Explanation or None
        For a row whose label was given: an explanation of the label it would have otherwise; None
        where it is the only one.
    path : ndarray of shape (n_steps + 1,)
        Rows from the point up to the root of its tree in the plain forest, each led by the next; -1
        stands for a new row.
    layers : ndarray of shape (n_steps + 1,)
        Layers of these rows in their tree (root 0).
    distances : ndarray of shape (n_steps + 1,)
        Distance from each row of this path to the next; 0 for the root.
    borrowed_from : int or None
        The row at the root of the tree that lent its label, if this tree had none.
    names : dict of int to str
        Names in the frame of the row (-1: a new one) and of those in ``reasons``, where these are
        not their numbers.
    cells : dict of int to dict
        Cells of these rows by column, where they came in a frame.

    Examples
    --------
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
    >>> model = LaPOLeaFClassifier(bandwidth=1.0).fit(X, ["low", None, None, None, "high"])
    >>> why = model.explain(3)
    >>> why.label, why.reasons[0].row, why.reasons[0].path
    ('high', 4, (3, 4))
    >>> bool(abs(sum(why.parts.values()) - why.log_odds) < 1e-9)
    True
    """

    row: int | None
    label: Any
    confidence: float | None
    given: bool
    best: Any
    runner_up: Any
    log_odds: float | None
    parts: dict[str, float]
    forest_shares: dict[Any, float]
    reasons: tuple[Reason, ...]
    deciders: IntArray
    shares: FloatArray
    decider_labels: list[Any]
    predicted_by: dict[str, Any]
    others: Explanation | None
    path: IntArray
    layers: IntArray
    distances: FloatArray
    borrowed_from: int | None
    names: dict[int, str] = field(default_factory=dict)
    cells: dict[int, dict[str, Any]] = field(default_factory=dict)
    # Printed descriptions of experts.
    _words: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_rows(
        self, name_of: Callable[[int], str | None], cells_of: Callable[[int], dict[str, Any]]
    ) -> Explanation:
        """Return the explanation with names and cells of the rows in it.

        Parameters
        ----------
        name_of : callable
            Returns the name of a row, None for its number.
        cells_of : callable
            Returns its cells by column.
        """
        rows = [-1 if self.row is None else self.row, *(reason.row for reason in self.reasons)]
        names = {row: name for row in rows if (name := name_of(row)) is not None}
        cells = {row: found for row in rows if (found := cells_of(row))}
        others = None if self.others is None else self.others.with_rows(name_of, cells_of)
        return replace(self, names=names, cells=cells, others=others)

    def _head(self) -> str:
        who = "The new row" if self.row is None else f"Row {self._called(self.row)}"
        return f"{who} gets {self._answer()}."

    def _called(self, row: int) -> str:
        return f"{row} ({self.names[row]})" if row in self.names else str(row)

    def _cells_of(self, row: int, level: int) -> Iterator[tuple[int, str]]:
        if row in self.cells:
            yield level, in_line(self.cells[row])

    def _answer(self) -> str:
        """Return the label, its confidence, and the next best."""
        if self.confidence is None:
            return in_words(self.label)
        found = f"{in_words(self.best)} (confidence {self.confidence:.0%})"
        if not same_label(self.label, self.best):
            found = f"no label: {found} does not reach min_confidence"
        if self.runner_up is None or self._is_kept:
            return found
        return f"{found}, before {in_words(self.runner_up)}"

    @property
    def _is_kept(self) -> bool:
        """Whether the given label of the row is kept regardless of the other labels."""
        return self.given and len(self.deciders) == 1

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield one line per fact with its indentation, the most important first."""
        yield from self._cells_of(-1 if self.row is None else self.row, 1)
        if self.given:
            yield 1, "Its label was given."
        if not self._is_kept:
            yield from self._evidence()
        if self.given and self.others is None:
            yield 1, "There is no other given label to compare it with."
        elif self.others is not None:
            yield 1, f"Without it: {self.others._answer()}."
            yield from ((level + 1, line) for level, line in self.others._evidence())
        if self.borrowed_from is not None:
            yield (
                1,
                f"Its tree has no given label: it borrowed from the tree of row "
                f"{self.borrowed_from}.",
            )
        yield 1, f"Leaders in the plain tree: {self._leaders()}"

    def _evidence(self) -> Iterator[tuple[int, str]]:
        if self.confidence is None:
            yield from self._evidence_of_number()
            return
        for label, share in self.forest_shares.items():
            yield 1, f"{share:>4.0%} of the forests' label is {in_words(label)}"
            for reason in self.reasons:
                if same_label(reason.label, label):
                    who = f"{reason.share:>4.0%} from row {self._called(reason.row)}"
                    yield 2, f"{who}: {_path(reason.path)}"
                    yield from self._cells_of(reason.row, 5)
        if self.runner_up is not None and self.log_odds is not None and self.parts:
            terms = " ".join(_signed(value, name) for name, value in self.parts.items())
            pair = f"{in_words(self.best)} to {in_words(self.runner_up)}"
            yield 1, f"Log-odds of {pair}: {self.log_odds:.2f}"
            yield 2, f"= {terms.removeprefix('+ ')}"
        for name, words in self._words.items():
            if name in self.predicted_by:
                yield 1, f"{words.capitalize()} prefers {in_words(self.predicted_by[name])}."

    def _evidence_of_number(self) -> Iterator[tuple[int, str]]:
        for reason in self.reasons:
            share, label = f"{reason.share:>4.0%}", in_words(reason.label)
            who = f"{share} from row {self._called(reason.row)}, given {label}"
            yield 1, f"{who}: {_path(reason.path)}"
            yield from self._cells_of(reason.row, 4)
        hidden = len(self.deciders) - len(self.reasons)
        if hidden > 0:
            rest = 1.0 - sum(reason.share for reason in self.reasons)
            others = "1 other given number" if hidden == 1 else f"{hidden} other given numbers"
            yield 1, f"{rest:>4.0%} from {others}"
        if self.predicted_by:
            names = {"forests": "the forests", **self._words}
            yield 1, f"{in_words(self.label)} is the sum of"
            for name, words in names.items():
                if name in self.predicted_by:
                    alone = in_words(self.predicted_by[name])
                    yield 2, f"{in_words(self.parts[name])} from {words}, alone {alone}"

    def _leaders(self) -> str:
        names = ["new row" if row < 0 else str(row) for row in self.path.tolist()]
        links = [f" -({length:.3g})-> " for length in self.distances[:-1].tolist()]
        steps = [link + name for link, name in zip(links, names[1:], strict=True)]
        if len(steps) > _MOST_STEPS:
            half = _MOST_STEPS // 2
            steps[half:-half] = [f" ... {len(steps) - _MOST_STEPS} more ..."]
        return names[0] + "".join(steps) + " (root)"

    def __str__(self) -> str:
        lines = ("  " * level + line for level, line in self._lines())
        return "\n".join([self._head(), *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = "".join(
            f'<div style="padding-left:{level}em">{html.escape(line)}</div>'
            for level, line in self._lines()
        )
        return f"<div><strong>{html.escape(self._head())}</strong>{lines}</div>"


def _path(rows: Sequence[int]) -> str:
    names = ["new row" if row < 0 else str(row) for row in rows]
    if len(names) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        names[half:-half] = ["..."]
    return " - ".join(names)


def _signed(value: float, name: str) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):.2f} {name}"


def same_label(one: Any, other: Any) -> bool:
    """Whether two labels are the same class."""
    return type(one) is type(other) and bool(one == other)


def in_words(label: Any) -> str:
    """Return a label as text."""
    if isinstance(label, np.ndarray):
        return "[" + ", ".join(f"{value:.4g}" for value in label.tolist()) + "]"
    if isinstance(label, float | np.floating):
        return f"{label:.6g}"
    return repr(label.item() if isinstance(label, np.generic) else label)
