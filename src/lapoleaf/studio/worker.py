"""The thread that owns the model: features, trees, then labels whenever a person gives some."""

from __future__ import annotations

import copy
import re
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators.choosing import is_choice_due
from lapoleaf.studio.results import Result
from lapoleaf.studio.state import State

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

# Pictures whose features are computed between two reports of progress.
_PICTURES_AT_ONCE = 64
# Seconds without a label after which the model chooses again, if it is due.
_IDLE_SECONDS = 0.5
# The accuracy is estimated after a pause of so many times as long as the last answer took: where
# that is long, a person who goes on labelling does not wait for the estimate.
_PAUSE_BEFORE_ESTIMATE = 2.0


class Listening(Protocol):
    """Listener to the results of the worker."""

    @property
    def state(self) -> State:
        """What a person has done so far."""

    def take_status(self, status: str, message: str = "", share: float | None = None) -> None:
        """Take what the worker is doing."""

    def take_rows(self, model: Any, usable: BoolArray) -> None:
        """Take the model with trees and without labels, and which rows are in it."""

    def take_result(self, result: Result | None, state: State) -> None:
        """Take labels of all rows that follow from a state; None where nothing follows yet."""

    def take_accuracy(self, accuracy: float | None, state: State) -> None:
        """Take the estimated accuracy of the labels that followed from a state."""

    def take_map(self, places: FloatArray | None) -> None:
        """Take places of all rows; None if there are none."""


