"""What a person has done, in memory and in the project file, always the same in both."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lapoleaf._lazy import computed_once
from lapoleaf._messages import shown
from lapoleaf._typing import IntArray
from lapoleaf.inputs.row_keys import keys_of
from lapoleaf.studio.actions import Action, Context, make_action
from lapoleaf.studio.beginning import begun
from lapoleaf.studio.checks import order_of_draws
from lapoleaf.studio.corrections import follow_corrections
from lapoleaf.studio.project import DONE, UNDONE, Project
from lapoleaf.studio.state import Change
from lapoleaf.studio.stored_changes import StoredChange

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset


class NothingToDo(ValueError):
    """There is nothing to undo or to redo."""


class Done(NamedTuple):
    """An action that is on the disk.

    Attributes
    ----------
    number : int
        Its number; 0 for what has changed nothing.
    change : Change
        What it has changed.
    added : int or None
        The first class that it has added.
    """

    number: int
    change: Change
    added: int | None = None


class Ledger:
    """What a person has done: every action is on the disk before it counts.

    Parameters
    ----------
    data : Dataset
        The rows.
    project : Project
        The file.
    """

    def __init__(self, data: Dataset, project: Project) -> None:
        self.project = project
        self.guard = threading.RLock()
        self.keys = keys_of(data, project.meta().get("columns"))
        self.n_corrected = follow_corrections(project, self.keys)
        self.state, self.next_id = begun(data, project, self.keys)
        project.keep_digests(self.keys.digests)
        self.seed = int(project.meta().get("seed", secrets.randbits(62)))
        project.set_meta({"seed": self.seed})
        self.revision = project.revision
        self.shown_in_check: dict[int, int] = {}

    @computed_once
    def draws(self) -> IntArray:
        """All rows in the order of the random check."""
        return order_of_draws(self.keys.digests, self.seed)

    @computed_once
    def other_draws(self) -> IntArray:
        """All rows in another order by chance: that of labelling before there is a model."""
        return order_of_draws(self.keys.digests, self.seed ^ 1)

    def locked(self) -> AbstractContextManager[Any]:
        """Return a context in which no other thread changes anything."""
        return self.guard

    def act(self, body: Mapping[str, Any]) -> Done:
        """Do what a request asks for; it is on the disk when this returns.

        Parameters
        ----------
        body : mapping
            With ``kind`` and what belongs to it.
        """
        with self.guard:
            if body.get("kind") == "undo":
                return self._undo()
            if body.get("kind") == "redo":
                return self._redo()
            return self.do(
                make_action(body, Context(self.state, self.next_id, self.shown_in_check))
            )

    def do(self, action: Action) -> Done:
        """Do something new; what changes nothing is no action, for nothing could be undone."""
        with self.guard:
            change = action.change
            if change.is_empty:
                return Done(0, change)
            added = [number for number, (_, info) in change.classes.items() if info is not None]
            next_id = max([self.next_id, *(number + 1 for number in added)])
            stored = StoredChange.of_change(change, self.keys)
            number = self.project.commit(action.kind, action.text, stored, next_id)
            self.next_id = next_id
            return self._taken(Done(number, change, added[0] if added else None))

    def _undo(self) -> Done:
        found = self.project.to_undo()
        if found is None:
            raise NothingToDo("there is nothing to undo.")
        stored = self.project.entry(found[0]).change.reversed()
        change = stored.with_rows(self.keys, is_undo=True)
        for number in self._left_without_class(change):
            name = self.state.classes[number].name
            raise NothingToDo(
                f"the class {shown(name)} cannot be taken back, since the input has labels of it "
                f"by now: delete it instead."
            )
        self.project.mark(found[0], UNDONE, stored)
        return self._taken(Done(found[0], change))

    def _left_without_class(self, change: Change) -> list[int]:
        """Return classes that a change would remove, but whose labels it would not."""
        gone = [number for number, (_, info) in change.classes.items() if info is None]
        if not gone:
            return []
        after = change.applied(self.state)
        used = {*np.unique(after.given).tolist(), *after.lost.values()}
        return [number for number in gone if number in used]

    def _redo(self) -> Done:
        found = self.project.to_redo()
        if found is None:
            raise NothingToDo("there is nothing to do again.")
        change = self.project.entry(found[0]).change
        self.project.mark(found[0], DONE, change)
        return self._taken(Done(found[0], change.with_rows(self.keys, is_undo=False)))

    def _taken(self, done: Done) -> Done:
        self.state = done.change.applied(self.state)
        self.revision = self.project.revision
        return done

    def close(self) -> None:
        """Close the file."""
        with self.guard:
            self.project.close()
