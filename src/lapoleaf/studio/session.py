"""An open project: rows, a person's actions, and the labels of the model."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.studio.actions import Action
from lapoleaf.studio.binary import packed_labels, packed_positions
from lapoleaf.studio.checks import drawn, wilson_interval
from lapoleaf.studio.events import Events
from lapoleaf.studio.ledger import Done, Ledger
from lapoleaf.studio.project import Project
from lapoleaf.studio.reasons import Explainer
from lapoleaf.studio.results import Result, RowsOfModel, joined
from lapoleaf.studio.searching import Searcher
from lapoleaf.studio.state import Change, State
from lapoleaf.studio.suggesting import Suggester
from lapoleaf.studio.thumbnails import Thumbnails
from lapoleaf.studio.worker import Worker

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset


@dataclass(frozen=True, eq=False)
class View:
    """All labels at one moment, as the page shows them."""

    revision: int
    classes: IntArray
    confidence: FloatArray
    state: State

    def packed(self) -> bytes:
        """Return them as bytes."""
        return packed_labels(
            self.revision,
            self.classes,
            self.confidence,
            self.state.is_given,
            len(self.state.classes),
        )


class Session:
    """An open project.

    Parameters
    ----------
    data : Dataset
        The rows.
    project : Project
        The file.
    model : LaPOLeaFClassifier or None
        A model that has the rows already, without labels.
    n_jobs : int or None
        Number of threads of the model.
    """

    def __init__(
        self, data: Dataset, project: Project, model: Any = None, n_jobs: int | None = None
    ) -> None:
        self.data, self.project = data, project
        # Pages name it: they must not label rows of a project that was opened after theirs.
        self.id = secrets.token_hex(8)
        self.events = Events()
        self.ledger = Ledger(data, project)
        self._guard = self.ledger.guard
        self.result: Result | None = None
        self.rows_model: Any = None
        self.model_rows = RowsOfModel(np.ones(len(data), dtype=bool))
        self.status: dict[str, Any] = {"status": "none", "message": "", "progress": None}
        self.positions: bytes | None = None
        self.map_revision = 0
        self._has_no_map = False
        self._base: Result | None = None
        self._view: View | None = None
        self._packed: tuple[View | None, bytes] = (None, b"")
        self._answered: State | None = None
        self._numbers = itertools.count(1)
        self.suggester = Suggester(self._suggested, len(data))
        self.explainer = Explainer()
        self.thumbnails, self.searcher = Thumbnails(data), Searcher(data)
        self.worker = Worker(data, self, model, n_jobs)

    @property
    def state(self) -> State:
        """What a person has done so far."""
        return self.ledger.state

    @property
    def is_failed(self) -> bool:
        """Whether there is no model of these rows."""
        return self.status["status"] == "failed" and self.rows_model is None

    def start(self) -> None:
        """Start the worker."""
        self.worker.start()
        self.suggester.start()

    def close(self) -> None:
        """End the model's work, and close the file."""
        self.worker.close()
        self.suggester.close()
        self.explainer.close()
        self.events.close()
        self.ledger.close()

    def wait_for_threads(self, seconds: float) -> None:
        """Wait until the threads have ended the step that each is at.

        A thread that is still computing when the interpreter ends may abort the process.
        """
        end = time.monotonic() + seconds
        for thread in (self.worker, self.worker.map_thread, self.suggester):
            if thread is not None and thread.is_alive():
                thread.join(max(0.0, end - time.monotonic()))

    # What the worker reports ---------------------------------------------------------------

    def take_status(self, status: str, message: str = "", share: float | None = None) -> None:
        """Take what the worker is doing."""
        self.status = {"status": status, "message": message, "progress": share}
        self.events.send("progress", {"stage": message, "share": share, "status": status})

    def take_rows(self, model: Any, usable: BoolArray) -> None:
        """Take the model with trees and without labels, and which rows are in it."""
        self.model_rows = RowsOfModel(usable)
        # Until there are suggestions, pages get random rows and do not wait.
        self.suggester.prepare(model)
        self.rows_model = model

    def take_result(self, result: Result | None, state: State) -> None:
        """Take labels of all rows that follow from a state; None where nothing follows yet."""
        with self._guard:
            self.result, self._answered = result, state
            self._view = None
            revision = self.ledger.revision
        status = "ready" if result is not None else ("one class" if state.n_given else "none")
        self.take_status(status)
        self.send_labels()
        if result is not None:
            self.suggester.wake(result.model)
        self._keep_progress(revision)

    def take_accuracy(self, accuracy: float | None, state: State) -> None:
        """Take the estimated accuracy of the labels that followed from a state."""
        with self._guard:
            if self.result is None or self._answered is not state:
                return
            self.result = replace(self.result, loo_accuracy=accuracy)
            revision = self.ledger.revision
            self.events.send("state", self.to_json())
        self._keep_progress(revision)
        # The person is thinking: there is time for it.
        with self._guard:
            if not self.worker.is_closed:
                self.project.settle()

    def take_map(self, places: FloatArray | None) -> None:
        """Take places of all rows; None if there are none."""
        if places is None:
            with self._guard:
                self._has_no_map = True
                self.events.send("state", self.to_json())
            return
        self.positions = packed_positions(places)
        self.map_revision += 1
        self.events.send("map", {"revision": self.map_revision})

    def send_labels(self) -> dict[str, Any]:
        """Send new labels and a new state to the pages, and return the state."""
        # Nothing older is sent after this.
        with self._guard:
            news = self.news()
            for kind in ("labels", "changed", "state"):
                self.events.send(kind, news[kind])
        return cast("dict[str, Any]", news["state"])

    def news(self) -> dict[str, Any]:
        """Return events with the present state, by kind."""
        with self._guard:
            state = self.to_json()
            return {
                # First, as it tells a page whether the rest is about its rows.
                "state": state,
                # Settled: the model has answered what a person did last.
                "labels": {"revision": state["revision"], "settled": self._answered is self.state},
                "changed": {"n": len(self.changed_rows())},
                "map": {"revision": self.map_revision},
            }

    def _keep_progress(self, revision: int) -> None:
        facts = self.progress()
        check = facts["check"]
        with self._guard:
            if revision and not self.worker.is_closed:
                self.project.add_progress(
                    (
                        revision,
                        self.state.n_given,
                        facts["share_confident"],
                        facts["loo_accuracy"],
                        check["n"],
                        check["right"],
                    )
                )

    # What a person does ---------------------------------------------------------------------

    def act(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a request asks for; it is on the disk when this returns.

        Parameters
        ----------
        body : mapping
            With ``kind`` and what belongs to it.
        """
        with self._guard:
            before = self.result
            return self._taken(self.ledger.act(body), before)

    def do(self, action: Action) -> dict[str, Any]:
        """Do something that was made elsewhere, such as an import."""
        with self._guard:
            before = self.result
            return self._taken(self.ledger.do(action), before)

    def _taken(self, done: Done, before: Result | None) -> dict[str, Any]:
        self._base = before
        self._view = None
        self._follow_merge(done.change)
        self.worker.wake()
        state = self.send_labels()
        return {
            "revision": state["revision"],
            "action": done.number,
            "class": done.added,
            # The row of a single label, to go back to it after undo.
            "row": int(done.change.rows[0]) if len(done.change.rows) == 1 else None,
            "state": state,
        }

    def _follow_merge(self, change: Change) -> None:
        """Show rows of a class that was merged in the other one until the model has answered."""
        gone = [number for number, (_, info) in change.classes.items() if info is None]
        targets = np.unique(change.after)
        if self.result is None or len(gone) != 1 or len(targets) != 1 or targets[0] < 0:
            return
        classes = self.result.classes
        moved = np.where(classes == gone[0], targets[0], classes).astype(np.int32)
        self.result = self._base = replace(self.result, classes=moved)

    # What pages read --------------------------------------------------------------------------

    def view(self) -> View:
        """Return all labels as they are now."""
        with self._guard:
            if self._view is None:
                classes, confidence = joined(self.state, self.result)
                self._view = View(self.ledger.revision, classes, confidence, self.state)
            return self._view

    def packed_labels(self) -> bytes:
        """Return all labels as they are now, as bytes."""
        view = self.view()
        known, packed = self._packed
        if known is not view:
            packed = view.packed()
            self._packed = (view, packed)
        return packed

    def changed_rows(self) -> IntArray:
        """Return the rows without a given label whose class the last action has changed."""
        with self._guard:
            now, before, state = self.result, self._base, self.state
        if now is None or before is None or now is before:
            return np.empty(0, dtype=np.int64)
        changed = np.flatnonzero((now.classes != before.classes) & ~state.is_given)
        found: IntArray = changed[np.argsort(-now.confidence[changed], kind="stable")]
        return found

    def _suggested(self, model: Any, n: int) -> IntArray:
        """Return rows that are worth labelling next by a model."""
        rows = self.model_rows
        return rows.of_ids(model, model.suggest(min(n, len(rows.rows))))

    def drawn_for_check(self, n: int) -> list[tuple[int, int]]:
        """Draw rows for the random check, and return them with the classes they are shown with."""
        with self._guard:
            view = self.view()
            allowed = ~view.state.is_given & (view.classes >= 0)
            if self._answered is not None:
                # The model still repeats a label that was taken back a moment ago.
                allowed &= ~self._answered.is_given
            rows = drawn(self.ledger.draws, allowed, n).tolist()
            found = [(row, int(view.classes[row])) for row in rows]
            self.ledger.shown_in_check = dict(found)
        return found

    def progress(self) -> dict[str, Any]:
        """Return figures of progress."""
        with self._guard:
            view, result, state = self.view(), self.result, self.state
        right, n_checked = state.checked()
        low, high = wilson_interval(right, n_checked)
        confident = (view.confidence >= state.confidence) & (view.classes >= 0)
        return {
            "share_confident": float(confident.mean()) if len(confident) else 0.0,
            "asked_confidence": state.confidence,
            "loo_accuracy": None if result is None else result.loo_accuracy,
            "check": {"n": n_checked, "right": right, "low": low, "high": high},
        }

    def to_json(self) -> dict[str, Any]:
        """Return everything but the rows as the page takes it."""
        with self._guard:
            number = next(self._numbers)
            state, view = self.state, self.view()
            undo, redo = self.project.to_undo(), self.project.to_redo()
            revision = self.ledger.revision
        counts = state.counts()
        labelled = np.bincount(view.classes[view.classes >= 0], minlength=state.next_id)
        status = dict(self.status)
        if status["status"] in ("none", "ready", "one class"):
            status["status"] = self._settled_status(state)
        return {
            "revision": revision,
            # Of two answers, the one with the higher number is the newer.
            "number": number,
            "session": self.id,
            "name": self.name,
            "kind": self.data.kind,
            "n_rows": len(self.data),
            "project": str(self.project.path),
            "classes": [info.to_json() for info in state.classes.values()],
            "n_given": state.n_given,
            "counts": {
                "given": [counts[number] for number in state.classes],
                "labelled": [int(labelled[number]) for number in state.classes],
            },
            "can_undo": undo is not None,
            "can_redo": redo is not None,
            "undo_text": None if undo is None else undo[1],
            "redo_text": None if redo is None else redo[1],
            "model": status,
            "map": {"status": self._map_status(), "revision": self.map_revision},
            "progress": self.progress(),
            "lost": self._lost(state),
            "n_lost": len(state.lost),
        }

    def _map_status(self) -> str:
        if self.positions is not None:
            return "ready"
        return "failed" if self._has_no_map else "none"

    def _settled_status(self, state: State) -> str:
        n_classes = sum(count > 0 for count in state.counts().values())
        if n_classes > 1:
            is_settled = self.result is not None and self._answered is state
            return "ready" if is_settled else "fitting"
        return "one class" if n_classes else "none"

    @property
    def name(self) -> str:
        """What the project is called."""
        return self.project.path.name.removesuffix(".lapoleaf")

    def _lost(self, state: State) -> list[dict[str, Any]]:
        """Return labels whose row is not there, a few hundred at most."""
        found = list(state.lost.items())[:500]
        return [
            {"key": key.key.removeprefix("="), "class": state.classes[number].name}
            for key, number in found
            if number in state.classes
        ]
