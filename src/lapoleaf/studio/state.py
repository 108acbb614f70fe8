"""What a person has done so far: classes, labels, checks; and changes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lapoleaf._typing import BoolArray, IntArray
from lapoleaf.inputs.row_keys import RowKey

# No label was ever given; a person took the label back.
NONE, CLEARED = -1, -2


@dataclass(frozen=True)
class ClassInfo:
    """A class.

    Attributes
    ----------
    id : int
        Its number, which no other class ever gets.
    name, colour, key : str
        Its name, its colour as ``#rrggbb``, and the key that gives it; no key if empty.
    """

    id: int
    name: str
    colour: str
    key: str

    def to_json(self) -> dict[str, Any]:
        """Return the class as the page takes it."""
        return {"id": self.id, "name": self.name, "colour": self.colour, "key": self.key}


@dataclass(frozen=True)
class Check:
    """An answer to a random check.

    Attributes
    ----------
    shown, answer : int
        Ids of the class that was shown before the answer, and of the answer.
    row : int
        The row; -1 where it is not there any more.
    """

    shown: int
    answer: int
    row: int = -1


@dataclass(frozen=True, eq=False)
class State:
    """What a person has done so far; never changed in place.

    Attributes
    ----------
    given : ndarray of shape (n_rows,)
        Ids of given classes; -1 for none, -2 where a person took the label back.
    classes : mapping of int to ClassInfo
        Classes by their ids.
    lost : mapping of RowKey to int
        Labels whose row is not there.
    checks : tuple of Check
        Answers to random checks.
    confidence : float
        The confidence that is asked for.
    merged : mapping of int to int
        Classes that are part of others now.
    """

    given: IntArray
    classes: Mapping[int, ClassInfo] = field(default_factory=dict)
    lost: Mapping[RowKey, int] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    confidence: float = 0.9
    merged: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_given(self) -> BoolArray:
        """Which rows have a label by a person."""
        return self.given >= 0

    @property
    def n_given(self) -> int:
        """Number of labels by a person."""
        return int(np.count_nonzero(self.given >= 0))

    def counts(self) -> dict[int, int]:
        """Return the number of given labels of every class."""
        counts = np.bincount(self.given[self.given >= 0], minlength=self.next_id)
        return {number: int(counts[number]) for number in self.classes}

    @property
    def next_id(self) -> int:
        """The number of the next class, above those of all classes."""
        return max(self.classes, default=-1) + 1

    def checked(self) -> tuple[int, int]:
        """Return how many answers to random checks agree with what was shown, of how many.

        An answer that was corrected counts as it is now, one that was taken back does not count,
        and classes that were merged are one.
        """
        # Of a row that was checked again, the last answer.
        latest = {
            (check.row if check.row >= 0 else -1 - n): check for n, check in enumerate(self.checks)
        }
        pairs = [
            (check.shown, int(self.given[check.row]) if check.row >= 0 else check.answer)
            for check in latest.values()
        ]
        known = [(shown, answer) for shown, answer in pairs if answer >= 0]
        right = sum(self._class_now(shown) == self._class_now(answer) for shown, answer in known)
        return right, len(known)

    def _class_now(self, number: int) -> int:
        """Return the class that another is part of by now."""
        while number in self.merged:
            number = self.merged[number]
        return number

    def equals(self, other: State) -> bool:
        """Whether two states are the same."""
        return (
            np.array_equal(self.given, other.given)
            and dict(self.classes) == dict(other.classes)
            and dict(self.lost) == dict(other.lost)
            and self.checks == other.checks
            and self.confidence == other.confidence
            and dict(self.merged) == dict(other.merged)
        )


@dataclass(frozen=True, eq=False)
class Change:
    """One action, as what it changes: each part has a value before and a value after.

    Attributes
    ----------
    rows, before, after : ndarray of shape (n_changed,)
        Rows, and their labels before and after.
    lost : mapping of RowKey to tuple of int
        The same for labels whose row is not there.
    classes : mapping of int to tuple of ClassInfo or None
        Classes before and after; None where there is none.
    confidence : tuple of float or None
        The confidence asked for, before and after.
    check : Check or None
        An answer to a random check.
    merged : tuple of int or None
        A class, and the one that it becomes part of.
    is_undo : bool
        Whether the check and the merging are taken back.
    """

    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    before: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    after: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lost: Mapping[RowKey, tuple[int, int]] = field(default_factory=dict)
    classes: Mapping[int, tuple[ClassInfo | None, ClassInfo | None]] = field(default_factory=dict)
    confidence: tuple[float, float] | None = None
    check: Check | None = None
    merged: tuple[int, int] | None = None
    is_undo: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is changed, as by a label that a row has already."""
        parts = (len(self.rows), self.lost, self.classes, self.confidence, self.check)
        return not any(parts)

    def reversed(self) -> Change:
        """Return the change that takes this one back."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            lost={key: pair[::-1] for key, pair in self.lost.items()},
            classes={number: pair[::-1] for number, pair in self.classes.items()},
            confidence=None if self.confidence is None else self.confidence[::-1],
            is_undo=not self.is_undo,
        )

    def applied(self, state: State) -> State:
        """Return the state after the change."""
        given, classes, lost = state.given, dict(state.classes), dict(state.lost)
        if len(self.rows):
            given = given.copy()
            given[self.rows] = self.after
        for number, (_, info) in self.classes.items():
            classes.pop(number, None)
            if info is not None:
                classes[number] = info
        for key, (_, label) in self.lost.items():
            lost.pop(key, None)
            if label >= 0:
                lost[key] = label
        checks = state.checks
        if self.check is not None:
            checks = _without_last(checks, self.check) if self.is_undo else (*checks, self.check)
        return State(
            given,
            dict(sorted(classes.items())),
            lost,
            checks,
            state.confidence if self.confidence is None else self.confidence[1],
            self._merged(state.merged),
        )

    def _merged(self, before: Mapping[int, int]) -> Mapping[int, int]:
        if self.merged is None:
            return before
        number, into = self.merged
        kept = {one: other for one, other in before.items() if one != number}
        return kept if self.is_undo else {**kept, number: into}


def _without_last(checks: tuple[Check, ...], check: Check) -> tuple[Check, ...]:
    """Return checks without the last one that equals ``check``."""
    place = len(checks) - 1 - checks[::-1].index(check)
    return (*checks[:place], *checks[place + 1 :])