class Worker(threading.Thread):
    """One thread that owns the model. The newest labels count; those between are never fitted.

    Parameters
    ----------
    data : Dataset
        The rows.
    session : Listening
        Receiver of the results.
    model : LaPOLeaFClassifier or None
        A model that has the rows already, without labels.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(
        self, data: Dataset, session: Listening, model: Any = None, n_jobs: int | None = None
    ) -> None:
        super().__init__(name="lapoleaf-studio-model", daemon=True)
        self.data = data
        self.session = session
        self.model = model
        self.n_jobs = n_jobs
        self._news = threading.Event()
        self.is_closed = False
        self.map_thread: threading.Thread | None = None
        self._accuracy: float | None = None

    def wake(self) -> None:
        """Wake the worker: there are new labels."""
        self._news.set()

    def close(self) -> None:
        """End after the step that is being done."""
        self.is_closed = True
        self._news.set()

    def run(self) -> None:
        """Build the trees, then label whenever labels change."""
        try:
            usable = self._built()
            if self.is_closed:
                return
            self.map_thread = threading.Thread(target=self._lay_out, args=(usable,), daemon=True)
            self.map_thread.start()
            self._follow(usable)
        except Exception as error:
            # Labels can be given without a model.
            self.session.take_status("failed", f"There is no model. {_sentence(error)}")
            if self.map_thread is None:
                self.session.take_map(None)

    # Rows ---------------------------------------------------------------------------------------

    def _built(self) -> BoolArray:
        """Build the trees, and return which rows are in them."""
        if self.model is not None:
            usable = np.ones(len(self.data), dtype=bool)
        else:
            rows, usable = self._rows()
            if self.is_closed:
                return usable
            self.session.take_status("fitting", "Finding neighbours and leaders of all rows")
            self.model = self._new_model().partial_fit(rows)
        self.session.take_rows(copy.copy(self.model), usable)
        return usable

    def _new_model(self) -> Any:
        from lapoleaf import LaPOLeaFClassifier, TableEncoder

        options: dict[str, Any] = {}
        if self.data.kind in ("table", "texts"):
            options["encoder"] = TableEncoder(kinds=self.data.kinds or None)
        return LaPOLeaFClassifier(missing_label=-1, n_jobs=self.n_jobs, **options)

    def _rows(self) -> tuple[Any, BoolArray]:
        """Return the rows that can be used, and which these are."""
        data = self.data
        usable = np.ones(len(data), dtype=bool)
        if data.kind != "images":
            self.session.take_status("fitting", "Reading rows as numbers")
            return data.rows, usable
        X = data.X if data.array is not None else self._features()
        if self.is_closed:
            return X, usable
        usable = np.asarray(X.any(axis=1))
        if not usable.any():
            raise ValueError("none of the pictures can be read")
        return X[usable], usable

    def _features(self) -> FloatArray:
        """Return features of pictures, and report how many are done."""
        files = self.data.frame["image"].tolist()
        parts: list[FloatArray] = []
        for begin in range(0, len(files), _PICTURES_AT_ONCE):
            message = f"Reading pictures: {begin:,} of {len(files):,}"
            self.session.take_status("fitting", message, begin / len(files))
            encoder: Any = self.data.encoder
            parts.append(encoder.encode(files[begin : begin + _PICTURES_AT_ONCE]))
            if self.is_closed:
                return parts[0]
        width = max(part.shape[1] for part in parts)
        # A part of which no picture can be read has no columns.
        return np.concatenate(
            [part if part.shape[1] else np.zeros((len(part), width)) for part in parts]
        )

    def _lay_out(self, usable: BoolArray) -> None:
        """Lay the rows out in the plane in a separate thread: labels do not wait for it."""
        from lapoleaf import layout

        try:
            places = layout(copy.copy(self.model), n_jobs=self.n_jobs).places
        except Exception as error:
            self.session.take_status("failed", f"There is no map: {_sentence(error)}")
            self.session.take_map(None)
            return
        found = np.empty((len(usable), 2), dtype=np.float32)
        found[:] = places.min(axis=0)
        found[usable] = places
        if not self.is_closed:
            self.session.take_map(found)

    # Labels -------------------------------------------------------------------------------------

    def _follow(self, usable: BoolArray) -> None:
        """Label all rows whenever there are new labels; choose again while a person is thinking."""
        known = np.full(int(usable.sum()), -1, dtype=np.int64)
        answered: State | None = None
        self._news.set()
        while not self.is_closed:
            is_due = answered is not None and is_choice_due(self.model._fitted)
            is_new = self._news.wait(_IDLE_SECONDS if is_due else None)
            self._news.clear()
            if self.is_closed:
                return
            if answered is not None and not is_new:
                self.session.take_status("fitting", "")
                self.model.update_labels(self.model.ids_[:0], known[:0], rechoose=True)
                self.session.take_result(self._answers(usable), answered)
                if not self._news.is_set():
                    self._estimate(answered)
                continue
            state = self.session.state
            wanted = np.maximum(state.given[usable], -1)
            n_classes = len(np.unique(wanted[wanted >= 0]))
            if n_classes < 2:
                self.session.take_result(None, state)
                answered = self._accuracy = None
                continue
            self.session.take_status("fitting", "")
            began = time.perf_counter()
            self.session.take_result(self._labelled(known, wanted, usable), state)
            known, answered = wanted, state
            if not self._news.wait(_PAUSE_BEFORE_ESTIMATE * (time.perf_counter() - began)):
                self._estimate(state)

    def _estimate(self, state: State) -> None:
        """Estimate the accuracy of the latest labels."""
        self._accuracy = _loo_accuracy(self.model)
        self.session.take_accuracy(self._accuracy, state)

    def _labelled(self, known: IntArray, wanted: IntArray, usable: BoolArray) -> Result:
        """Update the labels of the model that have changed, and return its labels."""
        changed = np.flatnonzero(known != wanted)
        model = self.model
        if len(changed):
            model.update_labels(model.ids_[changed], wanted[changed], rechoose=False)
        return self._answers(usable)

    def _answers(self, usable: BoolArray) -> Result:
        """Return the labels of the model for all rows."""
        model = self.model
        classes = np.full(len(usable), -1, dtype=np.int32)
        confidence = np.zeros(len(usable), dtype=np.float32)
        classes[usable] = model.transduction_
        confidence[usable] = model.confidence_
        return Result(copy.copy(model), classes, confidence, self._accuracy)


def _sentence(error: Exception) -> str:
    """Return what went wrong: errors about the rows are sentences already."""
    if not isinstance(error, ValueError):
        return f"{type(error).__name__}: {error}"
    # Who looks at a page has not called anything X.
    return re.sub(r"^X\b", "The input", str(error))


def _loo_accuracy(model: Any) -> float | None:
    """Return the share of given labels that the others predict right."""
    found = model.suspicious_labels(all=True)
    certain = ~np.isnan(found.doubt)
    if not certain.any():
        return None
    return float(np.mean(found.given[certain] == found.instead[certain]))
