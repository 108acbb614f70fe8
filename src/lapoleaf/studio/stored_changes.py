"""Changes as they are stored: rows by what they are recognised by."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np

from lapoleaf.inputs.row_keys import RowKey, RowKeys
from lapoleaf.studio.state import Change, Check, ClassInfo


class StoredChange(NamedTuple):
    """A change as it is stored: rows by their keys.

    Attributes
    ----------
    labels : list of tuple of RowKey, int, int
        Labels before and after; -1 for none, -2 for one that was taken back.
    classes : list of tuple of int, ClassInfo or None, ClassInfo or None
        Classes before and after.
    confidence : tuple of float or None
        The confidence asked for, before and after.
    check : tuple of int or None
        Class shown in a random check, and the answer.
    merged : tuple of int or None
        A class, and the one that it becomes part of.
    """

    labels: list[tuple[RowKey, int, int]]
    classes: list[tuple[int, ClassInfo | None, ClassInfo | None]]
    confidence: tuple[float, float] | None
    check: tuple[int, int] | None
    merged: tuple[int, int] | None = None

    def to_text(self) -> str:
        """Return the change as JSON."""
        return json.dumps(
            {
                "labels": [[*key, before, after] for key, before, after in self.labels],
                "classes": [
                    [number, *(info and [info.name, info.colour, info.key] for info in pair)]
                    for number, *pair in self.classes
                ],
                "confidence": self.confidence,
                "check": self.check,
                "merged": self.merged,
            },
            separators=(",", ":"),
        )

    @classmethod
    def of_text(cls, text: str) -> StoredChange:
        """Return the change that JSON holds."""
        found = json.loads(text)
        labels = [
            (RowKey(key, occurrence), before, after)
            for key, occurrence, before, after in found["labels"]
        ]
        classes = [
            (number, *(info and ClassInfo(number, *info) for info in pair))
            for number, *pair in found["classes"]
        ]
        pairs = (found.get(name) for name in ("confidence", "check", "merged"))
        return cls(labels, classes, *(pair and tuple(pair) for pair in pairs))

    def reversed(self) -> StoredChange:
        """Return the change that takes this one back."""
        return StoredChange(
            [(key, after, before) for key, before, after in self.labels],
            [(number, after, before) for number, before, after in self.classes],
            self.confidence and self.confidence[::-1],
            self.check,
            self.merged,
        )

    @classmethod
    def of_change(cls, change: Change, keys: RowKeys) -> StoredChange:
        """Return a change with keys instead of rows."""
        labels = [
            (keys.of(row), before, after)
            for row, before, after in zip(
                change.rows.tolist(), change.before.tolist(), change.after.tolist(), strict=True
            )
        ]
        labels += [(key, *pair) for key, pair in change.lost.items()]
        check = change.check
        return cls(
            labels,
            [(number, *pair) for number, pair in change.classes.items()],
            change.confidence,
            None if check is None else (check.shown, check.answer),
            change.merged,
        )

    def with_rows(self, keys: RowKeys, is_undo: bool) -> Change:
        """Return the change with the rows that its keys have now.

        Parameters
        ----------
        keys : RowKeys
            What the rows are recognised by that there are now.
        is_undo : bool
            Whether the change is taken back.
        """
        rows = keys.rows_of([key for key, _, _ in self.labels])
        before = np.array([label for _, label, _ in self.labels], dtype=np.int64)
        after = np.array([label for _, _, label in self.labels], dtype=np.int64)
        here = rows >= 0
        gone = {
            self.labels[place][0]: (int(before[place]), int(after[place]))
            for place in np.flatnonzero(~here).tolist()
        }
        return Change(
            rows=rows[here],
            before=before[here],
            after=after[here],
            lost=gone,
            classes={number: (one, other) for number, one, other in self.classes},
            confidence=self.confidence,
            check=None if self.check is None else Check(*self.check, int(rows[0])),
            merged=self.merged,
            is_undo=is_undo,
        )
